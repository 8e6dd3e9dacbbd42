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
  readonly #within: Uint32Array | undefined;
  readonly numbers: Uint32Array;
  readonly worths: Float64Array;
  count = 0;
  /** What a text must be worth more than; -1 while there is room. */
  least = -1;

  /** `within`: the numbers that may be among them, a bit each; absent = all. */
  constructor(limit: number, within?: Uint32Array) {
    this.#limit = limit;
    this.#within = within;
    this.numbers = new Uint32Array(limit);
    this.worths = new Float64Array(limit);
  }

  /** A heap whose first is the one to go next: worth least, of equals the greatest number. */
  offer(worth: number, number: number): void {
    const { worths, numbers } = this;
    const within = this.#within;
    if (within !== undefined && (((within[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 0) return;
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
      if (this.count === this.#limit) this.least = worths[0] as number;
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
    this.least = worths[0] as number;
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

const NONE = 0xffffffff;

interface Cursor {
  readonly docs: Uint32Array;
  readonly impacts: Uint8Array;
  readonly worth: Float64Array;
  /** Of each block the impact that is worth most. */
  readonly blocks: Uint8Array;
  at: number;
  /** Where the list leaves the window at hand. */
  end: number;
  /** What it can reach in the window. */
  most: number;
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

/** Numbers that are looked at together: as many as have their sums in the second cache, since each window costs a look at each list. */
const WINDOW = 16_384;
const sums = new Float64Array(WINDOW);
const touched = new Uint32Array(WINDOW / 32);

/**
 * Offers the texts of one segment that are in any list. `table`: what impacts are worth before weights. Goes by windows of
 * numbers: what the lists can reach in one, by their blocks, says whether it is passed over, and which of them bring texts that
 * the others alone could not bring among the best. Returns how many postings were taken.
 */
export function rankAny(
  lists: readonly WeightedList[],
  table: Float64Array,
  best: BestTexts,
  pace: () => void = () => undefined,
): number {
  const cursors = lists.map(({ postings, worth }): Cursor => {
    const { blocks } = bestImpacts(postings, table);
    return { docs: postings.docs, impacts: impactsOf(postings), worth, blocks, at: 0, end: 0, most: 0 };
  });
  const from = lists[0]?.postings.from ?? 0;
  let taken = 0;
  for (;;) {
    // A question of thousands of words has as many lists to look at in each window.
    pace();
    let first = NONE;
    for (const { docs, at } of cursors)
      if (at < docs.length && (docs[at] as number) < first) first = docs[at] as number;
    if (first === NONE) return taken;
    const least = best.least;
    let reach = 0;
    for (const cursor of cursors) {
      lookAhead(cursor, first + WINDOW);
      reach += cursor.most;
    }
    if (reach > least) {
      cursors.sort((a, b) => a.most - b.most);
      taken += rankWindow(cursors, first, from, best);
    }
    for (const cursor of cursors) cursor.at = cursor.end;
  }
}

/** Where all occurrences count alike, they count as one of a text of one word. */
function impactsOf({ docs, impacts }: Postings): Uint8Array {
  return impacts ?? new Uint8Array(docs.length);
}

/** Finds where a list leaves a window, and what its blocks can reach in it. */
function lookAhead(cursor: Cursor, stop: number): void {
  const { docs, at, blocks, worth } = cursor;
  cursor.end = advance(docs, at, stop);
  let most = 0;
  if (cursor.end > at) {
    const last = Math.floor((cursor.end - 1) / POSTINGS_BLOCK);
    for (let block = Math.floor(at / POSTINGS_BLOCK); block <= last; block++) {
      most = Math.max(most, worth[blocks[block] as number] as number);
    }
  }
  cursor.most = most;
}

/** The lists are ascending by what they can reach. */
function rankWindow(cursors: Cursor[], first: number, from: number, best: BestTexts): number {
  const least = best.least;
  let essential = 0;
  let others = 0;
  while (essential < cursors.length - 1 && others + (cursors[essential] as Cursor).most <= least) {
    others += (cursors[essential++] as Cursor).most;
  }
  if (essential === cursors.length - 1) return rankOne(cursors, others, from, best);
  let taken = 0;
  for (let i = essential; i < cursors.length; i++) {
    const { docs, impacts, worth, at, end } = cursors[i] as Cursor;
    taken += end - at;
    for (let p = at; p < end; p++) {
      const place = (docs[p] as number) - first;
      sums[place] = (sums[place] as number) + (worth[impacts[p] as number] as number);
      touched[place >>> 5] = (touched[place >>> 5] as number) | (1 << (place & 31));
    }
  }
  for (let word = 0; word < touched.length; word++) {
    let bits = touched[word] as number;
    if (bits === 0) continue;
    touched[word] = 0;
    for (; bits !== 0; bits &= bits - 1) {
      const place = (word << 5) + 31 - Math.clz32(bits & -bits);
      const sum = sums[place] as number;
      sums[place] = 0;
      if (sum + others > best.least) finish(cursors, essential, others, first + place, sum, from, best);
    }
  }
  return taken;
}

/** One list alone brings texts. */
function rankOne(cursors: Cursor[], others: number, from: number, best: BestTexts): number {
  const essential = cursors.length - 1;
  const cursor = cursors[essential] as Cursor;
  const { docs, impacts, worth, blocks, end } = cursor;
  let taken = 0;
  for (let p = cursor.at; p < end; ) {
    const block = Math.floor(p / POSTINGS_BLOCK);
    const stop = Math.min(end, (block + 1) * POSTINGS_BLOCK);
    if ((worth[blocks[block] as number] as number) + others > best.least) {
      taken += stop - p;
      for (let i = p; i < stop; i++) {
        const own = worth[impacts[i] as number] as number;
        if (own + others > best.least) finish(cursors, essential, others, docs[i] as number, own, from, best);
      }
    }
    p = stop;
  }
  return taken;
}

/** Adds what the lists below `essential` have of a text, as long as it can be among the best. */
function finish(
  cursors: readonly Cursor[],
  essential: number,
  others: number,
  doc: number,
  sum: number,
  from: number,
  best: BestTexts,
): void {
  let worth = sum;
  let rest = others;
  for (let i = essential - 1; i >= 0; i--) {
    if (worth + rest <= best.least) return;
    const cursor = cursors[i] as Cursor;
    rest -= cursor.most;
    cursor.at = advance(cursor.docs, cursor.at, doc);
    if (cursor.docs[cursor.at] === doc) worth += cursor.worth[cursor.impacts[cursor.at] as number] as number;
  }
  if (worth > best.least) best.offer(worth, from + doc);
}

/**
 * Offers the texts of one segment that are in every list: goes through the shortest one block by block, and passes over those
 * that can't bring a text among the best with what the other lists reach within the same numbers.
 */
export function rankAll(lists: readonly WeightedList[], table: Float64Array, best: BestTexts): void {
  const cursors = lists.map(({ postings, worth }): Cursor => {
    const { blocks, most } = bestImpacts(postings, table);
    const impacts = impactsOf(postings);
    return { docs: postings.docs, impacts, worth, blocks, at: 0, end: 0, most: worth[most] as number };
  });
  cursors.sort((a, b) => a.docs.length - b.docs.length);
  const [lead, ...rest] = cursors;
  if (lead === undefined) return;
  const from = lists[0]?.postings.from ?? 0;
  const { docs, worth, blocks } = lead;
  const everywhere = rest.reduce((sum, { most }) => sum + most, 0);
  for (let first = 0; first < docs.length; first += POSTINGS_BLOCK) {
    const own = worth[blocks[first / POSTINGS_BLOCK] as number] as number;
    if (own + everywhere <= best.least) continue;
    const end = Math.min(docs.length, first + POSTINGS_BLOCK);
    const last = docs[end - 1] as number;
    let others = 0;
    for (const cursor of rest) {
      cursor.at = advance(cursor.docs, cursor.at, docs[first] as number);
      if (cursor.at >= cursor.docs.length) return;
      lookAhead(cursor, last + 1);
      // Without one of the lists there is no text.
      if (cursor.end === cursor.at) {
        others = NOTHING;
        break;
      }
      others += cursor.most;
    }
    if (own + others > best.least) rankBlock(lead, rest, { first, end, others, from }, best);
  }
}

const NOTHING = Number.NEGATIVE_INFINITY;

/** The texts of a block of the list `lead`, `[first, end)`, that are in all others, which can add as much as `others` to one. */
function rankBlock(
  lead: Cursor,
  rest: readonly Cursor[],
  {
    first,
    end,
    others,
    from,
  }: { readonly first: number; readonly end: number; readonly others: number; readonly from: number },
  best: BestTexts,
): void {
  const { docs, impacts, worth } = lead;
  let at = first;
  next: while (at < end) {
    const own = worth[impacts[at] as number] as number;
    if (own + others <= best.least) {
      at++;
      continue;
    }
    const doc = docs[at] as number;
    let sum = own;
    for (const cursor of rest) {
      cursor.at = advance(cursor.docs, cursor.at, doc);
      if (cursor.at >= cursor.docs.length) return;
      const other = cursor.docs[cursor.at] as number;
      if (other !== doc) {
        at = advance(docs, at, other);
        continue next;
      }
      sum += cursor.worth[cursor.impacts[cursor.at] as number] as number;
    }
    if (sum > best.least) best.offer(sum, from + doc);
    at++;
  }
}
