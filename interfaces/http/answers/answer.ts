/**
 * Sends an operation's answer. Small ones go out whole, with their length; large ones as they are made, no faster than
 * the client reads. When the client leaves, the work for it stops.
 */

import { Readable } from 'node:stream';
import {
  type AnswerNotes,
  JSON_MEDIA_TYPE,
  type OperationAnswer,
} from '../../../engine/service/requests/operation-answer.js';
import { CODED_BYTES_MIN, type Coding, codeStream, codeWhole, isCodable, withCodingVary } from './coded-answer.js';

/** Answers up to about this size are gathered. */
const WHOLE_BYTES_MAX = 128 * 1024;

function withCharset(mediaType: string): string {
  return mediaType.startsWith('text/') && !mediaType.includes('charset') ? `${mediaType}; charset=utf-8` : mediaType;
}

/** Clients take some 16 KiB of headers in all. */
const LIST_CHARACTERS_MAX = 4096;

/** A list for a header: what a header can't hold, or what would end an entry, is percent-encoded; a long one is cut. */
function headerList(entries: readonly string[], separator = ','): string {
  const encoded = entries.map((entry) =>
    entry.slice(0, LIST_CHARACTERS_MAX).replace(/[^\x21-\x7e]|[,%]/gu, percentEncoded),
  );
  let length = 0;
  const fitting = encoded.filter((entry) => {
    length += entry.length + separator.length;
    return length <= LIST_CHARACTERS_MAX;
  });
  return fitting.length === encoded.length ? fitting.join(separator) : [...fitting, '...'].join(separator);
}

/** JSON for a header, in ASCII; what is too long for one stands in the body of the JSON answer only. */
function headerJson(value: unknown): string {
  const text = JSON.stringify(value).replace(/[^\x20-\x7e]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  if (text.length <= LIST_CHARACTERS_MAX) return text;
  return JSON.stringify({ error: 'the labels are too long for a header; ask for application/json' });
}

/** By bytes of UTF-8; half a surrogate pair becomes the replacement character. */
function percentEncoded(character: string): string {
  return Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&');
}

/** Notes that are headers whatever the route (wire shapes, 2 and 4.2). */
export function headersOf(notes: AnswerNotes, isDocument: boolean): Record<string, string> {
  const headers: Record<string, string> = {};
  const { inference, inferred, ignoredFields, truncated, tx, queryForm, entries, labels } = notes;
  if (isDocument && ignoredFields !== undefined) headers['X-Svc-Ignored-Fields'] = headerList(ignoredFields);
  // Of a federated answer they are known at its end.
  if (queryForm !== undefined && labels !== undefined) headers['X-Svc-Labels'] = headerJson(labels);
  // Of a document that is no answer to a query: what an export holds.
  else if (isDocument && entries !== undefined) headers['X-Svc-Triples'] = String(entries);
  if (inference) {
    headers['X-Svc-Inference'] = inference.applied
      ? 'applied'
      : `withheld: ${headerList(
          inference.withheldTypes.map(({ type }) => type),
          ', ',
        )}`;
  }
  if (inferred) headers['X-Svc-Inferred'] = inferred.applied ? 'applied' : `withheld: ${inferred.note}`;
  if (truncated) headers['X-Svc-Truncated'] = 'true';
  if (tx !== undefined) headers['X-Svc-Tx'] = String(tx);
  return headers;
}

/** Reads ahead to see whether the answer is small. */
async function gather(
  chunks: AsyncIterator<Uint8Array>,
): Promise<{ readonly begin: Uint8Array[]; readonly done: boolean }> {
  const begin: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= WHOLE_BYTES_MAX) {
    const next = await chunks.next();
    if (next.done) return { begin, done: true };
    begin.push(next.value);
    bytes += next.value.length;
  }
  return { begin, done: false };
}

async function* rest(begin: readonly Uint8Array[], chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* begin;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}

/** Where an answer goes: what the framework offers a route. */
export interface ReplySink {
  status(code: number): this;
  headers(values: Record<string, string>): this;
  send(body?: Buffer | Readable): unknown;
}

export interface SendOptions {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An answer to HEAD: its length is told, and nothing of it is sent. */
  readonly bodiless: boolean;
  /** What the answer varies by besides its coding. */
  readonly vary: string | undefined;
  /** What the client takes; null = the answer as it is. */
  readonly coding: Coding | null;
}

async function lengthOf(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.length;
  return bytes;
}

/** Settles when the answer is on its way; what fails after its first byte ends the connection. */
export async function sendAnswer(
  reply: ReplySink,
  answer: OperationAnswer,
  { status, headers, bodiless, vary, coding: accepted }: SendOptions,
): Promise<void> {
  const chunks = answer[Symbol.asyncIterator]();
  const live = answer.notes.live === true;
  const { begin, done } = live ? { begin: [], done: false } : await gather(chunks);
  // Some notes are known at the end alone, which a small answer has reached.
  const noted = headersOf(answer.notes, answer.mediaType !== JSON_MEDIA_TYPE);
  reply.status(status).headers({ ...noted, ...headers, 'Content-Type': withCharset(answer.mediaType) });
  const isCoded = isCodable(answer.mediaType);
  if (isCoded) reply.headers({ Vary: withCodingVary(vary) });
  const gathered = begin.reduce((sum, { length }) => sum + length, 0);
  const coding = isCoded && (!done || gathered >= CODED_BYTES_MIN) ? accepted : null;
  if (coding !== null) reply.headers({ 'Content-Encoding': coding });
  if (bodiless) {
    if (live) {
      await chunks.return?.();
      await reply.send();
      return;
    }
    const bytes = await lengthOf(rest(begin, chunks));
    // Its length after compression is not known without compressing it.
    await reply.headers(coding === null ? { 'Content-Length': String(bytes) } : {}).send();
    return;
  }
  if (done) {
    const whole = begin.length === 1 ? (begin[0] as Uint8Array) : Buffer.concat(begin);
    const bytes = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength);
    await reply.send(coding === null ? bytes : await codeWhole(bytes, coding));
    return;
  }
  if (coding !== null) {
    await reply.send(codeStream(rest(begin, chunks), coding));
    return;
  }
  await reply.send(Readable.from(rest(begin, chunks), { objectMode: false, highWaterMark: 1 }));
}
