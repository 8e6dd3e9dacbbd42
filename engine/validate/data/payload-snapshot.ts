/**
 * A snapshot of documents that are validated without being in a store: columns of ids, sorted by subject and by predicate,
 * which serve the lookups of a validation. All other reads, such as those of SPARQL constraints, go to a store in memory
 * that is made of the same quads at the first such read. Its ids are the same, since both number terms in the order in
 * which they come.
 */

import { quadKey } from '../../rdf/canonical/lines.js';
import { type Quad, ROOT_GRAPH_IRI, type Term } from '../../rdf/terms.js';
import { giveStored } from '../../storage/dictionary/stored-term.js';
import { compareHalves, highOf, idOfHalves, lowOf } from '../../storage/ids/halves.js';
import { ROOT_ID, type TermId, type TxId, UNBOUND } from '../../storage/ids/layout.js';
import { openMemoryEngine } from '../../storage/memory/engine.js';
import { TermTable } from '../../storage/memory/term-table.js';
import { DelegatingSnapshot } from '../../storage/seam/delegating-snapshot.js';
import {
  BATCH_ROWS,
  type Batch,
  type Column,
  type IdColumn,
  NO_COLUMNS,
  type ProbeBatch,
  type ProbeCursor,
  type ProbeRequest,
  type ScanCounters,
  type ScanCursor,
  type ScanRequest,
  type StorageSnapshot,
  type StoredTerms,
} from '../../storage/seam/scan.js';
import type { YieldTimer } from '../yield-timer.js';

/** Quads between two looks at the clock. */
const QUADS_PER_TURN = 4096;

/** Triples in one order; the three columns are the positions of that order. */
interface Sorted {
  readonly rows: number;
  readonly columns: readonly [IdColumn, IdColumn, IdColumn];
}

export async function snapshotOf(quads: readonly Quad[], timer: YieldTimer): Promise<StorageSnapshot> {
  if (quads.some(({ graph }) => graph.value !== ROOT_GRAPH_IRI)) return storeOf(quads);
  const terms = new TermTable();
  const columns = [0, 1, 2].map(() => new Uint32Array(2 * quads.length)) as [IdColumn, IdColumn, IdColumn];
  const put = (column: IdColumn, row: number, id: TermId): void => {
    column[2 * row] = lowOf(id);
    column[2 * row + 1] = highOf(id);
  };
  for (const [row, { subject, predicate, object, graph }] of quads.entries()) {
    if (row % QUADS_PER_TURN === 0) await timer.turn();
    put(columns[0], row, terms.intern(subject));
    put(columns[1], row, terms.intern(predicate));
    put(columns[2], row, terms.intern(object));
    terms.intern(graph);
  }
  const bySubject = sorted(columns, quads.length);
  await timer.turn();
  return new PayloadSnapshot(quads, terms, bySubject);
}

function storeOf(quads: readonly Quad[]): StorageSnapshot {
  const engine = openMemoryEngine();
  const distinct = new Map(quads.map((quad) => [quadKey(quad), quad]));
  engine.insertRows(Array.from(distinct.values(), (quad) => ({ quad, txFrom: 1, validFrom: 0 })));
  return engine.snapshot();
}

class PayloadSnapshot extends DelegatingSnapshot {
  readonly #counters: ScanCounters = { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 };
  #byPredicate: Sorted | null = null;
  #store: StorageSnapshot | null = null;

  constructor(
    private readonly quads: readonly Quad[],
    private readonly terms: TermTable,
    private readonly bySubject: Sorted,
  ) {
    super();
  }

  /** Triples by predicate, object, subject. */
  get #predicates(): Sorted {
    const [s, p, o] = this.bySubject.columns;
    this.#byPredicate ??= sorted([p, o, s], this.bySubject.rows);
    return this.#byPredicate;
  }

  override get tx(): TxId {
    return 1;
  }

  override get catalogTx(): TxId {
    return 1;
  }

  override get staged(): boolean {
    return false;
  }

  override get counters(): ScanCounters {
    return this.#counters;
  }

  /** Reads that the columns do not serve go to a store in memory. */
  protected use<Result>(ask: (snapshot: StorageSnapshot) => Result): Result {
    this.#store ??= storeOf(this.quads);
    return ask(this.#store);
  }

  override probe(request: ProbeRequest): ProbeCursor {
    const { order, keys, pattern, columns, counted } = request;
    const { p } = pattern;
    const isSimple =
      isOfRoot(request) && keys.length === 1 && counted !== true && !pattern.s && !pattern.o && isTriples(columns);
    if (isSimple && order === 'SPOG' && keys[0] === 's' && (p === undefined || p.kind === 'id')) {
      return new SortedProbe(this.bySubject, ['s', 'p', 'o'], 0, p?.id ?? null, this.counters);
    }
    if (isSimple && order === 'POSG' && keys[0] === 'o' && p?.kind === 'id') {
      return new SortedProbe(this.#predicates, ['p', 'o', 's'], 1, p.id, this.counters);
    }
    return super.probe(request);
  }

  override scan(request: ScanRequest): ScanCursor {
    const { order, pattern, columns } = request;
    const { s, p, o } = pattern;
    const isSimple = isOfRoot(request) && order === 'POSG' && s === undefined && isTriples(columns);
    if (!isSimple || p?.kind !== 'id' || (o !== undefined && o.kind !== 'id')) return super.scan(request);
    return new SortedScan(this.#predicates, ['p', 'o', 's'], p.id, o?.id ?? null, this.counters);
  }

  override encode(term: Term): TermId | null {
    return this.terms.lookup(term);
  }

  override decode(ids: IdColumn, rows: number): Term[] {
    const found: Term[] = [];
    this.counters.termsDecoded += rows;
    for (let row = 0; row < rows; row++) {
      found.push(this.terms.decode(idOfHalves(ids[2 * row] as number, ids[2 * row + 1] as number)));
    }
    return found;
  }

  override stored(ids: IdColumn, count: number, take: (terms: StoredTerms) => void): void {
    giveStored(this.decode(ids, count), take);
  }

  override close(): void {
    this.#store?.close();
  }
}

/** True for current rows of ROOT, alone or with other graphs: the documents have no other graph. */
function isOfRoot({ graphs, time }: Pick<ScanRequest, 'graphs' | 'time'>): boolean {
  if (time.kind !== 'current') return false;
  return graphs.kind === 'one' ? graphs.graph === ROOT_ID : graphs.kind === 'some' && graphs.graphs.includes(ROOT_ID);
}

function isTriples(columns: readonly Column[]): boolean {
  return columns.every((column) => column === 's' || column === 'p' || column === 'o');
}

/** Finds one key after the other, with a constant at the other of the first two positions, or without one. */
class SortedProbe implements ProbeCursor {
  readonly #buffers: readonly IdColumn[];
  readonly #keys = new Uint32Array(BATCH_ROWS);
  readonly #columns: ProbeBatch['columns'];
  #asked: IdColumn = new Uint32Array(0);
  #count = 0;
  #key = 0;
  #row = -1;

  /** `keyAt`: which position the keys are of, 0 or 1; with 1 there is a constant at 0. */
  constructor(
    private readonly sortedBy: Sorted,
    names: readonly ('s' | 'p' | 'o')[],
    private readonly keyAt: 0 | 1,
    private readonly constant: TermId | null,
    private readonly counters: ScanCounters,
  ) {
    this.#buffers = names.map(() => new Uint32Array(2 * BATCH_ROWS));
    this.#columns = { ...NO_COLUMNS, ...Object.fromEntries(names.map((name, at) => [name, this.#buffers[at]])) };
  }

  begin([keys]: readonly IdColumn[], count: number): void {
    this.#asked = (keys as IdColumn).slice(0, 2 * count);
    this.#count = count;
    this.#key = 0;
    this.#row = -1;
  }

  next(): ProbeBatch | null {
    const { columns, rows } = this.sortedBy;
    const [low, high] = this.constant === null ? [0, 0] : [lowOf(this.constant), highOf(this.constant)];
    let found = 0;
    for (; this.#key < this.#count && found < BATCH_ROWS; this.#key++) {
      const keyLow = this.#asked[2 * this.#key] as number;
      const keyHigh = this.#asked[2 * this.#key + 1] as number;
      const [firstLow, firstHigh, nextLow, nextHigh] =
        this.keyAt === 0 ? [keyLow, keyHigh, low, high] : [low, high, keyLow, keyHigh];
      if (this.#row < 0) this.#row = firstAt(this.sortedBy, firstLow, firstHigh, nextLow, nextHigh);
      for (; this.#row < rows; this.#row++) {
        if (!holds(columns[0], this.#row, firstLow, firstHigh)) break;
        if (this.constant !== null && !holds(columns[1], this.#row, nextLow, nextHigh)) break;
        if (found === BATCH_ROWS) return this.#batch(found);
        for (let at = 0; at < 3; at++) {
          const [from, to] = [columns[at] as IdColumn, this.#buffers[at] as IdColumn];
          to[2 * found] = from[2 * this.#row] as number;
          to[2 * found + 1] = from[2 * this.#row + 1] as number;
        }
        this.#keys[found++] = this.#key;
      }
      this.#row = -1;
    }
    return found === 0 ? null : this.#batch(found);
  }

  #batch(rows: number): ProbeBatch {
    this.counters.rowsScanned += rows;
    return { rows, columns: this.#columns, keys: this.#keys, counts: null };
  }

  close(): void {
    this.#count = 0;
  }
}

/** Rows with a constant at the first position, or at the first two. */
class SortedScan implements ScanCursor {
  readonly order = 'POSG';
  #from: number;
  readonly #to: number;

  constructor(
    private readonly sortedBy: Sorted,
    private readonly names: readonly ('s' | 'p' | 'o')[],
    private readonly first: TermId,
    next: TermId | null,
    private readonly counters: ScanCounters,
  ) {
    const { columns, rows } = sortedBy;
    const [low, high] = [lowOf(first), highOf(first)];
    const [nextLow, nextHigh] = next === null ? [0, 0] : [lowOf(next), highOf(next)];
    this.#from = firstAt(sortedBy, low, high, nextLow, nextHigh);
    let to = this.#from;
    while (
      to < rows &&
      holds(columns[0], to, low, high) &&
      (next === null || holds(columns[1], to, nextLow, nextHigh))
    ) {
      to++;
    }
    this.#to = to;
  }

  next(): Batch | null {
    const rows = Math.min(BATCH_ROWS, this.#to - this.#from);
    if (rows <= 0) return null;
    const from = this.#from;
    this.#from += rows;
    this.counters.rowsScanned += rows;
    const parts = this.names.map((name, at) => [
      name,
      this.sortedBy.columns[at as 0].subarray(2 * from, 2 * (from + rows)),
    ]);
    return { rows, columns: { ...NO_COLUMNS, ...Object.fromEntries(parts) }, selection: null };
  }

  seek([first, next = UNBOUND, last = UNBOUND]: readonly TermId[]): void {
    if (first === undefined || first < this.first) return;
    const { columns } = this.sortedBy;
    const [nextLow, nextHigh, lastLow, lastHigh] = [lowOf(next), highOf(next), lowOf(last), highOf(last)];
    let at = Math.max(this.#from, firstAt(this.sortedBy, lowOf(first), highOf(first), nextLow, nextHigh));
    const isBefore = (row: number): boolean =>
      holds(columns[0], row, lowOf(first), highOf(first)) &&
      holds(columns[1], row, nextLow, nextHigh) &&
      compareHalves(columns[2][2 * row] as number, columns[2][2 * row + 1] as number, lastLow, lastHigh) < 0;
    while (at < this.#to && isBefore(at)) at++;
    this.#from = Math.min(at, this.#to);
  }

  close(): void {
    this.#from = this.#to;
  }
}

function holds(column: IdColumn, row: number, low: number, high: number): boolean {
  return column[2 * row] === low && column[2 * row + 1] === high;
}

/** The first row at or after two ids in the first two positions. */
function firstAt({ rows, columns }: Sorted, low: number, high: number, nextLow: number, nextHigh: number): number {
  const [first, next] = columns;
  let [from, to] = [0, rows];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const order =
      compareHalves(first[2 * middle] as number, first[2 * middle + 1] as number, low, high) ||
      compareHalves(next[2 * middle] as number, next[2 * middle + 1] as number, nextLow, nextHigh);
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The triples of three columns in the order of these, each once. */
function sorted(columns: readonly [IdColumn, IdColumn, IdColumn], rows: number): Sorted {
  const [a, b, c] = columns;
  const compare = (column: IdColumn, left: number, right: number): number =>
    (column[2 * left + 1] as number) - (column[2 * right + 1] as number) ||
    (column[2 * left] as number) - (column[2 * right] as number);
  const order = (left: number, right: number): number =>
    compare(a, left, right) || compare(b, left, right) || compare(c, left, right);
  const places = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) places[row] = row;
  places.sort(order);
  const into = [new Uint32Array(2 * rows), new Uint32Array(2 * rows), new Uint32Array(2 * rows)] as const;
  let kept = 0;
  for (let at = 0; at < rows; at++) {
    const row = places[at] as number;
    if (at > 0 && order(places[at - 1] as number, row) === 0) continue;
    for (let position = 0; position < 3; position++) {
      const [from, to] = [columns[position] as IdColumn, into[position] as IdColumn];
      to[2 * kept] = from[2 * row] as number;
      to[2 * kept + 1] = from[2 * row + 1] as number;
    }
    kept++;
  }
  return { rows: kept, columns: into };
}
