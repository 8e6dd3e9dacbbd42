/**
 * Parses the JSON of a large request in a reader thread, so that the caller's event loop goes on turning. The text of one
 * field, where a document may stand, comes back as bytes in pieces; the rest of the object is small.
 */

import { type JsonRequest, parseJsonRequest } from '../json-request.js';
import type { JobContext } from './thread-server.js';

/** Bytes of a document that travel at a time. */
const PIECE_BYTES = 256 * 1024;

/** What a request says, without the text that came apart from it. */
export interface ParsedRequest {
  readonly request: JsonRequest;
  /** True when the field was a text, and its bytes are the chunks. */
  readonly apart: boolean;
}

/** Gives the bytes of the field `apart` as chunks. */
export async function parseInPieces(context: JobContext, apart: string | null): Promise<ParsedRequest> {
  const pieces: Uint8Array[] = [];
  for await (const piece of context.input(0)) pieces.push(piece);
  const parsed = parseJsonRequest(Buffer.concat(pieces));
  pieces.length = 0;
  if (apart === null || typeof parsed[apart] !== 'string') return { request: parsed, apart: false };
  const { [apart]: text, ...request } = parsed;
  const bytes = new TextEncoder().encode(text as string);
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    await context.chunk(bytes.slice(from, from + PIECE_BYTES));
  }
  return { request, apart: true };
}
