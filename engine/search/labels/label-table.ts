/**
 * The labels of entities, lower-cased, as code points in typed arrays, to be compared with a name by Jaro-Winkler.
 *
 * 1. A match is a code point that both have. How many two texts can share follows from their signatures, so that most
 *    labels, and most blocks of them, are passed over without being looked at.
 * 2. Who wants the best few takes the blocks of the highest bound first: what the few have reached passes over the rest.
 * 3. New labels stand behind the blocks and are looked at one by one, until there are so many that all are sorted anew.
 *
 * A table may hold labels that have been retracted: callers check in the snapshot whether a label is current.
 */

import { isAsciiOnly, scoreOf } from '../text/jaro-scorer.js';
import { codePoints } from '../text/jaro-winkler.js';
import type { BestLabels } from './best-labels.js';
import { firstSlot, LabelBlocks, orderOf } from './label-blocks.js';
import { bitsOf, boundOf, putSignature, WORDS } from './label-signature.js';

const ROWS_AT_FIRST = 1024;
const POINTS_AT_FIRST = 16_384;
const PREFIX_MAX = 4;
/** Labels behind the blocks: so many, and a part of all. */
const LOOSE_LEAST = 2048;
const LOOSE_SHARE = 1 / 8;
/** Blocks that may hold something as good as this are looked at before those that may not. */
const LEVELS = [0.98, 0.94, 0.9, 0] as const;

export class LabelTable {
  /** Halves of the ids of the entity and of the label of each row. */
  #ids = new Uint32Array(4 * ROWS_AT_FIRST);
  #starts = new Uint32Array(ROWS_AT_FIRST + 1);
  #signatures = new Int32Array(WORDS * ROWS_AT_FIRST);
  #points = new Uint32Array(POINTS_AT_FIRST);
  #blocks: LabelBlocks | null = null;
  /** Rows that the blocks cover. */
  #covered = 0;
  #bounds = new Float64Array(0);
  readonly #own = new Int32Array(WORDS);
  rows = 0;
  stale = 0;
  /** Labels that were looked at, and those that were scored. */
  compared = 0;
  scored = 0;
  #bounded = 0;

  /** `ids`: halves of the entity, then of its label. */
  add(ids: readonly [number, number, number, number], label: string): void {
    if (4 * this.rows === this.#ids.length) this.#growRows();
    const points = codePoints(label.toLowerCase());
    const start = this.#starts[this.rows] as number;
    while (start + points.length > this.#points.length) this.#points = grown(this.#points, 2 * this.#points.length);
    this.#points.set(points, start);
    this.#starts[this.rows + 1] = start + points.length;
    this.#ids.set(ids, 4 * this.rows);
    putSignature(points, this.#signatures, WORDS * this.rows);
    this.rows++;
  }

  /** Blocks and labels that were looked at, a score for several. */
  get work(): number {
    return this.#bounded + this.compared + 8 * this.scored;
  }

  /** Bytes of memory. */
  get bytes(): number {
    const { byteLength: ids } = this.#ids;
    const { byteLength: signatures } = this.#signatures;
    return ids + signatures + this.#starts.byteLength + this.#points.byteLength + (this.#blocks?.bytes ?? 0);
  }

  /** Offers every label that may be among the best. */
  search(name: Uint32Array, best: BestLabels): void {
    this.#sortWhenLoose();
    const own = this.#own;
    putSignature(name, own, 0);
    const isAscii = isAsciiOnly(name);
    const blocks = this.#blocks;
    if (blocks !== null) {
      if (this.#bounds.length < blocks.count) this.#bounds = new Float64Array(blocks.count);
      const bounds = this.#bounds;
      const slot = firstSlot(name, 0, name.length);
      this.#bounded += blocks.count;
      for (let block = 0; block < blocks.count; block++) bounds[block] = blocks.bound(block, name.length, slot, own);
      let above = Number.POSITIVE_INFINITY;
      for (const level of LEVELS) {
        for (let block = 0; block < blocks.count; block++) {
          const bound = bounds[block] as number;
          if (bound < level || bound >= above || bound < best.least) continue;
          const prefix = blocks.prefixOf(block, slot);
          this.#scan(name, isAscii, blocks.begins[block] as number, blocks.begins[block + 1] as number, prefix, best);
        }
        above = level;
      }
    }
    this.#scan(name, isAscii, this.#covered, this.rows, PREFIX_MAX, best);
  }

  /** `prefix`: no label of these shares more of its beginning that counts. */
  #scan(name: Uint32Array, isAscii: boolean, from: number, to: number, prefix: number, best: BestLabels): void {
    const length = name.length;
    const signatures = this.#signatures;
    const starts = this.#starts;
    const own0 = this.#own[0] as number;
    const own1 = this.#own[1] as number;
    const own2 = this.#own[2] as number;
    const own3 = this.#own[3] as number;
    let theirLength = -1;
    let mineMost = 0;
    let theirMost = 0;
    let least = -1;
    this.compared += to - from;
    for (let row = from; row < to; row++) {
      const start = starts[row] as number;
      const end = starts[row + 1] as number;
      if (end - start !== theirLength || best.least !== least) {
        theirLength = end - start;
        least = best.least;
        const needed = matchesNeeded(length, theirLength, prefix, least);
        mineMost = length - needed;
        theirMost = theirLength - needed;
      }
      // The words in which small letters fall, for the first and for the second time, tell most labels apart.
      const at = WORDS * row;
      const bits3 = signatures[at + 3] as number;
      let mine = bitsOf(own3 & ~bits3);
      let theirs = bitsOf(bits3 & ~own3);
      if (mine > mineMost || theirs > theirMost) continue;
      const bits0 = signatures[at] as number;
      mine += bitsOf(own0 & ~bits0);
      theirs += bitsOf(bits0 & ~own0);
      if (mine > mineMost || theirs > theirMost) continue;
      const bits1 = signatures[at + 1] as number;
      const bits2 = signatures[at + 2] as number;
      mine += bitsOf(own1 & ~bits1) + bitsOf(own2 & ~bits2);
      theirs += bitsOf(bits1 & ~own1) + bitsOf(bits2 & ~own2);
      if (mine > mineMost || theirs > theirMost) continue;
      const matches = Math.min(length - mine, theirLength - theirs);
      if (boundOf(matches, length, theirLength, this.#prefixOf(name, start, end)) < least) continue;
      this.scored++;
      const score = scoreOf(name, isAscii, this.#points, start, end);
      if (score >= best.least) best.offer(score, this.#ids, 4 * row);
    }
  }

  /** How many code points in front are those of the name, up to what counts. */
  #prefixOf(name: Uint32Array, start: number, end: number): number {
    const most = Math.min(PREFIX_MAX, name.length, end - start);
    let prefix = 0;
    while (prefix < most && name[prefix] === this.#points[start + prefix]) prefix++;
    return prefix;
  }

  #sortWhenLoose(): void {
    if (this.rows - this.#covered <= Math.max(LOOSE_LEAST, this.#covered * LOOSE_SHARE)) return;
    const before = { starts: this.#starts, points: this.#points, signatures: this.#signatures };
    const order = orderOf({ rows: this.rows, ...before });
    const [ids, signatures] = [new Uint32Array(this.#ids.length), new Int32Array(this.#signatures.length)];
    const [starts, points] = [new Uint32Array(this.#starts.length), new Uint32Array(this.#points.length)];
    for (let at = 0; at < order.length; at++) {
      const row = order[at] as number;
      const [start, end] = [before.starts[row] as number, before.starts[row + 1] as number];
      const place = starts[at] as number;
      for (let i = 0; i < end - start; i++) points[place + i] = before.points[start + i] as number;
      starts[at + 1] = place + end - start;
      for (let i = 0; i < 4; i++) ids[4 * at + i] = this.#ids[4 * row + i] as number;
      for (let i = 0; i < WORDS; i++) signatures[WORDS * at + i] = before.signatures[WORDS * row + i] as number;
    }
    this.#ids = ids;
    this.#signatures = signatures;
    this.#starts = starts;
    this.#points = points;
    this.#covered = this.rows;
    this.#blocks = new LabelBlocks({ rows: this.rows, starts, points, signatures });
  }

  #growRows(): void {
    const rows = 2 * this.rows;
    this.#ids = grown(this.#ids, 4 * rows);
    this.#starts = grown(this.#starts, rows + 1);
    const signatures = new Int32Array(WORDS * rows);
    signatures.set(this.#signatures);
    this.#signatures = signatures;
  }
}

/** The least number of matches with which texts of these lengths may score so much; one more than there are where none do. */
function matchesNeeded(a: number, b: number, prefix: number, least: number): number {
  const most = Math.min(a, b);
  let needed = 0;
  while (needed <= most && boundOf(needed, a, b, prefix) < least) needed++;
  return needed;
}

function grown(from: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(from);
  return larger;
}
