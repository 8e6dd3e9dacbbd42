/** A snapshot of the in-memory store: one state, and the terms that it knew. */

import { SvcError } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import type { Term } from '../../rdf/terms.js';
import { giveStored } from '../dictionary/stored-term.js';
import { idOfHalves } from '../ids/halves.js';
import { isDictionaryTag, OPEN, payloadOf, ROOT_ID, type TermId, type TxId, tagOf } from '../ids/layout.js';
import { askIndex } from '../indexes/secondary-index.js';
import { ScanProbe } from '../seam/probe-by-scan.js';
import {
  BATCH_ROWS,
  type ChangedRows,
  type CountRequest,
  CURRENT,
  type Estimate,
  type GraphSet,
  type IdColumn,
  type IndexView,
  type NumberRange,
  type PredicateStatistics,
  type ProbeCursor,
  type ProbeRequest,
  type RootFigures,
  type ScanCounters,
  type ScanCursor,
  type ScanRequest,
  type StorageSnapshot,
  type StoredPart,
  type StoredTerms,
  type TimeSlice,
} from '../seam/scan.js';
import { type ComposedGraphs, type IndexQuestion, isComposed } from '../seam/source.js';
import { columnsBy } from '../snapshot/changes.js';
import { type ComposedScan, composedScan } from './composed-rows.js';
import { type BatchShape, openCursor, type RowCursor } from './cursor.js';
import type { Row } from './rows.js';
import { nameOf, type State, statisticsOf } from './state.js';
import type { TermTable } from './term-table.js';

/** A span of at most so many rows is counted; a longer one is guessed by its length. */
const ESTIMATE_ROWS_MAX = 4 * BATCH_ROWS;
/** The count of a longer one is remembered with the state, up to so many. */
const RECOUNTED_ROWS_MAX = 64;
const COUNTS_MAX = 1000;

export class MemorySnapshot implements StorageSnapshot {
  readonly tx: number;
  readonly catalogTx: number;
  readonly layout = 0;
  readonly counters: ScanCounters = { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 };
  readonly #state: State;
  readonly #terms: TermTable;
  readonly #shape: BatchShape;
  #closed = false;

  constructor(
    state: State,
    terms: TermTable,
    shape: BatchShape,
    readonly staged = false,
  ) {
    this.#state = state;
    this.#terms = terms;
    this.#shape = shape;
    this.tx = state.tx;
    this.catalogTx = staged ? state.tx : state.catalogTx;
  }

  scan(request: ScanRequest): ScanCursor {
    return this.#open(request, this.counters);
  }

  probe(request: ProbeRequest): ProbeCursor {
    return new ScanProbe(this, request);
  }

  estimate(request: CountRequest): Estimate {
    const cursor = this.#open({ ...request, columns: [] }, { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 });
    if (cursor.spanRows > ESTIMATE_ROWS_MAX) return { rows: cursor.spanRows, exact: false };
    if (cursor.spanRows <= RECOUNTED_ROWS_MAX) return { rows: cursor.count(), exact: true };
    const known = this.#state.derived('counts of spans', () => new Map<string, Estimate>());
    if (known.size === COUNTS_MAX) known.clear();
    return getOrInsert(known, nameOf(request), () => ({ rows: cursor.count(), exact: true }));
  }

  count(request: CountRequest): number {
    return this.#open({ ...request, columns: [] }, this.counters).count();
  }

  derived<Value extends object>(name: string, find: () => Value): Value {
    this.#assertOpen();
    return this.#state.derived(name, find);
  }

  predicates(graphs: GraphSet): readonly PredicateStatistics[] {
    this.#assertOpen();
    if (!isComposed(graphs)) return this.#state.statistics(graphs);
    const request: ScanRequest = { graphs, pattern: {}, time: CURRENT, columns: [] };
    return statisticsOf(this.#composed({ ...request, graphs }).sorted('POSG'));
  }

  orderedTerms(): readonly NumberRange[] {
    return [];
  }

  rootFigures(): RootFigures | null {
    return null;
  }

  *changes(tx: TxId): Generator<ChangedRows> {
    this.#assertOpen();
    for (const [op, end] of [
      ['assert', 'txFrom'],
      ['retract', 'txTo'],
    ] as const) {
      const rows = this.#state.rows.filter((row) => row[end] === BigInt(tx));
      for (let at = 0; at < rows.length; at += BATCH_ROWS) yield changedRows(op, rows.slice(at, at + BATCH_ROWS));
    }
  }

  graphs(): readonly TermId[] {
    this.#assertOpen();
    return this.#state.graphs(this.#terms);
  }

  encode(term: Term): TermId | null {
    this.#assertOpen();
    const id = this.#terms.lookup(term);
    if (id === null || !isDictionaryTag(tagOf(id))) return id;
    return Number(payloadOf(id)) <= this.#state.termNumberMax ? id : null;
  }

  decode(ids: IdColumn, rows: number): Term[] {
    this.#assertOpen();
    const known = new Map<TermId, Term>();
    const decoded = Array.from({ length: rows }, (_, row) => {
      const id = idOfHalves(ids[2 * row] as number, ids[2 * row + 1] as number);
      return getOrInsert(known, id, () => this.#terms.decode(id));
    });
    this.counters.termsDecoded += known.size;
    return decoded;
  }

  stored(ids: IdColumn, count: number, take: (terms: StoredTerms) => void, part?: StoredPart): void {
    const before = this.counters.termsDecoded;
    const terms = this.decode(ids, count);
    if (part === 'qualifiers') this.counters.termsDecoded = before;
    giveStored(terms, take);
  }

  indexView(): IndexView {
    const snapshot = () => new MemorySnapshot(this.#state, this.#terms, this.#shape);
    return { store: this.#state.indexes.store, snapshot };
  }

  close(): void {
    this.#closed = true;
  }

  #open(request: ScanRequest, counters: ScanCounters): RowCursor {
    this.#assertOpen();
    const { graphs } = request;
    if (!isComposed(graphs)) return openCursor(request, (order) => this.#state.sorted(order), counters, this.#shape);
    const composed = this.#composed({ ...request, graphs });
    return openCursor(composed.request, composed.sorted, counters, this.#shape);
  }

  #composed(request: ScanRequest & { readonly graphs: ComposedGraphs }): ComposedScan {
    return composedScan(this.#state, request, (asked, time) => this.#answer(asked, time));
  }

  #answer(asked: IndexQuestion, time: TimeSlice): Row[] {
    const { rows, s, p, o } = askIndex(this.#state.indexes.list, this.indexView(), asked, time);
    const idOf = (column: IdColumn, row: number): TermId =>
      idOfHalves(column[2 * row] as number, column[2 * row + 1] as number);
    return Array.from({ length: rows }, (_, row) => ({
      s: idOf(s, row),
      p: idOf(p, row),
      o: idOf(o, row),
      g: ROOT_ID,
      txFrom: 0n,
      txTo: OPEN,
      validFrom: 0n,
      validTo: OPEN,
    }));
  }

  #assertOpen(): void {
    if (this.#closed) throw new SvcError('store_closed', 'the snapshot is closed');
  }
}

function changedRows(op: ChangedRows['op'], rows: readonly Row[]): ChangedRows {
  const column = (name: keyof ChangedRows['columns']): IdColumn =>
    new Uint32Array(BigUint64Array.from(rows, (row) => row[name]).buffer);
  return { op, rows: rows.length, columns: columnsBy(column) };
}
