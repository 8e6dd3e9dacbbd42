/**
 * Character sets as sorted code point ranges, for `[a-z-[aeiou]]`: the engine behind has no
 * subtraction. The ranges of a Unicode category are found once by asking JavaScript about every code point.
 */

import type { CharacterSet, SetItem } from './syntax.js';

const CODE_POINT_MAX = 0x10ffff;

/** Sorted, disjoint; pairs of first and last. */
export type Ranges = readonly (readonly [from: number, to: number])[];

const categories = new Map<string, Ranges>();

export function rangesOf(set: CharacterSet): Ranges {
  const union = normalised(set.items.flatMap((item) => [...itemRanges(item)]));
  const own = set.negated ? complement(union) : union;
  if (set.without === null) return own;
  return complement(normalised([...complement(own), ...rangesOf(set.without)]));
}

function itemRanges(item: SetItem): Ranges {
  switch (item.kind) {
    case 'range':
      return [[item.from, item.to]];
    case 'set':
      return rangesOf(item.set);
    case 'category': {
      const ranges = categoryRanges(item.name);
      return item.negated ? complement(ranges) : ranges;
    }
  }
}

function normalised(ranges: (readonly [number, number])[]): Ranges {
  const merged: [number, number][] = [];
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

function complement(ranges: Ranges): Ranges {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [from, to] of ranges) {
    if (from > next) gaps.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= CODE_POINT_MAX) gaps.push([next, CODE_POINT_MAX]);
  return gaps;
}

function categoryRanges(name: string): Ranges {
  let ranges = categories.get(name);
  if (ranges === undefined) {
    ranges = searchRanges(new RegExp(`^\\p{${name}}$`, 'u'));
    categories.set(name, ranges);
  }
  return ranges;
}

function searchRanges(test: RegExp): Ranges {
  const found: [number, number][] = [];
  for (let code = 0; code <= CODE_POINT_MAX; code++) {
    if (!test.test(String.fromCodePoint(code))) continue;
    const last = found.at(-1);
    if (last !== undefined && last[1] === code - 1) last[1] = code;
    else found.push([code, code]);
  }
  return found;
}
