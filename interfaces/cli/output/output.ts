/**
 * Where a command writes. Text waits for the reader when it is slow; a reader that went away
 * (`| head`) ends the command quietly; a file named by `--out` appears under its name only when it
 * is complete.
 */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { fromSystemError, SvcError } from '../../../engine/base/errors.js';
import { type Compression, compressionOfPath } from '../../../engine/rdf/formats/registry.js';

/** The reader of standard output went away. */
export class BrokenPipe extends Error {}

/** What a shell reports for a program that SIGPIPE ended. */
export const EXIT_BROKEN_PIPE = 141;

export type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

export class Output {
  readonly #stream: Writable;
  #broken = false;
  #failure: unknown = null;
  /** Goes on with the write that waits for the reader; there is one at most. */
  #resume: (() => void) | null = null;

  constructor(stream: Writable) {
    this.#stream = stream;
    const goOn = (): void => {
      this.#resume?.();
      this.#resume = null;
    };
    stream.on('drain', goOn);
    stream.on('close', () => {
      this.#broken = true;
      goOn();
    });
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') this.#failure = fromSystemError(error, 'standard output');
      this.#broken = true;
      goOn();
    });
  }

  async write(chunk: Uint8Array | string): Promise<void> {
    this.#assertReader();
    if (this.#stream.write(chunk)) return;
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
    });
    this.#assertReader();
  }

  async writeAll(chunks: Chunks): Promise<void> {
    for await (const chunk of chunks) await this.write(chunk);
  }

  #assertReader(): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#broken) throw new BrokenPipe('the reader of standard output went away');
  }
}

async function* encoded(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const chunk of chunks) yield typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
}

async function compressed(bytes: AsyncIterable<Uint8Array>, compression: Compression) {
  const { compress } = await import('../../../engine/rdf/formats/input/compression.js');
  return compress(bytes, compression);
}

/** Writes a document to a file, compressed when its name ends in .gz or .zst. */
export async function writeFile(path: string, chunks: Chunks): Promise<void> {
  const partial = `${path}.part`;
  try {
    const file = createWriteStream(partial);
    const opened = once(file, 'open');
    await opened;
    const { compression } = compressionOfPath(path);
    const bytes = encoded(chunks);
    for await (const chunk of compression === 'none' ? bytes : await compressed(bytes, compression)) {
      if (!file.write(chunk)) await once(file, 'drain');
    }
    file.end();
    await once(file, 'close');
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw placeOfFile(error, path) ?? fromSystemError(error, path);
  }
}

/** What is wrong with the place that a file was to have; null when it is something else. */
function placeOfFile(error: unknown, path: string): SvcError | null {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new SvcError('invalid_request', `${path}: there is no folder ${dirname(path)}`, { cause: error });
  if (code === 'EISDIR') return new SvcError('invalid_request', `${path} is a folder`, { cause: error });
  return null;
}
