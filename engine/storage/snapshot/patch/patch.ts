/**
 * A graph with a few changes over it, read as the graph itself: what an overlay makes of a large parent.
 *
 *  1. What it adds stands in a layer above the graph's rows, as rows of the graph, in place of what a commit adds.
 *  2. What it takes away, and what it adds although the graph has it, is looked up once in each run that is read: those rows
 *     count as dead there. Rows of the delta get a tombstone in the layer.
 *
 * So scans, probes, counts and estimates of the view are those of the graph, with other dead rows and one more layer. The
 * triples of both are disjoint, so that nothing need be compared. It is about current rows alone, and of one transaction.
 */

import { getOrInsert } from '../../../base/maps.js';
import type { ThreadMemory } from '../../../kernels/memory.js';
import { Memtable } from '../../delta/memtable.js';
import { highOf, lowOf } from '../../ids/halves.js';
import { OPEN_HALVES, type TermId } from '../../ids/layout.js';
import { type DeadBlock, type DeletionVector, withDead } from '../../runs/deletion-vector.js';
import { ORDER_COLUMNS } from '../../runs/orders.js';
import { COLUMNS, CURRENT, type IdColumn, type KeyPosition, type Order } from '../../seam/scan.js';
import type { StoredGraphs } from '../../seam/source.js';
import { planScan } from '../../sources/scan-plan.js';
import type { OpenRun, VisibleRun } from '../../sources/visible-run.js';
import { ProbeKeys } from '../probe/probe-keys.js';
import { prefixOf } from '../probe/probe-plan.js';
import { RunProbe } from '../probe/run-probe.js';
import { openSource } from '../scan/open-source.js';
import type { RunPatch, ScanView } from '../view.js';
import { type Insertions, type Places, placeRows } from './insertions.js';

const ALL = COLUMNS.map((_, column) => column);
const [G, TX_TO, VALID_FROM, VALID_TO] = (['g', 'txTo', 'validFrom', 'validTo'] as const).map((column) =>
  COLUMNS.indexOf(column),
) as [number, number, number, number];
const QUAD_DEPTH = 4;
const KEY_BYTES = 8 * QUAD_DEPTH;

export class Patch {
  readonly layer: RunPatch['layer'];
  /** In place of the rows of the layer. */
  readonly none: Memtable;
  /** Rows of the graph that don't count; they have its id, whatever graph they stood in. */
  readonly #gone: Memtable;
  readonly #graph: TermId;
  #dead = new Map<number, DeletionVector | null>();
  #places = new Map<number, Places>();
  readonly #runs = new WeakMap<readonly VisibleRun[], readonly VisibleRun[]>();
  #pins = 1;

  private constructor(graph: TermId, layer: RunPatch['layer'], gone: Memtable) {
    this.#graph = graph;
    this.layer = layer;
    this.#gone = gone;
    this.none = new Memtable(gone.memory, 1);
  }

  /** Null where a change meets a row that was closed above the runs: then counts of both would not add up. */
  static of(view: ScanView, graph: TermId, additions: StoredGraphs, removals: StoredGraphs): Patch | null {
    const { memory } = view.context;
    const layer = { rows: new Memtable(memory), tombstones: new Memtable(memory) };
    const patch = new Patch(graph, layer, new Memtable(memory));
    copyCurrent(view, additions, graph, [layer.rows, patch.#gone]);
    copyCurrent(view, removals, graph, [patch.#gone]);
    if (patch.#closeAbove(view)) return patch;
    patch.unpin();
    return null;
  }

  /** Takes over what another patch of the same runs has found, where it is about the same triples. */
  learnFrom(other: Patch): void {
    if (sameTriples(this.#gone, other.#gone)) this.#dead = other.#dead;
    if (sameTriples(this.layer.rows, other.layer.rows)) this.#places = other.#places;
  }

  /** Where the rows that are added belong in a run. */
  insertions(view: ScanView, run: OpenRun, order: Order): Insertions {
    const { rows: set } = this.layer;
    const places = getOrInsert(this.#places, run.run.id, () => placeRows(view.scan, run, order, set));
    return { ...places, set, sorted: set.sorted(order) };
  }

  pin(): this {
    this.#pins++;
    return this;
  }

  unpin(): void {
    if (--this.#pins > 0) return;
    this.layer.rows.release();
    this.layer.tombstones.release();
    this.#gone.release();
    this.none.release();
  }

  /** Runs of the graph with their dead rows. */
  runs(view: ScanView, runs: readonly VisibleRun[], order: Order, shared: boolean): readonly VisibleRun[] {
    return getOrInsert(this.#runs, runs, () =>
      runs.map((run) => ({
        ...run,
        dead: getOrInsert(this.#dead, run.run.id, () => this.#deadIn(view, run, order, shared)),
      })),
    );
  }

  /** Gives rows of the delta that don't count a tombstone. */
  #closeAbove(view: ScanView): boolean {
    const { rows, tombstones } = view.delta;
    if (rows.count + tombstones.count === 0) return true;
    const { memory } = view.context;
    const key = memory.allocate(KEY_BYTES);
    const gone = this.#gone;
    let adds = true;
    for (let row = 0; row < gone.count && adds; row++) {
      writeQuad(memory, gone, row, key);
      adds = tombstones.find(key, QUAD_DEPTH) < 0;
      const found = rows.find(key, QUAD_DEPTH);
      if (found >= 0 && isOpen(rows, TX_TO, found) && isOpen(rows, VALID_TO, found)) this.#close(rows, found, view.tx);
    }
    memory.free(key, KEY_BYTES);
    return adds;
  }

  #close(rows: Memtable, row: number, tx: number): void {
    const { tombstones } = this.layer;
    const at = tombstones.count;
    tombstones.append(rows.columns, row, 1);
    const end = BigInt(tx);
    tombstones.set(TX_TO, at, lowOf(end), highOf(end));
    tombstones.set(VALID_TO, at, rows.low(VALID_FROM, row), rows.high(VALID_FROM, row));
  }

  /** The dead rows of a run, and those that don't count. */
  #deadIn(view: ScanView, open: OpenRun, order: Order, shared: boolean): DeletionVector | null {
    const gone = this.#gone;
    if (gone.count === 0) return open.dead;
    const keys = ORDER_COLUMNS[order].filter((column): column is KeyPosition => column !== 'g');
    const columns = sortedColumns(gone, order, keys);
    const { memory } = view.context;
    const probed = new ProbeKeys(memory, keys.length);
    probed.load(columns, gone.count);
    const tests = shared ? { g: { kind: 'id', id: this.#graph } as const } : {};
    const prefix = prefixOf(order, tests, keys);
    const plan = planScan(order, tests);
    const probe = new RunProbe(view.scan, { ...open, plan, tests: [], openAfter: null, prefix }, probed, []);
    const found: DeadBlock[] = [];
    probe.begin(0, gone.count);
    probe.locate((block, rows) => {
      const last = found.at(-1);
      const numbers = Uint16Array.from(rows);
      if (last?.block !== block) found.push({ block, rows: numbers });
      else found[found.length - 1] = { block, rows: Uint16Array.from([...last.rows, ...numbers]) };
    });
    probe.close();
    probed.release();
    return found.length === 0 ? open.dead : withDead(open.dead, open.directory.blocks, found);
  }
}

/** Copies the current rows of stored graphs, as rows of one graph. */
function copyCurrent(view: ScanView, graphs: StoredGraphs, graph: TermId, to: readonly Memtable[]): void {
  const { memory } = view.context;
  const id = BigInt.asUintN(64, graph);
  const source = openSource(view, { graphs, pattern: {}, order: 'SPOG', time: CURRENT, wanted: ALL });
  for (let batch = source.next(); batch !== null; batch = source.next()) {
    const { columns, selection, selected } = batch;
    for (const set of to) {
      const { addresses } = set.reserve(selected);
      for (const column of ALL) {
        const [from, target] = [columns[column] as number, (addresses[column] as number) + 8 * set.count];
        if (column === G) memory.kernels.fillColumn(target, selected, id);
        else if (selection === 0) memory.bytes.copyWithin(target, from, from + 8 * selected);
        else memory.kernels.gatherColumn(from, selection, selected, target);
      }
      set.grow(selected);
    }
  }
  source.close();
}

/** Some columns of a memtable in an order. */
function sortedColumns(set: Memtable, order: Order, columns: readonly KeyPosition[]): IdColumn[] {
  const { address, count } = set.sorted(order);
  const rows = set.memory.wordsAt(address, count);
  return columns.map((name) => {
    const column = COLUMNS.indexOf(name);
    const ids = new Uint32Array(2 * count);
    for (let at = 0; at < count; at++) {
      ids[2 * at] = set.low(column, rows[at] as number);
      ids[2 * at + 1] = set.high(column, rows[at] as number);
    }
    return ids;
  });
}

/** Writes the quad of a row in the sequence of SPOG. */
function writeQuad(memory: ThreadMemory, set: Memtable, row: number, key: number): void {
  for (let column = 0; column < QUAD_DEPTH; column++) {
    memory.words[(key >>> 2) + 2 * column] = set.low(column, row);
    memory.words[(key >>> 2) + 2 * column + 1] = set.high(column, row);
  }
}

function isOpen(set: Memtable, column: number, row: number): boolean {
  return set.low(column, row) === OPEN_HALVES && set.high(column, row) === OPEN_HALVES;
}

function sameTriples(a: Memtable, b: Memtable): boolean {
  if (a.count !== b.count) return false;
  for (let column = 0; column < QUAD_DEPTH; column++) {
    const [some, others] = [a, b].map((set) =>
      set.memory.wordsAt(set.columns.addresses[column] as number, 2 * a.count),
    );
    for (let at = 0; at < 2 * a.count; at++) if (some?.[at] !== others?.[at]) return false;
  }
  return true;
}
