/**
 * One state of the store: rows that never change. A write makes a new state; a snapshot holds the
 * one it began with. What is derived from the rows (sorted copies, statistics) is made when first
 * asked for and kept with the state.
 */

import { getOrInsert } from '../../base/maps.js';
import { compareCodePoints } from '../../base/text.js';
import { ROOT_ID, type TermId } from '../ids/layout.js';
import { CURRENT, type GraphSet, type Order, type PredicateStatistics } from '../seam/scan.js';
import { graphTest, leavesOf } from '../seam/source.js';
import { isCurrent, type Row } from './rows.js';
import { SortedRows } from './sorted-rows.js';
import type { TermTable } from './term-table.js';

interface StateNumbers {
  readonly tx: number;
  /** Absent = `tx`. */
  readonly catalogTx?: number | undefined;
  readonly termNumberMax: number;
}

/** The rows behind the alias of an archive. */
export type ArchiveRows = (alias: string) => readonly Row[];

export class State {
  readonly rows: readonly Row[];
  readonly tx: number;
  /** The newest transaction that may have changed the catalog of graphs. */
  readonly catalogTx: number;
  /** Terms with greater numbers came later. */
  readonly termNumberMax: number;
  readonly archive: ArchiveRows;
  readonly #sorted: SortedRows;
  readonly #derived = new Map<string, object>();

  constructor(
    rows: readonly Row[],
    { tx, catalogTx = tx, termNumberMax }: StateNumbers,
    archive: ArchiveRows,
    sorted: SortedRows = new SortedRows(rows),
  ) {
    this.rows = rows;
    this.catalogTx = catalogTx;
    this.archive = archive;
    this.#sorted = sorted;
    this.tx = tx;
    this.termNumberMax = termNumberMax;
  }

  derived<Value extends object>(name: string, find: () => Value): Value {
    return getOrInsert(this.#derived, name, find) as Value;
  }

  /** The state that a write makes of this one: rows that it opens, and rows that are closed now. */
  after(opened: readonly Row[], closed: ReadonlyMap<Row, Row>, numbers: StateNumbers): State {
    const kept = closed.size === 0 ? this.rows : this.rows.map((row) => closed.get(row) ?? row);
    const rows = opened.length === 0 ? kept : kept.concat(opened);
    return new State(rows, numbers, this.archive, this.#sorted.after(rows, opened, closed));
  }

  /** The same state with other rows: some have left the store, or came back. */
  withRows(rows: readonly Row[]): State {
    const { tx, catalogTx, termNumberMax } = this;
    return new State(rows, { tx, catalogTx, termNumberMax }, this.archive);
  }

  sorted(order: Order): readonly Row[] {
    return this.#sorted.in(order);
  }

  /** Of current rows, per predicate. */
  statistics(graphs: GraphSet): readonly PredicateStatistics[] {
    return this.derived(`statistics of ${nameOf(graphs)}`, () => {
      const stores = new Set(leavesOf(graphs, CURRENT).map(({ store }) => store));
      const rows = [...stores].flatMap((store) => (store === undefined ? this.sorted('POSG') : this.archive(store)));
      return computeStatistics(rows, graphs);
    });
  }

  /** Graphs with current rows: ROOT, then the others by IRI. */
  graphs(terms: TermTable): readonly TermId[] {
    return this.derived('graphs', () => {
      const ids = new Set(this.rows.filter(isCurrent).map((row) => row.g));
      const named = [...ids].filter((id) => id !== ROOT_ID).map((id) => ({ id, iri: terms.decode(id).value }));
      named.sort((a, b) => compareCodePoints(a.iri, b.iri));
      return [...(ids.has(ROOT_ID) ? [ROOT_ID] : []), ...named.map(({ id }) => id)];
    });
  }
}

/** The same text for the same question. */
export function nameOf(question: unknown): string {
  return JSON.stringify(question, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}

function computeStatistics(rows: readonly Row[], graphs: GraphSet): PredicateStatistics[] {
  const isInGraphs = graphTest(graphs);
  const newGroup = () => ({ rows: 0, subjects: new Set<TermId>(), objects: new Set<TermId>() });
  const groups = new Map<TermId, ReturnType<typeof newGroup>>();
  for (const row of rows) {
    if (!isCurrent(row) || !isInGraphs(row.g)) continue;
    const group = getOrInsert(groups, row.p, newGroup);
    group.rows++;
    group.subjects.add(row.s);
    group.objects.add(row.o);
  }
  return [...groups].map(([predicate, { rows, subjects, objects }]) => ({
    predicate,
    rows,
    distinctSubjects: subjects.size,
    distinctObjects: objects.size,
  }));
}
