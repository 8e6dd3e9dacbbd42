/** The changes of a write, read once and grouped by their graphs. */

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
  graphs(): readonly GraphChange[];
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
    this.#graphs ??= this.#reader.graphs();
    return this.#graphs;
  }

  rows(graph?: TermId): Iterable<ChangedRows> {
    if (this.#reader.count > KEPT_ROWS_MAX) return this.#reader.rows(graph);
    this.#rows ??= [...this.#reader.rows()];
    if (graph === undefined) return this.#rows;
    this.#byGraph ??= grouped(this.#rows);
    return this.#byGraph.get(graph) ?? [];
  }
}

/** What a transaction has changed, read from snapshots that show it. */
export function changesIn(open: () => StorageSnapshot, tx: TxId, count: number): ChangesByGraph {
  function* rows(graph?: TermId): Generator<ChangedRows> {
    const snapshot = open();
    try {
      const changes = snapshot.changes(tx, graph);
      yield* graph === undefined ? changes : rowsOfGraph(changes, graph);
    } finally {
      snapshot.close();
    }
  }
  return new GroupedChanges({ count, rows, graphs: () => countByGraph(rows()) });
}

function countByGraph(batches: Iterable<ChangedRows>): GraphChange[] {
  const counts = new Map<TermId, { asserted: number; retracted: number }>();
  for (const batch of batches) {
    for (const [graph, rows] of numbersByGraph(batch)) {
      const known = counts.get(graph) ?? { asserted: 0, retracted: 0 };
      known[batch.op === 'assert' ? 'asserted' : 'retracted'] += rows.length;
      counts.set(graph, known);
    }
  }
  return [...counts].map(([graph, count]) => ({ graph, ...count }));
}

/** What several transactions have changed, as one. */
export function joinChanges(parts: readonly ChangesByGraph[]): ChangesByGraph {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const counts = new Map<TermId, { asserted: number; retracted: number }>();
  for (const { graph, asserted, retracted } of parts.flatMap(({ graphs }) => graphs)) {
    const known = counts.get(graph) ?? { asserted: 0, retracted: 0 };
    counts.set(graph, { asserted: known.asserted + asserted, retracted: known.retracted + retracted });
  }
  return {
    graphs: [...counts].map(([graph, count]) => ({ graph, ...count })),
    *rows(graph) {
      for (const part of parts) yield* part.rows(graph);
    },
  };
}

/** Those rows of some batches that are of a graph. */
export function* rowsOfGraph(batches: Iterable<ChangedRows>, graph: TermId): Generator<ChangedRows> {
  for (const batch of batches) {
    const rows = grouped([batch]).get(graph);
    if (rows !== undefined) yield* rows;
  }
}

function grouped(batches: readonly ChangedRows[]): Map<TermId, ChangedRows[]> {
  const byGraph = new Map<TermId, ChangedRows[]>();
  for (const batch of batches) {
    for (const [graph, rows] of numbersByGraph(batch)) {
      const some = rows.length === batch.rows ? batch : picked(batch, rows);
      const known = byGraph.get(graph);
      if (known === undefined) byGraph.set(graph, [some]);
      else known.push(some);
    }
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
      const graph = idOfHalves(low, high);
      list = numbers.get(graph) ?? [];
      numbers.set(graph, list);
    }
    list.push(row);
  }
  return numbers;
}

function picked({ op, columns }: ChangedRows, numbers: readonly number[]): ChangedRows {
  const names = Object.keys(columns) as (keyof ChangedRows['columns'])[];
  const some = { ...columns };
  for (const name of names) {
    const [from, to] = [columns[name], new Uint32Array(2 * numbers.length)];
    for (const [at, row] of numbers.entries()) {
      to[2 * at] = from[2 * row] as number;
      to[2 * at + 1] = from[2 * row + 1] as number;
    }
    some[name] = to;
  }
  return { op, rows: numbers.length, columns: some };
}
