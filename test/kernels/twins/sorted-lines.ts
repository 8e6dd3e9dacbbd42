/** Plain twin of `engine/kernels/as/sorted-lines.ts`. */

const LF = 0x0a;

/** Where each line of some bytes ends. */
export function lineOffsets(bytes: Uint8Array): number[] {
  return [...bytes.keys()].filter((at) => bytes[at] === LF).map((at) => at + 1);
}

/** The lines of a list from an entry on, without repetitions, as many as there is room for; and the entry that comes next. */
export function gatherLines(
  lines: readonly Uint8Array[],
  next: number,
  room: number,
): { readonly next: number; readonly bytes: Buffer; readonly lines: number } {
  const gathered: Uint8Array[] = [];
  let used = 0;
  let at = next;
  for (; at < lines.length; at++) {
    const line = lines[at] as Uint8Array;
    if (used + line.length > room) break;
    if (at > 0 && Buffer.compare(line, lines[at - 1] as Uint8Array) === 0) continue;
    gathered.push(line);
    used += line.length;
  }
  return { next: at, bytes: Buffer.concat(gathered), lines: gathered.length };
}
