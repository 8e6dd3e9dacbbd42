/**
 * A document of this machine on its way to a server: as its bytes are, a compressed file as it is compressed, of any size
 * and never held whole. What was sent is told as progress.
 */

import { createReadStream, statSync } from 'node:fs';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Control, throwIfAborted } from '../../../engine/base/control.js';
import { SvcError } from '../../../engine/base/errors.js';
import {
  type Compression,
  compressionOfPath,
  describeFormat,
  formatOfPath,
} from '../../../engine/rdf/formats/registry.js';
import type { LoadSource } from '../../../engine/storage/seam/engine.js';

export interface SentDocument {
  readonly headers: Readonly<Record<string, string>>;
  readonly baseIri: string | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Null where nobody knows it before the end. */
  readonly length: number | null;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* fileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): SvcError {
  return new SvcError('source_unreadable', `${path} can not be read: ${(error as Error).message}`, { cause: error });
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The one document of a request. */
export function sentDocument(documents: readonly LoadSource[]): SentDocument {
  const [document, another] = documents;
  if (document === undefined || another !== undefined) {
    throw new SvcError('usage', `${documents.length} documents: a request to a server (--url) holds one`, {
      hint: 'load them one by one with --each',
    });
  }
  if (document.kind === 'quads') throw new SvcError('internal', 'a command line names no quads');
  const headersOf = (type: string, compression: Compression): Record<string, string> => ({
    'Content-Type': type,
    ...(compression === 'none' ? {} : { 'Content-Encoding': compression }),
  });
  if (document.kind === 'file') {
    const { path, baseIri } = document;
    const { compression } = compressionOfPath(path);
    const { mediaTypes } = describeFormat(document.format ?? formatOfPath(path).format);
    const headers = headersOf(mediaTypes[0] as string, compression);
    const length = sizeOf(path);
    return { headers, baseIri, bytes: fileBytes(path), length };
  }
  const { bytes, baseIri, compression = 'none' } = document;
  const headers = headersOf(describeFormat(document.format).mediaTypes[0] as string, compression);
  if (!(bytes instanceof Uint8Array)) return { headers, baseIri, bytes, length: null };
  return { headers, baseIri, bytes: once(bytes), length: bytes.length };
}

/** A server that does not know how to be asked for a body gets it after so long. */
const ASK_MS = 1000;

/** Settles when the answer begins, before the end of the document where it is refused. */
export async function sendDocument(
  url: string,
  document: SentDocument,
  { method, headers }: { readonly method: string; readonly headers: Readonly<Record<string, string>> },
  control: Control,
): Promise<Response> {
  const { signal } = control;
  throwIfAborted(signal, 'the request');
  const start = url.startsWith('https:') ? httpsRequest : httpRequest;
  const length: Record<string, string> = document.length === null ? {} : { 'Content-Length': String(document.length) };
  // Node writes the head of a request that expects to be asked as text: what is beyond ASCII there would be encoded twice.
  const expects = Object.values(headers).every(isAscii);
  const message = start(url, {
    method,
    headers: { ...headers, ...document.headers, ...length, ...(expects ? { Expect: '100-continue' } : {}) },
    ...(signal === undefined ? {} : { signal }),
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    message.once('response', resolve);
    message.once('error', reject);
  });
  const sending = (expects ? whenAsked(message, answered) : Promise.resolve(true)).then((isAsked) => {
    if (isAsked) return pipeline(Readable.from(counted(document, control)), message);
    message.destroy();
  });
  // The answer says more than a connection that ended while it was on its way.
  const failed = sending.then(
    () => answered,
    (error: unknown) => Promise.race([answered, late(error)]),
  );
  const answer = await Promise.race([answered, failed]);
  if (!message.writableEnded) answer.once('end', () => message.destroy());
  return new Response(Readable.toWeb(answer) as ReadableStream, {
    status: answer.statusCode ?? 500,
    statusText: answer.statusMessage ?? '',
    headers: Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  });
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** How long an answer may come after its connection failed. */
const LATE_MS = 200;

function late(error: unknown): Promise<never> {
  return new Promise((_, reject) => setTimeout(() => reject(error), LATE_MS));
}

/** Whether the server wants the body: it asks for it, or answers. */
function whenAsked(message: ClientRequest, answered: Promise<IncomingMessage>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(true), ASK_MS);
    const settle = (asked: boolean): void => {
      clearTimeout(timer);
      resolve(asked);
    };
    message.once('continue', () => settle(true));
    answered.then(
      () => settle(false),
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
    message.flushHeaders();
  });
}

const REPORT_MS = 100;

async function* counted({ bytes, length }: SentDocument, { onProgress }: Control): AsyncGenerator<Uint8Array> {
  const startMs = performance.now();
  let [done, reportedMs] = [0, 0];
  const report = (phase: string): void => {
    const elapsedMs = performance.now() - startMs;
    if (phase === 'send' && elapsedMs - reportedMs < REPORT_MS) return;
    reportedMs = elapsedMs;
    onProgress?.({ phase, done, unit: 'bytes', elapsedMs, ...(length === null ? {} : { total: length }) });
  };
  for await (const piece of bytes) {
    yield piece;
    done += piece.length;
    report('send');
  }
  report('load on the server');
}
