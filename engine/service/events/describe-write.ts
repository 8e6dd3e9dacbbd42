/**
 * What the log will say of the events of a write: how many of each kind follow from its changes, counted on the staged
 * state. Counting reads the changes once; the store is asked only about predicates and classes that this process has
 * not met yet.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { overlaidIds } from '../../query/registry/graph-rows.js';
import { quietIds } from '../../query/registry/system-graphs.js';
import { RDF_NS, terms } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { StagedTransaction } from '../../storage/seam/engine.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { type ChangedTransaction, changedTransaction, type Op, type Rows } from './changed-rows.js';
import { countRows, GRAPHS_MAX } from './count-rows.js';
import { Earlier } from './earlier.js';
import { EntityWalk, isEdge } from './entity-walk.js';
import type { FirstUses } from './first-uses.js';
import { KIND, KINDS } from './kinds.js';
import { isNodeHigh, nodeKeyAt } from './node-keys.js';

export const TYPE = terms.namedNode(`${RDF_NS}type`);
/** Subjects that are counted before the event loop has a turn. */
const SUBJECTS_AT_ONCE = 16_384;

/** The derived events of a write by their numbers. */
export interface DescribedChanges {
  readonly derived: readonly number[];
  readonly group: string | null;
  /** IRI of the graph of the first changed statement; null = nothing changed. */
  readonly graph: string | null;
  /** Statements that it asserted or retracted in graphs that count. */
  readonly statements: number;
  /** Graphs that it changed: of very many only the first. */
  readonly graphs: ReadonlySet<number>;
}

/** The store with a write, which is its newest transaction, and without it; the latter is opened when it is asked for. */
export interface DescribedState {
  readonly after: StorageSnapshot;
  readonly before: StorageSnapshot;
}

export async function describeChanges(
  state: DescribedState,
  staged: StagedTransaction,
  firstUses: FirstUses,
  control: Control,
): Promise<DescribedChanges> {
  const { after } = state;
  const { tx, counts } = staged;
  const size = { quadsAdded: counts.asserted, quadsRetracted: counts.retracted };
  const quiet = quietIds(after);
  const type = after.encode(TYPE, true);
  const transaction = changedTransaction(after, tx, size, quiet, staged.changes());
  const tally =
    size.quadsRetracted === 0 && !transaction.whole
      ? await countLoad(after, tx, type, quiet, control)
      : await countChanges(transaction, type, control);
  // Whatever stands in the store without the write is earlier.
  const earlier = () => new Earlier(state.before, tx, [...quiet, ...overlaidIds(state.before)]);
  const { fresh, groups } = firstUses.predicates(after, earlier, tally.predicates);
  const freshClasses = type === null ? 0 : firstUses.classes(earlier, tally.classes, type, control);
  const derived = [...tally.counts];
  derived[KIND.typeNew] = freshClasses;
  derived[KIND.predicateNew] = fresh;
  return {
    derived,
    group: groups.length === 0 ? null : groupOf(after, transaction, new Set(groups)),
    graph: tally.graph === null ? null : (after.decode(tally.graph, 1)[0]?.value ?? null),
    statements: tally.statements,
    graphs: tally.graphs,
  };
}

const NO_TYPE: readonly [number, number] = [-1, -1];

async function countLoad(
  after: StorageSnapshot,
  tx: TxId,
  type: TermId | null,
  quiet: readonly TermId[],
  control: Control,
): Promise<Tally> {
  const halves = type === null ? NO_TYPE : ([lowOf(type), highOf(type)] as const);
  const { entities, edges, predicates, classes, graph, statements, graphs } = await countRows(
    after,
    tx,
    halves,
    quiet,
    control,
  );
  const counts = KINDS.map((kind) => (kind === KIND.entity ? entities : kind === KIND.edgeAdded ? edges : 0));
  const met = { predicates: predicates.keys, classes: classes.keys, graphs: graphs.keys };
  return { counts, ...met, graph, statements };
}

interface Tally {
  readonly counts: number[];
  /** Of asserted statements; `rdf:type` is not among them. */
  readonly predicates: ReadonlySet<number>;
  readonly classes: ReadonlySet<number>;
  readonly graph: Uint32Array | null;
  readonly statements: number;
  readonly graphs: ReadonlySet<number>;
}

async function countChanges(transaction: ChangedTransaction, type: TermId | null, control: Control): Promise<Tally> {
  const counts = KINDS.map(() => 0);
  const [predicates, classes, graphs] = [new Set<number>(), new Set<number>(), new Set<number>()];
  const [typeLow, typeHigh] = type === null ? [-1, -1] : [lowOf(type), highOf(type)];
  let graph: Uint32Array | null = null;
  let statements = 0;
  const watch = (op: Op, rows: Rows, row: number): void => {
    statements++;
    graph ??= rows.g.slice(2 * row, 2 * row + 2);
    if (graphs.size < GRAPHS_MAX) graphs.add(nodeKeyAt(rows.g, row));
    const edge = op === 'assert' ? KIND.edgeAdded : KIND.edgeRetracted;
    if (isEdge(rows, row, typeLow, typeHigh)) counts[edge] = (counts[edge] as number) + 1;
    if (op === 'retract') return;
    if (rows.p[2 * row] !== typeLow || rows.p[2 * row + 1] !== typeHigh) predicates.add(nodeKeyAt(rows.p, row));
    else if (isNodeHigh(rows.o[2 * row + 1] as number)) classes.add(nodeKeyAt(rows.o, row));
  };
  const walk = new EntityWalk(transaction.feed('assert'), transaction.feed('retract'), watch);
  let entities = 0;
  try {
    for (let subjects = 1; ; subjects++) {
      const found = walk.nextSubject();
      if (found === 0) break;
      entities += found;
      if (subjects % SUBJECTS_AT_ONCE !== 0) continue;
      throwIfStopped(control, 'the write');
      await breathe();
    }
  } finally {
    walk.close();
  }
  counts[KIND.entity] = entities;
  return { counts, predicates, classes, graph, statements, graphs };
}

/** The first group that the transaction asserts, in the order of its rows. */
function groupOf(
  snapshot: StorageSnapshot,
  transaction: ChangedTransaction,
  predicates: ReadonlySet<number>,
): string | null {
  const feed = transaction.feed('assert');
  try {
    for (let rows = feed.next(); rows !== null; rows = feed.next()) {
      for (let row = 0; row < rows.rows; row++) {
        if (!predicates.has(nodeKeyAt(rows.p, row))) continue;
        const [group] = snapshot.decode(rows.o.slice(2 * row, 2 * row + 2), 1);
        if (group?.termType === 'Literal') return group.value;
      }
    }
    return null;
  } finally {
    feed.close();
  }
}
