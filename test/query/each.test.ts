/** A query for many rows of terms at once gives what asking it once for each row gives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PreparedQuery, prepareQuery, type QueryResult } from '../../engine/query/query.js';
import { type Term, terms } from '../../engine/rdf/terms.js';
import { readSources } from '../../engine/storage/documents/read-sources.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';

const E = 'http://example.org/';
const DATA = `@prefix : <${E}> .
:a a :C ; :p :b , :c , "x" ; :n 1 ; :label "a"@en .
:b a :C ; :p :c ; :n 2 , 3 ; :bad true .
:c a :D ; :p :a ; :n 2 ; :label "sea"@en , "c" .
_:one a :C ; :p _:two ; :n 5 .
_:two :label "two" .`;

const engine = openMemoryEngine({ now: () => 0 });
const stage = engine.stage({});
const source = { kind: 'bytes', bytes: new TextEncoder().encode(DATA), name: 'data', format: 'turtle' } as const;
stage.assert((await readSources([source], {}, {})).quads);
await stage.commit().durable;
const snapshot = engine.snapshot();

async function nodes(): Promise<Term[]> {
  const result = await prepareQuery('SELECT DISTINCT ?x { { ?x ?p ?o } UNION { ?s ?p ?x } }').execute(snapshot);
  const found: Term[] = [terms.namedNode(`${E}absent`), terms.literal('absent')];
  if (result.kind === 'select') for await (const [term] of result.rows()) found.push(term as Term);
  return found;
}

const text = (term: Term | undefined): string =>
  term === undefined ? '-' : `${term.termType} ${term.value} ${'datatype' in term ? term.datatype.value : ''}`;

async function solutions(result: QueryResult, extra: Readonly<Record<string, Term>>): Promise<string[]> {
  assert.ok(result.kind === 'select');
  const lines: string[] = [];
  for await (const row of result.rows()) {
    const named = new Map(result.variables.map((name, at) => [name, text(row[at])]));
    for (const [name, term] of Object.entries(extra)) named.set(name, text(term));
    lines.push(JSON.stringify([...named].filter(([, value]) => value !== '-').sort()));
  }
  return lines.sort();
}

async function oneByOne(query: PreparedQuery, names: readonly string[], rows: readonly (readonly Term[])[]) {
  const found: string[] = [];
  for (const row of rows) {
    const extra = Object.fromEntries(names.map((name, at) => [name, row[at] as Term]));
    const parameters = Object.fromEntries(Object.entries(extra).filter(([name]) => query.mentioned.includes(name)));
    const result = await query.execute(snapshot, { parameters });
    if (result.kind === 'ask') {
      if (result.value)
        found.push(
          JSON.stringify(
            Object.entries(extra)
              .map(([name, term]) => [name, text(term)])
              .sort(),
          ),
        );
    } else found.push(...(await solutions(result, extra)));
  }
  return found.sort();
}

const SELECTS = [
  'SELECT $this { $this :bad true }',
  'SELECT $this ?value { $this :p ?value FILTER(isLiteral(?value)) }',
  'SELECT ?value { $this :p ?value . ?value :n ?n FILTER(?n > 1) }',
  'SELECT DISTINCT $this { $this :p/:p ?value }',
  'SELECT $this { FILTER NOT EXISTS { $this :label ?l } }',
  'SELECT $this { FILTER(isIRI($this)) }',
  'SELECT $this ?l { { $this :label ?l } UNION { ?x :p $this FILTER EXISTS { $this :n ?l } } }',
  'SELECT $this ?x { { ?x :p ?y FILTER(?y = $this) } UNION { FILTER(BOUND($this) && ISBLANK($this)) } }',
  'SELECT $this ?l { OPTIONAL { $this :label ?l FILTER(LANG(?l) = "en") } FILTER(!BOUND(?l)) }',
  'SELECT $this ?x { ?x a :C OPTIONAL { ?x :p ?y FILTER(?y = $this) } FILTER(BOUND(?y)) }',
  'SELECT $this ?s { $this :n ?n BIND(CONCAT(STR($this), STR(?n)) AS ?s) }',
  'SELECT $this ?t { ?t :p+ $this }',
  'SELECT $this ?n { ?other :n ?n { ?x :n ?n FILTER(?x = $this) } FILTER(?other != $this) } ORDER BY ?n',
  'SELECT $this ?g { GRAPH ?g { $this ?p ?o } }',
  'SELECT ?o { :a :p ?o }',
];
const LEFT_ALONE = [
  'SELECT $this { $this :p ?o } LIMIT 1',
  'SELECT $this (COUNT(?o) AS ?n) { $this :p ?o } GROUP BY $this',
  'SELECT $this ?o { { SELECT $this ?o { $this :p ?o } } }',
  'SELECT $this ?o { $this :p* ?o }',
  'SELECT $this { FILTER EXISTS { $this :p* :c } }',
];
const PREFIX = `PREFIX : <${E}> `;

test('SELECT for all terms of a store, those that stand nowhere included', async () => {
  const rows = (await nodes()).map((term) => [term]);
  for (const one of SELECTS) {
    const query = prepareQuery(PREFIX + one);
    const result = await query.executeEach(snapshot, ['this'], rows);
    assert.ok(result !== null, one);
    const lines: string[] = await solutions(result, {});
    const expected = await oneByOne(query, ['this'], rows);
    assert.deepEqual(lines, expected, one);
    assert.ok(one.includes('GRAPH') || expected.length > 0, one);
  }
});

test('ASK for all pairs of terms gives the pairs for which it is true', async () => {
  const all = await nodes();
  const pairs = all.flatMap((node) => all.map((value) => [node, value]));
  for (const one of [
    'ASK { FILTER(STRLEN(STR($value)) > 3) }',
    'ASK { $this :p $value }',
    'ASK { $this :p ?x FILTER(?x = $value || EXISTS { $value :p ?x }) }',
    'ASK { { $this ?p $value } UNION { FILTER(sameTerm($this, $value)) } }',
  ]) {
    const query = prepareQuery(PREFIX + one);
    const result = await query.executeEach(snapshot, ['this', 'value'], pairs);
    assert.ok(result !== null, one);
    const expected = await oneByOne(query, ['this', 'value'], pairs);
    assert.deepEqual(await solutions(result, {}), expected, one);
    assert.ok(expected.length > 0 && expected.length < pairs.length, one);
  }
});

test('what looks at all solutions together, or begins paths of no length, is asked row by row', async () => {
  const rows = [[terms.namedNode(`${E}a`)]];
  for (const one of LEFT_ALONE) {
    assert.equal(await prepareQuery(PREFIX + one).executeEach(snapshot, ['this'], rows), null, one);
  }
});
