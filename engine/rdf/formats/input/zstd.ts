/**
 * Zstandard, behind this file and `zstd-frames.ts`, because Node 20 has none of its own. Two packages share the work:
 * `fzstd` decompresses as a stream in plain JavaScript; `@hpcc-js/wasm-zstd` (the reference library
 * as WASM, no install script) compresses. `node:zlib` replaces both from Node 22.15 on.
 *
 * What is written is a sequence of independent frames, which every decompressor reads as one stream;
 * so the encoder needs no state between chunks. `fzstd` does not check the optional content checksum.
 */

import { Decompress } from 'fzstd';
import { loadZstd } from './zstd-frames.js';

/** Input is handed over in slices of this size, so that one slice of a bomb gives at most 32 MiB (128 KiB per 4 bytes). */
const SLICE_BYTES = 1024;
/** One frame per this much input: large enough for the ratio, small enough for memory. */
const FRAME_BYTES = 1024 * 1024;
const LEVEL = 3;

/** `onOutput` is called before a piece is kept; it may throw to stop. */
export async function* decompressZstd(
  input: AsyncIterable<Uint8Array>,
  onOutput: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  const stream = new Decompress((piece) => {
    if (piece.length === 0) return;
    onOutput(piece.length);
    pieces.push(piece);
  });
  for await (const chunk of input) {
    for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
      stream.push(chunk.subarray(at, at + SLICE_BYTES));
      if (pieces.length === 0) continue;
      const ready = pieces;
      pieces = [];
      yield* ready;
    }
  }
  stream.push(new Uint8Array(0), true);
  yield* pieces;
}

export async function* compressZstd(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const compress = await loadZstd();
  const frame = new Uint8Array(FRAME_BYTES);
  let filled = 0;
  let written = false;
  for await (const chunk of input) {
    for (let at = 0; at < chunk.length; ) {
      const take = Math.min(FRAME_BYTES - filled, chunk.length - at);
      frame.set(chunk.subarray(at, at + take), filled);
      filled += take;
      at += take;
      if (filled < FRAME_BYTES) continue;
      yield compress(frame, LEVEL);
      written = true;
      filled = 0;
    }
  }
  if (filled > 0 || !written) yield compress(frame.subarray(0, filled), LEVEL);
}
