/** Parquet's hybrid of runs and packed bits, for small numbers: places in dictionaries, and which rows have a value. */

import type { ByteSink } from './byte-sink.js';

const GROUP = 8;

/** Bits for numbers below `count`. */
export function widthFor(count: number): number {
  return count <= 2 ? 1 : 32 - Math.clz32(count - 1);
}

export function appendRuns(sink: ByteSink, values: Uint8Array | Uint32Array, rows: number, width: number): void {
  let packedFrom = 0;
  let at = 0;
  while (at < rows) {
    const value = values[at] as number;
    let end = at + 1;
    while (end < rows && values[end] === value) end++;
    if (end - at < GROUP) {
      at = end;
      continue;
    }
    // Packed groups are whole: they take from the run what they lack.
    const lacking = (GROUP - ((at - packedFrom) % GROUP)) % GROUP;
    if (end - at - lacking < GROUP) {
      at = end;
      continue;
    }
    appendPacked(sink, values, packedFrom, at + lacking, rows, width);
    sink.varint((end - at - lacking) * 2);
    for (let bits = 0; bits < width; bits += 8) sink.byte((value >>> bits) & 0xff);
    at = end;
    packedFrom = end;
  }
  appendPacked(sink, values, packedFrom, rows, rows, width);
}

function appendPacked(
  sink: ByteSink,
  values: Uint8Array | Uint32Array,
  from: number,
  to: number,
  rows: number,
  width: number,
): void {
  if (to === from) return;
  const groups = Math.ceil((to - from) / GROUP);
  sink.varint(groups * 2 + 1);
  sink.reserve(groups * width + 8);
  const { bytes } = sink;
  let length = sink.length;
  let [word, filled] = [0, 0];
  for (let at = from; at < from + groups * GROUP; at++) {
    const value = at < rows ? (values[at] as number) : 0;
    word |= value << filled;
    filled += width;
    while (filled >= 8) {
      bytes[length++] = word;
      word >>>= 8;
      filled -= 8;
    }
  }
  sink.length = length;
}
