/**
 * Answers that go out compressed, where the client takes that (`Accept-Encoding`) and there is enough to compress: whole
 * ones at once, those that are made while they are sent as they come. What has come so far is never held back for long.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { acceptedCoding } from './negotiation.js';

export type Coding = 'br' | 'gzip';

/** Less is sent as it is. */
export const CODED_BYTES_MIN = 4096;
/** Rows that came stay in the compressor for so long at most. */
const HELD_MS = 50;

/** About as dear as making the answer was. */
const GZIP = { level: 4 };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** Formats that are compressed in themselves. */
const CODED_ALREADY = /^(?:application\/(?:vnd\.apache\.parquet|gzip|zstd)|image\/(?!svg)|font\/)/;

export function isCodable(mediaType: string): boolean {
  return !CODED_ALREADY.test(mediaType);
}

/** What the client takes, the best first for it; null = as it is. */
export function codingOf({ 'accept-encoding': accepted }: IncomingHttpHeaders): Coding | null {
  if (accepted === undefined || accepted === '') return null;
  const best = acceptedCoding(accepted, ['gzip', 'br', 'identity']);
  return best === 'br' || best === 'gzip' ? best : null;
}

/** `Vary` of an answer whose coding the client chooses. */
export function withCodingVary(vary: string | undefined): string {
  return vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`;
}

export function codeWhole(bytes: Uint8Array, coding: Coding): Promise<Buffer> {
  return coding === 'br' ? compressors.br(bytes, BROTLI) : compressors.gzip(bytes, GZIP);
}

/** The chunks, compressed no faster than they are read. */
export function codeStream(chunks: AsyncIterable<Uint8Array>, coding: Coding): Readable {
  return Readable.from(coded(chunks, coding), { objectMode: false, highWaterMark: 1 });
}

async function* coded(chunks: AsyncIterable<Uint8Array>, coding: Coding): AsyncGenerator<Uint8Array> {
  const stream = coding === 'br' ? createBrotliCompress(BROTLI) : createGzip(GZIP);
  let timer: NodeJS.Timeout | undefined;
  const flushSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => stream.writable && stream.flush(), HELD_MS);
  };
  const feeding = (async () => {
    try {
      for await (const chunk of chunks) {
        if (stream.destroyed) return;
        const isTaken = stream.write(chunk);
        flushSoon();
        if (!isTaken) await new Promise<void>((resolve) => onceEither(stream, resolve));
      }
      clearTimeout(timer);
      stream.end();
    } catch (error) {
      stream.destroy(error as Error);
    }
  })();
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) yield piece;
  } finally {
    clearTimeout(timer);
    stream.destroy();
    await feeding;
  }
}

function onceEither(stream: NodeJS.EventEmitter, resolve: () => void): void {
  const settle = (): void => {
    stream.off('drain', settle);
    stream.off('close', settle);
    resolve();
  };
  stream.once('drain', settle);
  stream.once('close', settle);
}
