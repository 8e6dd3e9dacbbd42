/** What things are called, for a list that has their IRIs. */

import type { SvcClient } from '../../../clients/typescript/src/index.js';
import type { ScopeFields } from '../wire/scope.js';
import { iriRef, isIri } from './turtle.js';

const LABEL = 'http://www.w3.org/2000/01/rdf-schema#label';
/** More than these stay without a name. */
const NAMED_MAX = 1000;
/** A name is one line. */
const CHARACTERS = 200;

/** By IRI: `rdfs:label` in English, or in no language, before others. Those without one are not in it. */
export async function labelsOf(
  client: SvcClient,
  fields: ScopeFields,
  iris: Iterable<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const named = [...new Set(iris)].filter(isIri).slice(0, NAMED_MAX);
  const found = new Map<string, string>();
  if (named.length === 0) return found;
  const query = `SELECT ?e (SUBSTR(MIN(?ranked), 2, ${CHARACTERS}) AS ?label) WHERE { VALUES ?e { ${named.map(iriRef).join(' ')} } ?e <${LABEL}> ?l BIND(CONCAT(IF(REGEX(LANG(?l), "^(en(-.*)?)?$", "i"), "0", "1"), STR(?l)) AS ?ranked) } GROUP BY ?e`;
  for await (const { e, label } of client.rows(query, fields, { signal })) {
    if (e?.type === 'uri' && label?.type === 'literal') found.set(e.value, label.value);
  }
  return found;
}
