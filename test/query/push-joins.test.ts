/** Joins below OPTIONAL and MINUS: where they go, where they must not, and that no answer shows it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type ExplainNode, explain } from '../../engine/query/query.js';
import { libraryReader } from '../conformance/readers.js';
import { canonical } from './differential/compare.js';
import { memoryEngine, naiveEngine, type Outcome, smallBatchEngine } from './differential/engines.js';
import { PREFIXES, storeOf } from './support.js';

const DATA = `
:a1 a :Big ; :n "n1" , "m1" ; :key :rare , :common ; :knows :a2 , :a3 .
:a2 a :Big ; :n "n2" ; :key :common ; :gone :x ; :knows :a1 .
:a3 a :Big ; :key :rare ; :knows :a3 ; :age 3 .
:a4 a :Big ; :n "n4" ; :key :rare ; :gone :y ; :age 4 .
:a5 :n "n5" ; :key :rare .
:y :n "n1" . :x :key :rare .
:g { :a1 a :Big ; :key :rare ; :n "g1" . :a2 a :Big ; :key :rare . }
:h { :a1 a :Big ; :key :common ; :n "h1" . }
`;

const MOVED: Readonly<Record<string, string>> = {
  'a pattern after OPTIONAL': 'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } ?s :key :rare }',
  'a pattern before a nested OPTIONAL': 'SELECT * { ?s :key :rare { ?s a :Big OPTIONAL { ?s :n ?n } } }',
  'rows of A that come twice': 'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } ?s :knows ?t }',
  'a pattern that only tests': 'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } :a5 :key :rare }',
  'connected through another part': 'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } ?t :key :rare . ?s :knows ?t }',
  'several OPTIONALs': 'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } OPTIONAL { ?s :age ?m } ?s :key :rare }',
  'OPTIONALs and parts in turn':
    'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } ?s :knows ?t OPTIONAL { ?t :n ?m } ?t :key ?k }',
  'past the second OPTIONAL only': 'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } OPTIONAL { ?s :age ?m } ?t :n ?n }',
  'an OPTIONAL of two groups':
    'SELECT * { { ?s a :Big OPTIONAL { ?s :n ?n } } { ?s :key ?k OPTIONAL { ?s :age ?m } } }',
  'a condition that reads A': 'SELECT * { ?s :age ?v OPTIONAL { ?s :n ?n FILTER(?v > 3) } ?s :key :rare }',
  VALUES: 'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } VALUES ?s { :a1 :a3 :a9 } }',
  'UNDEF in VALUES': 'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } VALUES (?s ?t) { (:a1 UNDEF) (UNDEF :a2) } }',
  'a UNION': 'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } { ?s :key :rare } UNION { ?s :gone ?x } }',
  'a subquery':
    'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } { SELECT ?s (COUNT(*) AS ?c) { ?s :knows ?t } GROUP BY ?s } }',
  'a path': 'SELECT * { ?s :age ?v OPTIONAL { ?s :n ?n } ?t :knows+ ?s }',
  'past a BIND that it has nothing to do with':
    'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } BIND(STR(?n) AS ?text) ?s :key :rare }',
  'with the BIND that it waits for': 'SELECT * { ?s :age ?v OPTIONAL { ?s :n ?n } BIND(?v + 1 AS ?w) ?t :age ?w }',
  'past a FILTER of an inner group':
    'SELECT * { { ?s a :Big OPTIONAL { ?s :n ?n } FILTER(!BOUND(?n) || ?n != "n4") } ?s :key :rare }',
  MINUS: 'SELECT * { ?s a :Big MINUS { ?s :gone ?x } ?s :key :rare }',
  'MINUS and OPTIONAL': 'SELECT * { ?s a :Big MINUS { ?s :gone :x } OPTIONAL { ?s :n ?n } ?s :key :rare }',
  'a test after MINUS, without the part after it':
    'SELECT * { ?s a :Big MINUS { ?s :gone :x } ?s :key :rare . ?s :knows ?t }',
  'MINUS that shares nothing': 'SELECT * { ?s a :Big MINUS { ?t :gone ?x } ?s :key :rare }',
  'GRAPH ?g': 'SELECT * { GRAPH ?g { ?s a :Big OPTIONAL { ?s :n ?n } ?s :key :rare } }',
  'GRAPH ?g with MINUS': 'SELECT * { GRAPH ?g { ?s a :Big MINUS { ?s :n ?n } ?s :key :rare } }',
  'inside EXISTS': 'SELECT * { ?t :knows ?s FILTER EXISTS { ?s a :Big OPTIONAL { ?s :n ?n } ?s :key :rare } }',
  'inside EXISTS, asked about what OPTIONAL binds':
    'SELECT * { ?t :n ?n FILTER EXISTS { ?s a :Big OPTIONAL { ?s :n ?n } ?s :knows ?t } }',
  'of a pattern of several, one': 'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } ?s :key :rare . ?y :n ?n }',
};

const KEPT: Readonly<Record<string, string>> = {
  'a variable that only the OPTIONAL has': 'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } ?y :n ?n }',
  'a variable that an earlier OPTIONAL may leave open':
    'SELECT * { { OPTIONAL { ?s :age 3 } OPTIONAL { ?s :n ?n } } ?s :key :rare }',
  'a variable that a UNION leaves open':
    'SELECT * { { ?s a :Big } UNION { ?t :gone ?x } OPTIONAL { ?s :n ?n } ?s :key :rare }',
  'a variable that VALUES leaves open':
    'SELECT * { VALUES (?s ?v) { (:a1 1) (UNDEF 2) } OPTIONAL { ?s :n ?n } ?s :key :rare }',
  'a variable that a BIND may leave open':
    'SELECT * { ?v :age ?w BIND(IRI(?w) AS ?s) OPTIONAL { ?s :n ?n } ?s :key :rare }',
  'a condition that would see it': 'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n FILTER(!BOUND(?v)) } ?s :age ?v }',
  'an EXISTS of the condition that would see it':
    'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n FILTER EXISTS { ?t :key :common } } ?s :knows ?t }',
  'a BIND of what the OPTIONAL has':
    'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } BIND(COALESCE(?n, "n5") AS ?m) ?t :n ?m }',
  'a BIND that MINUS has': 'SELECT * { ?s a :Big MINUS { ?s :age ?v . ?v0 :age ?w } BIND(4 AS ?w) ?t :age ?w }',
  'a FILTER that would see it': 'SELECT * { { ?s a :Big OPTIONAL { ?s :n ?n } FILTER(!BOUND(?t)) } ?s :knows ?t }',
  'MINUS that shares it with the part only': 'SELECT * { ?s a :Big MINUS { ?t :gone :x } ?s :knows ?t }',
  'MINUS that shares one variable with A and one with the part':
    'SELECT * { ?s a :Big MINUS { ?s :knows ?t . ?t :gone :x } ?s :knows ?t }',
  'MINUS and a part that may multiply its rows': 'SELECT * { ?s a :Big MINUS { ?s :gone :x } ?s :knows ?t }',
  'nothing in common': 'SELECT * { ?s :age 3 OPTIONAL { ?s :key ?k } ?t :gone ?x }',
  'a subquery with OPTIONAL': 'SELECT * { { SELECT ?s { ?s a :Big OPTIONAL { ?s :n ?n } } } ?s :key :rare }',
  'GRAPH ?g that A does not read': 'SELECT * { GRAPH ?g { OPTIONAL { ?s :n ?n } ?s :key :rare } }',
};

const naive = naiveEngine();
const engines = [memoryEngine(), smallBatchEngine()];
const quads = await libraryReader.parse(
  new TextEncoder().encode(PREFIXES.replaceAll('PREFIX', '@prefix').replaceAll('>\n', '> .\n') + DATA),
  'trig',
  'http://example.org/',
);
for (const engine of [naive, ...engines]) await engine.fill(quads);
const snapshot = (await storeOf(DATA)).snapshot();

after(async () => {
  for (const engine of engines) await engine.close();
});

async function rowsOf(outcome: Outcome): Promise<string[]> {
  assert.ok(outcome.kind === 'answer', JSON.stringify(outcome));
  return (await canonical(outcome.answer, { byValue: false })).toSorted();
}

async function assertAnswer(query: string): Promise<void> {
  const text = PREFIXES + query;
  const expected = await rowsOf(await naive.query(text));
  for (const engine of engines) {
    for (const disabledRewrites of [[], ['push-joins'], ['normalise-joins'], ['row-by-row']]) {
      const rows = await rowsOf(await engine.query(text, { disabledRewrites }));
      assert.deepEqual(rows, expected, `${engine.name} without ${disabledRewrites}: ${query}`);
    }
  }
}

for (const [name, query] of Object.entries(MOVED)) {
  test(`moved: ${name}`, async () => {
    assert.ok((await explain(snapshot, PREFIXES + query)).rewrites.includes('push-joins'), query);
    await assertAnswer(query);
  });
}

for (const [name, query] of Object.entries(KEPT)) {
  test(`kept where it is: ${name}`, async () => {
    assert.ok(!(await explain(snapshot, PREFIXES + query)).rewrites.includes('push-joins'), query);
    await assertAnswer(query);
  });
}

test('what draws values stays where it is', async () => {
  const volatile = [
    'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n BIND(UUID() AS ?id) } ?s :knows ?t }',
    'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n FILTER(RAND() < 2) } ?s :knows ?t }',
    'SELECT * { ?s a :Big MINUS { ?s :n ?n FILTER(RAND() < 2) } ?s :key :rare }',
    'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } BIND(BNODE() AS ?b) ?s :knows ?t }',
  ];
  for (const query of volatile) {
    assert.ok(!(await explain(snapshot, PREFIXES + query)).rewrites.includes('push-joins'), query);
  }
});

test('a hundred OPTIONALs and parts in turn keep their order and their answer', async () => {
  const links = Array.from({ length: 100 }, (_, at) => `OPTIONAL { ?s :n "x${at}" } ?s :key ?k${at} .`).join('\n');
  const { rewrites } = await explain(snapshot, `${PREFIXES} SELECT ?s { ?s :age 3 . ${links} }`);
  assert.ok(rewrites.includes('push-joins'));
  const rows = await rowsOf(await engines[0]!.query(`${PREFIXES} SELECT ?s { ?s :age 3 . ${links} }`));
  assert.equal(rows.length, 1);
});

function nodesOf(node: ExplainNode): ExplainNode[] {
  return [node, ...node.inputs.flatMap(nodesOf)];
}

test('the other side is asked for the rows that are left', async () => {
  const many = Array.from({ length: 5000 }, (_, at) => `:s${at} a :Big ; :n "n${at}" .`).join('\n');
  const large = (await storeOf(`${many} :s77 :key :rare . :s78 :gone :x .`)).snapshot();
  const queries = [
    'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } ?s :key :rare }',
    'SELECT * { ?s a :Big OPTIONAL { ?s :n ?n } OPTIONAL { ?s :gone ?x } BIND(STR(?n) AS ?m) ?s :key :rare }',
    'SELECT * { ?s a :Big MINUS { ?s :gone ?x } ?s :key :rare }',
  ];
  const rowsWithout = async (query: string, disabledRewrites: readonly string[]): Promise<number> => {
    const { plan } = await explain(large, PREFIXES + query, { analyze: true, disabledRewrites: [...disabledRewrites] });
    return nodesOf(plan).reduce((sum, { actual }) => sum + (actual?.rows ?? 0), 0);
  };
  for (const query of queries) {
    const rows = await rowsWithout(query, []);
    assert.ok(rows < 20, `${rows} rows of ${query}`);
    assert.ok((await rowsWithout(query, ['push-joins', 'row-by-row'])) > 5000, query);
  }
});
