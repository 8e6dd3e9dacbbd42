/**
 * Bodies of requests: read whole within a limit, with their type looked at before the first byte. A body that is larger
 * is refused at once where its length is declared, otherwise at the byte that is too many. A compressed one is unpacked as
 * it comes, and the limit is that of the bytes it unfolds into. Documents have no limit: large ones go to a file.
 */

import type { IncomingMessage } from 'node:http';
import { SvcError } from '../../../engine/base/errors.js';
import { parseForm } from '../../../engine/service/requests/form-request.js';
import {
  decodeText,
  type JsonRequest,
  parseJsonRequest,
  parseJsonValue,
} from '../../../engine/service/requests/json-request.js';
import type { ReaderPool } from '../../../engine/service/threads/reader-pool.js';
import type { LoadSource } from '../../../engine/storage/seam/engine.js';
import { Refusal } from '../answers/refusal.js';
import { unpackingOf } from './coded-body.js';
import { askForBody } from './connections.js';
import type { HeldBodies } from './held-bodies.js';
import { SpooledBody } from './spooled-body.js';

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
  /** Counts what bodies take together. */
  readonly held?: HeldBodies;
  /** What of it is kept in memory; absent = all. */
  readonly keptBytesMax?: number;
}

/** The bytes of a body as they come, within the limit. */
export async function* streamBody(request: IncomingMessage, limit: BodyLimit): AsyncGenerator<Uint8Array> {
  const unpack = unpackingOf(request);
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit.bytesMax) throw tooLarge(limit.bytesMax, limit.setting);
  let length = 0;
  askForBody(request);
  const sent = sentBytes(request);
  for await (const chunk of unpack === null ? sent : unpack(sent)) {
    length += chunk.length;
    if (length > limit.bytesMax) throw tooLarge(limit.bytesMax, limit.setting);
    limit.held?.hold(request, length, Math.min(length, limit.keptBytesMax ?? length));
    yield chunk;
  }
}

/** The bytes as the client sends them. */
async function* sentBytes(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  // Not destroyed on an early end: the answer goes out on the same connection.
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  try {
    yield* chunks;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ECONNRESET') throw cause;
    throw new SvcError('aborted', 'the client left before its body was whole', { cause });
  }
}

/** The whole body, gathered as it comes into pieces that are worth a message each. */
async function readPieces(request: IncomingMessage, limit: BodyLimit): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  let [open, length] = [[] as Uint8Array[], 0];
  for await (const piece of streamBody(request, limit)) {
    open.push(piece);
    length += piece.length;
    if (length < PIECE_BYTES) continue;
    pieces.push(joined(open));
    [open, length] = [[], 0];
  }
  if (length > 0) pieces.push(joined(open));
  return pieces;
}

/** A document that has come as a whole: before that nothing of it is read, so a slow client holds up nobody. */
export interface DocumentBody {
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
  /** Gives up what it holds. */
  release(): void;
}

/** A body that is a document, of any size: what is more than a body may have in memory stands in a file that has no name. */
export async function readDocument(
  request: IncomingMessage,
  { held, bytesMax }: BodyLimit,
  directory: string | undefined,
): Promise<DocumentBody> {
  const keptBytesMax = Math.min(DOCUMENT_KEPT_BYTES_MAX, bytesMax);
  const limit = { bytesMax: Number.POSITIVE_INFINITY, setting: null, keptBytesMax };
  const kept: Uint8Array[] = [];
  let length = 0;
  let spooled: SpooledBody | null = null;
  try {
    for await (const piece of streamBody(request, { ...limit, ...(held === undefined ? {} : { held }) })) {
      if (spooled !== null) {
        await spooled.write(piece);
        continue;
      }
      kept.push(piece);
      length += piece.length;
      if (length <= keptBytesMax) continue;
      spooled = await SpooledBody.create(directory);
      for (const one of kept.splice(0)) await spooled.write(one);
    }
  } catch (error) {
    spooled?.release();
    throw error;
  }
  return spooled ?? { bytes: joined(kept), release: () => undefined };
}

/** A body that is a document as a text, which has the limit of other bodies. */
export async function readDocumentText(request: IncomingMessage, limit: BodyLimit): Promise<string> {
  checkCharset(request);
  const pieces = await readPieces(request, limit);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(joined(pieces));
  } catch {
    throw new Refusal('invalid_request', 'the document is not UTF-8');
  }
}

/** What of a document is kept in memory, and no more than other bodies may have. */
export const DOCUMENT_KEPT_BYTES_MAX = 1024 * 1024;

async function* bytesOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* pieces;
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

/** Longer bodies are read in a reader thread, where there are any. */
export const PARSED_HERE_BYTES_MAX = 1024 * 1024;
/** Of a body on its way to a thread. */
const PIECE_BYTES = 1024 * 1024;

export interface Reading {
  readonly limit: BodyLimit;
  /** Read large bodies. */
  readonly readers: ReaderPool | null;
}

/** True when a body is worth a thread that there is. */
function isLarge(pieces: readonly Uint8Array[]): boolean {
  return pieces.reduce((sum, piece) => sum + piece.length, 0) > PARSED_HERE_BYTES_MAX;
}

export async function readText(request: IncomingMessage, { limit, readers }: Reading): Promise<string> {
  checkCharset(request);
  const pieces = await readPieces(request, limit);
  if (readers === null || !isLarge(pieces)) return decodeText(joined(pieces));
  return (await readers.decode(pieces, { form: null })) as string;
}

/** Those parameters of a form that are wanted, in their order. */
export async function readForm(
  request: IncomingMessage,
  names: readonly string[],
  { limit, readers }: Reading,
): Promise<URLSearchParams> {
  checkCharset(request);
  const pieces = await readPieces(request, limit);
  if (readers === null || !isLarge(pieces)) return new URLSearchParams(parseForm(joined(pieces), names));
  return new URLSearchParams((await readers.decode(pieces, { form: names })) as [string, string][]);
}

export interface JsonReading extends Reading {
  /** The fields that count; null = all. */
  readonly declared: readonly string[] | null;
  /** The field whose text is taken as a document, when the body is large. */
  readonly payload: string | undefined;
}

export interface JsonBody {
  readonly request: JsonRequest;
  /** In place of the payload field. */
  readonly documents?: readonly LoadSource[];
}

/** The JSON object of a body. */
export async function readJson(message: IncomingMessage, reading: JsonReading): Promise<JsonBody> {
  const { limit, readers, payload, declared } = reading;
  const type = mediaTypeOf(message);
  if (type !== 'application/json') throw refuseType(type, ['application/json']);
  checkCharset(message);
  const pieces = await readPieces(message, limit);
  if (readers === null || !isLarge(pieces)) return { request: parseJsonRequest(joined(pieces)) };
  const parsed = await readers.parse(pieces, { apart: payload ?? null, declared });
  if (parsed.pieces === null) return { request: parsed.request };
  return { request: parsed.request, documents: [documentOf(payload as string, parsed.pieces)] };
}

/**
 * The JSON value of a body that holds messages: an object, or a list of them, which is taken only while it is small.
 */
export async function readJsonValue(message: IncomingMessage, { limit, readers }: Reading): Promise<unknown> {
  const type = mediaTypeOf(message);
  if (type !== 'application/json') throw refuseType(type, ['application/json']);
  checkCharset(message);
  const pieces = await readPieces(message, limit);
  // Threads parse objects alone; of lists only small ones are taken, whether or not there are threads.
  if (isLarge(pieces) && isList(pieces)) throw tooLarge(PARSED_HERE_BYTES_MAX, null);
  if (readers === null || !isLarge(pieces)) return parseJsonValue(joined(pieces));
  return (await readers.parse(pieces, { apart: null, declared: null })).request;
}

/** Whether the JSON text is that of a list. */
function isList(pieces: readonly Uint8Array[]): boolean {
  for (const piece of pieces) {
    const first = piece.find((byte) => byte > 0x20);
    if (first !== undefined) return first === 0x5b;
  }
  return false;
}

function documentOf(name: string, pieces: readonly Uint8Array[]): LoadSource {
  return { kind: 'bytes', bytes: bytesOf(pieces), name, format: 'turtle' };
}
