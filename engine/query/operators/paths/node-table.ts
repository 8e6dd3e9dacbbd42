/**
 * Dense numbers for the nodes that a path walks over, from 0 in order of appearance. With `perGraph` a
 * node is a term in one graph, so that walks in many graphs never mix; otherwise it is a term.
 */

import type { IdColumn } from '../../../storage/scan.js';
import { mixHalves } from '../ids.js';
import type { MemoryBudget } from '../memory.js';

const EMPTY = -1;
const FIRST_SLOTS = 1024;

export class NodeTable {
  count = 0;
  ids: IdColumn = new Uint32Array(0);
  /** Empty without `perGraph`. */
  graphs: IdColumn = new Uint32Array(0);
  private slots = new Int32Array(0);
  private accounted = 0;

  constructor(
    readonly perGraph: boolean,
    private readonly budget: MemoryBudget,
  ) {}

  /** The number of a node; a new one when the table does not hold it yet. Graph halves are 0 without `perGraph`. */
  numberOf(low: number, high: number, graphLow: number, graphHigh: number): number {
    if (2 * this.count >= this.slots.length) this.grow();
    const slot = this.slotOf(low, high, graphLow, graphHigh);
    const known = this.slots[slot] as number;
    if (known !== EMPTY) return known;
    const node = this.count++;
    this.slots[slot] = node;
    this.ids[2 * node] = low;
    this.ids[2 * node + 1] = high;
    if (this.perGraph) {
      this.graphs[2 * node] = graphLow;
      this.graphs[2 * node + 1] = graphHigh;
    }
    return node;
  }

  /** The number of a node; -1 when the table does not hold it. */
  find(low: number, high: number, graphLow: number, graphHigh: number): number {
    if (this.count === 0) return EMPTY;
    return this.slots[this.slotOf(low, high, graphLow, graphHigh)] as number;
  }

  release(): void {
    this.count = 0;
    this.slots = new Int32Array(0);
    this.ids = new Uint32Array(0);
    this.graphs = new Uint32Array(0);
    this.budget.give(this.accounted);
    this.accounted = 0;
  }

  /** The slot of the node, or the empty one where it belongs. */
  private slotOf(low: number, high: number, graphLow: number, graphHigh: number): number {
    const { slots, ids, graphs, perGraph } = this;
    const mask = slots.length - 1;
    const seed = perGraph ? mixHalves(0x9747b28c, graphLow, graphHigh) : 0x9747b28c;
    for (let slot = mixHalves(seed, low, high) & mask; ; slot = (slot + 1) & mask) {
      const node = slots[slot] as number;
      if (node === EMPTY) return slot;
      if (ids[2 * node] !== low || ids[2 * node + 1] !== high) continue;
      if (!perGraph || (graphs[2 * node] === graphLow && graphs[2 * node + 1] === graphHigh)) return slot;
    }
  }

  private grow(): void {
    const slots = Math.max(FIRST_SLOTS, 2 * this.slots.length);
    const nodes = slots / 2;
    const bytes = 4 * slots + 8 * nodes * (this.perGraph ? 2 : 1);
    this.budget.take(bytes - this.accounted);
    this.accounted = bytes;
    this.ids = enlarged(this.ids, 2 * nodes);
    if (this.perGraph) this.graphs = enlarged(this.graphs, 2 * nodes);
    this.slots = new Int32Array(slots).fill(EMPTY);
    for (let node = 0; node < this.count; node++) {
      const graphLow = this.perGraph ? (this.graphs[2 * node] as number) : 0;
      const graphHigh = this.perGraph ? (this.graphs[2 * node + 1] as number) : 0;
      this.slots[this.slotOf(this.ids[2 * node] as number, this.ids[2 * node + 1] as number, graphLow, graphHigh)] =
        node;
    }
  }
}

function enlarged(column: IdColumn, halves: number): IdColumn {
  const grown = new Uint32Array(halves);
  grown.set(column);
  return grown;
}
