/**
 * Counts what the rows of a load make of events, in one pass over them in the order of their subjects: a load has many rows,
 * all of them asserted, so that the loop holds nothing but numbers.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { Batch, IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';
import { isNodeHigh, nodeKey } from './node-keys.js';

/** Slots of the tables of what was met last. */
const SLOTS = 1024;
const BATCHES_AT_ONCE = 64;

/** Ids that come again and again: the last of each slot is known without a look at the set. */
class MetIds {
  readonly keys = new Set<number>();
  readonly #low = new Uint32Array(SLOTS);
  readonly #high = new Uint32Array(SLOTS);

  add(low: number, high: number): void {
    const slot = low & (SLOTS - 1);
    if (this.#low[slot] === low && this.#high[slot] === high) return;
    this.#low[slot] = low;
    this.#high[slot] = high;
    this.keys.add(nodeKey(low, high));
  }
}

/** Graphs that are remembered of a load; it may have one for each of its rows. */
export const GRAPHS_MAX = 100_000;

export class RowTally {
  entities = 0;
  edges = 0;
  statements = 0;
  readonly predicates = new MetIds();
  readonly classes = new MetIds();
  /** The first `GRAPHS_MAX` of them. */
  readonly graphs = new MetIds();
  /** Halves of the graph of the first row. */
  graph: Uint32Array | null = null;
  readonly #typeLow: number;
  readonly #typeHigh: number;
  #sLow = 0;
  #sHigh = 0;
  #gLow = 0;
  #gHigh = 0;
  /** Graphs of the subject at hand besides the first. */
  #others: Set<string> | null = null;

  constructor([typeLow, typeHigh]: readonly [number, number]) {
    this.#typeLow = typeLow;
    this.#typeHigh = typeHigh;
  }

  /** Rows of other transactions are passed over. */
  add({ rows, selection, columns }: Batch, tx: TxId): void {
    const { s, p, o, g, txFrom } = columns as Readonly<Record<'s' | 'p' | 'o' | 'g' | 'txFrom', IdColumn>>;
    const [txLow, txHigh] = [tx % 2 ** 32, Math.floor(tx / 2 ** 32)];
    const [typeLow, typeHigh] = [this.#typeLow, this.#typeHigh];
    const count = selection === null ? rows : selection.length;
    let [sLow, sHigh, gLow, gHigh] = [this.#sLow, this.#sHigh, this.#gLow, this.#gHigh];
    let [entities, edges, statements] = [0, 0, 0];
    for (let i = 0; i < count; i++) {
      const at = 2 * (selection === null ? i : (selection[i] as number));
      if (txFrom[at] !== txLow || txFrom[at + 1] !== txHigh) continue;
      statements++;
      if (s[at] !== sLow || s[at + 1] !== sHigh) {
        [sLow, sHigh] = [s[at] as number, s[at + 1] as number];
        [gLow, gHigh] = [g[at] as number, g[at + 1] as number];
        this.graph ??= Uint32Array.of(gLow, gHigh);
        this.#meet(gLow, gHigh);
        this.#others = null;
        entities++;
      } else if (g[at] !== gLow || g[at + 1] !== gHigh) {
        entities += this.#other(g[at] as number, g[at + 1] as number);
      }
      const oHigh = o[at + 1] as number;
      if (p[at] !== typeLow || p[at + 1] !== typeHigh) {
        if (isNodeHigh(oHigh)) edges++;
        this.predicates.add(p[at] as number, p[at + 1] as number);
      } else if (isNodeHigh(oHigh)) this.classes.add(o[at] as number, oHigh);
    }
    [this.#sLow, this.#sHigh, this.#gLow, this.#gHigh] = [sLow, sHigh, gLow, gHigh];
    this.entities += entities;
    this.edges += edges;
    this.statements += statements;
  }

  /** 1 for a graph of the subject that was not met yet. */
  #other(low: number, high: number): number {
    this.#meet(low, high);
    this.#others ??= new Set();
    const { size } = this.#others;
    return this.#others.add(`${low} ${high}`).size - size;
  }

  #meet(low: number, high: number): void {
    if (this.graphs.keys.size < GRAPHS_MAX) this.graphs.add(low, high);
  }
}

/** Counts the rows that a transaction has opened; it closed none. */
export async function countRows(
  snapshot: StorageSnapshot,
  tx: TxId,
  type: readonly [number, number],
  quiet: readonly TermId[],
  control: Control,
): Promise<RowTally> {
  const tally = new RowTally(type);
  const cursor = snapshot.scan({
    graphs: { kind: 'all', except: quiet },
    pattern: {},
    order: 'SPOG',
    time: { kind: 'all', openedBy: tx },
    columns: ['s', 'p', 'o', 'g', 'txFrom'],
  });
  try {
    let batches = 0;
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      tally.add(batch, tx);
      if (++batches % BATCHES_AT_ONCE !== 0) continue;
      throwIfStopped(control, 'the load');
      await breathe();
    }
  } finally {
    cursor.close();
  }
  return tally;
}
