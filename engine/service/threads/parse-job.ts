/**
 * Reads the bodies of large requests in a reader thread, so that the caller's event loop goes on turning. The text of one
 * field of JSON, where a document may stand, comes back as bytes in pieces; the rest of the object is small.
 */

import type { JobContext } from '../../base/threads/server.js';
import { parseForm } from '../requests/form-request.js';
import { decodeText, type JsonRequest, parseJsonRequest } from '../requests/json-request.js';

/** Bytes of a document that travel at a time. */
const PIECE_BYTES = 256 * 1024;

/** What is known of a request before it is read. */
export interface ParseInput {
  /** The field whose text comes apart. */
  readonly apart: string | null;
  /** The fields whose values are wanted; null = all. Of any other only its name comes back, and whether it is null. */
  readonly declared: readonly string[] | null;
}

/** What a request says, without the text that came apart from it. */
export interface ParsedRequest {
  readonly request: JsonRequest;
  /** True when the field was a text, and its bytes are the chunks. */
  readonly apart: boolean;
}

/** `form`: the parameters that are wanted of a form; null = the text as it is. */
export interface DecodeInput {
  readonly form: readonly string[] | null;
}

export type DecodedBody = string | [name: string, text: string][];

async function bodyOf(context: JobContext): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of context.input(0)) pieces.push(piece);
  return Buffer.concat(pieces);
}

function withoutUndeclared(request: JsonRequest, declared: readonly string[] | null): JsonRequest {
  if (declared === null) return request;
  const wanted = new Set(declared);
  return Object.fromEntries(
    Object.entries(request).map(([key, value]) => [key, wanted.has(key) || value === null ? value : true]),
  );
}

/** Gives the bytes of the field `apart` as chunks. */
export async function parseInPieces(context: JobContext, { apart, declared }: ParseInput): Promise<ParsedRequest> {
  const parsed = withoutUndeclared(parseJsonRequest(await bodyOf(context)), declared);
  if (apart === null || typeof parsed[apart] !== 'string') return { request: parsed, apart: false };
  const { [apart]: text, ...request } = parsed;
  const bytes = new TextEncoder().encode(text as string);
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    await context.chunk(bytes.slice(from, from + PIECE_BYTES));
  }
  return { request, apart: true };
}

export async function decodeBody(context: JobContext, { form }: DecodeInput): Promise<DecodedBody> {
  const bytes = await bodyOf(context);
  return form === null ? decodeText(bytes) : parseForm(bytes, form);
}
