/**
 * Which nodes each transaction has changed in graphs that are frozen now: the log has their rows no more, the archives do,
 * each with the transactions that opened and closed it. Some thousand transactions are looked up at once, as many as a bound
 * on memory allows: fewer where they changed much.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { getOrInsert } from '../../base/maps.js';
import { GraphScope } from '../../query/plan/context/graph-scope.js';
import type { GraphBooks } from '../../query/registry/graph-book.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { ChangesByGraph } from '../../storage/seam/engine.js';
import { columnOf, readRows } from '../../storage/seam/rows.js';
import { type ChangedRows, CURRENT, type GraphSet, type StorageSnapshot } from '../../storage/seam/scan.js';

/** Graphs that are frozen, and where their rows are. */
export type Archives = ReadonlyMap<TermId, GraphSet>;

export function archivesOf(snapshot: StorageSnapshot, books: GraphBooks): Archives {
  const scope = new GraphScope(snapshot, CURRENT, books);
  return new Map(scope.frozen.map((graph) => [graph, scope.one(graph)]));
}

/** Nodes of transactions that are kept; each takes some 100 bytes. */
const KEPT_MAX = 500_000;
const WHAT = 'the backtest';

type Touched = Map<TxId, Map<TermId, Set<TermId>>>;

export interface ArchivedRange {
  readonly to: TxId;
  /** Null: every node counts. */
  readonly isCandidate: ((subject: TermId) => boolean) | null;
}

export class ArchivedChanges {
  readonly #keptMax: number;
  #found: Touched = new Map();
  /** Up to this transaction all is known. */
  #until: TxId = -1;

  constructor(
    private readonly range: ArchivedRange,
    keptMax = KEPT_MAX,
  ) {
    this.#keptMax = keptMax;
  }

  /** What a transaction has changed in the archives; transactions have to be asked for in their sequence. */
  async at(tx: TxId, snapshot: StorageSnapshot, archives: Archives, control: Control): Promise<ChangesByGraph> {
    if (archives.size > 0 && tx > this.#until) await this.#read(tx, snapshot, archives, control);
    const byGraph = this.#found.get(tx) ?? NOTHING;
    this.#found.delete(tx);
    const rows = (graph: TermId): ChangedRows[] => rowsAbout(graph, byGraph.get(graph));
    return {
      graphs: [...byGraph].map(([graph, { size: asserted }]) => ({ graph, asserted, retracted: 0 })),
      rows: (graph) => (graph === undefined ? [...byGraph.keys()].flatMap(rows) : rows(graph)),
    };
  }

  async #read(from: TxId, snapshot: StorageSnapshot, archives: Archives, control: Control): Promise<void> {
    const found: Touched = new Map();
    let [until, kept] = [this.range.to, 0];
    const add = (tx: TxId | null, graph: TermId, subject: TermId): void => {
      if (tx === null || tx < from || tx > until) return;
      const byGraph = getOrInsert(found, tx, () => new Map<TermId, Set<TermId>>());
      const nodes = getOrInsert(byGraph, graph, () => new Set<TermId>());
      if (nodes.has(subject)) return;
      nodes.add(subject);
      kept++;
    };
    for (const [graph, graphs] of archives) {
      const request = { graphs, pattern: {}, columns: ['s', 'txFrom', 'txTo'] } as const;
      // Rows that were opened before may have been closed since, so that all of them are looked at.
      for (const batch of readRows(snapshot, { ...request, time: { kind: 'all' } })) {
        throwIfStopped(control, WHAT);
        for (let row = 0; row < batch.rows; row++) {
          const subject = batch.id('s', row);
          if (this.range.isCandidate?.(subject) === false) continue;
          add(batch.tx('txFrom', row), graph, subject);
          add(batch.tx('txTo', row), graph, subject);
        }
        while (kept > this.#keptMax && until > from) {
          until = from + Math.floor((until - from) / 2);
          kept = dropAfter(found, until);
        }
        await breathe();
      }
    }
    this.#found = found;
    this.#until = until;
  }
}

const NOTHING: ReadonlyMap<TermId, ReadonlySet<TermId>> = new Map();

/** Returns how many nodes are left. */
function dropAfter(found: Touched, until: TxId): number {
  let kept = 0;
  for (const [tx, byGraph] of found) {
    if (tx > until) found.delete(tx);
    else for (const nodes of byGraph.values()) kept += nodes.size;
  }
  return kept;
}

/** Of their columns only those of the node and the graph say something. */
function rowsAbout(graph: TermId, nodes: ReadonlySet<TermId> | undefined): ChangedRows[] {
  if (nodes === undefined) return [];
  const s = columnOf([...nodes]);
  const g = columnOf([...nodes].map(() => graph));
  const none = new Uint32Array(s.length);
  return [{ op: 'assert', rows: nodes.size, columns: { s, g, p: none, o: none, validFrom: none, validTo: none } }];
}

/** Of the log and of archives; no graph has changes of one transaction in both. */
export function withArchived(logged: ChangesByGraph, archived: ChangesByGraph): ChangesByGraph {
  if (archived.graphs.length === 0) return logged;
  return {
    graphs: [...logged.graphs, ...archived.graphs],
    *rows(graph) {
      yield* logged.rows(graph);
      yield* archived.rows(graph);
    },
  };
}
