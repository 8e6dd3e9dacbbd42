/**
 * The in-memory store: the plain implementation of the storage seam. It serves `:memory:` stores
 * and is the oracle of the LMDB store, so it favours the obvious over the fast: rows are objects in
 * an array, a write makes a new state, and a snapshot is a state.
 */

import type { Control } from '../../base/control.js';
import { invariant, SvcError } from '../../base/errors.js';
import type { Quad } from '../../rdf/terms.js';
import type {
  LoadOptions,
  LoadSource,
  LoadSummary,
  MaintenanceReport,
  StagedLoad,
  StagedTransaction,
  StorageEngine,
  StorageStats,
  TransactionOptions,
  TransactionRange,
  TransactionRecord,
  VerifyProblem,
  VerifyReport,
} from '../engine.js';
import { type Instant, instantToColumn, OPEN, ROOT_ID, type TermId, type TxId } from '../ids/layout.js';
import { type BatchShape, DENSE_BATCHES } from './cursor.js';
import { readSources } from './read-sources.js';
import { isCurrent, type Row } from './rows.js';
import { MemorySnapshot } from './snapshot.js';
import { State } from './state.js';
import { TermOverlay, TermTable } from './term-table.js';

export const MEMORY_PATH = ':memory:';

export interface MemoryEngineOptions {
  /** Seconds since 1970; the system's clock unless a test brings its own. */
  readonly now?: () => Instant;
  /** How scans cut their batches; tests of readers of batches ask for small and sparse ones. */
  readonly batches?: Partial<BatchShape>;
}

/** A row as it would stand after writes that came and went; open where an end is absent. */
export interface BitemporalQuad {
  readonly quad: Quad;
  readonly txFrom: TxId;
  readonly txTo?: TxId;
  readonly validFrom: Instant;
  readonly validTo?: Instant;
}

/** The new rows of a load, still without times. */
interface Judged {
  readonly rows: readonly Pick<Row, 's' | 'p' | 'o' | 'g'>[];
  readonly terms: TermOverlay;
}

export function openMemoryEngine(options: MemoryEngineOptions = {}): MemoryEngine {
  return new MemoryEngine(options);
}

export class MemoryEngine implements StorageEngine {
  readonly path = MEMORY_PATH;
  readonly readOnly = false;
  readonly #now: () => Instant;
  readonly #shape: BatchShape;
  readonly #terms = new TermTable();
  readonly #transactions: TransactionRecord[] = [];
  /** Keys of the quads that are open in the newest state. */
  readonly #open = new Set<string>();
  #state = new State([], 0, 1);
  #closed = false;

  constructor(options: MemoryEngineOptions) {
    this.#shape = { ...DENSE_BATCHES, ...options.batches };
    this.#now = options.now ?? (() => Math.floor(Date.now() / 1000));
  }

  snapshot(): MemorySnapshot {
    this.#assertOpen();
    return new MemorySnapshot(this.#state, this.#terms, this.#shape);
  }

  async stageLoad(sources: readonly LoadSource[], options: LoadOptions, control: Control): Promise<StagedLoad> {
    this.#assertOpen();
    const { quads, bytesRead } = await readSources(sources, options, control);
    return new MemoryStagedLoad(this.#judge(quads), {
      state: () => this.#state,
      judge: () => this.#judge(quads),
      publish: (judged) => this.#publish(judged, options),
      summarise: (judged) => ({
        quadsRead: quads.length,
        quadsAdded: judged.rows.length,
        bytesRead,
        termsAdded: judged.terms.size,
        sources: sources.length,
      }),
    });
  }

  /** For tests of time: writes rows as if by earlier transactions. */
  insertRows(rows: readonly BitemporalQuad[]): void {
    this.#assertOpen();
    const overlay = new TermOverlay(this.#terms);
    const added = rows.map(({ quad, txFrom, txTo, validFrom, validTo }) => ({
      ...idsOf(quad, overlay),
      txFrom: BigInt(txFrom),
      txTo: txTo === undefined ? OPEN : BigInt(txTo),
      validFrom: instantToColumn(validFrom),
      validTo: validTo === undefined ? OPEN : instantToColumn(validTo),
    }));
    const newest = Math.max(this.#state.tx, ...rows.flatMap(({ txFrom, txTo }) => [txFrom, txTo ?? 0]));
    this.#advance(added, newest, overlay);
  }

  stage(_options: TransactionOptions): StagedTransaction {
    this.#assertOpen();
    throw new SvcError('unsupported', 'small commits are not supported yet');
  }

  transactionsOf(_source: string): readonly TxId[] {
    this.#assertOpen();
    throw new SvcError('unsupported', 'the index of sources is not supported yet');
  }

  async fold(_control: Control): Promise<MaintenanceReport> {
    this.#assertOpen();
    return { rowsFolded: 0, runsMerged: 0, bytesWritten: 0 };
  }

  transactions(_range: TransactionRange = {}): readonly TransactionRecord[] {
    this.#assertOpen();
    return [...this.#transactions];
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
      fileBytes: 0,
      bytesByPart: {},
      formatVersion: 0,
    };
  }

  async verify(_control: Control): Promise<VerifyReport> {
    this.#assertOpen();
    const problems: VerifyProblem[] = [];
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

  /** What the quads would add to the newest state: duplicates and open quads are dropped. */
  #judge(quads: readonly Quad[]): Judged {
    const terms = new TermOverlay(this.#terms);
    const seen = new Set<string>();
    const rows: Judged['rows'][number][] = [];
    for (const quad of quads) {
      const ids = idsOf(quad, terms);
      const key = keyOf(ids);
      if (seen.has(key) || this.#open.has(key)) continue;
      seen.add(key);
      rows.push(ids);
    }
    return { rows, terms };
  }

  #publish(judged: Judged, options: LoadOptions): TxId {
    this.#assertOpen();
    const tx = this.#state.tx + 1;
    const timestamp = options.timestamp ?? this.#now();
    const validFrom = instantToColumn(options.validFrom ?? timestamp);
    const times = { txFrom: BigInt(tx), txTo: OPEN, validFrom, validTo: OPEN };
    this.#advance(
      judged.rows.map((ids) => ({ ...ids, ...times })),
      tx,
      judged.terms,
    );
    this.#transactions.push({
      id: tx,
      timestamp,
      actor: options.actor ?? null,
      source: options.source ?? null,
      quadsAdded: judged.rows.length,
      quadsRetracted: 0,
    });
    return tx;
  }

  #advance(added: readonly Row[], tx: TxId, overlay: TermOverlay): void {
    overlay.adopt();
    for (const row of added) if (isCurrent(row)) this.#open.add(keyOf(row));
    this.#state = new State([...this.#state.rows, ...added], tx, this.#terms.size);
  }

  #assertOpen(): void {
    if (this.#closed) throw new SvcError('store_closed', `${this.path} is closed`);
  }
}

interface StageHost {
  state(): State;
  judge(): Judged;
  publish(judged: Judged): TxId;
  summarise(judged: Judged): LoadSummary;
}

/** Judged against the state at staging; judged anew when another write came between. */
class MemoryStagedLoad implements StagedLoad {
  readonly #host: StageHost;
  #state: State;
  #judged: Judged | null;
  #summary: LoadSummary;

  constructor(judged: Judged, host: StageHost) {
    this.#host = host;
    this.#judged = judged;
    this.#state = host.state();
    this.#summary = host.summarise(judged);
  }

  get summary(): LoadSummary {
    return this.#summary;
  }

  async publish(): Promise<TxId> {
    invariant(this.#judged !== null, 'a staged load is published once, and not after it was discarded');
    if (this.#host.state() !== this.#state) {
      this.#judged = this.#host.judge();
      this.#state = this.#host.state();
      this.#summary = this.#host.summarise(this.#judged);
    }
    const tx = this.#host.publish(this.#judged);
    this.#judged = null;
    return tx;
  }

  async discard(): Promise<void> {
    this.#judged = null;
  }
}

function idsOf(quad: Quad, overlay: TermOverlay): { s: TermId; p: TermId; o: TermId; g: TermId } {
  return {
    s: overlay.intern(quad.subject),
    p: overlay.intern(quad.predicate),
    o: overlay.intern(quad.object),
    g: overlay.intern(quad.graph),
  };
}

function keyOf(row: Pick<Row, 's' | 'p' | 'o' | 'g'>): string {
  return `${row.s} ${row.p} ${row.o} ${row.g}`;
}

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
