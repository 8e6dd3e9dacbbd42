/**
 * A document on its way through a file: written as it comes, read once it is whole. The file loses its name as soon as it
 * is open, so that nothing is left of it whatever becomes of the process. The disk is the limit.
 */

import { randomBytes } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromSystemError, SvcError } from '../../../engine/base/errors.js';

const READ_BYTES = 1024 * 1024;

export class SpooledBody {
  readonly #file: FileHandle;
  /** While it has a name: where an open file can't lose it. */
  readonly #path: string | null;
  #length = 0;
  #released = false;
  /** Of the writes and reads that are under way: the file is closed after them. */
  #busy: Promise<unknown> = Promise.resolve();

  private constructor(file: FileHandle, path: string | null) {
    this.#file = file;
    this.#path = path;
  }

  /** `directory`: default the folder of the system for temporary files. */
  static async create(directory: string = tmpdir()): Promise<SpooledBody> {
    const path = join(directory, `svc-body-${process.pid}-${randomBytes(8).toString('hex')}.tmp`);
    try {
      await mkdir(directory, { recursive: true });
      const file = await open(path, 'wx+', 0o600);
      return new SpooledBody(file, withoutName(path));
    } catch (error) {
      throw fromSystemError(error, 'the folder for documents on their way');
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length; ) {
        const writing = this.#file.write(bytes, at, bytes.length - at, this.#length);
        this.#busy = writing.catch(() => undefined);
        const { bytesWritten } = await writing;
        at += bytesWritten;
        this.#length += bytesWritten;
      }
    } catch (error) {
      throw fromSystemError(error, 'the folder for documents on their way');
    }
  }

  /** The bytes from the beginning; they can be read again. */
  get bytes(): AsyncIterable<Uint8Array> {
    return { [Symbol.asyncIterator]: () => this.#read() };
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.#length; ) {
      // Not an end: what is cut off here must not be taken for the whole.
      if (this.#released) throw new SvcError('aborted', 'the document was given up while it was read');
      const reading = this.#file.read(Buffer.allocUnsafeSlow(READ_BYTES), 0, READ_BYTES, at);
      this.#busy = reading.catch(() => undefined);
      const { bytesRead, buffer } = await reading;
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** What was under way fails for who waits for it; here it is only waited for. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    const close = async (): Promise<void> => {
      await this.#busy;
      await this.#file.close();
      if (this.#path !== null) withoutName(this.#path);
    };
    close().catch(() => undefined);
  }
}

/** Takes the name of a file away; gives the path back where that can't be done yet. */
function withoutName(path: string): string | null {
  try {
    unlinkSync(path);
    return null;
  } catch {
    return path;
  }
}
