/**
 * The one list of cases that are not expected to pass, each with its reason. A case of this list that
 * passes is a failure: it must be taken off.
 */

import type { TestCase } from './cases.js';

export const SKIPS: ReadonlyMap<string, string> = new Map([
  [
    'jsonld/toRdf#te075',
    'asks for generalized RDF (a blank node as a predicate), which is not an RDF dataset and can not be stored',
  ],
]);

/** Cases that are not meant for us at all; they are not run. */
export function notForUs(test: TestCase): string | null {
  if (test.jsonLd?.option.specVersion === 'json-ld-1.0') return 'for JSON-LD 1.0 processors only';
  return null;
}
