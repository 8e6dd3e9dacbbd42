/**
 * Reads a trace: JSON Lines, a record of what an agent did or was kept from doing in each. Of any size, a line at a time.
 *
 *  1. Bytes are cut at line feeds; a blank line is passed over.
 *  2. A line that is too long, no UTF-8, no JSON object, or that has a known key of the wrong type is counted as
 *     unreadable. What it would have said can't be judged, and the rest of the file can.
 *  3. Unknown keys are ignored; a known one may be absent or null.
 */

import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { isObject } from '../../base/objects.js';
import { decompress } from '../../rdf/formats/input/compression.js';
import { compressionOfPath } from '../../rdf/formats/registry.js';

/** A record is a few hundred bytes; what is so long is none, and must not fill the memory. */
export const LINE_BYTES_MAX = 16 * 2 ** 20;
const CHUNK_BYTES = 2 ** 20;
const PROGRESS_INTERVAL_MS = 100;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';

/** A constraint that was evaluated, or passed over. */
export interface TraceConstraint {
  readonly id: string | null;
  readonly class: string | null;
  readonly point: string | null;
  readonly hostedAt: string | null;
  readonly outcome: string | null;
  readonly response: string | null;
}

export interface TraceRecord {
  readonly path: string | null;
  readonly tool: string | null;
  readonly planner: string | null;
  readonly executor: string | null;
  readonly result: string | null;
  readonly mode: string | null;
  readonly constraints: readonly TraceConstraint[];
  /** The caller first; empty = nobody is named. */
  readonly chain: readonly string[];
  readonly attributionConflict: boolean;
}

export interface TraceCounts {
  readonly records: number;
  readonly unreadable: number;
}

/** The path of a file, or bytes that come from elsewhere, such as standard input; these are not compressed. */
export type TraceSource = string | AsyncIterable<Uint8Array>;

/** Gives every readable record with its number among them. A file whose name ends in .gz or .zst is unpacked as it is read. */
export async function readTrace(
  source: TraceSource,
  take: (record: TraceRecord, number: number) => void,
  control: Control,
): Promise<TraceCounts> {
  let [records, unreadable] = [0, 0];
  for await (const lines of linesOf(source, control)) {
    for (const line of lines) {
      const record = line === null ? null : recordOf(line);
      if (record === 'blank') continue;
      if (record === null) unreadable++;
      else take(record, records++);
    }
  }
  return { records, unreadable };
}

/** Lines as bytes, some at a time; null = one that is too long. */
async function* linesOf(source: TraceSource, control: Control): AsyncGenerator<(Buffer | null)[]> {
  let parts: Buffer[] = [];
  let held = 0;
  const closed = (): Buffer | null => {
    const line = held > LINE_BYTES_MAX ? null : parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    parts = [];
    held = 0;
    return line;
  };
  const hold = (part: Buffer): void => {
    held += part.length;
    if (held > LINE_BYTES_MAX) parts = [];
    else parts.push(part);
  };
  for await (const chunk of bytesOf(source, control)) {
    throwIfStopped(control, 'the audit');
    const lines: (Buffer | null)[] = [];
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED); to >= 0; to = chunk.indexOf(LINE_FEED, from)) {
      hold(chunk.subarray(from, to));
      lines.push(closed());
      from = to + 1;
    }
    if (from < chunk.length) hold(chunk.subarray(from));
    yield lines;
  }
  if (held > 0) yield [closed()];
}

async function* bytesOf(source: TraceSource, { onProgress, signal }: Control): AsyncGenerator<Buffer> {
  const startMs = performance.now();
  let [read, reportedMs] = [0, 0];
  const path = typeof source === 'string' ? source : 'standard input';
  const bytesTotal = typeof source === 'string' ? await sizeOf(source) : {};
  const onInput = (bytes: number): void => {
    read += bytes;
    const elapsedMs = performance.now() - startMs;
    if (onProgress === undefined || elapsedMs - reportedMs < PROGRESS_INTERVAL_MS) return;
    reportedMs = elapsedMs;
    onProgress({ phase: 'read', done: read, unit: 'bytes', bytesRead: read, elapsedMs, ...bytesTotal });
  };
  const { compression } = compressionOfPath(path);
  const stopped = signal && { signal };
  const stream =
    typeof source === 'string'
      ? createReadStream(source, { highWaterMark: CHUNK_BYTES, ...stopped })
      : Readable.from(source, { objectMode: true, highWaterMark: 1, ...stopped });
  try {
    for await (const bytes of decompress(stream, { compression, sourceName: path, onInput })) {
      yield Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
  } catch (error) {
    if (signal?.aborted) throw new SvcError('aborted', 'the audit was cancelled', { cause: error });
    throw error instanceof Error && 'syscall' in error ? unreadableFile(path, error) : error;
  } finally {
    stream.destroy();
  }
}

/** Of what is no file, such as a pipe, nobody knows how much there is to come. */
async function sizeOf(path: string): Promise<{ readonly total?: number; readonly bytesTotal?: number }> {
  try {
    const found = await stat(path);
    return found.isFile() ? { total: found.size, bytesTotal: found.size } : {};
  } catch (error) {
    throw unreadableFile(path, error as Error);
  }
}

function unreadableFile(path: string, error: Error): SvcError {
  const { code, message } = error as NodeJS.ErrnoException;
  const account = { ENOENT: 'there is no such file', EISDIR: 'this is a folder' }[code ?? ''] ?? message;
  return new SvcError('source_unreadable', `${path}: ${account}`, { cause: error });
}

function recordOf(line: Buffer): TraceRecord | 'blank' | null {
  if (!isUtf8(line)) return null;
  const text = line.toString('utf8');
  const bare = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  if (bare.trim() === '') return 'blank';
  try {
    const value: unknown = JSON.parse(bare);
    return isObject(value) ? toRecord(value) : null;
  } catch {
    return null;
  }
}

class WrongType extends Error {}

type JsonObject = Readonly<Record<string, unknown>>;

/** Throws where a known key has the wrong type. */
function toRecord(json: JsonObject): TraceRecord {
  // These two are judged by nothing, and known nevertheless.
  textIn(json, 'kind');
  textIn(json, 'point');
  return {
    path: textIn(json, 'path'),
    tool: textIn(json, 'tool'),
    planner: textIn(json, 'planner'),
    executor: textIn(json, 'executor'),
    result: textIn(json, 'result'),
    mode: textIn(json, 'mode'),
    constraints: listIn(json, 'constraints').map(toConstraint),
    chain: listIn(json, 'principal_chain').map(asText),
    attributionConflict: booleanIn(json, 'attribution_conflict'),
  };
}

function toConstraint(json: unknown): TraceConstraint {
  if (!isObject(json)) throw new WrongType('constraints');
  return {
    id: textIn(json, 'id'),
    class: textIn(json, 'class'),
    point: textIn(json, 'verification_point'),
    hostedAt: textIn(json, 'hosted_at'),
    outcome: textIn(json, 'outcome'),
    response: textIn(json, 'response'),
  };
}

function textIn(json: JsonObject, key: string): string | null {
  const value = json[key] ?? null;
  return value === null ? null : asText(value);
}

function asText(value: unknown): string {
  if (typeof value !== 'string') throw new WrongType('text');
  return value;
}

function listIn(json: JsonObject, key: string): readonly unknown[] {
  const value = json[key] ?? [];
  if (!Array.isArray(value)) throw new WrongType(key);
  return value;
}

function booleanIn(json: JsonObject, key: string): boolean {
  const value = json[key] ?? false;
  if (typeof value !== 'boolean') throw new WrongType(key);
  return value;
}
