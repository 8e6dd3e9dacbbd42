/** An ASK about nodes, by whichever way, is true where its text with the node in it is; random questions over random facts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AskAbout, openState } from '../../engine/query/about/ask-about.js';
import type { QueryOptions } from '../../engine/query/options.js';
import { PlanCache } from '../../engine/query/plan/cache/plan-cache.js';
import { executeQuery } from '../../engine/query/query.js';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import type { TxId } from '../../engine/storage/ids/layout.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { PastSnapshot } from '../../engine/storage/seam/past-snapshot.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const E = 'http://e/';
const NODES = ['a', 'b', 'c', 'd'].map((name) => E + name);
const VALUES = ['1', '"1"', '2.0', '"x"@en', '"X"@EN', 'true', '"2020-01-01"^^<http://www.w3.org/2001/XMLSchema#date>'];

const place = fc.constantFrom('$target', '$target', '?x', '?y', '<http://e/a>', '<http://e/b>');
const predicate = fc.constantFrom('<http://e/p>', '<http://e/q>', '<http://e/n>', '?z', '$target');
const object = fc.oneof(place, place, fc.constantFrom(...VALUES));
const pattern = fc.tuple(place, predicate, object).map((one) => one.join(' '));
const basic = fc.array(pattern, { minLength: 1, maxLength: 3 }).map((all) => all.join(' . '));
const condition = fc.oneof(
  fc.constantFrom(
    '?x = $target',
    '?y > 1',
    'BOUND(?x)',
    'STRLEN(STR(?y)) < 9',
    '$target IN (<http://e/a>)',
    '!(?x != ?y)',
  ),
  fc.constantFrom('ISIRI(?x) || ?y < 2', 'REGEX(STR($target), "[ab]$")', '"$target" = "$target"', 'LANG(?y) = "en"'),
  fc.tuple(fc.constantFrom('EXISTS', 'NOT EXISTS'), basic).map(([word, inner]) => `${word} { ${inner} }`),
  fc.tuple(basic, pattern).map(([inner, more]) => `NOT EXISTS { ${inner} FILTER EXISTS { ${more} } }`),
);
const graphName = fc.constantFrom(
  '?g',
  '?g',
  '?x',
  '$target',
  '<http://e/g1>',
  '<http://e/g2>',
  '<http://e/none>',
  '<urn:svc:graph:root>',
  '<urn:svc:graph:meta>',
);
const group = fc.oneof(
  basic,
  fc.tuple(basic, condition).map(([inner, filter]) => `${inner} FILTER(${filter})`),
  fc.tuple(basic, condition, condition).map(([inner, ...two]) => `${inner} FILTER(${two[0]} && ${two[1]})`),
  fc.tuple(basic, basic).map((two) => `{ ${two[0]} } UNION { ${two[1]} }`),
  fc.tuple(pattern, basic, condition).map(([first, inner, filter]) => `${first} { ${inner} FILTER(${filter}) }`),
  fc.tuple(basic, pattern).map(([inner, more]) => `${inner} OPTIONAL { ${more} }`),
  fc.tuple(pattern, pattern).map(([inner, more]) => `{ SELECT ?x { ${inner} } LIMIT 1 } ${more}`),
  fc.constantFrom('$target ^<http://e/p> ?x', '', 'FILTER NOT EXISTS { $target ?z ?x }'),
  pattern.map((inner) => `GRAPH ?g { ${inner} }`),
  fc.tuple(graphName, basic).map(([name, inner]) => `GRAPH ${name} { ${inner} }`),
  fc
    .tuple(graphName, pattern, graphName, pattern)
    .map(([g, one, h, two]) => `GRAPH ${g} { ${one} } GRAPH ${h} { ${two} }`),
  fc.tuple(graphName, pattern, pattern).map(([g, one, two]) => `${one} FILTER NOT EXISTS { GRAPH ${g} { ${two} } }`),
  fc
    .tuple(graphName, pattern, pattern)
    .map(([g, one, two]) => `${one} OPTIONAL { GRAPH ${g} { ${two} } } FILTER(BOUND(?g))`),
  fc.tuple(pattern, pattern).map(([one, two]) => `GRAPH ?g { ${one} } MINUS { GRAPH ?g { ${two} } }`),
  fc.tuple(pattern, pattern).map(([one, two]) => `GRAPH ?g { ${one} } FILTER EXISTS { GRAPH ?g { ${two} } }`),
);
const step = fc.constantFrom(
  '<http://e/p>',
  '^<http://e/p>',
  '(<http://e/p>|<http://e/q>)',
  '(<http://e/p>/^<http://e/q>)',
);
const path = fc.oneof(
  fc.tuple(step, fc.constantFrom('*', '+', '?')).map((two) => two.join('')),
  fc.constantFrom(
    '!<http://e/p>+',
    '!(<http://e/p>|^<http://e/q>)*',
    '(<http://e/p>*/<http://e/q>?)+',
    '(<http://e/p>?/<http://e/q>?)*',
  ),
);
const walk = fc.tuple(place, path, object).map((one) => one.join(' '));
const part = fc.oneof(basic, walk);
const value = fc.constantFrom(
  '?y + 1',
  'STR($target)',
  '?x',
  'STRLEN(STR(?x))',
  'IF(BOUND(?y), ?y, "none")',
  '1',
  '"1"',
  '?y',
);
const aggregate = fc.constantFrom(
  'COUNT(*)',
  'COUNT(?x)',
  'COUNT(DISTINCT ?y)',
  'SUM(?y)',
  'MIN(?x)',
  'MAX(?y)',
  'AVG(?y)',
);
const having = fc.constantFrom('?n > 1', '?n = 0', '?n < 2', 'BOUND(?n)', '!BOUND(?n)', '?n = $target');
/** Groups with more in them; what stands beside others sees nothing of them. */
const larger = fc.oneof(
  walk,
  fc.tuple(part, walk).map((two) => two.join(' . ')),
  fc.tuple(part, part).map((two) => `${two[0]} OPTIONAL { ${two[1]} }`),
  fc.tuple(part, part, condition).map(([one, two, if_]) => `${one} OPTIONAL { ${two} FILTER(${if_}) }`),
  fc.tuple(part, part, condition).map(([one, two, if_]) => `${one} OPTIONAL { ${two} } FILTER(${if_})`),
  fc.tuple(part, part, part).map(([one, two, three]) => `${one} OPTIONAL { ${two} } ${three}`),
  fc.tuple(part, part, part).map(([one, two, three]) => `${one} OPTIONAL { ${two} OPTIONAL { ${three} } }`),
  fc.tuple(part, part).map((two) => `${two[0]} MINUS { ${two[1]} }`),
  fc.tuple(part, part, condition).map(([one, two, if_]) => `${one} MINUS { ${two} FILTER(${if_}) }`),
  fc.tuple(part, value, having).map(([one, computed, if_]) => `${one} BIND(${computed} AS ?n) FILTER(${if_})`),
  fc.tuple(part, value, pattern).map(([one, computed, two]) => `${one} BIND(${computed} AS ?w) ${two} . ?w ?v ?w2`),
  fc
    .tuple(part, value, part)
    .map(([one, computed, two]) => `${one} { ${two} BIND(${computed} AS ?n) } FILTER(?n != 2)`),
  fc
    .tuple(part, fc.constantFrom(...VALUES, '<http://e/a>', '<http://e/absent>'))
    .map(([one, two]) => `VALUES ?y { ${two} 1 } ${one}`),
  fc.tuple(part, part).map((two) => `${two[0]} VALUES (?x ?y) { (UNDEF <http://e/b>) (<http://e/a> UNDEF) } ${two[1]}`),
  fc.tuple(aggregate, part, having).map(([n, one, if_]) => `{ SELECT (${n} AS ?n) { ${one} } } FILTER(${if_})`),
  fc
    .tuple(aggregate, part, having, part)
    .map(([n, one, if_, two]) => `${two} { SELECT ?x (${n} AS ?n) { ${one} } GROUP BY ?x } FILTER(${if_})`),
  fc.tuple(aggregate, part).map(([n, one]) => `{ SELECT ?x { ${one} } GROUP BY ?x HAVING(${n} > 1) }`),
  fc
    .tuple(part, having)
    .map(([one, if_]) => `{ SELECT (COUNT(*) AS ?n) { { SELECT DISTINCT ?x { ${one} } } } } FILTER(${if_})`),
  fc.tuple(part, part).map((two) => `${two[0]} { SELECT DISTINCT ?x ?v { ${two[1]} } ORDER BY ?x }`),
);
const facts = fc.array(
  fc.tuple(fc.nat(3), fc.constantFrom('p', 'q', 'n'), fc.oneof(fc.nat(3), fc.constantFrom(...VALUES)), fc.nat(2)),
  { maxLength: 14 },
);
const GRAPHS = ['', `${E}g1`, `${E}g2`];
const SCOPES: readonly QueryOptions[] = [
  {},
  { scope: { defaultGraphs: [`${E}g1`, 'urn:svc:graph:root'] } },
  { scope: { defaultGraphs: [`${E}none`] } },
];

const updateOf = (rows: readonly (readonly [number, string, number | string, number])[]): string =>
  rows
    .map(([s, p, o, g]) => {
      const triple = `<${NODES[s]}> <${E}${p}> ${typeof o === 'number' ? `<${NODES[o]}>` : o} .`;
      return GRAPHS[g] === '' ? triple : `GRAPH <${GRAPHS[g]}> { ${triple} }`;
    })
    .join('\n');

async function quadsOf(rows: Parameters<typeof updateOf>[0]): Promise<readonly Quad[]> {
  const { readDocument } = await import('../../engine/rdf/formats/reader.js');
  const text = updateOf(rows).replaceAll('GRAPH ', '');
  return readDocument(text, { format: 'trig', sourceName: 'facts', blankNode: () => terms.blankNode('b') });
}

async function agree(snapshot: StorageSnapshot, bodies: readonly string[]): Promise<void> {
  for (const options of SCOPES) {
    const state = openState(snapshot, options);
    try {
      for (const body of bodies) {
        const textOf = (iri: string): string => `ASK { ${body} }`.replaceAll('$target', () => `<${iri}>`);
        const nodes = [...NODES, `${E}absent`];
        const expected: boolean[] = [];
        for (const node of nodes) {
          const answer = await executeQuery(snapshot, textOf(node), options);
          expected.push(answer.kind === 'ask' && answer.value);
        }
        const about = `${body} in ${JSON.stringify(options)}`;
        assert.deepEqual(await new AskAbout(textOf).holds(nodes, state), expected, about);
        assert.deepEqual(await new AskAbout(textOf).holds([NODES[0] as string], state), expected.slice(0, 1), about);
      }
    } finally {
      state.close();
    }
  }
}

for (const [kind, open] of [
  ['memory', async () => openMemoryEngine()],
  ['LMDB', () => openLmdbEngine(folder.fresh())],
] as const) {
  test(`a question about nodes is answered as its text is: ${kind}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        facts,
        facts,
        fc.array(fc.oneof(group, larger), { minLength: 4, maxLength: 8 }),
        async (there, staged, bodies) => {
          const engine: StorageEngine = await open();
          const first = engine.stage({});
          first.assert(await quadsOf(there));
          await first.commit().durable;
          // What is judged stands on a stage.
          const stage = engine.stage({});
          stage.retract((await quadsOf(there)).slice(0, 3));
          stage.assert(await quadsOf(staged));
          const snapshot = stage.snapshot();
          try {
            await agree(snapshot, bodies);
            snapshot.close();
            await stage.commit().durable;
            const newest = engine.snapshot();
            await agree(new PastSnapshot(newest, 1 as TxId), bodies);
            newest.close();
          } finally {
            await engine.close();
          }
        },
      ),
      { numRuns: Number(process.env.SVC_ABOUT ?? 25) },
    );
  });
}

test('a node with many rows, and a question about many of them', async () => {
  const engine = openMemoryEngine();
  const stage = engine.stage({});
  const node = (name: string | number) => terms.namedNode(E + name);
  stage.assert(
    Array.from({ length: 2000 }, (_, at) => terms.quad(node('hub'), node('p'), node(at))).concat(
      Array.from({ length: 2000 }, (_, at) => terms.quad(node(at), node('q'), node(at % 7))),
    ),
  );
  await stage.commit().durable;
  const snapshot = engine.snapshot();
  const state = openState(snapshot, {});
  const ask = async (body: string, nodes: readonly string[]) =>
    new AskAbout((iri) => `ASK { ${body} }`.replaceAll('$target', () => `<${iri}>`)).holds(
      nodes.map((name) => E + name),
      state,
    );
  try {
    assert.deepEqual(await ask('$target <http://e/p> <http://e/1999>', ['hub', '5']), [true, false]);
    assert.deepEqual(await ask('$target <http://e/p> <http://e/none>', ['hub']), [false]);
    // More work than lookups are for: planned.
    assert.deepEqual(await ask('$target <http://e/p> ?x . ?x <http://e/q> <http://e/hub>', ['hub', '5']), [
      false,
      false,
    ]);
    assert.deepEqual(await ask('?x <http://e/q> $target', ['6', '7', 'hub']), [true, false, false]);
  } finally {
    state.close();
    snapshot.close();
    await engine.close();
  }
});

test('what lookups answer is not planned; what they would take long for is, once that is known', async () => {
  const engine = openMemoryEngine();
  const stage = engine.stage({});
  const node = (name: string | number) => terms.namedNode(E + name);
  const chain = Array.from({ length: 1000 }, (_, at) => terms.quad(node(at), node('p'), node(at + 1)));
  stage.assert([...chain, terms.quad(node('a'), node('p'), node('b'))]);
  await stage.commit().durable;
  const snapshot = engine.snapshot();
  const plans = new PlanCache();
  const state = openState(snapshot, { plans });
  const query = (body: string) => new AskAbout((iri) => `ASK { ${body} }`.replaceAll('$target', () => `<${iri}>`));
  try {
    for (const body of [
      '$target <http://e/p>+ <http://e/b>',
      '$target <http://e/p>* ?x FILTER NOT EXISTS { ?x <http://e/p> ?y }',
      '$target <http://e/p> ?x OPTIONAL { ?x <http://e/p> ?y } FILTER(!BOUND(?y))',
      '{ SELECT (COUNT(?x) AS ?n) { $target <http://e/p> ?x } } FILTER(?n = 1)',
      '$target <http://e/p> ?x BIND(STR(?x) AS ?y) FILTER(STRENDS(?y, "b"))',
      'VALUES ?x { <http://e/b> } $target <http://e/p> ?x MINUS { ?x <http://e/p> ?y }',
    ]) {
      assert.deepEqual(await query(body).holds([`${E}a`, `${E}990`], state), [true, /\* \?x|COUNT/.test(body)], body);
      assert.equal(plans.counters.misses, 0, body);
    }
    const far = query('$target <http://e/p>+ <http://e/1000>');
    for (let at = 0; at < 30; at++) assert.deepEqual(await far.holds([`${E}${at}`], state), [true]);
    // One plan serves all of them.
    assert.deepEqual([plans.counters.misses, plans.counters.hits], [1, 29]);
    assert.deepEqual(await far.holds([`${E}990`, `${E}a`, `${E}3`], state), [true, false, true]);
  } finally {
    state.close();
    snapshot.close();
    await engine.close();
  }
});
