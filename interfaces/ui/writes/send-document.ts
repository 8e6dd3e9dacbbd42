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
  document: OpenDocument,
  fields: LoadFields,
  signal: AbortSignal,
): Promise<Loaded> {
  return (await sent(server, { path: '/knot', document, fields: { ...fields } }, signal)) as Loaded;
}

/** By the stored shapes; nothing is written. */
export async function judgeDocument(
  server: Server,
  document: OpenDocument,
  { base }: Pick<LoadFields, 'base'>,
  signal: AbortSignal,
): Promise<Judged> {
  return (await sent(server, { path: '/validate', document, fields: { base } }, signal)) as Judged;
}

interface Sending {
  readonly path: string;
  readonly document: OpenDocument;
  readonly fields: Readonly<Record<string, string | undefined>>;
}

async function sent(server: Server, { path, document, fields }: Sending, signal: AbortSignal): Promise<unknown> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) parameters.set(name, value);
  const response = await server.fetch(`${server.base}${path}?${parameters}`, {
    method: 'POST',
    // A type that a file brings along would be the browser's guess.
    headers: { 'Content-Type': FORMATS[document.format].mediaType, Accept: 'application/json' },
    body: document.content,
    signal,
  });
  if (!response.ok) throw await errorOf(response);
  return response.json();
}
