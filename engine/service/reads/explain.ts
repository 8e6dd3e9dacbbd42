/**
 * EXPLAIN and PROFILE of the library: how a query is answered, or what the patterns of an update cost. The
 * snapshot is given back when the explanation is made.
 */

import { SvcError } from '../../base/errors.js';
import type { Explanation } from '../../query/explain/explanation.js';
import { engineOptions, type QueryMemory, type QueryOptions } from './query.js';
import type { StoreSnapshot } from './snapshot.js';

export type { Explanation };

export interface ExplainOptions extends QueryOptions {
  /** Runs the query, without handing its answer over, so that the explanation holds what happened. */
  readonly analyze?: boolean | undefined;
}

export async function explainStatement(
  snapshot: StoreSnapshot,
  text: string,
  options: ExplainOptions,
  memory: QueryMemory,
): Promise<Explanation> {
  try {
    const began = performance.now();
    const [{ explain }, { statementKind }] = await Promise.all([
      import('../../query/explain/explain-query.js'),
      import('../../query/parse/statement.js'),
    ]);
    const { analyze } = options;
    const prepared = await engineOptions(options, memory, began);
    if (statementKind(text, { baseIri: options.baseIri }) === 'query') {
      return await explain(snapshot.storage, text, { ...prepared, analyze });
    }
    refuseForUpdates(options);
    const { explainUpdate } = await import('../../query/update/explain.js');
    return await explainUpdate(snapshot.storage, text, { ...prepared, analyze });
  } finally {
    snapshot.close();
  }
}

/** An update reads the store as it is now, and its text names the graphs. */
function refuseForUpdates({ tx, validAt, graph }: ExplainOptions): void {
  for (const [name, value] of Object.entries({ tx, valid_at: validAt, graph })) {
    if (value === undefined) continue;
    throw new SvcError('invalid_request', `'${name}' is for queries, and the text is an update`, {
      hint: 'leave it out; WITH, USING and GRAPH in the text choose graphs',
    });
  }
}
