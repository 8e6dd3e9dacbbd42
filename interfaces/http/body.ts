/**
 * Bodies of requests: read whole within a limit, with their type looked at before the first byte. A body that is larger
 * is refused at once where its length is declared, otherwise at the byte that is too many.
 */

import type { IncomingMessage } from 'node:http';
import { SvcError } from '../../engine/base/errors.js';
import { decodeText, type JsonRequest, parseJsonRequest, parseJsonValue } from '../../engine/service/json-request.js';
import type { ReaderPool } from '../../engine/service/threads/reader-pool.js';
import type { LoadSource } from '../../engine/storage/engine.js';
import { Refusal } from './refusal.js';

/** The media type of a body without its parameters, in lower case; empty when none is given. */
export function mediaTypeOf({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** The charset that a body declares, in lower case. */
function charsetOf({ headers }: IncomingMessage): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase();
}

export function refuseType(given: string, wanted: readonly string[]): Refusal {
  const what = given === '' ? 'the request has no Content-Type' : `Content-Type ${given} is not taken here`;
  return new Refusal('unsupported_media_type', `${what}; expected ${wanted.join(' or ')}`);
}

function tooLarge(bytesMax: number, setting: string | null): Refusal {
  const named = setting === null ? '' : ` (${setting})`;
  // The rest of the body is not read, so the connection can't be used again.
  return new Refusal('too_large', `the body is larger than ${bytesMax} bytes${named}`, {
    headers: { Connection: 'close' },
  });
}

export interface BodyLimit {
  readonly bytesMax: number;
  /** The setting that the limit stands in; null for one that is fixed. */
  readonly setting: string | null;
}

function refuseEncoding(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding']?.toLowerCase();
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Refusal('unsupported_media_type', `Content-Encoding ${encoding} is not taken; send the body as it is`);
  }
}

/** The bytes of a body as they come, within the limit. */
export async function* streamBody(request: IncomingMessage, limit: BodyLimit): AsyncGenerator<Uint8Array> {
  refuseEncoding(request);
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit.bytesMax) throw tooLarge(limit.bytesMax, limit.setting);
  let length = 0;
  // Not destroyed on an early end: the answer goes out on the same connection.
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  try {
    for await (const chunk of chunks) {
      length += chunk.length;
      if (length > limit.bytesMax) throw tooLarge(limit.bytesMax, limit.setting);
      yield chunk;
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ECONNRESET') throw cause;
    throw new SvcError('aborted', 'the client left before its body was whole', { cause });
  }
}

async function readPieces(request: IncomingMessage, limit: BodyLimit): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of streamBody(request, limit)) pieces.push(piece);
  return pieces;
}

export async function readBody(request: IncomingMessage, limit: BodyLimit): Promise<Buffer> {
  return joined(await readPieces(request, limit));
}

function joined(chunks: readonly Uint8Array[]): Buffer {
  return chunks.length === 1
    ? Buffer.from(
        (chunks[0] as Uint8Array).buffer,
        (chunks[0] as Uint8Array).byteOffset,
        (chunks[0] as Uint8Array).byteLength,
      )
    : Buffer.concat(chunks);
}

function checkCharset(request: IncomingMessage): void {
  const charset = charsetOf(request);
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
    throw new Refusal('unsupported_media_type', `charset ${charset} is not taken; send UTF-8`);
  }
}

export async function readText(request: IncomingMessage, limit: BodyLimit): Promise<string> {
  checkCharset(request);
  return decodeText(await readBody(request, limit));
}

/** Longer bodies are parsed in a reader thread, where there are any. */
export const PARSED_HERE_BYTES_MAX = 1024 * 1024;
/** Of a body on its way to a thread. */
const SENT_PIECE_BYTES = 1024 * 1024;

export interface JsonReading {
  readonly limit: BodyLimit;
  readonly readers: ReaderPool | null;
  /** The field whose text is taken as a document, when the body is large. */
  readonly payload: string | undefined;
}

export interface JsonBody {
  readonly request: JsonRequest;
  /** In place of the payload field. */
  readonly documents?: readonly LoadSource[];
}

/** The JSON object of a body. */
export async function readJson(message: IncomingMessage, { limit, readers, payload }: JsonReading): Promise<JsonBody> {
  const type = mediaTypeOf(message);
  if (type !== 'application/json') throw refuseType(type, ['application/json']);
  checkCharset(message);
  const pieces = await readPieces(message, limit);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (readers === null || length <= PARSED_HERE_BYTES_MAX) return { request: parseJsonRequest(joined(pieces)) };
  const parsed = await readers.parse(gathered(pieces), payload ?? null);
  if (parsed.pieces === null) return { request: parsed.request };
  return { request: parsed.request, documents: [documentOf(payload as string, parsed.pieces)] };
}

/**
 * The JSON value of a body that holds messages: an object, or a list of them, which is taken only while it is small.
 */
export async function readJsonValue(
  message: IncomingMessage,
  { limit, readers }: Omit<JsonReading, 'payload'>,
): Promise<unknown> {
  const type = mediaTypeOf(message);
  if (type !== 'application/json') throw refuseType(type, ['application/json']);
  checkCharset(message);
  const pieces = await readPieces(message, limit);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (readers === null || length <= PARSED_HERE_BYTES_MAX) return parseJsonValue(joined(pieces));
  return (await readers.parse(gathered(pieces), null)).request;
}

function documentOf(name: string, pieces: readonly Uint8Array[]): LoadSource {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield* pieces;
  }
  return { kind: 'bytes', bytes: bytes(), name, format: 'turtle' };
}

/** Fewer pieces, each a message to the thread. */
function gathered(pieces: readonly Uint8Array[]): Uint8Array[] {
  const larger: Uint8Array[] = [];
  let [open, length] = [[] as Uint8Array[], 0];
  for (const piece of pieces) {
    open.push(piece);
    length += piece.length;
    if (length < SENT_PIECE_BYTES) continue;
    larger.push(Buffer.concat(open));
    [open, length] = [[], 0];
  }
  if (length > 0) larger.push(Buffer.concat(open));
  return larger;
}
