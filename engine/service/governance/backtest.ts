/**
 * Which transactions of the log a policy would have fired on, had it stood at the gate (`policy backtest`).
 *
 *  1. Nodes that were ever of a target class are looked up once; a transaction that touches none of them costs a look at
 *     its rows in the log.
 *  2. Those that a transaction touches are judged as the gate judges them: by the classes that they have in the graph or in
 *     ROOT, with the claims asked of the graph together with ROOT, all of it as of the transaction.
 *  3. The log is read a page at a time, and the snapshot is opened anew now and then, so that neither the length of the log
 *     nor that of the work matters: what a transaction left is the same in every later snapshot.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { deadlineIn } from '../../base/interrupt.js';
import { Claims } from '../../governance/claims.js';
import { isBareIri, type Policy } from '../../governance/policies.js';
import type { Outcome } from '../../governance/verdicts.js';
import { ClassHierarchies } from '../../query/inference/hierarchy.js';
import { PlanCache } from '../../query/plan/cache/plan-cache.js';
import type { ReadBudget } from '../../query/read-context.js';
import { FORKS, forkGraph } from '../../query/registry/fork-rows.js';
import { type AsOf, refuseAsOf } from '../../query/registry/frozen.js';
import { GraphBooks } from '../../query/registry/graph-book.js';
import { RDF_NS, terms } from '../../rdf/terms.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import { aboutSubjects, GroupedChanges } from '../../storage/seam/changes-by-graph.js';
import { PastSnapshot } from '../../storage/seam/past-snapshot.js';
import { exactly, readRows } from '../../storage/seam/rows.js';
import type { ChangedRows, GraphSet, StorageSnapshot } from '../../storage/seam/scan.js';
import { judgedGraphs, touchedNodes, type Written } from '../pipeline/touched-nodes.js';
import type { StoreSnapshot } from '../reads/snapshot.js';
import type { Transaction } from '../reads/transaction.js';
import { ArchivedChanges, type Archives, archivesOf, withArchived } from './archived-changes.js';

/** What a backtest needs of a store. */
export interface BacktestedStore {
  /** The newest state; whoever opens it closes it. */
  snapshot(): StoreSnapshot;
  transactions(range: { readonly since: number; readonly limit: number }): readonly Transaction[];
}

export interface BacktestRequest {
  readonly policy: Policy;
  /** Both of them included. */
  readonly from: TxId;
  readonly to: TxId;
  /** What one claim about one node may take. */
  readonly claimTimeoutMs: number;
  readonly budget: ReadBudget;
  /** `archives.as_of`: whether what was written to frozen graphs is read from their archives, or all refused. */
  readonly asOf: AsOf;
}

export interface BacktestHit {
  readonly tx: TxId;
  readonly timestamp: string;
  readonly target: string;
  readonly graph: string;
}

export interface BacktestFigures {
  /** Of the range. */
  transactions: number;
  /** Those with a hit. */
  fired: number;
  hits: number;
  /** Nodes that were asked about, once for each transaction and graph. */
  judged: number;
  /** Of them those without evidence. */
  unknown: number;
}

const TRANSACTIONS_AT_ONCE = 1000;
/** Nodes of a class beyond which they are not remembered; then every node that was touched is looked up. */
const CANDIDATES_MAX = 2_000_000;
const RENEW_AFTER_MS = 30_000;
const PROGRESS_INTERVAL_MS = 100;
const WHAT = 'the backtest';
const CLAIM_SETTING = 'search.query_timeout_ms';

export class Backtest {
  readonly figures: BacktestFigures = { transactions: 0, fired: 0, hits: 0, judged: 0, unknown: 0 };
  readonly #claims = new Claims('mend the policy, and ask again');
  readonly #memory = { plans: new PlanCache(), hierarchies: new ClassHierarchies(), books: new GraphBooks() };
  readonly #store: BacktestedStore;
  readonly #request: BacktestRequest;
  readonly #control: Control;
  #snapshot: StoreSnapshot;
  #archives: Archives;
  readonly #asksForGraphs: boolean;
  #openedMs = performance.now();

  /** Refuses what can't be asked of the store; from then on it has to be closed. */
  constructor(store: BacktestedStore, request: BacktestRequest, control: Control) {
    this.#store = store;
    this.#request = request;
    this.#control = control;
    this.#asksForGraphs = [...request.policy.claims, ...request.policy.probes].some((text) =>
      ASKS_FOR_GRAPHS.test(text),
    );
    this.#snapshot = openState(store, request.asOf);
    this.#archives = archivesOf(this.#snapshot.storage, this.#memory.books);
  }

  /** The hits of each transaction that has any, oldest first. A policy that can't be evaluated is refused before the first. */
  async *hits(): AsyncGenerator<readonly BacktestHit[]> {
    const { from, to } = this.#request;
    await this.#claims.check(this.#request.policy);
    const isCandidate = await this.#candidates();
    const archived = new ArchivedChanges({ to, isCandidate });
    const copies = copiesByTransaction(this.#snapshot.storage);
    const startMs = performance.now();
    let [last, reportedMs] = [from - 1, 0];
    while (last < to) {
      const page = this.#store.transactions({ since: last, limit: Math.min(TRANSACTIONS_AT_ONCE, to - last) });
      if (page.length === 0) return;
      for (const transaction of page) {
        last = transaction.id;
        if (last > to) return;
        throwIfStopped(this.#control, WHAT);
        const found = await this.#judge(transaction, { isCandidate, archived }, copies);
        if (found.length > 0) yield found;
        const elapsedMs = performance.now() - startMs;
        if (elapsedMs - reportedMs < PROGRESS_INTERVAL_MS) continue;
        reportedMs = elapsedMs;
        const [done, total] = [this.figures.transactions, to - from + 1];
        this.#control.onProgress?.({ phase: 'backtest', done, total, unit: 'transactions', elapsedMs });
        await breathe();
      }
      if (performance.now() - this.#openedMs > RENEW_AFTER_MS) this.#renew();
    }
  }

  close(): void {
    this.#snapshot.close();
  }

  #renew(): void {
    const next = openState(this.#store, this.#request.asOf);
    this.#snapshot.close();
    this.#snapshot = next;
    this.#archives = archivesOf(next.storage, this.#memory.books);
    this.#openedMs = performance.now();
  }

  async #judge(
    { id: tx, timestamp, quadsAdded, quadsRetracted }: Transaction,
    { isCandidate, archived }: { readonly isCandidate: Candidates; readonly archived: ArchivedChanges },
    copies: ReadonlyMap<TxId, ReadonlySet<string>>,
  ): Promise<BacktestHit[]> {
    const { figures } = this;
    figures.transactions++;
    const count = quadsAdded + quadsRetracted;
    if (count === 0) return [];
    const snapshot = this.#snapshot.storage;
    const logged = new GroupedChanges({
      count,
      rows: (graph) => changedRows(snapshot.changes(tx, graph), isCandidate),
    });
    const archives = this.#archives;
    const changes = withArchived(logged, await archived.at(tx, snapshot, archives, this.#control));
    const after = new PastSnapshot(snapshot, tx);
    const hits: BacktestHit[] = [];
    for (const [graph, targets] of this.#touched({ after, changes, copies: copies.get(tx), archives })) {
      const outcomes = await this.#outcomesOf({ targets, graph }, after, { tx, timestamp });
      figures.judged += targets.length;
      for (const [at, outcome] of outcomes.entries()) {
        if (outcome === 'unknown') figures.unknown++;
        if (outcome === 'unsatisfied') hits.push({ tx, timestamp, target: targets[at] as string, graph });
      }
    }
    hits.sort((one, other) => byText(one.target, other.target));
    figures.hits += hits.length;
    if (hits.length > 0) figures.fired++;
    return hits;
  }

  async #candidates(): Promise<Candidates> {
    const { storage } = this.#snapshot;
    const graphs: GraphSet[] = [{ kind: 'all' }, ...this.#archives.values()];
    return candidatesOf(storage, graphs, this.#request.policy.targets, this.#control);
  }

  /** Nodes by the graph that they are touched in. */
  #touched(written: Written): ReadonlyMap<string, readonly string[]> {
    if (written.changes.graphs.length === 0) return new Map();
    const targets = new Set(this.#request.policy.targets);
    return new Map(
      judgedGraphs(written).map(({ id, name: graph }) => {
        const nodes = touchedNodes(written, id, (of) => targets.has(of)).map(({ node }) => node.value);
        return [graph, nodes.filter(isBareIri)] as const;
      }),
    );
  }

  async #outcomesOf(
    { targets, graph }: { readonly targets: readonly string[]; readonly graph: string },
    after: StorageSnapshot,
    { tx, timestamp }: { readonly tx: TxId; readonly timestamp: string },
  ): Promise<readonly Outcome[]> {
    if (targets.length === 0) return [];
    const { policy, claimTimeoutMs, budget } = this.#request;
    const { signal, flag } = this.#control;
    const deadline = deadlineIn(claimTimeoutMs, CLAIM_SETTING);
    const options = { ...this.#memory, signal, flag, budget, deadline, now: new Date(timestamp) };
    const claimed = this.#asksForGraphs
      ? await this.#claims.within(this.#snapshot.storage, graph, { ...options, time: { kind: 'asOf', tx } })
      : await this.#claims.within(after, graph, options);
    try {
      return await this.#claims.outcomesOf(policy, targets, claimed);
    } finally {
      claimed.close();
    }
  }
}

/** What may ask which graphs there are, which is told as of a transaction where the query is asked as of it. */
const ASKS_FOR_GRAPHS = /\b(?:graph|from|service)\b/i;

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Rows of a frozen graph are not in the log, so that what was written to it can't be judged without its archive. */
function openState(store: BacktestedStore, asOf: AsOf): StoreSnapshot {
  const snapshot = store.snapshot();
  if (asOf === 'allow') return snapshot;
  try {
    refuseAsOf(snapshot.storage, 'after each transaction');
    return snapshot;
  } catch (error) {
    snapshot.close();
    if (error instanceof SvcError)
      throw new SvcError(error.code, error.message, { hint: 'thaw the graphs, or set archives.as_of to "allow"' });
    throw error;
  }
}

function* changedRows(
  changes: Iterable<ChangedRows>,
  isCandidate: ((subject: TermId) => boolean) | null,
): Generator<ChangedRows> {
  for (const changed of changes) {
    const rows = isCandidate === null ? changed : aboutSubjects(changed, isCandidate);
    if (rows.rows > 0) yield rows;
  }
}

type Candidates = ((subject: TermId) => boolean) | null;

/** Whether a node was ever of one of some classes; null = there are too many to say. */
async function candidatesOf(
  snapshot: StorageSnapshot,
  all: readonly GraphSet[],
  classes: readonly string[],
  control: Control,
): Promise<Candidates> {
  const type = snapshot.encode(terms.namedNode(`${RDF_NS}type`));
  const found = new Set<TermId>();
  for (const name of type === null ? [] : classes) {
    const of = snapshot.encode(terms.namedNode(name));
    if (of === null) continue;
    const pattern = { p: exactly(type as TermId), o: exactly(of) };
    for (const graphs of all) {
      for (const batch of readRows(snapshot, { graphs, pattern, time: { kind: 'all' }, columns: ['s'] })) {
        throwIfStopped(control, WHAT);
        for (let row = 0; row < batch.rows; row++) found.add(batch.id('s', row));
        if (found.size > CANDIDATES_MAX) return null;
        await breathe();
      }
    }
  }
  return (subject) => found.has(subject);
}

/** Graphs that a transaction has made by copying, which the gate does not judge: forks. */
function copiesByTransaction(snapshot: StorageSnapshot): ReadonlyMap<TxId, ReadonlySet<string>> {
  return new Map(FORKS.all(snapshot).map(({ name, createdTx }) => [createdTx, new Set([forkGraph(name)])]));
}
