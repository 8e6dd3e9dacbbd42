/**
 * Sorts any number of records by code point within bounded memory. A record is a key and one or more whole lines that
 * belong together, in order: all lines of a subject by `<subject> `, or one line by itself. No key is the beginning of
 * another unless it is the subject of that line, and then that subject has no record of its own; so records in order are
 * lines in order. Records of one key are one record.
 *
 * 1. Lines are kept as UTF-8 in one area, keys as texts beside it.
 * 2. A full area is sorted and written to a file of a temporary folder: keys, lengths and lines.
 * 3. The files are merged, the least key first. What fits into one area never touches the disk.
 *
 * A record in a file: bytes of the key, bytes of the lines, number of lines (4 bytes each, little-endian), key, lines.
 */

import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { fromSystemError, invariant } from '../base/errors.js';
import { compareCodePoints } from '../base/text.js';

export const SORT_BYTES_DEFAULT = 32 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const HEADER_BYTES = 12;
const STEP_RECORDS = 65_536;
/** UTF-8 of a UTF-16 unit, at the most. */
const BYTES_PER_UNIT = 3;
/** UTF-16 order is code point order where there is no surrogate. */
const SURROGATE = /[\ud800-\udfff]/;
const WHAT = 'sorting the share';

/** Some lines in order, and how many. */
export interface SortedLines {
  readonly bytes: Uint8Array;
  readonly lines: number;
}

export class RecordSorter {
  readonly #control: Control;
  readonly #areaBytes: number;
  #area: Buffer;
  #used = 0;
  /** Of each record its key, where its lines begin in the area, and how many they are. */
  #keys: string[] = [];
  #starts: number[] = [];
  #lines: number[] = [];
  /** The records in order. */
  #order: readonly number[] = [];
  #surrogates = false;
  #folder: string | null = null;
  readonly #spills: string[] = [];
  #complete = false;
  /** Of all lines that were added, those that came twice among them. */
  bytes = 0;

  constructor(control: Control, areaBytes: number = SORT_BYTES_DEFAULT) {
    this.#control = control;
    this.#areaBytes = areaBytes;
    this.#area = Buffer.allocUnsafe(Math.min(areaBytes, CHUNK_BYTES));
  }

  /** How many files were written; 0 when everything fitted. */
  get spills(): number {
    return this.#spills.length;
  }

  /** `text` is `lines` lines, each with its line feed. True: the area is full, and `spill` is due. */
  add(key: string, text: string, lines: number): boolean {
    const from = this.#used;
    this.#reserve(text.length);
    this.#used += this.#area.write(text, from, 'utf8');
    this.bytes += this.#used - from;
    this.#keys.push(key);
    this.#starts.push(from);
    this.#lines.push(lines);
    if (!this.#surrogates && SURROGATE.test(key)) this.#surrogates = true;
    return this.#used >= this.#areaBytes;
  }

  #reserve(units: number): void {
    const needed = this.#used + units * BYTES_PER_UNIT;
    if (needed <= this.#area.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#area.length));
    this.#area.copy(larger, 0, 0, this.#used);
    this.#area = larger;
  }

  async spill(): Promise<void> {
    invariant(!this.#complete, 'records are added before they are read');
    let file: FileHandle | null = null;
    try {
      this.#folder ??= await mkdtemp(join(tmpdir(), 'svc-share-'));
      const path = join(this.#folder, String(this.#spills.length));
      file = await open(path, 'w', 0o600);
      let block = new ChunkWriter();
      this.#sort();
      for (const record of this.#order) {
        block.record(Buffer.from(this.#keys[record] as string), this.#bytesOf(record), this.#lines[record] as number);
        if (block.bytes < CHUNK_BYTES) continue;
        await file.writev(block.parts);
        block = new ChunkWriter();
        throwIfStopped(this.#control, WHAT);
      }
      if (block.bytes > 0) await file.writev(block.parts);
      this.#spills.push(path);
    } catch (error) {
      throw fromSystemError(error, 'sorting a share in the temporary folder');
    } finally {
      await file?.close();
    }
    this.#forget();
  }

  #forget(): void {
    this.#keys = [];
    this.#starts = [];
    this.#lines = [];
    this.#order = [];
    this.#used = 0;
    this.#surrogates = false;
  }

  #bytesOf(record: number): Buffer {
    return this.#area.subarray(this.#starts[record], this.#starts[record + 1] ?? this.#used);
  }

  #sort(): void {
    const keys = this.#keys;
    const order = keys.map((_, record) => record);
    const below = this.#surrogates ? compareCodePoints : (a: string, b: string) => (a < b ? -1 : a === b ? 0 : 1);
    this.#order = order.sort((a, b) => below(keys[a] as string, keys[b] as string));
  }

  /** All lines in order; can be read again. Nothing can be added after the first time. */
  async *sorted(): AsyncGenerator<SortedLines> {
    if (!this.#complete) {
      if (this.#spills.length === 0) this.#sort();
      else if (this.#keys.length > 0) await this.spill();
      this.#complete = true;
    }
    const chunk = new SortedChunk();
    const records = this.#spills.length === 0 ? this.#held() : this.#merged();
    for await (const some of records) {
      for (const { bytes, lines } of some) {
        chunk.add(bytes, lines);
        if (chunk.bytes >= CHUNK_BYTES) yield chunk.take();
      }
      throwIfStopped(this.#control, WHAT);
    }
    if (chunk.bytes > 0) yield chunk.take();
  }

  async *#held(): AsyncGenerator<SortedLines[]> {
    let last: string | null = null;
    for (let from = 0; from < this.#order.length; from += STEP_RECORDS) {
      const some: SortedLines[] = [];
      for (const record of this.#order.slice(from, from + STEP_RECORDS)) {
        const key = this.#keys[record] as string;
        if (key !== last) some.push({ bytes: this.#bytesOf(record), lines: this.#lines[record] as number });
        last = key;
      }
      yield some;
      await breathe();
    }
  }

  async *#merged(): AsyncGenerator<SortedLines[]> {
    const runs: RunReader[] = [];
    try {
      for (const path of this.#spills) {
        const run = new RunReader(await open(path, 'r'));
        runs.push(run);
        await run.advance();
      }
      const heap = new RunHeap(runs.filter(({ done }) => !done));
      let last: Buffer | null = null;
      let some: SortedLines[] = [];
      for (let run = heap.least; run !== null; run = heap.least) {
        if (last === null || !run.key.equals(last)) {
          last = Buffer.from(run.key);
          // The bytes are those of a buffer that the next read replaces, and is then left alone.
          some.push({ bytes: run.body, lines: run.lines });
        }
        if (!run.next()) {
          yield some;
          some = [];
          await run.advance();
        }
        heap.settle();
      }
      yield some;
    } finally {
      for (const run of runs) await run.close();
    }
  }

  async close(): Promise<void> {
    this.#forget();
    this.#area = Buffer.alloc(0);
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }
}

class ChunkWriter {
  readonly parts: Buffer[] = [];
  bytes = 0;

  record(key: Buffer, body: Buffer, lines: number): void {
    const header = Buffer.allocUnsafe(HEADER_BYTES);
    header.writeUInt32LE(key.length, 0);
    header.writeUInt32LE(body.length, 4);
    header.writeUInt32LE(lines, 8);
    this.parts.push(header, key, body);
    this.bytes += HEADER_BYTES + key.length + body.length;
  }
}

class SortedChunk {
  #parts: Uint8Array[] = [];
  #lines = 0;
  bytes = 0;

  add(part: Uint8Array, lines: number): void {
    this.#parts.push(part);
    this.#lines += lines;
    this.bytes += part.length;
  }

  take(): SortedLines {
    const taken = { bytes: Buffer.concat(this.#parts, this.bytes), lines: this.#lines };
    this.#parts = [];
    this.#lines = 0;
    this.bytes = 0;
    return taken;
  }
}

/** The records of one file, one at a time. */
class RunReader {
  key: Buffer = Buffer.alloc(0);
  body: Buffer = Buffer.alloc(0);
  lines = 0;
  done = false;
  #held: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(private readonly file: FileHandle) {}

  /** Goes to the next record where it is at hand; false: `advance` has to read it. */
  next(): boolean {
    const left = this.#held.length - this.#at;
    if (left < HEADER_BYTES) return false;
    const [keyBytes, bodyBytes] = [this.#held.readUInt32LE(this.#at), this.#held.readUInt32LE(this.#at + 4)];
    if (left < HEADER_BYTES + keyBytes + bodyBytes) return false;
    const keyAt = this.#at + HEADER_BYTES;
    this.lines = this.#held.readUInt32LE(this.#at + 8);
    this.key = this.#held.subarray(keyAt, keyAt + keyBytes);
    this.body = this.#held.subarray(keyAt + keyBytes, keyAt + keyBytes + bodyBytes);
    this.#at = keyAt + keyBytes + bodyBytes;
    return true;
  }

  async advance(): Promise<void> {
    while (!this.next()) {
      const rest = this.#held.subarray(this.#at);
      const room = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, 2 * rest.length));
      rest.copy(room);
      const { bytesRead } = await this.file.read(room, rest.length, room.length - rest.length, null);
      this.#held = room.subarray(0, rest.length + bytesRead);
      this.#at = 0;
      if (bytesRead > 0) continue;
      invariant(rest.length === 0, 'a sorted file ends with a whole record');
      this.done = true;
      return;
    }
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

/** The run with the least key on top. */
class RunHeap {
  readonly #runs: RunReader[];

  constructor(runs: RunReader[]) {
    this.#runs = runs.sort((a, b) => Buffer.compare(a.key, b.key));
  }

  get least(): RunReader | null {
    return this.#runs[0] ?? null;
  }

  /** After the least has moved on: its place is found, or it leaves. */
  settle(): void {
    const runs = this.#runs;
    if (runs[0]?.done) {
      const last = runs.pop() as RunReader;
      if (runs.length === 0) return;
      runs[0] = last;
    }
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (left < runs.length && isBelow(runs[left], runs[least])) least = left;
      if (right < runs.length && isBelow(runs[right], runs[least])) least = right;
      if (least === at) return;
      [runs[at], runs[least]] = [runs[least] as RunReader, runs[at] as RunReader];
      at = least;
    }
  }
}

function isBelow(run: RunReader | undefined, other: RunReader | undefined): boolean {
  return Buffer.compare((run as RunReader).key, (other as RunReader).key) < 0;
}
