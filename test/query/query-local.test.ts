/** Computed values that no stored term is matched with are not looked for in the store; all others are. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openQuery } from '../../engine/query/open-query.js';
import { parseQuery } from '../../engine/query/parse/parse.js';
import { executeQuery } from '../../engine/query/query.js';
import { rewriteQuery } from '../../engine/query/rewrites/index.js';
import { openStore } from '../../engine/service/host/open-store.js';
import type { MemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { PREFIXES, sortedAnswer, storeOf } from './support.js';

const ROWS = 300;

/** Half of the upper-case names are stored as well, as names and as codes. */
function nodes(): Promise<MemoryEngine> {
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const upper = row % 2 === 0 ? `"N${row}"` : `"X${row}"`;
    return `:n${row} :name "n${row}", ${upper} ; :code "N${row}" ; :real "${row % 7}.5E0"^^xsd:double ; :next :n${row + 1} .`;
  });
  return storeOf(rows.join('\n'));
}

/** How many terms a query looks for in the store. */
async function lookups(snapshot: StorageSnapshot, text: string): Promise<number> {
  let count = 0;
  const counting = new Proxy(snapshot, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (name === 'encode') count++;
        return (value as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  const result = await executeQuery(counting, PREFIXES + text, {});
  assert.equal(result.kind, 'select');
  if (result.kind === 'select') for await (const _ of result.rows());
  return count;
}

const UPPER = '?s :name ?n BIND(UCASE(?n) AS ?u)';
const REAL = '?s :real ?r BIND(?r * 2 AS ?u)';

test('what is filtered, grouped, sorted, counted or shown is not looked for', async () => {
  const snapshot = (await nodes()).snapshot();
  for (const text of [
    `SELECT ?u { ${UPPER} }`,
    `SELECT DISTINCT ?u { ${UPPER} FILTER(REGEX(?u, "^N.*5$") || ?u = "N10") }`,
    `SELECT ?u (COUNT(*) AS ?c) { ${UPPER} } GROUP BY ?u ORDER BY ?u`,
    `SELECT ?n { ?s :name ?n } ORDER BY UCASE(?n)`,
    `SELECT (COUNT(DISTINCT UCASE(?n)) AS ?c) (GROUP_CONCAT(LCASE(?n)) AS ?g) { ?s :name ?n }`,
    `SELECT (MIN(?u) AS ?a) (COUNT(?u) AS ?c) { ${UPPER} }`,
    `SELECT (MAX(?r * 3) AS ?m) { ?s :real ?r }`,
    `SELECT ?v { ${UPPER} BIND(CONCAT(?u, "-", ?n) AS ?v) }`,
  ]) {
    const count = await lookups(snapshot, text);
    assert.ok(count < 20, `${text}: ${count}`);
  }
  for (const text of [
    `SELECT ?o { ${UPPER} ?o :code ?u }`,
    `SELECT DISTINCT ?u { { ${UPPER} } UNION { ?s :code ?u } }`,
    `SELECT ?v { ${UPPER} BIND(IF(STRLEN(?n) > 3, ?u, ?n) AS ?v) }`,
  ]) {
    const count = await lookups(snapshot, text);
    assert.ok(count >= ROWS, `${text}: ${count}`);
  }
});

test('the answers are the same as when all are looked for', async () => {
  const snapshot = (await nodes()).snapshot();
  for (const text of [
    `SELECT ?o ?u { ${UPPER} ?o :code ?u }`,
    `SELECT DISTINCT ?u { { ${UPPER} } UNION { ?s :code ?u } }`,
    `SELECT ?u (COUNT(*) AS ?c) { { ${UPPER} } UNION { ?s :code ?u } } GROUP BY ?u`,
    `SELECT DISTINCT ?v { ${UPPER} ?s :code ?d BIND(COALESCE(?x, ?u) AS ?v) }`,
    `SELECT DISTINCT ?v { { ${UPPER} BIND(?u AS ?v) } UNION { ?s :name ?v } }`,
    `SELECT ?s { ${UPPER} ?s :code ?d FILTER(sameTerm(?u, ?d)) }`,
    `SELECT ?s { ${UPPER} ?s :code ?d FILTER(?u = ?d) }`,
    `SELECT ?s { ${UPPER} FILTER(?u IN ("N10", "N12", "none")) }`,
    `SELECT ?s { ${UPPER} FILTER(?u != "N10") }`,
    `SELECT ?u { ${UPPER} MINUS { ?o :code ?u } }`,
    `SELECT ?u { ${UPPER} FILTER EXISTS { ?o :code ?u } }`,
    `SELECT ?u { ${UPPER} FILTER NOT EXISTS { ?o :code ?c FILTER(?c = ?u) } }`,
    `SELECT ?u ?o { ${UPPER} OPTIONAL { ?o :code ?u } }`,
    `SELECT ?o { { SELECT (MIN(?u) AS ?c) { ${UPPER} } } ?o :code ?c }`,
    `SELECT ?o { { SELECT (SAMPLE(?u) AS ?c) { ${UPPER} } GROUP BY ?s } ?o :code ?c }`,
    `SELECT ?o { { SELECT (MAX(UCASE(?n)) AS ?c) { ?s :name ?n } GROUP BY ?s } ?o :code ?c }`,
    `SELECT ?o { { SELECT DISTINCT ?u { ${UPPER} } } ?o :code ?u }`,
    `SELECT ?u ?c { { SELECT ?u (COUNT(*) AS ?c) { ${UPPER} } GROUP BY ?u } VALUES ?u { "N10" "N11" "n10" } }`,
    `SELECT ?s ?t { ?s :next ?n BIND(IRI(CONCAT(STR(?n), "")) AS ?t) ?t :code "N8" }`,
    `SELECT DISTINCT ?u ?w { ${REAL} BIND(?r + ?r AS ?w) }`,
    `SELECT DISTINCT ?u { { ${REAL} } UNION { ?s :real ?u } }`,
    `SELECT (COUNT(DISTINCT ?u) AS ?c) (MIN(?u) AS ?m) (SUM(?u) AS ?t) { ${REAL} }`,
    `SELECT ?s ?u { ${UPPER} BIND(CONCAT(?u, "") AS ?v) ?s :code ?v }`,
    `CONSTRUCT { ?s :upper ?u } { ${UPPER} }`,
  ]) {
    const all = { disabledRewrites: ['query-local'] };
    const rows = await sortedAnswer(snapshot, text);
    assert.deepEqual(rows, await sortedAnswer(snapshot, text, all), text);
    assert.ok(rows.length > 0, text);
  }
});

test('only extensions that nothing matches are marked', async () => {
  const snapshot = (await nodes()).snapshot();
  const marks = (text: string): string[] => {
    const opened = openQuery(rewriteQuery(parseQuery(PREFIXES + text), new Set()), snapshot, {});
    const found: string[] = [];
    const look = ({ action, inputs }: typeof opened.plan): void => {
      if (action.kind === 'extend' && action.queryLocal === true) found.push(action.variable);
      for (const input of inputs) look(input);
    };
    look(opened.plan);
    opened.root.close();
    opened.budget.close();
    return found;
  };
  assert.deepEqual(marks(`SELECT ?u ?v { ${UPPER} BIND(LCASE(?u) AS ?v) ?x :code ?v }`), ['u']);
  assert.deepEqual(marks(`SELECT ?s { ${UPPER} FILTER(?u IN ("a", "b")) }`), []);
  assert.deepEqual(marks(`SELECT ?w { ${UPPER} BIND(?u AS ?w) }`), []);
  assert.deepEqual(marks(`DESCRIBE ?w { ?s :name ?n BIND(IRI(?n) AS ?w) }`), []);
});

test('an update writes what it computes as the terms that the store has', async () => {
  const store = await openStore(':memory:');
  await store.update('INSERT DATA { <urn:a> <urn:name> "n1" . <urn:b> <urn:code> "N1" }');
  await store.update('INSERT { ?s <urn:upper> ?u } WHERE { ?s <urn:name> ?n BIND(UCASE(?n) AS ?u) }');
  const found = await store.query('ASK { ?s <urn:upper> "N1" . ?s <urn:upper> ?u . ?o <urn:code> ?u }');
  assert.ok(found.kind === 'ask' && found.value);
  await store.close();
});
