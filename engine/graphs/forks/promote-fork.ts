/**
 * What a fork has become since it was made, brought into ROOT (semantics of graphs, 5.2): a three-way merge whose base is the
 * fork's own creation, not today's ROOT.
 *
 * 1. Only rows that later transactions opened, or closed, can make a difference. Both are read sorted by triple; blocks of others
 *    are passed over by their zone maps.
 * 2. A triple is added when a later row of it is open and the creation wrote none; it is removed when the creation's row of it is
 *    closed and no later one is open.
 * 3. Additions are asserted into ROOT with their own beginnings, removals retracted where they are still open there.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { FORKS, type ForkRow, forkGraph } from '../../query/registry/fork-rows.js';
import type { GraphRegistration } from '../../query/registry/registration.js';
import { terms } from '../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import type { Stage } from '../../storage/seam/engine.js';
import { compareIds, type RowBatch, readRows, withSnapshot } from '../../storage/seam/rows.js';
import type { Column, StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { openForkOf } from './forks.js';
import { QuadGatherer } from './quad-gatherer.js';

export interface PromotedFork {
  /** What ROOT has gained and lost by it. */
  readonly asserted: number;
  readonly retracted: number;
}

const WHAT = 'the promotion';
const COLUMNS: readonly Column[] = ['s', 'p', 'o', 'txFrom', 'txTo', 'validFrom'];

export async function promoteFork(
  stage: Stage,
  registry: GraphRegistration,
  name: string,
  control: Control,
): Promise<PromotedFork> {
  return withSnapshot(stage.before(), async (before) => {
    const fork = openForkOf(before, name, 'promoted');
    const additions = QuadGatherer.asserting(stage, ROOT_ID);
    const removals = QuadGatherer.retracting(stage, ROOT_ID);
    const graph = before.encode(terms.namedNode(forkGraph(name)));
    if (graph !== null) await addDelta(before, graph, fork, { additions, removals }, control);
    FORKS.store(stage, registry, { ...fork, status: 'promoted' });
    return { asserted: additions.taken, retracted: removals.taken };
  });
}

interface Delta {
  readonly additions: QuadGatherer;
  readonly removals: QuadGatherer;
}

/** What is known of one triple of the fork, from its rows that count. */
interface Triple {
  /** A row that is open now and was not written by the creation. */
  opened: Place | null;
  /** The row of the creation, which is closed. */
  closed: Place | null;
}

interface Place {
  readonly batch: RowBatch;
  readonly row: number;
}

async function addDelta(
  before: StorageSnapshot,
  graph: TermId,
  { createdTx }: ForkRow,
  { additions, removals }: Delta,
  control: Control,
): Promise<void> {
  const since = createdTx + 1;
  const opened = rowsOf(before, graph, { kind: 'all', openedSince: since }, ({ batch, row }) => {
    return (batch.tx('txFrom', row) as number) >= since && batch.tx('txTo', row) === null;
  });
  const closed = rowsOf(before, graph, { kind: 'all', closedSince: since }, ({ batch, row }) => {
    return batch.tx('txFrom', row) === createdTx && batch.tx('txTo', row) !== null;
  });
  let seen = 0;
  for (const triple of bothOf(opened, closed)) {
    if (triple.closed === null && triple.opened !== null) additions.add(triple.opened.batch, triple.opened.row);
    if (triple.opened === null && triple.closed !== null) removals.add(triple.closed.batch, triple.closed.row);
    if (++seen % 4096 !== 0) continue;
    throwIfStopped(control, WHAT);
    await breathe();
  }
  additions.flush();
  removals.flush();
}

/** The rows of a graph that count, in the order of their triples. */
function* rowsOf(
  snapshot: StorageSnapshot,
  graph: TermId,
  time: TimeSlice,
  counts: (place: Place) => boolean,
): Generator<Place> {
  const request = { graphs: { kind: 'one', graph }, pattern: {}, order: 'SPOG', time, columns: COLUMNS } as const;
  for (const batch of readRows(snapshot, request)) {
    for (let row = 0; row < batch.rows; row++) if (counts({ batch, row })) yield { batch, row };
  }
}

/** Two lists in the order of their triples, by triple; neither has a triple twice. */
function* bothOf(some: Iterator<Place>, others: Iterator<Place>): Generator<Triple> {
  let [one, other] = [some.next(), others.next()];
  while (!one.done || !other.done) {
    const order = one.done ? 1 : other.done ? -1 : compareTriples(one.value, other.value);
    yield { opened: order <= 0 ? one.value : null, closed: order >= 0 ? other.value : null };
    if (order <= 0) one = some.next();
    if (order >= 0) other = others.next();
  }
}

function compareTriples(a: Place, b: Place): number {
  for (const name of ['s', 'p', 'o'] as const) {
    const order = compareIds(a.batch.column(name), a.row, b.batch.column(name), b.row);
    if (order !== 0) return order;
  }
  return 0;
}
