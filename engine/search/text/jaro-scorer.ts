/**
 * Jaro-Winkler of one name against many labels (`jaro-winkler.ts` says what it is): the places of a label's characters are
 * bits, so that a match is found without a walk through the window. Long texts, and characters beyond ASCII, go the long way.
 */

import { jaroWinklerOf } from './jaro-winkler.js';

const BOOST_ABOVE = 0.7;
const PREFIX_WEIGHT = 0.1;
const PREFIX_MAX = 4;
const LENGTH_MAX = 32;
const ASCII = 128;

const places = new Uint32Array(ASCII);
const matched = new Uint32Array(LENGTH_MAX);

/** The code points `[start, end)` of a column are the label. */
export function scoreOf(name: Uint32Array, isAscii: boolean, column: Uint32Array, start: number, end: number): number {
  const [a, b] = [name.length, end - start];
  if (!isAscii || a > LENGTH_MAX || b > LENGTH_MAX || a === 0 || b === 0) {
    return jaroWinklerOf(name, column.subarray(start, end));
  }
  for (let at = start; at < end; at++) {
    const point = column[at] as number;
    // No code point of the name is there.
    if (point < ASCII) places[point] = (places[point] as number) | (1 << (at - start));
  }
  const window = Math.max(0, Math.floor(Math.max(a, b) / 2) - 1);
  let [taken, matches] = [0, 0];
  for (let at = 0; at < a; at++) {
    const from = at > window ? at - window : 0;
    const to = at + window + 1;
    const within = (to >= 32 ? -1 : (1 << to) - 1) & (from >= 32 ? 0 : -1 << from);
    const free = (places[name[at] as number] as number) & within & ~taken;
    if (free === 0) continue;
    taken |= free & -free;
    matched[matches++] = name[at] as number;
  }
  for (let at = start; at < end; at++) {
    const point = column[at] as number;
    if (point < ASCII) places[point] = 0;
  }
  if (matches === 0) return 0;
  let outOfOrder = 0;
  for (let left = taken, at = 0; left !== 0; left &= left - 1, at++) {
    if (column[start + 31 - Math.clz32(left & -left)] !== matched[at]) outOfOrder++;
  }
  const jaro = (matches / a + matches / b + (matches - Math.floor(outOfOrder / 2)) / matches) / 3;
  if (jaro <= BOOST_ABOVE) return jaro;
  let prefix = 0;
  while (prefix < PREFIX_MAX && prefix < a && prefix < b && name[prefix] === column[start + prefix]) prefix++;
  return jaro + PREFIX_WEIGHT * prefix * (1 - jaro);
}

export function isAsciiOnly(name: Uint32Array): boolean {
  return name.every((point) => point < ASCII);
}
