/**
 * The plain implementation of the storage seam, in memory. It is the oracle of the LMDB store and serves validations
 * of documents, so it favours the obvious over the fast: rows are objects in an array, a write makes a new state, and a
 * snapshot is a state. What users call a store in memory is a file (`lmdb-store/temporary.ts`).
 *
 * Length: one class that has every member of the seam, most of them a line or two.
 */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { Quad } from '../../rdf/terms.js';
import { readSources } from '../documents/read-sources.js';
import { type Instant, instantToColumn, OPEN, ROOT_ID, type TxId } from '../ids/layout.js';
import type { KeptEvents } from '../indexes/event-entries.js';
import { MEMORY_INDEXES } from '../indexes/index-list.js';
import type { IndexChange, IndexedTransaction, IndexView, SecondaryIndex } from '../indexes/secondary-index.js';
import { StorePacks } from '../packs/packs-of-store.js';
import { changesIn } from '../seam/changes-by-graph.js';
import type {
  ChangeCounts,
  LoadOptions,
  LoadSource,
  MaintenanceReport,
  Stage,
  StorageEngine,
  StorageStats,
  TransactionOptions,
  TransactionRange,
  TransactionRecord,
  VerifyReport,
} from '../seam/engine.js';
import { lastOf, type WriteEvents } from '../seam/event-log.js';
import { Findings } from '../seam/findings.js';
import type { GraphPacks } from '../seam/pack.js';
import { partsOf, TIMES_GROUP, type TimesPart, type TransactionTime, timeOf } from '../seam/transaction-times.js';
import type { GraphMove } from '../stage/graph-moves.js';
import { type BatchShape, DENSE_BATCHES } from './cursor.js';
import { MemoryEvents } from './events.js';
import { MemoryIndexStore } from './index-store.js';
import { MemoryPacks } from './packs.js';
import { idsOf, isCurrent, keyOf, type Row } from './rows.js';
import { MemorySnapshot } from './snapshot.js';
import { type AcceptOptions, type LoadedQuads, MemoryStage, type StageHost } from './stage.js';
import { State } from './state.js';
import { TermTable } from './term-table.js';
import type { NetChange } from './transaction.js';

export const MEMORY_PATH = ':memory:';

export interface MemoryEngineOptions {
  /** Seconds since 1970; the system's clock unless a test brings its own. */
  readonly now?: () => Instant;
  /** How scans cut their batches; tests of readers of batches ask for small and sparse ones. */
  readonly batches?: Partial<BatchShape>;
  /** In which IRIs are minted. */
  readonly baseNamespace?: string | undefined;
  /** Secondary indexes besides those of every store in memory. */
  readonly indexes?: readonly SecondaryIndex<unknown>[] | undefined;
}

/** A row as it would stand after writes that came and went; open where an end is absent. */
export interface BitemporalQuad {
  readonly quad: Quad;
  readonly txFrom: TxId;
  readonly txTo?: TxId;
  readonly validFrom: Instant;
  readonly validTo?: Instant;
}

export function openMemoryEngine(options: MemoryEngineOptions = {}): MemoryEngine {
  return new MemoryEngine(options);
}

export class MemoryEngine implements StorageEngine {
  readonly path = MEMORY_PATH;
  readonly readOnly = false;
  readonly replication = null;
  readonly events: MemoryEvents;
  readonly packs: GraphPacks;
  readonly #memoryPacks: MemoryPacks;
  readonly #now: () => Instant;
  readonly #shape: BatchShape;
  #baseNamespace: string | undefined;
  readonly #terms = new TermTable();
  readonly #transactions: TransactionRecord[] = [];
  /** The open rows of each quad in the newest state. */
  readonly #open = new Map<string, readonly Row[]>();
  readonly #indexes: readonly SecondaryIndex<unknown>[];
  readonly #indexStore = new MemoryIndexStore();
  #state: State;
  #stage: MemoryStage | null = null;
  /** True while the documents of a load are read. */
  #loading = false;
  #closed = false;

  constructor(options: MemoryEngineOptions) {
    this.#shape = { ...DENSE_BATCHES, ...options.batches };
    this.#baseNamespace = options.baseNamespace;
    this.#indexes = [...MEMORY_INDEXES, ...(options.indexes ?? [])];
    this.#now = options.now ?? (() => Math.floor(Date.now() / 1000));
    this.#memoryPacks = new MemoryPacks({
      path: this.path,
      snapshot: () => this.snapshot(),
      transactions: this.#transactions,
      assertOpen: () => this.#assertOpen(),
    });
    this.packs = new StorePacks(this.#memoryPacks);
    const indexes = { list: this.#indexes, store: this.#indexStore.copy() };
    const archive = (alias: string) => this.#memoryPacks.rowsOf(alias);
    this.#state = new State([], { tx: 0, termNumberMax: 1 }, { indexes, archive });
    this.events = new MemoryEvents(this.#transactions, () => this.#assertOpen());
  }

  snapshot(): MemorySnapshot {
    this.#assertOpen();
    return new MemorySnapshot(this.#state, this.#terms, this.#shape);
  }

  async stageLoad(sources: readonly LoadSource[], options: LoadOptions, control: Control): Promise<Stage> {
    this.#assertFree();
    this.#loading = true;
    try {
      const { quads, bytesRead } = await readSources(sources, options, control);
      return this.#begin(options, { quads, bytesRead, sources: sources.length });
    } finally {
      this.#loading = false;
    }
  }

  /** Writes rows as if by earlier transactions; an open quad must not be among them twice, or be open already. */
  insertRows(rows: readonly BitemporalQuad[]): void {
    this.#assertOpen();
    const overlay = new TermTable(this.#terms);
    const added = rows.map(({ quad, txFrom, txTo, validFrom, validTo }) => ({
      ...idsOf(quad, overlay),
      txFrom: BigInt(txFrom),
      txTo: txTo === undefined ? OPEN : BigInt(txTo),
      validFrom: instantToColumn(validFrom),
      validTo: validTo === undefined ? OPEN : instantToColumn(validTo),
    }));
    const newest = rows.reduce((latest, { txFrom, txTo = 0 }) => Math.max(latest, txFrom, txTo), this.#state.tx);
    overlay.adopt();
    this.#advance(added, NOTHING_CLOSED, newest);
  }

  stage(options: TransactionOptions): Stage {
    this.#assertFree();
    return this.#begin(options);
  }

  #begin(options: TransactionOptions & Pick<LoadOptions, 'noteRepeated'>, load?: LoadedQuads): Stage {
    this.#assertOpen();
    const host = {
      state: this.#state,
      terms: this.#terms,
      shape: this.#shape,
      mover: this.#memoryPacks,
      openRows: (key: string) => this.#open.get(key) ?? [],
      accept: (...accepted: Parameters<StageHost['accept']>) => this.#accept(...accepted),
      release: () => {
        this.#stage = null;
      },
    };
    const timestamp = options.timestamp ?? this.#now();
    this.#stage = new MemoryStage(host, { ...options, timestamp }, load);
    return this.#stage;
  }

  /** Over copies of what later writes change in place. */
  suppose(options: TransactionOptions): Stage {
    this.#assertOpen();
    const open = new Map(this.#open);
    const refuse = (): never => {
      throw new SvcError('invalid_request', 'what is only supposed can not be written', {
        hint: 'write the same change to the store',
      });
    };
    const host = {
      state: this.#state,
      terms: this.#terms.copy(),
      shape: this.#shape,
      mover: { relocate: refuse, restore: refuse },
      openRows: (key: string) => open.get(key) ?? [],
      accept: refuse,
      release: () => undefined,
    };
    return new MemoryStage(host, { ...options, timestamp: options.timestamp ?? this.#now() });
  }

  baseNamespace(fallback: string): string {
    this.#baseNamespace ??= fallback;
    return this.#baseNamespace;
  }

  transactionsOf(source: string): readonly TxId[] {
    this.#assertOpen();
    return this.#transactions.filter((one) => one.source === source).map(({ id }) => id);
  }

  async fold(_control: Control): Promise<MaintenanceReport> {
    this.#assertOpen();
    return { rowsFolded: 0, runsMerged: 0, bytesWritten: 0 };
  }

  async backup(): Promise<never> {
    throw new SvcError('unsupported', 'a store in memory has no file to copy', { hint: 'export it instead' });
  }

  attach(): never {
    throw new SvcError('unsupported', 'a store in memory has no files beside it');
  }

  async detach(): Promise<void> {
    this.#assertOpen();
  }

  transactions({ since = 0, limit }: TransactionRange = {}): readonly TransactionRecord[] {
    this.#assertOpen();
    const first = this.#transactions.findIndex(({ id }) => id > since);
    if (first < 0) return [];
    return this.#transactions.slice(first, limit === undefined ? undefined : first + limit);
  }

  transactionsWith(ids: readonly TxId[]): readonly TransactionRecord[] {
    this.#assertOpen();
    const records = new Map(this.#transactions.map((record) => [record.id, record]));
    return ids.flatMap((id) => records.get(id) ?? []);
  }

  timesOfGroup(group: number): readonly TimesPart[] {
    return partsOf(this.timesBetween(group * TIMES_GROUP + 1, (group + 1) * TIMES_GROUP));
  }

  timesBetween(from: TxId, to: TxId): readonly TransactionTime[] {
    this.#assertOpen();
    return this.#transactions.filter(({ id }) => id >= from && id <= to).map(timeOf);
  }

  stats(): StorageStats {
    this.#assertOpen();
    const current = this.#state.rows.filter(isCurrent);
    const root = current.filter((row) => row.g === ROOT_ID);
    return {
      path: this.path,
      factsCurrent: root.length,
      quadsCurrent: current.length,
      rowsTotal: this.#state.rows.length,
      graphs: this.#state.graphs(this.#terms).length,
      terms: this.#terms.size,
      transactions: this.#transactions.length,
      predicates: new Set(current.map((row) => row.p)).size,
      entities: new Set(root.map((row) => row.s)).size,
      runs: 0,
      currentRuns: 0,
      historyRuns: 0,
      historyRows: this.#state.rows.length - current.length,
      deadRows: 0,
      delta: { rows: 0, closes: 0, terms: 0, bytes: 0 },
      pages: null,
      written: null,
      lastTransaction: this.#transactions[this.#transactions.length - 1] ?? null,
      fileBytes: 0,
      bytesByPart: {},
      formatVersion: 0,
    };
  }

  async verify(control: Control): Promise<VerifyReport> {
    this.#assertOpen();
    const findings = new Findings(control);
    for (const index of this.#indexes) {
      await findings.check(index.name, () => index.verify(this.#indexView(), findings));
    }
    const { problems } = findings;
    const open = new Set<string>();
    for (const [at, row] of this.#state.rows.entries()) {
      for (const what of rowProblems(row, this.#terms)) problems.push({ where: `row ${at}`, what });
      if (!isCurrent(row)) continue;
      const key = keyOf(row);
      if (open.has(key)) problems.push({ where: `row ${at}`, what: 'the quad is open twice' });
      open.add(key);
    }
    const { length } = this.#state.rows;
    return {
      ok: problems.length === 0,
      problems,
      blocksChecked: 0,
      rowsChecked: length,
      termsChecked: this.#terms.size,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #accept(changes: readonly NetChange[], terms: TermTable, { events, catalog, moves }: AcceptOptions): void {
    this.#assertOpen();
    terms.adopt();
    for (const [at, { tx, options, opened, closed, counts }] of changes.entries()) {
      this.#advance(opened, closed, tx, catalog);
      const kept = this.#record(tx, options.timestamp, options, counts, events[at]);
      this.#index({ tx, timestamp: options.timestamp, source: options.source ?? null, events: kept }, counts);
    }
    for (const move of moves) this.#move(move);
  }

  #move(move: GraphMove): void {
    const ofGraph = ({ g }: Row): boolean => g === move.graph;
    for (const row of this.#state.rows) if (ofGraph(row)) this.#open.delete(keyOf(row));
    this.#state = this.#state.withRows(this.#memoryPacks.moved(this.#state.rows, move));
    for (const row of this.#state.rows) if (ofGraph(row) && isCurrent(row)) this.#addOpen(row);
  }

  #addOpen(row: Row): void {
    const key = keyOf(row);
    this.#open.set(key, [...(this.#open.get(key) ?? []), row]);
  }

  #index(
    transaction: Omit<IndexedTransaction, 'store' | 'changes' | 'snapshot'>,
    { asserted, retracted }: ChangeCounts,
  ): void {
    const snapshot = () => this.snapshot();
    const store = this.#indexStore;
    const changes = () => changesIn(snapshot, transaction.tx, asserted + retracted);
    const done = this.#indexes.flatMap(
      (index) => index.committed?.({ ...transaction, store, changes, snapshot }) ?? [],
    );
    if (done.length === 0) return;
    for (const change of done) change(this.#indexStore);
    this.#state = this.#state.with({ list: this.#indexes, store: this.#indexStore.copy() });
  }

  /** Reads an index as of the newest state. */
  readIndex<Reader, Result>(index: SecondaryIndex<Reader>, read: (reader: Reader) => Result): Result {
    this.#assertOpen();
    return read(index.at(this.#indexView()));
  }

  async changeIndexes(change: IndexChange): Promise<void> {
    this.#assertOpen();
    change(this.#indexStore);
    this.#state = this.#state.with({ list: this.#indexes, store: this.#indexStore.copy() });
  }

  async indexTexts(): Promise<void> {
    this.#assertOpen();
  }

  #indexView(): IndexView {
    return { store: this.#state.indexes.store, snapshot: () => this.snapshot() };
  }

  #record(
    id: TxId,
    timestamp: Instant,
    options: TransactionOptions,
    counts: ChangeCounts,
    events: WriteEvents | undefined,
  ): KeptEvents {
    const ofRecord = this.events.take(events, { tx: id, timestamp });
    this.#transactions.push({
      id,
      timestamp,
      validFrom: options.validFrom ?? timestamp,
      actor: options.actor ?? null,
      source: options.source ?? null,
      authenticated: options.authenticated,
      quadsAdded: counts.asserted,
      quadsRetracted: counts.retracted,
      events: ofRecord,
    });
    return { ofRecord, entries: [], last: lastOf(ofRecord) };
  }

  #advance(opened: readonly Row[], closed: ReadonlyMap<Row, Row>, tx: TxId, catalog = true): void {
    for (const row of closed.keys()) this.#open.delete(keyOf(row));
    for (const row of opened) {
      if (isCurrent(row)) this.#addOpen(row);
    }
    const catalogTx = catalog ? tx : this.#state.catalogTx;
    this.#state = this.#state.after(opened, closed, { tx, catalogTx, termNumberMax: this.#terms.size });
  }

  #assertFree(): void {
    this.#assertOpen();
    if (this.#stage === null && !this.#loading) return;
    throw new SvcError('store_locked', `another write into ${MEMORY_PATH} is going on; writes take turns`);
  }

  #assertOpen(): void {
    if (this.#closed) throw new SvcError('store_closed', `${this.path} is closed`);
  }
}

const NOTHING_CLOSED: ReadonlyMap<Row, Row> = new Map();

function rowProblems(row: Row, terms: TermTable): string[] {
  const problems: string[] = [];
  for (const position of ['s', 'p', 'o', 'g'] as const) {
    try {
      terms.decode(row[position]);
    } catch (error) {
      problems.push(`${position}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (row.txFrom === 0n || row.txTo < row.txFrom) problems.push('its transactions are out of order');
  if (row.txTo !== OPEN && row.validTo === OPEN) problems.push('it was closed but has no end of validity');
  return problems;
}
