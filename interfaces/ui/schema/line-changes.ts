/**
 * What differs between two texts, line by line: the shortest sequence of lines that came and went. What is alike at both ends is
 * passed over first; where too much is left to compare, all of it went and came.
 */

export interface Line {
  readonly change: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Of the table of comparisons. */
const CELLS_MAX = 4_000_000;

export function lineChanges(before: string, after: string): Line[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const [a, b] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  const same = (lines: readonly string[]): Line[] => lines.map((text) => ({ change: 'same', text }));
  return [...same(old.slice(0, head)), ...between(a, b), ...same(tail === 0 ? [] : old.slice(-tail))];
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

function between(a: readonly string[], b: readonly string[]): Line[] {
  const removed = (text: string): Line => ({ change: 'removed', text });
  const added = (text: string): Line => ({ change: 'added', text });
  if ((a.length + 1) * (b.length + 1) > CELLS_MAX) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  /** The most lines that what is left of both has in common. */
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      common[at] =
        a[i] === b[j]
          ? (common[at + width + 1] as number) + 1
          : Math.max(common[at + width] as number, common[at + 1] as number);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const at = i * width + j;
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ change: 'same', text: a[i] as string });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && (common[at + width] as number) >= (common[at + 1] as number))) {
      lines.push(removed(a[i++] as string));
    } else lines.push(added(b[j++] as string));
  }
  return lines;
}
