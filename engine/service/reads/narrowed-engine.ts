/**
 * The storage of a store as a principal may read it. Its snapshots hold the graphs that the principal may read and no
 * other. What tells of all graphs at once, such as the event log or a copy of the file, is refused. It stages nothing: a
 * write of the principal has its stage from the pipeline, which narrows it (`pipeline/narrowed-writer.ts`).
 */

import { SvcError } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import { mayRead, type Principal } from '../../base/principal.js';
import { factsOf } from '../../query/registry/graph-rows.js';
import { registryId } from '../../query/registry/system-graphs.js';
import { ROOT_ID, type TxId } from '../../storage/ids/layout.js';
import type { StorageEngine, StorageStats, TransactionRange, TransactionRecord } from '../../storage/seam/engine.js';
import type { EventLog } from '../../storage/seam/event-log.js';
import { NarrowedSnapshot } from '../../storage/seam/narrowed-snapshot.js';
import type { GraphPacks } from '../../storage/seam/pack.js';
import { lookInto } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import {
  added,
  NO_SOURCE,
  type Tally,
  type TimesPart,
  type TransactionTime,
} from '../../storage/seam/transaction-times.js';
import { GraphsOfPrincipal } from './readable-graphs.js';

export class NarrowedEngine implements StorageEngine {
  readonly #engine: StorageEngine;
  readonly principal: Principal;
  readonly #graphs: GraphsOfPrincipal;
  readonly replication = null;
  readonly #isWriter: boolean;

  /**
   * `isWriter`: commands read by it what they need for a write. They ask which transactions are of a source that the writer
   * names, and look for these among the rows of graphs that he may read.
   */
  constructor(engine: StorageEngine, principal: Principal, isWriter = false) {
    this.#engine = engine;
    this.principal = principal;
    this.#graphs = new GraphsOfPrincipal(principal);
    this.#isWriter = isWriter;
  }

  get readOnly(): boolean {
    return this.#isWriter ? this.#engine.readOnly : true;
  }

  get path(): string {
    return this.#engine.path;
  }

  get events(): EventLog {
    if (this.principal.readable === null) return this.#engine.events;
    return refuse('counts of refusals, groups and the pruning of events are of every graph');
  }

  /** The log with everything in it, for who shows no event but those of graphs that may be read. */
  get everyEvent(): Pick<StorageEngine, 'events' | 'transactions' | 'snapshot'> {
    return this.#engine;
  }

  /** What a share says of where it comes from, which is no secret of any graph. */
  get storeId(): string | null {
    return this.#engine.packs.storeId();
  }

  get packs(): GraphPacks {
    if (this.principal.readable === null) return this.#engine.packs;
    return refuse('packs are files of whole graphs');
  }

  snapshot(): StorageSnapshot {
    return this.narrow(this.#engine.snapshot());
  }

  /** A snapshot of the store, or of a stage of it, without what may not be read; closing it closes the other. */
  narrow(snapshot: StorageSnapshot): StorageSnapshot {
    if (this.principal.readable === null) return snapshot;
    return new NarrowedSnapshot(snapshot, this.#graphs.at(snapshot));
  }

  /** Whether a graph of that name may be read, if there is one: an overlay over what may not be read may not. */
  mayRead(iri: string, snapshot: StorageSnapshot): boolean {
    return mayRead(this.principal, iri) && !this.#graphs.isCovered(iri, snapshot);
  }

  /** Without who wrote and from where, which may tell of what was written to other graphs. */
  transactions(range?: TransactionRange): readonly TransactionRecord[] {
    const records = this.#engine.transactions(range);
    if (this.#isWriter || this.principal.readable === null) return records;
    return records.map(withoutOrigin);
  }

  transactionsWith(ids: readonly TxId[]): readonly TransactionRecord[] {
    const records = this.#engine.transactionsWith(ids);
    return this.#isWriter || this.principal.readable === null ? records : records.map(withoutOrigin);
  }

  /** Of every transaction: which of them are about a graph that may be read, their changes tell. */
  timesOfGroup(group: number): readonly TimesPart[] {
    const parts = this.#engine.timesOfGroup(group);
    return this.principal.readable === null ? parts : parts.map(withoutTypes);
  }

  timesBetween(from: TxId, to: TxId): readonly TransactionTime[] {
    const times = this.#engine.timesBetween(from, to);
    return this.principal.readable === null ? times : times.map((time) => ({ ...time, type: NO_SOURCE }));
  }

  transactionsOf(source: string): readonly TxId[] {
    if (this.#isWriter || this.principal.readable === null) return this.#engine.transactionsOf(source);
    return refuse(`the transactions of ${source} may be about every graph`);
  }

  baseNamespace(fallback: string): string {
    return this.#engine.baseNamespace(fallback);
  }

  /** Quads and graphs that may be read, and what of the registry tells of them. What is about all of the file is 0. */
  stats(): StorageStats {
    const all = this.#engine.stats();
    if (this.principal.readable === null) return all;
    return lookInto(this.snapshot(), (snapshot) => {
      const registry = registryId(snapshot);
      const about = registry === null ? 0 : factsOf(snapshot, registry);
      const quads = snapshot.count({ graphs: { kind: 'all' }, pattern: {}, time: CURRENT });
      return {
        ...NOTHING_OF_THE_FILE,
        path: all.path,
        formatVersion: all.formatVersion,
        transactions: snapshot.tx,
        factsCurrent: factsOf(snapshot, ROOT_ID),
        quadsCurrent: quads + about,
        graphs: snapshot.graphs().length + (about > 0 ? 1 : 0),
      };
    });
  }

  readonly stage = (): never => refuse('a write needs every graph');
  readonly suppose = (): never => refuse('what would follow from a change depends on every graph');
  readonly stageLoad = async (): Promise<never> => refuse('a write needs every graph');
  readonly indexTexts = (): never => refuse('an index is over every graph');
  readonly changeIndexes = (): never => refuse('a write needs every graph');
  readonly fold = async (): Promise<never> => refuse('a fold works on every graph');
  readonly verify = async (): Promise<never> => refuse('verification reads every graph');
  readonly backup = async (): Promise<never> => refuse('a backup holds every graph');
  readonly attach = (): never => refuse('another file may hold every graph');
  readonly detach = async (): Promise<never> => refuse('another file may hold every graph');

  async close(): Promise<void> {
    // The store behind it is another's to close.
  }
}

/** What tells readers apart: what they may read, and where gates judge them, who they are. A view by name is one of its own. */
export function readerKey(principal: Principal, isJudged: boolean): string {
  const { readable, patterns = [] } = principal;
  if (isJudged || readable === null) return JSON.stringify(principal);
  const key = getOrInsert(keys, readable, () => JSON.stringify([readable, patterns]));
  return `${key}${ownerOf(principal) ?? ''}`;
}

/** Whose view it is, where it is that of one principal: those who prove who they are share one for all who may read the same. */
export function ownerOf({ authenticated, reader }: Principal): string | undefined {
  return authenticated === null ? reader : undefined;
}

/** By the list of graphs, which comes with the patterns of the same rules. */
const keys = new WeakMap<readonly string[], string>();

/** Refuses what only who may read every graph is told. */
export function needsEveryGraph({ readable }: Principal, what: string): void {
  if (readable !== null) refuse(what);
}

const NOTHING_OF_THE_FILE: Omit<
  StorageStats,
  'path' | 'formatVersion' | 'transactions' | 'factsCurrent' | 'quadsCurrent' | 'graphs'
> = {
  rowsTotal: 0,
  terms: 0,
  predicates: 0,
  entities: 0,
  runs: 0,
  currentRuns: 0,
  historyRuns: 0,
  historyRows: 0,
  deadRows: 0,
  delta: { rows: 0, closes: 0, terms: 0, bytes: 0 },
  pages: null,
  written: null,
  lastTransaction: null,
  fileBytes: 0,
  bytesByPart: {},
};

function withoutOrigin({ id, timestamp, validFrom, quadsAdded, quadsRetracted }: TransactionRecord): TransactionRecord {
  return { id, timestamp, validFrom, actor: null, source: null, quadsAdded, quadsRetracted };
}

function withoutTypes({ byType, ...part }: TimesPart): TimesPart {
  const all = Object.values(byType).reduce<Tally | undefined>(added, undefined);
  return { ...part, byType: all === undefined ? {} : { [NO_SOURCE]: all } };
}

function refuse(what: string): never {
  throw new SvcError('authority_denied', `${what}, and the reader may read some graphs only (governance.read_rules)`);
}
