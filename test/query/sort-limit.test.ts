/** ORDER BY with LIMIT over stored terms of every kind: the beginning of the whole order, whatever is dropped on the way. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeQuery } from '../../engine/query/query.js';
import type { Term } from '../../engine/rdf/terms.js';
import { orderTerms } from '../../engine/rdf/values/index.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { withMadeStores } from './made-terms.js';

async function termsOf(snapshot: StorageSnapshot, text: string): Promise<(Term | null)[]> {
  const result = await executeQuery(snapshot, text);
  assert.ok(result.kind === 'select');
  const found: (Term | null)[] = [];
  for await (const [term] of result.rows()) found.push(term ?? null);
  return found;
}

/** Twice as many rows as are held before the first ones are cut off. */
const MANY = Array(2).fill('{ ?s ?p ?o }').join(' UNION ');
const PATTERNS: Readonly<Record<string, string>> = {
  'every kind': `{ ${MANY} }`,
  'and unbound ones': `{ ${MANY} UNION { ?s ?p ?x } }`,
  IRIs: `{ { ${MANY} } FILTER(isIRI(?o)) }`,
  subjects: '{ ?o ?p ?x } UNION { ?o ?q ?x } UNION { ?o ?p ?y }',
  strings: `{ { ${MANY} } FILTER(isLiteral(?o) && !isNumeric(?o)) }`,
  'computed strings beside stored ones': `{ { ${MANY} } UNION { { ${MANY} } BIND(CONCAT("z", STR(?o)) AS ?c) } BIND(COALESCE(?c, ?o) AS ?k) }`,
};

const ORDERED = new Map<string, (Term | null)[]>();

/** The whole order, which is the same in every store. */
async function orderOf(snapshot: StorageSnapshot, text: string): Promise<(Term | null)[]> {
  let ordered = ORDERED.get(text);
  if (ordered === undefined) {
    ordered = (await termsOf(snapshot, text)).sort(orderTerms);
    ORDERED.set(text, ordered);
  }
  return ordered;
}

test('the first rows by a text are those of the whole order', async () => {
  await withMadeStores(async (snapshot, name) => {
    for (const [kind, pattern] of Object.entries(PATTERNS)) {
      const group = pattern.startsWith('{ {') ? pattern : `{ ${pattern} }`;
      const key = pattern.includes('?k') ? '?k' : '?o';
      const ascending = await orderOf(snapshot, `SELECT ${key} ${group}`);
      for (const order of [key, `DESC(${key})`]) {
        const expected = order === key ? ascending : [...ascending].reverse();
        for (const [offset, limit] of [
          [0, 7],
          [1000, 300],
        ] as const) {
          const found = await termsOf(
            snapshot,
            `SELECT ${key} ${group} ORDER BY ${order} OFFSET ${offset} LIMIT ${limit}`,
          );
          const wanted = expected.slice(offset, offset + limit);
          assert.equal(found.length, wanted.length);
          found.forEach((term, at) => {
            const told = `${name}, ${kind}, ${order}, row ${offset + at}: ${JSON.stringify(term)}`;
            assert.equal(orderTerms(term, wanted[at] ?? null), 0, told);
          });
        }
      }
    }
  });
});
