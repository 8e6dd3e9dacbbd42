/** A query says which entities may be found, vectors say which are near: all of them are ranked, then cut. */

import { SvcError } from '../../base/errors.js';
import { idSet } from '../../search/match/entity-set.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';
import { toTimeSlice } from '../options/store-options.js';
import { type AnswerLabels, type QueryAnswer, toQuery } from '../reads/query.js';
import type { HybridSearchOptions } from './search-options.js';
import type { Searches, SearchStore, VectorSearch } from './searches.js';

export interface HybridSearch extends VectorSearch {
  /** Distinct IRIs that the query gave; null = there was none. */
  readonly candidates: number | null;
  /** What was handed down to the search by vectors, in words; null = nothing. */
  readonly pushdownFilter: string | null;
  /** What the graphs of the query are declared as; null without a query too. */
  readonly labels: AnswerLabels;
}

/** A query for the instances of a class, and nothing else. */
const OF_CLASS =
  /^\s*SELECT\s+(?:DISTINCT\s+)?\?(\w+)\s+(?:WHERE\s*)?\{\s*\?\1\s+(?:a|<http:\/\/www\.w3\.org\/1999\/02\/22-rdf-syntax-ns#type>)\s+<([^<>\s]+)>\s*\.?\s*\}\s*$/i;

export async function hybridSearch(
  snapshot: StorageSnapshot,
  searches: Searches,
  store: SearchStore,
  options: HybridSearchOptions,
): Promise<HybridSearch> {
  const { sparql, asked } = options;
  if (sparql === undefined) {
    const found = await searches.near(snapshot, options);
    return { ...found, candidates: null, pushdownFilter: null, labels: null };
  }
  const answer = await store.answerQuery(snapshot, sparql, asked ?? { ...toQuery({}), time: toTimeSlice(options) });
  const { entities, count, variable, labels } = await candidatesOf(snapshot, answer);
  const found = await searches.near(snapshot, options, entities);
  const type = OF_CLASS.exec(sparql)?.[2];
  const pushdownFilter = type === undefined ? `entity in ${count} values of ?${variable}` : `entity_type = '${type}'`;
  return { ...found, candidates: count, pushdownFilter, labels };
}

interface Candidates {
  /** Ascending. */
  readonly entities: IdColumn;
  /** Distinct IRIs, those that the store does not know among them. */
  readonly count: number;
  readonly variable: string;
  readonly labels: AnswerLabels;
}

/** The IRIs of the first variable. */
async function candidatesOf(snapshot: StorageSnapshot, answer: QueryAnswer): Promise<Candidates> {
  if (answer.kind !== 'select' || answer.variables.length === 0) {
    if (answer.kind !== 'ask') answer.close();
    throw new SvcError(
      'invalid_request',
      "'sparql' is no SELECT with a variable: its first one names the entities that may be found",
    );
  }
  const ids = new Set<TermId>();
  const unknown = new Set<string>();
  for await (const [term] of answer.rows()) {
    if (term?.termType !== 'NamedNode') continue;
    const id = snapshot.encode(term);
    if (id === null) unknown.add(term.value);
    else ids.add(id);
  }
  return {
    entities: idSet(ids),
    count: ids.size + unknown.size,
    variable: answer.variables[0] as string,
    labels: answer.labels,
  };
}
