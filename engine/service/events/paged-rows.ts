/**
 * Entities and edges of a transaction by their numbers: the next some from a number on. Where the last ones ended is
 * noted, so that who reads on begins at that row; anybody else begins at the first.
 */

import type { ChangedTransaction, Op, RowKey, Rows } from './changed-rows.js';
import { EntityWalk, isEdge } from './entity-walk.js';
import { KIND, type Kind } from './kinds.js';
import { nodeKey, nodeKeyAt } from './node-keys.js';

/** The ids of an edge, or of an entity with its graph, as keys of nodes; `p` and `o` of an entity are 0. */
export interface Found {
  readonly s: number;
  readonly p: number;
  readonly o: number;
  readonly g: number;
}

/** Where the rows of a kind go on: the number of the next one, and the row of the last. */
interface Place {
  readonly index: number;
  readonly key: RowKey;
}

const ROW_HALVES = 8;

export class PagedRows {
  /** Of each kind where the last two ranges ended: a page may end within a range that was read. */
  readonly #places = new Map<Kind, readonly Place[]>();

  entities(transaction: ChangedTransaction, index: number, count: number): Found[] {
    const place = this.#placeFor(KIND.entity, index);
    const from = place === undefined ? undefined : subjectOnly(place.key);
    const walk = new EntityWalk(transaction.feed('assert', from), transaction.feed('retract', from));
    const found: Found[] = [];
    let at = place?.index ?? 0;
    try {
      for (let one = walk.next(); one !== null; one = walk.next()) {
        const { sLow, sHigh, gLow, gHigh } = one;
        if (place !== undefined && isUpTo(place.key, sLow, sHigh, gLow, gHigh)) continue;
        if (at++ < index) continue;
        found.push({ s: nodeKey(sLow, sHigh), p: 0, o: 0, g: nodeKey(gLow, gHigh) });
        if (found.length < count) continue;
        this.#note(KIND.entity, { index: at, key: [sLow, sHigh, 0, 0, 0, 0, gLow, gHigh] });
        break;
      }
    } finally {
      walk.close();
    }
    return found;
  }

  edges(
    transaction: ChangedTransaction,
    op: Op,
    [typeLow, typeHigh]: readonly [number, number],
    index: number,
    count: number,
  ): Found[] {
    const kind = op === 'assert' ? KIND.edgeAdded : KIND.edgeRetracted;
    const place = this.#placeFor(kind, index);
    const feed = transaction.feed(op, place?.key);
    const found: Found[] = [];
    let at = place?.index ?? 0;
    try {
      for (let rows = feed.next(); rows !== null && found.length < count; rows = feed.next()) {
        for (let row = 0; row < rows.rows && found.length < count; row++) {
          if (!isEdge(rows, row, typeLow, typeHigh)) continue;
          if (place !== undefined && isRow(rows, row, place.key)) continue;
          if (at++ < index) continue;
          found.push(edgeAt(rows, row));
          if (found.length === count) this.#note(kind, { index: at, key: keyOf(rows, row) });
        }
      }
    } finally {
      feed.close();
    }
    return found;
  }

  #placeFor(kind: Kind, index: number): Place | undefined {
    return this.#places.get(kind)?.find((place) => place.index <= index);
  }

  #note(kind: Kind, place: Place): void {
    this.#places.set(kind, [place, ...(this.#places.get(kind) ?? []).slice(0, 1)]);
  }
}

function edgeAt(rows: Rows, row: number): Found {
  return { s: nodeKeyAt(rows.s, row), p: nodeKeyAt(rows.p, row), o: nodeKeyAt(rows.o, row), g: nodeKeyAt(rows.g, row) };
}

function keyOf({ s, p, o, g }: Rows, row: number): RowKey {
  return [s, p, o, g].flatMap((column) => [...column.subarray(2 * row, 2 * row + 2)]);
}

function isRow({ s, p, o, g }: Rows, row: number, key: RowKey): boolean {
  return [s, p, o, g].every((column, at) => column[2 * row] === key[2 * at] && column[2 * row + 1] === key[2 * at + 1]);
}

/** The first row that a subject could have. */
function subjectOnly(key: RowKey): RowKey {
  return [...key.slice(0, 2), ...new Array<number>(ROW_HALVES - 2).fill(0)];
}

/** Whether an entity is that of the key, or one of the same subject before it. */
function isUpTo(key: RowKey, sLow: number, sHigh: number, gLow: number, gHigh: number): boolean {
  if (sLow !== key[0] || sHigh !== key[1]) return false;
  const [low, high] = [key[6] as number, key[7] as number];
  return gHigh < high || (gHigh === high && gLow <= low);
}
