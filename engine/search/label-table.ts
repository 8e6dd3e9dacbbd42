/**
 * The labels of entities, lower-cased, as code points in typed arrays, to be compared with a name by Jaro-Winkler.
 *
 * Most labels are passed over by a bound: a match is a code point that both have, so that no more match than the shorter
 * one has, less those that fall into parts of a 64-part signature which the other has none of. What is left is scored.
 *
 * A table may hold labels that have ended: who takes a row looks whether it holds.
 */

import { codePoints, jaroWinklerOf } from './jaro-winkler.js';

const ROWS_AT_FIRST = 1024;
const POINTS_AT_FIRST = 16_384;
/** The prefix adds to what is above this, at most `PREFIX_SHARE` of the rest. */
const BOOST_ABOVE = 0.7;
const PREFIX_WEIGHT = 0.1;
const PREFIX_MAX = 4;
/** Rounding may not drop what is exactly at the threshold. */
const SLACK = 1e-9;

export interface ScoredRow {
  readonly row: number;
  readonly score: number;
}

export class LabelTable {
  /** Halves of the ids of the entity and of the label of each row. */
  #ids = new Uint32Array(4 * ROWS_AT_FIRST);
  #starts = new Uint32Array(ROWS_AT_FIRST + 1);
  /** Two words a row. */
  #signatures = new Uint32Array(2 * ROWS_AT_FIRST);
  #points = new Uint32Array(POINTS_AT_FIRST);
  rows = 0;
  /** How many were found not to hold any more. */
  stale = 0;

  /** `ids`: halves of the entity, then of its label. */
  add(ids: readonly [number, number, number, number], label: string): void {
    if (4 * this.rows === this.#ids.length) this.#growRows();
    const points = codePoints(label.toLowerCase());
    const start = this.#starts[this.rows] as number;
    while (start + points.length > this.#points.length) this.#growPoints();
    this.#points.set(points, start);
    this.#starts[this.rows + 1] = start + points.length;
    this.#ids.set(ids, 4 * this.rows);
    const [low, high] = signatureOf(points);
    this.#signatures[2 * this.rows] = low;
    this.#signatures[2 * this.rows + 1] = high;
    this.rows++;
  }

  /** Halves of the entity of a row, then of its label. */
  idsOf(row: number): Uint32Array {
    return this.#ids.subarray(4 * row, 4 * row + 4);
  }

  /** The rows of `[from, to)` that score at least `threshold`, appended to `found`. */
  scores(name: Uint32Array, threshold: number, from: number, to: number, found: ScoredRow[]): void {
    const [low, high] = signatureOf(name);
    const length = name.length;
    const least = threshold - SLACK;
    for (let row = from; row < to; row++) {
      const start = this.#starts[row] as number;
      const other = (this.#starts[row + 1] as number) - start;
      const theirLow = this.#signatures[2 * row] as number;
      const theirHigh = this.#signatures[2 * row + 1] as number;
      const mine = length - bitsOf(low & ~theirLow) - bitsOf(high & ~theirHigh);
      const theirs = other - bitsOf(theirLow & ~low) - bitsOf(theirHigh & ~high);
      const matches = Math.min(mine, theirs);
      if (boundOf(matches, length, other, PREFIX_MAX) < least) continue;
      if (boundOf(matches, length, other, this.#prefixOf(name, start, other)) < least) continue;
      const score = jaroWinklerOf(name, this.#points.subarray(start, start + other));
      if (score >= least) found.push({ row, score });
    }
  }

  /** How many code points in front are those of the name, up to what counts. */
  #prefixOf(name: Uint32Array, start: number, length: number): number {
    const most = Math.min(PREFIX_MAX, name.length, length);
    let prefix = 0;
    while (prefix < most && name[prefix] === this.#points[start + prefix]) prefix++;
    return prefix;
  }

  #growRows(): void {
    const rows = 2 * this.rows;
    this.#ids = grown(this.#ids, 4 * rows);
    this.#starts = grown(this.#starts, rows + 1);
    this.#signatures = grown(this.#signatures, 2 * rows);
  }

  #growPoints(): void {
    this.#points = grown(this.#points, 2 * this.#points.length);
  }
}

function grown(from: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(from);
  return larger;
}

/** Which of 64 parts the code points fall into, as two words. */
function signatureOf(points: Uint32Array): readonly [number, number] {
  let [low, high] = [0, 0];
  for (const point of points) {
    if ((point & 32) === 0) low |= 1 << (point & 31);
    else high |= 1 << (point & 31);
  }
  return [low >>> 0, high >>> 0];
}

function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** No pair of these lengths with so many matches scores more. */
export function boundOf(matches: number, a: number, b: number, prefix: number): number {
  if (a === 0 && b === 0) return 1;
  if (matches <= 0) return 0;
  const jaro = (matches / a + matches / b + 1) / 3;
  return jaro <= BOOST_ABOVE ? jaro : jaro + PREFIX_WEIGHT * prefix * (1 - jaro);
}
