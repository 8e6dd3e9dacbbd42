/** What the SPARQL suites hold that is not run, or not expected to pass, each with its reason. */

import type { TestCase } from '../cases.js';

/** Cases whose answers no conforming engine has to give, or that contradict the standard. */
export const SPARQL_SKIPS: ReadonlyMap<string, string> = new Map([]);

/**
 * Groups and cases whose results write computed numbers in another spelling (`3` for `3.0E0`, `2.0` for `2`): the
 * standard fixes the value and the datatype, not the spelling. Everywhere else terms are compared exactly.
 */
export const LAX_NUMBERS: ReadonlySet<string> = new Set([
  'sparql10/expr-ops',
  'sparql11/aggregates',
  'sparql11/cast',
  'sparql11/csv-tsv-res',
  'sparql11/functions#plus-1-corrected',
  'sparql11/functions#coalesce01',
]);

const HTTP = 'an exchange over HTTP';

/** Why a case is not run at all; null when it is. */
export function sparqlNotForUs(test: TestCase): string | null {
  if (/^(GraphStoreProtocol|Protocol|ServiceDescription)Test$/.test(test.kind)) return HTTP;
  return null;
}
