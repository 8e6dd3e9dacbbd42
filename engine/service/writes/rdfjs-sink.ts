/**
 * The writing half of an RDF/JS `Store`: every call is one transaction, however many quads it has, and
 * tells by events that it is durable (`end`) or that nothing was written (`error`). Blank nodes keep the
 * labels that their terms have, so that what was imported can be matched and removed by the same terms;
 * `Store.load` scopes those of a document.
 */

import { EventEmitter } from 'node:events';
import { SvcError } from '../../base/errors.js';
import { refuseFrozen } from '../../query/registry/frozen.js';
import { findGraph } from '../../query/registry/graph-rows.js';
import { type Quad, terms } from '../../rdf/terms.js';
import { retractMatching, withSnapshot } from '../../storage/seam/rows.js';
import { CURRENT } from '../../storage/seam/scan.js';
import type { StageChange } from '../pipeline/write-control.js';
import { matchRows, type QuadPattern } from '../reads/quad-pattern.js';
import type { WriteCommand } from './command.js';

/** Tells how work ended; not before listeners could be added. An error that nobody listens for is thrown. */
export function emitting(work: () => Promise<unknown>): EventEmitter {
  const events = new EventEmitter();
  work().then(
    () => setImmediate(() => events.emit('end')),
    (error: unknown) => setImmediate(() => events.emit('error', error)),
  );
  return events;
}

/** Retracts the current quads of a pattern, in one transaction. A pattern of a named graph alone takes the graph away. */
export const removeMatches: WriteCommand<QuadPattern, object, unknown> = {
  forSomeGraphs: true,
  run(context, pattern) {
    const change: StageChange<void> = (stage, registry) =>
      withSnapshot(stage.snapshot(), (snapshot) => {
        if (pattern.graph?.termType === 'NamedNode') refuseFrozen(findGraph(snapshot, pattern.graph.value));
        const rows = matchRows(snapshot, pattern, CURRENT);
        if (rows !== null) retractMatching(stage, snapshot, rows);
        const { subject, predicate, object, graph } = pattern;
        if (graph?.termType === 'NamedNode' && ![subject, predicate, object].some(isBound)) {
          registry.unregister(snapshot, [graph.value]);
        }
      });
    return context.pipeline.transact(change, {}, context.control);
  },
};

function isBound(term: QuadPattern['subject']): boolean {
  return term !== null && term !== undefined && term.termType !== 'Variable';
}

/** The term that a caller means by a graph. */
export function graphTermOf(graph: string | Quad['graph']): Quad['graph'] {
  if (typeof graph === 'string') return graph === '' ? terms.defaultGraph() : terms.namedNode(graph);
  if (typeof graph === 'object' && /^(NamedNode|BlankNode|DefaultGraph)$/.test(graph?.termType)) return graph;
  throw new SvcError('invalid_request', 'a graph is given as its IRI or as a term');
}
