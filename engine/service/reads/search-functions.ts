/**
 * The search by text as a function of queries: `SERVICE <urn:svc:search> { [] <urn:svc:search:query> "proxy" ; <urn:svc:search:entity> ?e ;
 * <urn:svc:search:score> ?s }`. It gives the facts whose literals have the words of the query, of the graph that the call stands
 * in, at the time of the query, the best first. What searches is loaded with the first call.
 */

import { SvcError } from '../../base/errors.js';
import type {
  FunctionArguments,
  FunctionCall,
  FunctionRows,
  TableFunctions,
} from '../../query/functions/table-function.js';
import type { Term } from '../../rdf/terms.js';
import { checkQueryLength } from '../../search/match/query-length.js';

const NAME = 'urn:svc:search';
const WHOLE = /^[0-9]{1,9}$/;

export interface SearchArguments {
  readonly query: string;
  /** Most rows; absent = all. */
  readonly limit: number | null;
  /** All words of the query, not any. */
  readonly all: boolean;
}

export type RunSearch = (call: FunctionCall, search: SearchArguments) => Promise<FunctionRows>;

export function searchFunctions(run: RunSearch): TableFunctions {
  const search = {
    takes: ['query', 'limit', 'match'],
    gives: ['entity', 'predicate', 'literal', 'score'],
    check: (args: FunctionArguments) => {
      argumentsOf(args);
    },
    run: (call: FunctionCall) => run(call, argumentsOf(call.args)),
  };
  return { names: [NAME], find: (iri) => (iri === NAME ? search : null) };
}

function argumentsOf(args: FunctionArguments): SearchArguments {
  for (const [name, given] of args) {
    if (given.length > 1) throw unfit(name, `it is given ${given.length} times`);
  }
  const one = (name: string): Term | undefined => args.get(name)?.[0];
  const query = one('query');
  if (query === undefined) throw unfit('query', 'it is missing; say what to search for');
  if (query.termType !== 'Literal' || query.value.trim() === '')
    throw unfit('query', 'it has to be a text that is not empty');
  checkQueryLength(query.value, `<${NAME}:query>`);
  const limit = one('limit');
  if (limit !== undefined && !(limit.termType === 'Literal' && WHOLE.test(limit.value) && Number(limit.value) > 0)) {
    throw unfit('limit', `it is '${limit.value}'; expected a whole number above 0`);
  }
  const match = one('match')?.value ?? 'any';
  if (match !== 'any' && match !== 'all') throw unfit('match', `it is '${match}'; expected 'any' or 'all'`);
  return { query: query.value, limit: limit === undefined ? null : Number(limit.value), all: match === 'all' };
}

function unfit(name: string, why: string): SvcError {
  return new SvcError('invalid_request', `<${NAME}:${name}>: ${why}`);
}
