/** IRIs of requests: every operation that takes one also takes a CURIE of a loaded prefix (wire shapes, 4.4). */

import { CurieTable, type Prefix } from '../rdf/curies.js';

/** Tables by their lists, which stay the same objects from request to request. */
const tables = new WeakMap<readonly Prefix[], CurieTable>();

/** The table of a list of prefixes; null where there are none. */
export function curiesOf(prefixes: readonly Prefix[] | undefined): CurieTable | null {
  if (prefixes === undefined || prefixes.length === 0) return null;
  let table = tables.get(prefixes);
  if (table === undefined) {
    table = new CurieTable(prefixes);
    tables.set(prefixes, table);
  }
  return table;
}

/** `a:b` written out where `a` is a loaded prefix; anything else as it is. */
export function expandIri(text: string, prefixes: readonly Prefix[] | undefined): string {
  return curiesOf(prefixes)?.expand(text) ?? text;
}
