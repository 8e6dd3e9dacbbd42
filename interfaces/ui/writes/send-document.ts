/** Sends a document to be loaded, or to be tried on the stored shapes. */

import { errorOf } from '../../../clients/typescript/src/errors.js';
import type { Operations } from '../../../clients/typescript/src/index.js';
import type { Server } from '../wire/server.js';
import { FORMATS, type FormatName } from './document-format.js';

export type Loaded = Operations['knot']['response'];
export type Judged = Operations['validate']['response'];

export interface OpenDocument {
  readonly content: string | Blob;
  readonly format: FormatName;
}

export interface LoadFields {
  readonly graph: string | undefined;
  readonly source: string | undefined;
  /** What relative IRIs stand below. */
  readonly base: string | undefined;
}

/** As the body of the request itself, which may have any size: a file is never a text of the page. */
export async function loadDocument(
  server: Server,
  { content, format }: OpenDocument,
  fields: LoadFields,
  signal: AbortSignal,
): Promise<Loaded> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) parameters.set(name, value);
  const response = await server.fetch(`${server.base}/knot?${parameters}`, {
    method: 'POST',
    // A type that a file brings along would be the browser's guess.
    headers: { 'Content-Type': FORMATS[format].mediaType, Accept: 'application/json' },
    body: content,
    signal,
  });
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as Loaded;
}

export async function judgeDocument(
  server: Server,
  { content, format }: OpenDocument,
  signal: AbortSignal,
): Promise<Judged> {
  const { label, isTurtle } = FORMATS[format];
  if (!isTurtle || typeof content !== 'string') {
    throw new TypeError(
      typeof content === 'string'
        ? `Only Turtle and N-Triples are tried without being written; this is ${label}. Loading judges it by the same shapes, and writes nothing that they refuse.`
        : 'A file of this size is judged by the same shapes when it is loaded: nothing is written that they refuse.',
    );
  }
  return server.client.call('validate', { data: content }, { signal });
}
