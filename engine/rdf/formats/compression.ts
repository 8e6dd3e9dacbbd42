/**
 * Compressed bytes to plain bytes and back, as streams with back-pressure.
 *
 * What a reader of compressed input can rely on: all members or frames of a file are read; input that
 * ends early, that is damaged, or that goes on with something else after its end is an error; and a
 * small file cannot unfold without end: once the output has passed `RATIO_FREE_BYTES`, more than
 * `compressionRatioMax` bytes of output per byte of input are refused.
 */

import type { Duplex } from 'node:stream';
import { createGunzip, createGzip, type Gunzip } from 'node:zlib';
import { SvcError } from '../../base/errors.js';
import type { Compression } from './registry.js';
import { compressZstd, decompressZstd } from './zstd.js';

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
      : decompressZstd(counted, (bytes) => guard.addOutput(bytes));
  try {
    yield* plain;
  } catch (error) {
    throw asDamage(error, options);
  }
  if (guard.inputBytes === 0) throw damaged(options, 'the file is empty, which is not a complete archive');
}

export function compress(input: AsyncIterable<Uint8Array>, compression: Compression): AsyncIterable<Uint8Array> {
  if (compression === 'none') return input;
  return compression === 'gzip' ? compressGzip(input) : compressZstd(input);
}

class RatioGuard {
  inputBytes = 0;
  outputBytes = 0;
  readonly #sourceName: string;
  readonly #ratioMax: number;

  constructor(options: DecompressOptions) {
    this.#sourceName = options.sourceName;
    this.#ratioMax = options.compressionRatioMax ?? COMPRESSION_RATIO_MAX_DEFAULT;
  }

  addOutput(bytes: number): void {
    this.outputBytes += bytes;
    if (this.outputBytes <= RATIO_FREE_BYTES || this.outputBytes <= this.inputBytes * this.#ratioMax) return;
    throw new SvcError(
      'limit_exceeded',
      `${this.#sourceName}: ${this.inputBytes} compressed bytes have unfolded into more than ${this.outputBytes} bytes`,
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
  const feeding = feed(gunzip, input);
  try {
    for await (const piece of gunzip as AsyncIterable<Buffer>) {
      guard.addOutput(piece.length);
      yield piece;
    }
  } finally {
    gunzip.destroy();
  }
  const rest = await feeding;
  // zlib stops at the end of the last member and silently drops what follows; padding with zeros is customary.
  if (rest?.some((byte) => byte !== 0)) {
    throw damaged({ sourceName, compression: 'gzip' }, 'there is something else after the end of the compressed data');
  }
}

/** Writes the input into the stream; answers what the stream left over at its end, or null. */
async function feed(gunzip: Gunzip, input: AsyncIterable<Uint8Array>): Promise<Uint8Array | null> {
  let fed = 0;
  let last: Uint8Array = new Uint8Array(0);
  try {
    for await (const chunk of input) {
      if (gunzip.destroyed) return null;
      fed += chunk.length;
      if (chunk.length > 0) last = chunk;
      if (!gunzip.write(chunk)) await drained(gunzip);
    }
    if (gunzip.destroyed) return null;
    gunzip.end();
    await finished(gunzip);
  } catch (error) {
    gunzip.destroy(error instanceof Error ? error : new Error(String(error)));
    return null;
  }
  const left = fed - gunzip.bytesWritten;
  if (left <= 0) return null;
  return left <= last.length ? last.subarray(last.length - left) : Uint8Array.of(1);
}

/** Until the stream takes more, or has ended by itself (it does so before trailing garbage). */
function drained(stream: Duplex): Promise<void> {
  return settled(stream, ['drain', 'close', 'error', 'end']);
}

function finished(stream: Duplex): Promise<void> {
  return settled(stream, ['close', 'error', 'end']);
}

function settled(stream: Duplex, events: readonly string[]): Promise<void> {
  if (stream.destroyed || stream.readableEnded) return Promise.resolve();
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
  const feeding = (async () => {
    try {
      for await (const chunk of input) {
        if (gzip.destroyed) return;
        if (!gzip.write(chunk)) await drained(gzip);
      }
      gzip.end();
    } catch (error) {
      gzip.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  })();
  try {
    for await (const piece of gzip as AsyncIterable<Buffer>) yield piece;
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
  return new SvcError('source_unreadable', `${options.sourceName}: not a sound ${label} file: ${what}`, {
    position: { source: options.sourceName },
    cause,
  });
}

function asDamage(error: unknown, options: DecompressOptions): unknown {
  if (error instanceof SvcError || !(error instanceof Error)) return error;
  const code = (error as NodeJS.ErrnoException).code;
  const truncated = code === 'Z_BUF_ERROR' || /unexpected E(OF|nd)/i.test(error.message);
  if (truncated) return damaged(options, 'it ends too early (truncated)', error);
  const ofCodec = typeof code === 'number' || (typeof code === 'string' && code.startsWith('Z_'));
  return ofCodec ? damaged(options, error.message, error) : error;
}
