/** The changes of a write, read once and grouped by their graphs. */

import { addTo, getOrInsert } from '../../base/maps.js';
import { idOfHalves } from '../ids/halves.js';
import type { TermId, TxId } from '../ids/layout.js';
import type { ChangesByGraph, GraphChange } from './engine.js';
import type { ChangedRows, StorageSnapshot } from './scan.js';

/** Up to so many rows are kept once they were read; more are read again by whoever asks. */
const KEPT_ROWS_MAX = 65_536;

/** How the changes of a transaction are read. */
export interface ChangesReader {
  /** Rows that were opened and closed. */
  readonly count: number;
  /** Where they are known without the rows. */
  readonly graphs?: (() => readonly GraphChange[]) | undefined;
  /** With a graph, rows of others may be among them. */
  rows(graph?: TermId): Iterable<ChangedRows>;
}

export class GroupedChanges implements ChangesByGraph {
  readonly #reader: ChangesReader;
  #graphs: readonly GraphChange[] | null = null;
  #rows: readonly ChangedRows[] | null = null;
  #byGraph: ReadonlyMap<TermId, readonly ChangedRows[]> | null = null;

  constructor(reader: ChangesReader) {
    this.#reader = reader;
  }

  get graphs(): readonly GraphChange[] {
    this.#graphs ??= this.#reader.graphs?.() ?? sumByGraph(changesOfRows(this.rows()));
    return this.#graphs;
  }

  rows(graph?: TermId): Iterable<ChangedRows> {
    if (this.#reader.count > KEPT_ROWS_MAX) {
      const rows = this.#reader.rows(graph);
      return graph === undefined ? rows : rowsOfGraph(rows, graph);
    }
    this.#rows ??= [...this.#reader.rows()];
    if (graph === undefined) return this.#rows;
    this.#byGraph ??= grouped(this.#rows);
    return this.#byGraph.get(graph) ?? [];
  }
}

/** What a transaction has changed, read from snapshots that show it. `graphs`: where they are known without the rows. */
export function changesIn(
  open: () => StorageSnapshot,
  tx: TxId,
  count: number,
  graphs?: () => readonly GraphChange[],
): ChangesByGraph {
  function* rows(graph?: TermId): Generator<ChangedRows> {
    const snapshot = open();
    try {
      yield* snapshot.changes(tx, graph);
    } finally {
      snapshot.close();
    }
  }
  return new GroupedChanges({ count, rows, graphs });
}

function* changesOfRows(batches: Iterable<ChangedRows>): Generator<GraphChange> {
  for (const batch of batches) {
    for (const [graph, { length }] of numbersByGraph(batch)) {
      yield batch.op === 'assert'
        ? { graph, asserted: length, retracted: 0 }
        : { graph, asserted: 0, retracted: length };
    }
  }
}

function sumByGraph(changes: Iterable<GraphChange>): GraphChange[] {
  const sums = new Map<TermId, GraphChange>();
  for (const change of changes) {
    const { asserted, retracted } = sums.get(change.graph) ?? { asserted: 0, retracted: 0 };
    const { graph } = change;
    sums.set(graph, { graph, asserted: asserted + change.asserted, retracted: retracted + change.retracted });
  }
  return [...sums.values()];
}

/** What several transactions have changed, as one. */
export function joinChanges(parts: readonly ChangesByGraph[]): ChangesByGraph {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return {
    graphs: sumByGraph(parts.flatMap(({ graphs }) => graphs)),
    *rows(graph) {
      for (const part of parts) yield* part.rows(graph);
    },
  };
}

/** Those rows of some batches that are of a graph. */
function* rowsOfGraph(batches: Iterable<ChangedRows>, graph: TermId): Generator<ChangedRows> {
  for (const batch of batches) {
    const rows = inGraphs(batch, (id) => id === graph);
    if (rows.rows > 0) yield rows;
  }
}

/** Of the changes those in the graphs that are wanted; the changes themselves where that is all of them. */
export function inGraphs(changed: ChangedRows, isWanted: (graph: TermId) => boolean): ChangedRows {
  const chosen = [...numbersByGraph(changed)].flatMap(([graph, rows]) => (isWanted(graph) ? rows : []));
  return picked(
    changed,
    chosen.sort((a, b) => a - b),
  );
}

/** Of the changes those about some subjects. */
export function aboutSubjects(changed: ChangedRows, isWanted: (subject: TermId) => boolean): ChangedRows {
  const { s } = changed.columns;
  const rows = Array.from({ length: changed.rows }, (_, row) => row);
  return picked(
    changed,
    rows.filter((row) => isWanted(idOfHalves(s[2 * row] as number, s[2 * row + 1] as number))),
  );
}

function grouped(batches: readonly ChangedRows[]): Map<TermId, ChangedRows[]> {
  const byGraph = new Map<TermId, ChangedRows[]>();
  for (const batch of batches) {
    for (const [graph, rows] of numbersByGraph(batch)) addTo(byGraph, graph, picked(batch, rows));
  }
  return byGraph;
}

function numbersByGraph({ rows, columns: { g } }: ChangedRows): Map<TermId, number[]> {
  const numbers = new Map<TermId, number[]>();
  let [low, high] = [-1, -1];
  let list: number[] = [];
  for (let row = 0; row < rows; row++) {
    if (g[2 * row] !== low || g[2 * row + 1] !== high) {
      [low, high] = [g[2 * row] as number, g[2 * row + 1] as number];
      list = getOrInsert(numbers, idOfHalves(low, high), () => []);
    }
    list.push(row);
  }
  return numbers;
}

/** Some of the rows by their numbers; the changes themselves where that is all of them. */
function picked(changed: ChangedRows, numbers: readonly number[]): ChangedRows {
  if (numbers.length === changed.rows) return changed;
  const columns = { ...changed.columns };
  for (const name of Object.keys(columns) as (keyof typeof columns)[]) {
    const [from, to] = [columns[name], new Uint32Array(2 * numbers.length)];
    for (const [at, row] of numbers.entries()) {
      to[2 * at] = from[2 * row] as number;
      to[2 * at + 1] = from[2 * row + 1] as number;
    }
    columns[name] = to;
  }
  return { op: changed.op, rows: numbers.length, columns };
}
