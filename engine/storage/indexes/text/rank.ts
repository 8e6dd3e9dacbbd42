/**
 * The texts that are worth most, of several lists with a weight each: MaxScore (Turtle and Flood, "Query evaluation: strategies
 * and optimizations", 1995) with the greatest worth of each block of postings. What a posting is worth is an integer, so that
 * sums don't depend on their sequence. Order: worth descending, then number ascending.
 */

import { advance, POSTINGS_BLOCK, type Postings } from './postings.js';

/** Worth is counted in parts of this. */
export const WORTH_UNIT = 4096;

export interface WeightedList {
  readonly postings: Postings;
  /** By impact byte what a posting is worth. */
  readonly worth: Float64Array;
}

export class BestTexts {
  readonly #limit: number;
  readonly numbers: Uint32Array;
  readonly worths: Float64Array;
  count = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.numbers = new Uint32Array(limit);
    this.worths = new Float64Array(limit);
  }

  /** What a text must be worth more than; -1 while there is room. */
  get least(): number {
    return this.count < this.#limit ? -1 : (this.worths[0] as number);
  }

  /** A heap whose first is the one to go next: worth least, of equals the greatest number. */
  offer(worth: number, number: number): void {
    const { worths, numbers } = this;
    if (this.count < this.#limit) {
      let at = this.count++;
      while (at > 0) {
        const above = (at - 1) >> 1;
        if (!isWorse(worth, number, worths[above] as number, numbers[above] as number)) break;
        worths[at] = worths[above] as number;
        numbers[at] = numbers[above] as number;
        at = above;
      }
      worths[at] = worth;
      numbers[at] = number;
      return;
    }
    if (!isWorse(worths[0] as number, numbers[0] as number, worth, number)) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= this.count) break;
      const other = below + 1;
      if (
        other < this.count &&
        isWorse(worths[other] as number, numbers[other] as number, worths[below] as number, numbers[below] as number)
      ) {
        below = other;
      }
      if (!isWorse(worths[below] as number, numbers[below] as number, worth, number)) break;
      worths[at] = worths[below] as number;
      numbers[at] = numbers[below] as number;
      at = below;
    }
    worths[at] = worth;
    numbers[at] = number;
  }

  /** All of them, the best first. */
  sorted(): { readonly number: number; readonly worth: number }[] {
    return Array.from({ length: this.count }, (_, at) => ({
      number: this.numbers[at] as number,
      worth: this.worths[at] as number,
    })).sort((a, b) => b.worth - a.worth || a.number - b.number);
  }
}

function isWorse(worth: number, number: number, otherWorth: number, otherNumber: number): boolean {
  return worth < otherWorth || (worth === otherWorth && number > otherNumber);
}

interface Cursor {
  readonly docs: Uint32Array;
  readonly impacts: Uint8Array | null;
  readonly worth: Float64Array;
  /** Of each block the impact that is worth most. */
  readonly blocks: Uint8Array;
  readonly most: number;
  at: number;
}

interface BlockImpacts {
  readonly table: Float64Array;
  readonly blocks: Uint8Array;
  readonly most: number;
}

/** Kept with the postings for a table of worth by impact. */
const blockImpacts = new WeakMap<Postings, BlockImpacts>();

function bestImpacts(postings: Postings, table: Float64Array): BlockImpacts {
  const known = blockImpacts.get(postings);
  if (known?.table === table) return known;
  const { docs, impacts } = postings;
  const blocks = new Uint8Array(Math.ceil(docs.length / POSTINGS_BLOCK));
  const worthOf = (impact: number): number => table[impact] as number;
  if (impacts !== null) {
    for (let block = 0; block < blocks.length; block++) {
      const end = Math.min(docs.length, (block + 1) * POSTINGS_BLOCK);
      let most = impacts[block * POSTINGS_BLOCK] as number;
      for (let i = block * POSTINGS_BLOCK + 1; i < end; i++) {
        if (worthOf(impacts[i] as number) > worthOf(most)) most = impacts[i] as number;
      }
      blocks[block] = most;
    }
  }
  const most = blocks.reduce((a, b) => (worthOf(b) > worthOf(a) ? b : a), blocks[0] ?? 0);
  const found = { table, blocks, most };
  blockImpacts.set(postings, found);
  return found;
}

/** Offers the texts of one segment. `table`: what impacts are worth before weights. Returns how many were scored. */
export function rankAny(lists: readonly WeightedList[], table: Float64Array, best: BestTexts): number {
  const cursors = lists.map(({ postings, worth }): Cursor => {
    const { blocks, most } = bestImpacts(postings, table);
    return { docs: postings.docs, impacts: postings.impacts, worth, blocks, most: worth[most] as number, at: 0 };
  });
  cursors.sort((a, b) => a.most - b.most);
  const reach: number[] = [];
  let sum = 0;
  for (const { most } of cursors) {
    sum += most;
    reach.push(sum);
  }
  const from = lists[0]?.postings.from ?? 0;
  let essential = 0;
  let scored = 0;
  for (;;) {
    const least = best.least;
    while (essential < cursors.length && (reach[essential] as number) <= least) essential++;
    if (essential >= cursors.length) return scored;
    if (essential === cursors.length - 1) {
      // One list alone brings new texts: its blocks that can't reach what is needed are passed over.
      const cursor = cursors[essential] as Cursor;
      const others = essential > 0 ? (reach[essential - 1] as number) : 0;
      let block = Math.floor(cursor.at / POSTINGS_BLOCK);
      while (block < cursor.blocks.length && worthOfBlock(cursor, block) + others <= least) block++;
      cursor.at = Math.max(cursor.at, block * POSTINGS_BLOCK);
    }
    let doc = 0xffffffff;
    for (let i = essential; i < cursors.length; i++) {
      const { docs, at } = cursors[i] as Cursor;
      if (at < docs.length && (docs[at] as number) < doc) doc = docs[at] as number;
    }
    if (doc === 0xffffffff) return scored;
    scored++;
    let worth = 0;
    for (let i = essential; i < cursors.length; i++) {
      const cursor = cursors[i] as Cursor;
      if (cursor.at < cursor.docs.length && cursor.docs[cursor.at] === doc) worth += take(cursor);
    }
    for (let i = essential - 1; i >= 0; i--) {
      if (worth + (reach[i] as number) <= least) break;
      const cursor = cursors[i] as Cursor;
      cursor.at = advance(cursor.docs, cursor.at, doc);
      if (cursor.at < cursor.docs.length && cursor.docs[cursor.at] === doc) worth += take(cursor);
    }
    if (worth > least) best.offer(worth, from + doc);
  }
}

function worthOfBlock({ blocks, worth }: Cursor, block: number): number {
  return worth[blocks[block] as number] as number;
}

function take(cursor: Cursor): number {
  const impact = cursor.impacts === null ? 0 : (cursor.impacts[cursor.at] as number);
  cursor.at++;
  return cursor.worth[impact] as number;
}

/** Offers the texts of one segment that every group has, by any of its lists. */
export function rankAll(groups: readonly (readonly WeightedList[])[], best: BestTexts): number {
  const cursors = groups.map((lists) => lists.map((list) => ({ ...list, at: 0 })));
  cursors.sort((a, b) => lengthOf(a) - lengthOf(b));
  const [lead = [], ...rest] = cursors;
  const from = groups[0]?.[0]?.postings.from ?? 0;
  let scored = 0;
  for (;;) {
    let doc = 0xffffffff;
    for (const { postings, at } of lead)
      if (at < postings.docs.length) doc = Math.min(doc, postings.docs[at] as number);
    if (doc === 0xffffffff) return scored;
    let worth = 0;
    for (const list of lead) {
      if (list.postings.docs[list.at] !== doc) continue;
      worth += list.worth[list.postings.impacts?.[list.at] ?? 0] as number;
      list.at++;
    }
    let isIn = true;
    for (const group of rest) {
      let found = false;
      let after = 0xffffffff;
      for (const list of group) {
        list.at = advance(list.postings.docs, list.at, doc);
        if (list.at < list.postings.docs.length) after = Math.min(after, list.postings.docs[list.at] as number);
        if (list.postings.docs[list.at] !== doc) continue;
        found = true;
        worth += list.worth[list.postings.impacts?.[list.at] ?? 0] as number;
      }
      if (!found) {
        isIn = false;
        for (const list of lead) list.at = advance(list.postings.docs, list.at, after);
        break;
      }
    }
    if (!isIn) continue;
    scored++;
    if (worth > best.least) best.offer(worth, from + doc);
  }
}

function lengthOf(lists: readonly WeightedList[]): number {
  return lists.reduce((sum, { postings }) => sum + postings.docs.length, 0);
}
