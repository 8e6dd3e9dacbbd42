/**
 * A segment of the text index: keys with their postings over a range of term numbers. It never changes.
 *
 * Its values, under `<kind>/<id>/`:
 *
 * | Key | Value, sealed |
 * |---|---|
 * | `v/` + block | Keys in the order of their bytes: bytes shared with the key before (u8), length of the rest (u8), the rest, texts that have it (varint), then 0, the length (u8) and the postings themselves, or 1 and the chunk, the offset in it and the length (varints) |
 * | `p/` + chunk | Postings one behind the other; one that is longer than a chunk has chunks of its own |
 * | `d` | The first key of each block: length (u8), bytes |
 */

import { seal } from '../../lmdb/sealed.js';
import { PostingsWriter } from './postings.js';

/** Of a value, so that it fills pages of the file: the rest of the last page holds LMDB's header. */
const BLOCK_BYTES = 4000;
export const CHUNK_BYTES = 32_700;
/** Postings so short stand with their key. */
const INLINE_BYTES = 32;

export type Put = (key: string, value: Uint8Array) => void;

export class SegmentWriter {
  readonly #put: Put;
  readonly #texts: number;
  readonly #postings = new PostingsWriter();
  #block = Buffer.alloc(BLOCK_BYTES + 1024);
  #used = 0;
  #blocks = 0;
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  #chunkUsed = 0;
  #chunks = 0;
  readonly #firsts: Buffer[] = [];
  #before = Buffer.alloc(0);
  keys = 0;
  bytes = 0;

  /** `texts`: numbers that the segment spans. */
  constructor(texts: number, put: Put) {
    this.#texts = texts;
    this.#put = (key, value) => {
      const sealed = seal(value);
      this.bytes += sealed.length + key.length;
      put(key, sealed);
    };
  }

  /** Keys come in the order of their bytes; one has at most 255. */
  add(key: Buffer, docs: Uint32Array, impacts: Uint8Array | null): void {
    this.#postings.write(docs, impacts, this.#texts);
    const { bytes, length } = this.#postings;
    const isInline = length <= INLINE_BYTES;
    let place: readonly [number, number] = [0, 0];
    if (!isInline) place = this.#putPostings(bytes.subarray(0, length));
    if (this.#used + key.length + 40 + (isInline ? length : 0) > BLOCK_BYTES) this.#endBlock();
    let shared = 0;
    if (this.#used === 0) this.#firsts.push(Buffer.from(key));
    else {
      const before = this.#before;
      while (shared < before.length && shared < key.length && before[shared] === key[shared]) shared++;
    }
    this.#byte(shared);
    this.#byte(key.length - shared);
    key.copy(this.#block, this.#used, shared);
    this.#used += key.length - shared;
    this.#varint(docs.length);
    if (isInline) {
      this.#byte(0);
      this.#byte(length);
      bytes.copy(this.#block, this.#used, 0, length);
      this.#used += length;
    } else {
      this.#byte(1);
      this.#varint(place[0]);
      this.#varint(place[1]);
      this.#varint(length);
    }
    this.#before = Buffer.from(key);
    this.keys++;
  }

  end(): void {
    this.#endBlock();
    if (this.#chunkUsed > 0) this.#endChunk();
    this.#put('d', Buffer.concat(this.#firsts.flatMap((key) => [Buffer.of(key.length), key])));
  }

  #putPostings(bytes: Buffer): readonly [number, number] {
    if (bytes.length <= CHUNK_BYTES) {
      if (this.#chunkUsed + bytes.length > CHUNK_BYTES) this.#endChunk();
      bytes.copy(this.#chunk, this.#chunkUsed);
      this.#chunkUsed += bytes.length;
      return [this.#chunks, this.#chunkUsed - bytes.length];
    }
    if (this.#chunkUsed > 0) this.#endChunk();
    const first = this.#chunks;
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      this.#put(`p/${this.#chunks++}`, bytes.subarray(at, Math.min(bytes.length, at + CHUNK_BYTES)));
    }
    return [first, 0];
  }

  #endChunk(): void {
    this.#put(`p/${this.#chunks++}`, this.#chunk.subarray(0, this.#chunkUsed));
    this.#chunkUsed = 0;
  }

  #endBlock(): void {
    if (this.#used === 0) return;
    this.#put(`v/${this.#blocks++}`, this.#block.subarray(0, this.#used));
    this.#used = 0;
  }

  #byte(value: number): void {
    this.#block[this.#used++] = value;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.#byte(rest);
  }
}
