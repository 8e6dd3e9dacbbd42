/**
 * The events that somebody is told who may read some graphs only (`governance.read_rules`): of these graphs, what changed in
 * them, and that they were made, labelled or taken away. Their offsets are those of the log, so that there are gaps.
 *
 * What is about the whole store is left out: the first use of a class or a predicate, which depends on every graph; refusals;
 * what belongs to no graph; what shapes have seen, whose messages tell of classes in ROOT; how many statements an episode
 * has, and its group.
 */

import type { NarrowedEngine } from '../reads/narrowed-engine.js';
import { changedSomething } from '../reads/visible-transactions.js';
import { KIND } from './kinds.js';
import type { EventSource } from './read-events.js';

const OF_ONE_GRAPH: ReadonlySet<string> = new Set([
  'entity.added',
  'entity.updated',
  'edge.added',
  'edge.retracted',
  'graph.created',
  'graph.removed',
  'graph.labeled',
]);

/** The log of the store behind, with which of its events may be told. */
export function visibleSource(engine: NarrowedEngine): EventSource {
  const { everyEvent } = engine;
  return {
    log: everyEvent.events,
    transactions: (range) => everyEvent.transactions(range),
    snapshot: () => everyEvent.snapshot(),
    visible: {
      kind: (kind) => kind !== KIND.typeNew && kind !== KIND.predicateNew,
      transaction: (snapshot, tx) => changedSomething(engine.narrow(snapshot), tx),
      event: (snapshot, { type, payload }) =>
        OF_ONE_GRAPH.has(type) && typeof payload.graph === 'string' && engine.mayRead(payload.graph, snapshot),
    },
  };
}
