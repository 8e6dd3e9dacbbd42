/** Reads a segment of the text index (`segment-writer.ts`): the postings of a key, and the keys of a range. */

import { SvcError } from '../../../base/errors.js';
import { everyKey } from '../../lmdb/every-key.js';
import type { LmdbFile, ReadTransaction } from '../../lmdb/file.js';
import { unseal } from '../../lmdb/sealed.js';
import { bytesOfSet, type DocSet, docSetOf } from './doc-set.js';
import { type Postings, readPostings } from './postings.js';
import { CHUNK_BYTES } from './segment-writer.js';
import { TEXT_DAMAGE_HINT, TEXT_DATABASE } from './text-database.js';

/** A value of the segment by what stands behind its own part of the key. */
export type ReadValue = (key: string) => Buffer | undefined;

/** Is given a key, the first `length` bytes of a buffer that it must not keep, and what reads its postings. */
export type TakeKey = (bytes: Buffer, length: number, postings: () => Postings) => void;

type TakeCounted = (bytes: Buffer, length: number, postings: () => Postings, count: number) => boolean;

/** A part of the text index: one of the file, or the terms that came after it. */
export interface TextSegment {
  /** Term numbers `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Literals among them, and their words. */
  readonly texts: number;
  readonly words: number;
  /** Null = no text has the key. `once`: what is made of it is kept, and not the list itself. */
  find(key: Buffer, once?: boolean): Postings | null;
  /** Languages of its texts that have a stemmer. */
  readonly languages: readonly string[];
  /** Something that was made of the segment, kept with it; `bytes`: of memory that it takes. */
  kept<Value extends object>(name: string, make: () => Value, bytes: (made: Value) => number): Value;
  /** Keys that begin so, in the order of their bytes. */
  keysFrom(prefix: Buffer, take: TakeKey): void;
}

export interface SegmentRecord {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly texts: number;
  readonly words: number;
  /** Of `parts`: the texts have keys of what stands before the number in their ids (`id-prefix.ts`). */
  readonly hasPrefixes?: boolean | undefined;
  readonly keys: number;
  readonly postings: number;
  readonly bytes: number;
  /** Of `words`: languages of its texts that have a stemmer. */
  readonly languages: readonly string[];
}

/** What a thread keeps of a segment, whose bytes never change, by name; `bytes`: of memory that it takes. */
export type Keep = <Value>(name: string, make: () => Value, bytes: (made: Value) => number) => Value;

/** Of the key that is visited. */
const keyBytes = Buffer.alloc(512);

export class StoredSegment implements TextSegment {
  readonly from: number;
  readonly to: number;
  readonly texts: number;
  readonly words: number;
  readonly languages: readonly string[];
  readonly #read: ReadValue;
  readonly #hasImpacts: boolean;
  readonly #what: string;
  readonly #keep: Keep;

  constructor(record: SegmentRecord, what: string, hasImpacts: boolean, read: ReadValue, keep: Keep) {
    this.from = record.from;
    this.to = record.to;
    this.texts = record.texts;
    this.words = record.words;
    this.languages = record.languages;
    this.#what = what;
    this.#hasImpacts = hasImpacts;
    this.#read = read;
    this.#keep = keep;
  }

  get #firsts(): readonly Buffer[] {
    return this.#keep(
      'd',
      () => this.#directory(),
      (firsts) => 150 * firsts.length,
    );
  }

  #directory(): Buffer[] {
    const bytes = this.#value('d');
    const firsts: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const length = bytes[at] as number;
      firsts.push(bytes.subarray(at + 1, at + 1 + length));
      at += 1 + length;
    }
    return firsts;
  }

  #value(key: string): Buffer {
    return unseal(this.#read(key), `${this.#what}, ${key},`, TEXT_DAMAGE_HINT);
  }

  find(key: Buffer, once = false): Postings | null {
    if (once) return this.#find(key);
    return this.#keep(`p ${key.toString('latin1')}`, () => this.#find(key), bytesOf);
  }

  #find(key: Buffer): Postings | null {
    let found: Postings | null = null;
    this.#lookFor(key, (postings) => {
      found = postings();
    });
    return found;
  }

  /** The texts that have a key; null = there are none. */
  setOf(key: Buffer): DocSet | null {
    return this.#keep(
      `s ${key.toString('latin1')}`,
      () => {
        const postings = this.#find(key);
        return postings === null ? null : docSetOf(postings.docs, this.to - this.from);
      },
      (set) => (set === null ? 0 : bytesOfSet(set)),
    );
  }

  /** How many texts have a key, without a look at which. */
  countOf(key: Buffer): number {
    const count = (): number => {
      let found = 0;
      this.#lookFor(key, (_postings, texts) => {
        found = texts;
      });
      return found;
    };
    return this.#keep(`c ${key.toString('latin1')}`, count, () => 0);
  }

  #lookFor(key: Buffer, take: (postings: () => Postings, count: number) => void): void {
    const block = this.#blockOf(key);
    if (block < 0) return;
    this.#visit(block, (bytes, length, postings, count) => {
      const order = bytes.compare(key, 0, key.length, 0, length);
      if (order === 0) take(postings, count);
      return order < 0;
    });
  }

  kept<Value extends object>(name: string, make: () => Value, bytes: (made: Value) => number): Value {
    return this.#keep(`m ${name}`, make, bytes);
  }

  keysFrom(prefix: Buffer, take: TakeKey): void {
    let goesOn = true;
    for (let block = Math.max(0, this.#blockOf(prefix)); goesOn && block < this.#firsts.length; block++) {
      this.#visit(block, (bytes, length, postings) => {
        const order = bytes.compare(prefix, 0, prefix.length, 0, Math.min(length, prefix.length));
        if (order === 0) take(bytes, length, postings);
        goesOn = order <= 0;
        return goesOn;
      });
    }
  }

  /** The last block whose first key is not behind a key; -1 = none. */
  #blockOf(key: Buffer): number {
    let [low, high] = [0, this.#firsts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#firsts[middle] as Buffer).compare(key) <= 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Visits the keys of a block until `take` says false. */
  #visit(block: number, take: TakeCounted): void {
    const bytes = this.#block(block);
    const key = keyBytes;
    let at = 0;
    const varint = (): number => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[at++];
        if (byte === undefined) throw this.#damaged(`v/${block}`);
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return value >>> 0;
      }
    };
    while (at < bytes.length) {
      const shared = bytes[at] as number;
      const length = shared + (bytes[at + 1] as number);
      at += 2;
      for (let i = shared; i < length; i++) key[i] = bytes[at++] as number;
      const count = varint();
      let postings: () => Postings;
      if (bytes[at++] === 0) {
        const size = bytes[at++] as number;
        const from = at;
        at += size;
        postings = () => this.#postings(bytes.subarray(from, from + size), count);
      } else {
        const [chunk, offset, size] = [varint(), varint(), varint()];
        postings = () => this.#postings(this.#chunks(chunk, offset, size), count);
      }
      if (!take(key, length, postings, count)) return;
    }
  }

  #block(block: number): Buffer {
    return this.#keep(
      `v ${block}`,
      () => this.#value(`v/${block}`),
      ({ length }) => length,
    );
  }

  #postings(bytes: Uint8Array, count: number): Postings {
    return readPostings(bytes, count, this.#hasImpacts, this.from);
  }

  #chunks(chunk: number, offset: number, length: number): Buffer {
    if (length <= CHUNK_BYTES) {
      const bytes = this.#value(`p/${chunk}`);
      if (offset + length > bytes.length) throw this.#damaged(`p/${chunk}`);
      return bytes.subarray(offset, offset + length);
    }
    const parts: Buffer[] = [];
    for (let read = 0, at = chunk; read < length; at++) {
      const part = this.#value(`p/${at}`);
      parts.push(part);
      read += part.length;
    }
    return Buffer.concat(parts, length);
  }

  #damaged(key: string): SvcError {
    return new SvcError('store_corrupt', `${this.#what}, ${key}, is damaged`, { hint: TEXT_DAMAGE_HINT });
  }
}

function bytesOf(postings: Postings | null): number {
  return (postings?.docs.byteLength ?? 0) + (postings?.impacts?.length ?? 0);
}

/** All values of a segment as they are stored, by their own part of the key. */
export function segmentValues(file: LmdbFile, prefix: string, transaction: ReadTransaction): Map<string, Buffer> {
  const values = new Map<string, Buffer>();
  for (const key of everyKey(file, TEXT_DATABASE, transaction, prefix)) {
    if (!key.startsWith(prefix)) break;
    values.set(key.slice(prefix.length), file.readCopy(TEXT_DATABASE, key, transaction) as Buffer);
  }
  return values;
}
