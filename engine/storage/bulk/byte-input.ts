/**
 * Where the bytes of a document come from: a plain file that is read at will (and again, for its
 * hash), or a stream. Both copy into kernel memory.
 */

import { createHash, type Hash } from 'node:crypto';
import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { fromSystemError, SvcError } from '../../base/errors.js';
import { abandon, interruptible } from '../../base/interruptible.js';

export interface ByteInput {
  /** Bytes taken so far, after decompression. */
  readonly bytesRead: number;
  /** Copies at most `target.length` bytes; 0 = the end. May be synchronous. */
  read(target: Uint8Array): number | Promise<number>;
  /** Hex SHA-256 of the whole document; reads what has not been read yet without taking it. */
  sha256(): Promise<string>;
  close(): void;
}

export function unreadable(path: string, error: unknown): unknown {
  if (error instanceof SvcError) return error;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === undefined) return error;
  const why =
    code === 'ENOENT'
      ? 'there is no such file'
      : code === 'EISDIR'
        ? 'it is a directory'
        : code === 'EACCES'
          ? 'permission denied'
          : (error as Error).message;
  return new SvcError('source_unreadable', `${path} cannot be read: ${why}`, { cause: error });
}

/** A plain file. */
export class FileInput implements ByteInput {
  readonly path: string;
  readonly size: number;
  readonly #file: number;
  bytesRead = 0;

  constructor(path: string) {
    this.path = path;
    try {
      this.#file = openSync(path, 'r');
      const status = fstatSync(this.#file);
      if (status.isDirectory()) {
        closeSync(this.#file);
        throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
      }
      this.size = status.size;
    } catch (error) {
      throw unreadable(path, error);
    }
  }

  read(target: Uint8Array): number {
    try {
      const n = readSync(this.#file, target, 0, target.length, this.bytesRead);
      this.bytesRead += n;
      return n;
    } catch (error) {
      throw unreadable(this.path, error);
    }
  }

  async sha256(): Promise<string> {
    const hash = createHash('sha256');
    try {
      for await (const chunk of createReadStream(this.path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
    } catch (error) {
      throw fromSystemError(unreadable(this.path, error), this.path);
    }
    return hash.digest('hex');
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Bytes that are there as a whole. */
export class BytesInput implements ByteInput {
  readonly #bytes: Uint8Array;
  bytesRead = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  read(target: Uint8Array): number {
    const n = Math.min(target.length, this.#bytes.length - this.bytesRead);
    target.set(this.#bytes.subarray(this.bytesRead, this.bytesRead + n));
    this.bytesRead += n;
    return n;
  }

  digest(): string {
    return createHash('sha256').update(this.#bytes).digest('hex');
  }

  async sha256(): Promise<string> {
    return this.digest();
  }

  close(): void {
    // Nothing is open.
  }
}

/** A stream of bytes; hashes what passes. */
export class StreamInput implements ByteInput {
  readonly #iterator: AsyncIterator<Uint8Array>;
  readonly #hash: Hash = createHash('sha256');
  /** Bytes that have come but not been taken. */
  #rest: Uint8Array[] = [];
  #ended = false;
  bytesRead = 0;

  constructor(bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal) {
    this.#iterator = interruptible(bytes[Symbol.asyncIterator](), signal, 'the load');
  }

  async read(target: Uint8Array): Promise<number> {
    let filled = 0;
    // Small chunks are gathered, so that every call does a fair amount of work.
    while (filled < target.length) {
      const chunk = this.#rest.shift() ?? (await this.#pull());
      if (chunk === null) break;
      const n = Math.min(chunk.length, target.length - filled);
      target.set(chunk.subarray(0, n), filled);
      filled += n;
      if (n < chunk.length) this.#rest.unshift(chunk.subarray(n));
    }
    this.bytesRead += filled;
    return filled;
  }

  async #pull(): Promise<Uint8Array | null> {
    if (this.#ended) return null;
    const { done, value } = await this.#iterator.next();
    if (done) {
      this.#ended = true;
      return null;
    }
    this.#hash.update(value);
    return value;
  }

  /**
   * A document that is longer than an epoch and names blank nodes must be known whole before its
   * first epoch can be closed; the rest of it is kept in memory until then.
   */
  async sha256(): Promise<string> {
    for (let chunk = await this.#pull(); chunk !== null; chunk = await this.#pull()) {
      this.#rest.push(Uint8Array.from(chunk));
    }
    return this.#hash.copy().digest('hex');
  }

  close(): void {
    abandon(this.#iterator);
  }
}
