/**
 * Dense numbers for the nodes that a path walks over, from 0 in order of appearance. With `perGraph` a
 * node is a term in one graph, so that walks in many graphs never mix; otherwise it is a term.
 *
 *  1. Ids of terms that were loaded together lie close together, so the table is one of pages: the upper
 *     bits of an id find the page by hashing (linear probing), the lower ones the entry in it. A run of
 *     near ids costs one look at the hash table.
 *  2. Before all rows of a step are read, `expectRows` allows a plain array over the ids of one kind, as
 *     long as it stays small beside the rows: a fifth of the time of hashing. Ids beyond it are hashed.
 */

import type { IdColumn } from '../../../storage/seam/scan.js';
import type { MemoryCounter } from '../../runtime/memory.js';

const PAGE_BITS = 4;
const PAGE_ENTRIES = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_ENTRIES - 1;
const FIRST_PAGES = 8;
const FIRST_NODES = 16;
/** Entries of the plain array for each row that is expected. */
const DIRECT_PER_ROW = 8;
const DIRECT_FIRST = 1024;
/** Of a page: entries, three words of its key, two slots. */
const PAGE_BYTES = 4 * (PAGE_ENTRIES + 3 + 2);
const NONE = -1;

export class NodeTable {
  count = 0;
  ids: IdColumn = new Uint32Array(0);
  /** Empty without `perGraph`. */
  graphs: IdColumn = new Uint32Array(0);
  /** Numbers of the graphs that nodes stand in; null without `perGraph`. */
  private readonly graphTable: NodeTable | null;
  /** page and lower bits -> node + 1; 0 = no such node */
  private entries = new Int32Array(0);
  /** page -> upper bits of its ids, low and high word, and the number of its graph */
  private keys: Uint32Array = new Uint32Array(0);
  /** hash -> page + 1 */
  private slots = new Int32Array(0);
  private pages = 0;
  /** The page of the last look, which the next one often needs again. */
  private lastPage = NONE;

  /** id -> node + 1, for ids with this upper half and a lower one within the array. */
  private direct = new Int32Array(0);
  private directHigh = 0;
  private directMax = 0;

  constructor(
    perGraph: boolean,
    private readonly budget: MemoryCounter,
  ) {
    this.graphTable = perGraph ? new NodeTable(false, budget) : null;
  }

  get perGraph(): boolean {
    return this.graphTable !== null;
  }

  /** The number of a node; a new one when the table does not hold it yet. Graph halves are 0 without `perGraph`. */
  numberOf(low: number, high: number, graphLow: number, graphHigh: number): number {
    if (this.isDirect(low, high)) return this.numberDirect(low);
    const graph = this.graphTable === null ? 0 : this.graphTable.numberOf(graphLow, graphHigh, 0, 0);
    let page = this.findPage(low >>> PAGE_BITS, high, graph);
    if (page === NONE) page = this.addPage(low >>> PAGE_BITS, high, graph);
    const entry = (page << PAGE_BITS) | (low & PAGE_MASK);
    const known = this.entries[entry] as number;
    if (known !== 0) return known - 1;
    const node = this.append(low, high);
    if (this.graphTable !== null) {
      this.graphs[2 * node] = graphLow;
      this.graphs[2 * node + 1] = graphHigh;
    }
    this.entries[entry] = node + 1;
    return node;
  }

  /** The number of the node that the columns have at a row; `graphs` null = without `perGraph`. */
  numberAt(ids: IdColumn, row: number, graphs: IdColumn | null, graphRow: number): number {
    const [low, high] = [ids[2 * row] as number, ids[2 * row + 1] as number];
    if (graphs === null) return this.numberOf(low, high, 0, 0);
    return this.numberOf(low, high, graphs[2 * graphRow] as number, graphs[2 * graphRow + 1] as number);
  }

  /** So many rows are about to be numbered. */
  expectRows(rows: number): void {
    if (this.graphTable === null) this.directMax = Math.max(this.directMax, DIRECT_PER_ROW * rows);
  }

  /** The numbers of the nodes of rows `selection[0..count)`, or of the first `count` rows, into `out` from `at` on. */
  numberAll(
    ids: IdColumn,
    graphs: IdColumn | null,
    selection: Uint32Array | null,
    count: number,
    out: Int32Array,
    at: number,
  ): void {
    if (graphs === null) {
      this.numberTerms(ids, selection, count, out, at);
      return;
    }
    for (let index = 0; index < count; index++) {
      const row = selection === null ? index : (selection[index] as number);
      out[at + index] = this.numberAt(ids, row, graphs, row);
    }
  }

  /** The same without graphs: the loop that reads a whole predicate. */
  private numberTerms(ids: IdColumn, selection: Uint32Array | null, count: number, out: Int32Array, at: number): void {
    if (this.directMax > 0 && this.directHigh === 0 && count > 0) {
      this.directHigh = ids[2 * (selection === null ? 0 : (selection[0] as number)) + 1] as number;
    }
    for (let index = 0; index < count; index++) {
      if (selection === null) index = this.numberKnown(ids, index, count, out, at);
      if (index === count) return;
      const row = 2 * (selection === null ? index : (selection[index] as number));
      const low = ids[row] as number;
      const high = ids[row + 1] as number;
      if (high === this.directHigh && low < this.directMax) {
        if (low >= this.direct.length) this.growDirect(low + 1);
        out[at + index] = this.numberDirect(low);
      } else out[at + index] = this.numberOf(low, high, 0, 0);
    }
  }

  /** Goes on as long as the plain array holds the nodes; returns where that ended. */
  private numberKnown(ids: IdColumn, from: number, count: number, out: Int32Array, at: number): number {
    const { direct, directHigh } = this;
    for (let index = from; index < count; index++) {
      if (ids[2 * index + 1] !== directHigh) return index;
      // Beyond the array there is nothing, which counts as 0.
      const known = (direct[ids[2 * index] as number] as number) | 0;
      if (known === 0) return index;
      out[at + index] = known - 1;
    }
    return count;
  }

  /** The number of a node; -1 when the table does not hold it. */
  find(low: number, high: number, graphLow: number, graphHigh: number): number {
    if (this.isDirect(low, high)) return (this.direct[low] as number) - 1;
    const graph = this.graphTable === null ? 0 : this.graphTable.find(graphLow, graphHigh, 0, 0);
    if (graph === NONE) return NONE;
    const page = this.findPage(low >>> PAGE_BITS, high, graph);
    return page === NONE ? NONE : (this.entries[(page << PAGE_BITS) | (low & PAGE_MASK)] as number) - 1;
  }

  /** Makes a graph known, though it may have no nodes yet. */
  addGraph(low: number, high: number): void {
    this.graphTable?.numberOf(low, high, 0, 0);
  }

  hasGraph(low: number, high: number): boolean {
    return this.graphTable !== null && this.graphTable.find(low, high, 0, 0) !== NONE;
  }

  release(): void {
    this.graphTable?.release();
    this.budget.give(PAGE_BYTES * (this.keys.length / 3) + 4 * (this.ids.length + this.graphs.length));
    this.budget.give(4 * this.direct.length);
    this.direct = new Int32Array(0);
    this.count = 0;
    this.pages = 0;
    this.lastPage = NONE;
    this.entries = new Int32Array(0);
    this.slots = new Int32Array(0);
    this.keys = new Uint32Array(0);
    this.ids = new Uint32Array(0);
    this.graphs = new Uint32Array(0);
  }

  private append(low: number, high: number): number {
    if (2 * this.count === this.ids.length) this.growNodes();
    this.ids[2 * this.count] = low;
    this.ids[2 * this.count + 1] = high;
    return this.count++;
  }

  private isDirect(low: number, high: number): boolean {
    return high === this.directHigh && low < this.direct.length;
  }

  private numberDirect(low: number): number {
    const known = this.direct[low] as number;
    if (known !== 0) return known - 1;
    const node = this.append(low, this.directHigh);
    this.direct[low] = node + 1;
    return node;
  }

  /** Makes the plain array hold lower halves below `size`; nodes that it now covers move into it. */
  private growDirect(size: number): void {
    const before = this.direct.length;
    const grown = Math.min(this.directMax, Math.max(DIRECT_FIRST, size, 2 * before));
    this.budget.take(4 * (grown - before));
    const direct = new Int32Array(grown);
    direct.set(this.direct);
    for (let node = 0; node < this.count; node++) {
      const low = this.ids[2 * node] as number;
      if (this.ids[2 * node + 1] === this.directHigh && low < grown) direct[low] = node + 1;
    }
    this.direct = direct;
  }

  private findPage(low: number, high: number, graph: number): number {
    const { keys, slots, lastPage } = this;
    if (
      lastPage !== NONE &&
      keys[3 * lastPage] === low &&
      keys[3 * lastPage + 1] === high &&
      keys[3 * lastPage + 2] === graph
    ) {
      return lastPage;
    }
    const page = lookUp(keys, slots, low, high, graph);
    if (page !== NONE) this.lastPage = page;
    return page;
  }

  private addPage(low: number, high: number, graph: number): number {
    if (3 * this.pages === this.keys.length) this.growPages();
    const page = this.pages++;
    this.keys[3 * page] = low;
    this.keys[3 * page + 1] = high;
    this.keys[3 * page + 2] = graph;
    this.place(page);
    this.lastPage = page;
    return page;
  }

  /** Enters a page that the hash table does not hold. */
  private place(page: number): void {
    const { keys, slots } = this;
    const mask = slots.length - 1;
    let slot = hashOf(keys[3 * page] as number, keys[3 * page + 1] as number, keys[3 * page + 2] as number) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = page + 1;
  }

  private growPages(): void {
    const before = this.keys.length / 3;
    const pages = Math.max(FIRST_PAGES, 2 * before);
    this.budget.take(PAGE_BYTES * (pages - before));
    this.keys = enlarged(this.keys, 3 * pages);
    const entries = new Int32Array(PAGE_ENTRIES * pages);
    entries.set(this.entries);
    this.entries = entries;
    this.slots = new Int32Array(2 * pages);
    for (let page = 0; page < this.pages; page++) this.place(page);
  }

  private growNodes(): void {
    const before = this.ids.length;
    const halves = Math.max(2 * FIRST_NODES, 2 * before);
    this.budget.take(4 * (halves - before) * (this.graphTable === null ? 1 : 2));
    this.ids = enlarged(this.ids, halves);
    if (this.graphTable !== null) this.graphs = enlarged(this.graphs, halves);
  }
}

/** The page of a key; -1 when there is none. */
function lookUp(keys: Uint32Array, slots: Int32Array, low: number, high: number, graph: number): number {
  const mask = slots.length - 1;
  if (mask < 0) return NONE;
  for (let slot = hashOf(low, high, graph) & mask; ; slot = (slot + 1) & mask) {
    const page = (slots[slot] as number) - 1;
    if (page === NONE) return NONE;
    const key = 3 * page;
    if (keys[key] === low && keys[key + 1] === high && keys[key + 2] === graph) return page;
  }
}

/** Pages are numbered closely, so a multiplication spreads them well (Knuth, TAOCP 3, 6.4). */
function hashOf(low: number, high: number, graph: number): number {
  const hash = Math.imul(low ^ Math.imul(high, 0x85ebca6b) ^ Math.imul(graph, 0xc2b2ae35), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}

function enlarged(words: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(length);
  grown.set(words);
  return grown;
}
