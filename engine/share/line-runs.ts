/**
 * Merges files of lines that are sorted by their bytes, each line once. The file whose next line is the least hands on all lines
 * that come before the next line of any other, as one piece: files that hardly overlap are copied in large pieces, and files that
 * do are merged line by line.
 */

import { open } from 'node:fs/promises';
import { type Control, throwIfStopped } from '../base/control.js';
import { LineRun, type SortedLines } from './line-run.js';

const CHUNK_BYTES = 256 * 1024;
const LF = 0x0a;
const WHAT = 'sorting the share';

export async function* mergeRuns(paths: readonly string[], control: Control): AsyncGenerator<SortedLines> {
  const runs = paths.map((path) => new LineRun(bytesOf(path)));
  try {
    const chunk = new PieceChunk();
    /** The last line that was handed on. */
    let last: Buffer | null = null;
    for (;;) {
      for (const run of runs) {
        if (!run.isEmpty || run.ended) continue;
        throwIfStopped(control, WHAT);
        await run.fill();
      }
      const [least, bound] = leastOf(runs);
      if (least === null) break;
      if (last !== null && least.startsWith(last)) {
        least.skipLine();
        continue;
      }
      const piece = least.takeBefore(bound);
      last = piece.subarray(piece.length < 2 ? 0 : piece.lastIndexOf(LF, -2) + 1);
      chunk.add(piece);
      if (chunk.bytes >= CHUNK_BYTES) yield chunk.take();
    }
    if (chunk.bytes > 0) yield chunk.take();
  } finally {
    for (const run of runs) await run.close();
  }
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r');
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** The run whose next line is the least, and the least next line of the others. */
function leastOf(runs: readonly LineRun[]): readonly [LineRun | null, LineRun | null] {
  let [least, bound]: [LineRun | null, LineRun | null] = [null, null];
  for (const run of runs) {
    if (run.isEmpty) continue;
    if (least === null || run.compareTo(least) < 0) [least, bound] = [run, least];
    else if (bound === null || run.compareTo(bound) < 0) bound = run;
  }
  return [least, bound];
}

class PieceChunk {
  #pieces: Uint8Array[] = [];
  bytes = 0;

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.bytes += piece.length;
  }

  take(): SortedLines {
    const bytes = Buffer.concat(this.#pieces, this.bytes);
    this.#pieces = [];
    this.bytes = 0;
    let lines = 0;
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines++;
    return { bytes, lines };
  }
}
