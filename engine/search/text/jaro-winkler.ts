/**
 * How alike two names are, from 0 (nothing in common) to 1 (equal): Jaro-Winkler (Jaro 1989, Winkler 1990),
 * in code points, case included. The match window is half the longer length less one, matches are taken
 * greedily from left to right, and a common prefix of up to four code points counts only when the names
 * are alike already.
 */

const BOOST_ABOVE = 0.7;
const PREFIX_MAX = 4;
const PREFIX_WEIGHT = 0.1;

/** Jaro's measure with Winkler's bonus for a common prefix. */
export function jaroWinkler(a: string, b: string): number {
  return jaroWinklerOf(codePoints(a), codePoints(b));
}

/** The same of texts that are code points already. */
export function jaroWinklerOf(left: Uint32Array, right: Uint32Array): number {
  const similarity = jaroOf(left, right);
  if (similarity <= BOOST_ABOVE) return similarity;
  return similarity + PREFIX_WEIGHT * commonPrefix(left, right) * (1 - similarity);
}

/** Jaro's measure alone. */
export function jaro(a: string, b: string): number {
  return jaroOf(codePoints(a), codePoints(b));
}

export function codePoints(text: string): Uint32Array {
  const points = new Uint32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; count++) {
    const point = text.codePointAt(at) as number;
    points[count] = point;
    at += point > 0xffff ? 2 : 1;
  }
  return points.subarray(0, count);
}

function commonPrefix(a: Uint32Array, b: Uint32Array): number {
  const most = Math.min(PREFIX_MAX, a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length++;
  return length;
}

function jaroOf(a: Uint32Array, b: Uint32Array): number {
  if (a.length === 0 && b.length === 0) return 1;
  const window = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1);
  const matchesOfA = new Uint8Array(a.length);
  const matchesOfB = new Uint8Array(b.length);
  let matches = 0;
  for (let at = 0; at < a.length; at++) {
    const to = Math.min(b.length, at + window + 1);
    for (let other = Math.max(0, at - window); other < to; other++) {
      if (matchesOfB[other] === 1 || a[at] !== b[other]) continue;
      matchesOfA[at] = 1;
      matchesOfB[other] = 1;
      matches++;
      break;
    }
  }
  if (matches === 0) return 0;
  const transpositions = Math.floor(outOfOrder(a, b, matchesOfA, matchesOfB) / 2);
  return (matches / a.length + matches / b.length + (matches - transpositions) / matches) / 3;
}

/** Matches that stand at different places among the matches of the two. */
function outOfOrder(a: Uint32Array, b: Uint32Array, matchesOfA: Uint8Array, matchesOfB: Uint8Array): number {
  let count = 0;
  let other = 0;
  for (let at = 0; at < a.length; at++) {
    if (matchesOfA[at] === 0) continue;
    while (matchesOfB[other] === 0) other++;
    if (a[at] !== b[other++]) count++;
  }
  return count;
}
