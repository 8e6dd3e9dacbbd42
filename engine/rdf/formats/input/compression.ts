/**
 * Compressed bytes to plain bytes and back, as streams with back-pressure.
 *
 * What a reader of compressed input can rely on: all members or frames of a file are read; input that
 * ends early, that is damaged, or that goes on with something else after its end is an error; and a
 * small file cannot unfold without end: once the output has passed `RATIO_FREE_BYTES`, more than
 * `compressionRatioMax` bytes of output per byte of input are refused.
 */

import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, type Gunzip } from 'node:zlib';
import { SvcError } from '../../../base/errors.js';
import type { Compression } from '../registry.js';

/** Text compresses 5 to 30 times, very regular N-Quads up to 100 times; bombs start at 1,000. */
export const COMPRESSION_RATIO_MAX_DEFAULT = 250;
/** Below this much output no ratio is judged: small files of zeros are harmless. */
export const RATIO_FREE_BYTES = 256 * 1024 * 1024;

export interface DecompressOptions {
  readonly compression: Compression;
  /** For messages. */
  readonly sourceName: string;
  readonly compressionRatioMax?: number | undefined;
  /** Called with the number of compressed bytes of each chunk taken, for progress. */
  readonly onInput?: ((bytes: number) => void) | undefined;
}

const LABELS = { gzip: 'gzip', zstd: 'Zstandard' } as const;

export async function* decompress(
  input: AsyncIterable<Uint8Array>,
  options: DecompressOptions,
): AsyncGenerator<Uint8Array> {
  const guard = new RatioGuard(options);
  const counted = countInput(input, guard, options.onInput);
  if (options.compression === 'none') {
    yield* counted;
    return;
  }
  const plain =
    options.compression === 'gzip'
      ? decompressGzip(counted, guard, options.sourceName)
      : decompressFrames(counted, (bytes) => guard.addOutput(bytes));
  try {
    yield* plain;
  } catch (error) {
    throw guard.inputBytes === 0 ? emptyFile(options, error) : asDamage(error, options);
  }
  if (guard.inputBytes === 0) throw emptyFile(options);
}

export function compress(input: AsyncIterable<Uint8Array>, compression: Compression): AsyncIterable<Uint8Array> {
  if (compression === 'none') return input;
  return compression === 'gzip' ? compressGzip(input) : compressFrames(input);
}

/** Zstandard comes as a large module, which few processes need. */
async function* decompressFrames(
  input: AsyncIterable<Uint8Array>,
  onOutput: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const { decompressZstd } = await import('./zstd.js');
  yield* decompressZstd(input, onOutput);
}

async function* compressFrames(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { compressZstd } = await import('./zstd.js');
  yield* compressZstd(input);
}

class RatioGuard {
  inputBytes = 0;
  outputBytes = 0;
  readonly #ratioMax: number;

  constructor(private readonly options: DecompressOptions) {
    this.#ratioMax = options.compressionRatioMax ?? COMPRESSION_RATIO_MAX_DEFAULT;
  }

  addOutput(bytes: number): void {
    this.outputBytes += bytes;
    if (this.outputBytes <= RATIO_FREE_BYTES || this.outputBytes <= this.inputBytes * this.#ratioMax) return;
    throw new SvcError(
      'limit_exceeded',
      `${this.options.sourceName}: ${this.inputBytes} compressed bytes have unfolded into more than ${this.outputBytes} bytes`,
      { hint: `this looks like a decompression bomb; the setting compressionRatioMax (${this.#ratioMax}) allows more` },
    );
  }
}

async function* countInput(
  input: AsyncIterable<Uint8Array>,
  guard: RatioGuard,
  onInput: ((bytes: number) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of input) {
    guard.inputBytes += chunk.length;
    onInput?.(chunk.length);
    yield chunk;
  }
}

async function* decompressGzip(
  input: AsyncIterable<Uint8Array>,
  guard: RatioGuard,
  sourceName: string,
): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  const feed = new GunzipFeed(gunzip);
  const feeding = feed.run(input);
  try {
    for await (const piece of gunzip as AsyncIterable<Buffer>) {
      guard.addOutput(piece.length);
      yield piece;
    }
    await feeding;
  } finally {
    feed.abandoned = true;
    gunzip.destroy();
  }
  if (feed.goesOnAfterEnd()) {
    throw damaged({ sourceName, compression: 'gzip' }, 'there is something else after the end of the compressed data');
  }
}

/**
 * Writes the input into a gunzip stream. zlib ends with the last member and silently drops what follows,
 * so the rest of the input is looked at here: zeros are customary padding, anything else is damage.
 */
class GunzipFeed {
  abandoned = false;
  #fedBytes = 0;
  /** How many bytes there are up to the last one that is not zero. */
  #contentBytes = 0;

  constructor(private readonly gunzip: Gunzip) {}

  goesOnAfterEnd(): boolean {
    return this.#contentBytes > this.gunzip.bytesWritten;
  }

  async run(input: AsyncIterable<Uint8Array>): Promise<void> {
    const gunzip = this.gunzip;
    try {
      for await (const chunk of input) {
        if (this.abandoned) return;
        this.#note(chunk);
        if (!isOver(gunzip)) {
          if (!gunzip.write(chunk)) await drained(gunzip);
        } else if (this.goesOnAfterEnd()) return;
      }
      if (!isOver(gunzip)) gunzip.end();
    } catch (error) {
      gunzip.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #note(chunk: Uint8Array): void {
    let content = chunk.length;
    while (content > 0 && chunk[content - 1] === 0) content--;
    if (content > 0) this.#contentBytes = this.#fedBytes + content;
    this.#fedBytes += chunk.length;
  }
}

function isOver(stream: Duplex): boolean {
  return stream.destroyed || stream.readableEnded;
}

/** Until the stream takes more, or is over (it ends by itself before what follows its data). */
function drained(stream: Duplex): Promise<void> {
  if (isOver(stream)) return Promise.resolve();
  const events = ['drain', 'close', 'error', 'end'];
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.once(event, done);
  });
}

async function* compressGzip(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip();
  // An error of the input destroys the stream, and is thrown where the stream is read.
  const feeding = pipeline(input, gzip).catch(() => undefined);
  try {
    yield* gzip as AsyncIterable<Buffer>;
  } finally {
    gzip.destroy();
  }
  await feeding;
}

function damaged(
  options: Pick<DecompressOptions, 'sourceName' | 'compression'>,
  what: string,
  cause?: unknown,
): SvcError {
  const label = options.compression === 'zstd' ? LABELS.zstd : LABELS.gzip;
  return new SvcError('source_unreadable', `not a sound ${label} file: ${what}`, {
    position: { source: options.sourceName },
    cause,
  });
}

function emptyFile(options: DecompressOptions, error?: unknown): unknown {
  // An error of the source before its first byte is not the file's.
  if (error !== undefined && asDamage(error, options) === error) return error;
  return damaged(options, 'the file is empty', error);
}

function asDamage(error: unknown, options: DecompressOptions): unknown {
  if (error instanceof SvcError || !(error instanceof Error)) return error;
  const code = (error as NodeJS.ErrnoException).code;
  const truncated = code === 'Z_BUF_ERROR' || /unexpected E(OF|nd)/i.test(error.message);
  if (truncated) return damaged(options, 'it ends too early (truncated)', error);
  const ofCodec = typeof code === 'number' || (typeof code === 'string' && code.startsWith('Z_'));
  return ofCodec ? damaged(options, error.message, error) : error;
}
