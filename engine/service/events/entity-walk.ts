/**
 * The entities that a transaction touched, each once per graph, in the order of subject, then graph: asserted and retracted
 * statements merged by their subjects.
 */

import type { Op, RowFeed, Rows } from './changed-rows.js';
import { isNodeHigh } from './node-keys.js';

/** Graphs of a subject beyond which they are looked up rather than compared. */
const GRAPHS_COMPARED = 16;

/** A subject in a graph: halves of their ids. */
export interface Entity {
  readonly sLow: number;
  readonly sHigh: number;
  readonly gLow: number;
  readonly gHigh: number;
}

/** Told of every row that is passed. */
export type RowWatch = (op: Op, rows: Rows, row: number) => void;

class Head {
  rows: Rows | null = null;
  row = 0;

  constructor(
    readonly op: Op,
    private readonly feed: RowFeed,
  ) {
    this.rows = feed.next();
  }

  advance(): void {
    if (this.rows !== null && ++this.row >= this.rows.rows) {
      this.rows = this.feed.next();
      this.row = 0;
    }
  }
}

export class EntityWalk {
  readonly #heads: readonly Head[];
  readonly #feeds: readonly RowFeed[];
  readonly #watch: RowWatch | undefined;
  /** Graphs of the subject at hand: halves, low first. */
  #graphs: number[] = [];
  #known: Set<string> | null = null;
  #at = 0;
  #sLow = 0;
  #sHigh = 0;

  constructor(asserted: RowFeed, retracted: RowFeed, watch?: RowWatch) {
    this.#feeds = [asserted, retracted];
    this.#heads = [new Head('assert', asserted), new Head('retract', retracted)];
    this.#watch = watch;
  }

  /** Passes the entities of one more subject; returns how many, 0 after the last. */
  nextSubject(): number {
    if (!this.#least()) return 0;
    this.#graphs = [];
    this.#known = null;
    this.#at = 0;
    for (const head of this.#heads) this.#take(head);
    return this.#graphs.length / 2;
  }

  next(): Entity | null {
    if (this.#at >= this.#graphs.length) {
      if (this.nextSubject() === 0) return null;
      if (this.#graphs.length > 2) this.#sortGraphs();
    }
    const at = this.#at;
    this.#at += 2;
    return {
      sLow: this.#sLow,
      sHigh: this.#sHigh,
      gLow: this.#graphs[at] as number,
      gHigh: this.#graphs[at + 1] as number,
    };
  }

  close(): void {
    for (const feed of this.#feeds) feed.close();
  }

  /** The least subject that is left becomes the one at hand. */
  #least(): boolean {
    let found = false;
    for (const { rows, row } of this.#heads) {
      if (rows === null) continue;
      const [low, high] = [rows.s[2 * row] as number, rows.s[2 * row + 1] as number];
      if (found && (high > this.#sHigh || (high === this.#sHigh && low >= this.#sLow))) continue;
      [this.#sLow, this.#sHigh, found] = [low, high, true];
    }
    return found;
  }

  #take(head: Head): void {
    const [sLow, sHigh] = [this.#sLow, this.#sHigh];
    let [lastLow, lastHigh] = [-1, -1];
    for (let { rows } = head; rows !== null; rows = head.rows) {
      const { s, g, rows: end } = rows;
      let { row } = head;
      while (row < end && s[2 * row] === sLow && s[2 * row + 1] === sHigh) {
        const [low, high] = [g[2 * row] as number, g[2 * row + 1] as number];
        if (low !== lastLow || high !== lastHigh) {
          [lastLow, lastHigh] = [low, high];
          this.#addGraph(low, high);
        }
        this.#watch?.(head.op, rows, row);
        row++;
      }
      head.row = row;
      if (row < end) return;
      head.row = end - 1;
      head.advance();
    }
  }

  #addGraph(low: number, high: number): void {
    const graphs = this.#graphs;
    if (this.#known === null) {
      for (let at = 0; at < graphs.length; at += 2) if (graphs[at] === low && graphs[at + 1] === high) return;
      graphs.push(low, high);
      if (graphs.length / 2 > GRAPHS_COMPARED) {
        this.#known = new Set();
        for (let at = 0; at < graphs.length; at += 2) this.#known.add(`${graphs[at]} ${graphs[at + 1]}`);
      }
      return;
    }
    const key = `${low} ${high}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    graphs.push(low, high);
  }

  #sortGraphs(): void {
    const pairs: [number, number][] = [];
    for (let at = 0; at < this.#graphs.length; at += 2) {
      pairs.push([this.#graphs[at] as number, this.#graphs[at + 1] as number]);
    }
    pairs.sort(([aLow, aHigh], [bLow, bHigh]) => aHigh - bHigh || aLow - bLow);
    this.#graphs = pairs.flat();
  }
}

/** Whether a row is an edge: it leads to an IRI or a blank node, and does not only say of what class its subject is. */
export function isEdge(rows: Rows, row: number, typeLow: number, typeHigh: number): boolean {
  if (!isNodeHigh(rows.o[2 * row + 1] as number)) return false;
  return rows.p[2 * row] !== typeLow || rows.p[2 * row + 1] !== typeHigh;
}
