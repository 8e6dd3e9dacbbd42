/** What a translator makes of a request that no schema alone describes: the request of an operation. */

import type { IncomingMessage } from 'node:http';
import { getOrInsert } from '../../../engine/base/maps.js';
import type { Configuration } from '../../../engine/service/configuration/configuration.js';
import type { Operation } from '../../../engine/service/operations/definition/operation.js';
import type { OperationAnswer } from '../../../engine/service/requests/operation-answer.js';
import type { ReaderPool } from '../../../engine/service/threads/reader-pool.js';
import type { LoadSource } from '../../../engine/storage/seam/engine.js';
import { type BodyLimit, type DocumentBody, readDocument } from '../request/body.js';

/** A request as a translator sees it. */
export interface Incoming {
  readonly message: IncomingMessage;
  readonly operation: Operation;
  /** The path, not decoded. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly configuration: Configuration;
  /** Parse large bodies. */
  readonly readers: ReaderPool | null;
  /** For bodies that have no limit of their own. */
  readonly bodyLimit: BodyLimit;
  /** `http://host:port` by which the client reached the server. */
  readonly baseUrl: string;
}

export interface Asked {
  /** What answers in place of the operation of the route; one that only reads. */
  readonly operation?: Operation;
  readonly request: Readonly<Record<string, unknown>>;
  readonly representation: string;
  readonly acceptable?: readonly string[];
  readonly documents?: readonly LoadSource[];
  /** A person asks by a browser: the page of the web UI is what shows the answer. */
  readonly opensPage?: boolean;
  /** Called when nobody reads the documents any more. */
  readonly release?: () => void;
  /** What the answer's status and headers add to those of its notes. */
  readonly shape?: (answer: OperationAnswer) => AnswerShape;
}

export interface AnswerShape {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body is not sent. */
  readonly empty?: boolean;
}

export type Translator = (incoming: Incoming) => Promise<Asked>;

const forms = new WeakMap<Operation, ReadonlyMap<string, string>>();

/** The representations of an operation by media type. */
export function formsOf(operation: Operation): ReadonlyMap<string, string> {
  return getOrInsert(
    forms,
    operation,
    () => new Map(operation.representations.map(({ mediaType, name }) => [mediaType.split(';', 1)[0] as string, name])),
  );
}

/** The document that is the body of a request. */
export async function takeDocument({ message, bodyLimit, configuration }: Incoming): Promise<DocumentBody> {
  const body = await readDocument(message, bodyLimit, configuration.query.spill_directory);
  return { bytes: body.bytes, release: () => body.release() };
}
