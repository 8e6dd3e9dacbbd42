/**
 * EXPLAIN and PROFILE of the library: how a query is answered, or what the patterns of an update cost. The
 * snapshot is given back when the explanation is made.
 */

import { SvcError } from '../../base/errors.js';
import type { Explanation } from '../../query/explain/explanation.js';
import { WHOLE_SCOPE } from '../../query/read-context.js';
import { checkAsOf } from '../../query/registry/frozen.js';
import { CURRENT } from '../../storage/seam/scan.js';
import { needsEveryGraph } from './narrowed-engine.js';
import { type EngineQuery, type QueryMemory, type QueryOptions, withMemory } from './query.js';
import type { StoreSnapshot } from './snapshot.js';

export type { Explanation };

export interface ExplainOptions extends QueryOptions {
  /** Runs the query, without handing its answer over, so that the explanation holds what happened. */
  readonly analyze?: boolean | undefined;
}

/** A query or update to be explained, as the engine is asked it. */
export interface ExplainQuery extends EngineQuery {
  readonly analyze?: boolean | undefined;
}

export async function explainStatement(
  snapshot: StoreSnapshot,
  text: string,
  query: ExplainQuery,
  memory: QueryMemory,
): Promise<Explanation> {
  try {
    needsEveryGraph(query.principal ?? memory.principal, 'estimates and work are those of every graph');
    checkAsOf(snapshot.storage, query.time, memory.asOf);
    const [{ explain }, { statementKind }] = await Promise.all([
      import('../../query/explain/explain-query.js'),
      import('../../query/parse/statement.js'),
    ]);
    const asked = { ...(await withMemory(query, memory)), analyze: query.analyze };
    if (statementKind(text, { baseIri: query.baseIri }) === 'query')
      return await explain(snapshot.storage, text, asked);
    refuseForUpdates(query);
    const { explainUpdate } = await import('../../query/update/explain.js');
    return await explainUpdate(snapshot.storage, text, asked);
  } finally {
    snapshot.close();
  }
}

/** An update reads the store as it is now, and its text names the graphs. */
function refuseForUpdates({ time = CURRENT, scope = WHOLE_SCOPE }: EngineQuery): void {
  const tx = 'tx' in time ? time.tx : undefined;
  const validAt = 'validAt' in time ? time.validAt : undefined;
  const { graph, fork, overlay, includeKinds, inferred } = scope;
  const said = { tx, valid_at: validAt, graph, fork, overlay, include_kinds: includeKinds, inferred };
  for (const [name, value] of Object.entries(said)) {
    if (value === undefined) continue;
    throw new SvcError('invalid_request', `'${name}' is for queries, and the text is an update`, {
      hint: 'leave it out; WITH, USING and GRAPH in the text choose graphs',
    });
  }
}
