/** What a parser of one format looks like to `reader.ts`: text goes in, quads collect, faults are thrown. */

import { type InputPosition, SvcError } from '../../../base/errors.js';
import type { Quad } from '../../terms.js';
import type { ReadFactory } from './read-factory.js';
import type { TextWindow } from './text-window.js';

export interface PushReader {
  /** Takes the next piece of text; complete quads are appended to `into`. */
  write(text: string, into: Quad[]): void | Promise<void>;
  /** The text has ended. */
  end(into: Quad[]): void | Promise<void>;
}

/** Loads a document that a JSON-LD document refers to (a remote context): its parsed JSON. */
export type RemoteContextLoader = (url: string) => Promise<unknown>;

export interface PushReaderOptions {
  readonly factory: ReadFactory;
  readonly window: TextWindow;
  readonly baseIri: string | undefined;
  readonly jsonLd: JsonLdReadOptions;
  readonly onPrefix?: ((prefix: string, namespace: string) => void) | undefined;
}

export interface JsonLdReadOptions {
  /** Remote contexts are refused unless a loader is given. */
  readonly remoteContexts?: 'refuse' | RemoteContextLoader | undefined;
  /**
   * What happens to a node, property or type whose IRI is relative or not an IRI, and to a bad language
   * tag: `drop` leaves the statement out, as the JSON-LD algorithms say; `refuse` is an error.
   */
  readonly invalidTerms?: 'drop' | 'refuse' | undefined;
  readonly rdfDirection?: 'i18n-datatype' | 'compound-literal' | undefined;
  /** A context that applies before the document's own. */
  readonly expandContext?: unknown;
  readonly processingMode?: '1.0' | '1.1' | undefined;
  /** A document that is not a top-level array is held in memory as a whole: its limit, in UTF-16 units. */
  readonly documentCharactersMax?: number | undefined;
}

export function parseError(message: string, position: InputPosition, cause?: unknown, hint?: string): SvcError {
  return new SvcError('parse_error', message, {
    position,
    ...(cause === undefined ? {} : { cause }),
    ...(hint === undefined ? {} : { hint }),
  });
}
