/**
 * Who may read some graphs writes these, and nothing that comes of it tells of others: whatever is asked to be written, the
 * answer and what can be read afterwards are those of a store that holds the readable graphs alone, up to transactions.
 * Nothing of the other graphs changes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayRead, type Principal } from '../../engine/base/principal.js';
import { ReadRules } from '../../engine/governance/read-rules.js';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import type { OpenOptions, Store } from '../../interfaces/library/index.js';
import { answersOf, SEEN } from './answers.js';
import { EX, ROOT, random, V } from './histories.js';
import { alone, difference, pair, RULES, steady } from './stores.js';

const configuration = parseConfiguration('', 'none');
const OPTIONS: OpenOptions = { features: ['reactive-reasoner'] };
const SEEDS = Number(process.env.SVC_READ_RULES_SEEDS ?? 1);
const WRITES = 60;

/** What holds for every writer: by it some of the writes are refused. */
const SHAPES = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <${EX}> .
  ex:Shape a sh:NodeShape ; sh:targetSubjectsOf ex:p2 ; sh:property [ sh:path ex:p2 ; sh:maxCount 2 ; sh:class ex:T1 ] .`;

type Pick = (below: number) => number;
type Asked = readonly [operation: string, request: object];

/** Graphs that may be read or may not, that are there or are not. */
const GRAPHS = [V.one, V.two, V.one, V.two, `${EX}aa/1`, `${EX}aa/0`, `${EX}nowhere`, V.over, V.cover];

/** One write of every kind, of few terms. */
function write(pick: Pick, at: number): Asked {
  const timestamp = new Date(Date.UTC(2030, 0, 1 + at)).toISOString();
  const some = <One>(list: readonly One[]): One => list[pick(list.length)] as One;
  const node = (): string => `<${EX}n${pick(8)}>`;
  const triple = (): string => `${node()} <${EX}p${pick(3)}> ${pick(2) === 0 ? node() : `"${pick(5)}"`} .`;
  const graph = some(GRAPHS);
  const [from, to] = [some(GRAPHS), some(GRAPHS)];
  const updates = [
    () => `INSERT DATA { GRAPH <${graph}> { ${triple()} } }`,
    () => `INSERT DATA { ${triple()} }`,
    () => `DELETE DATA { GRAPH <${graph}> { ${triple()} } }`,
    () => `DELETE WHERE { GRAPH ?g { ${node()} ?p ?o } }`,
    () => `DELETE { GRAPH ?g { ?s ?p ?o } } WHERE { GRAPH ?g { ?s ?p ?o } GRAPH ?h { ?o ?q ${node()} } }`,
    () => `INSERT { GRAPH <${graph}> { ?s <${EX}p0> ?n } } WHERE { GRAPH ?g { ?s ?p ?x } BIND(STR(?g) AS ?n) }`,
    () =>
      `INSERT { GRAPH <${V.one}> { ?s <${EX}p1> ?n } } WHERE { { SELECT ?s (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?s } }`,
    () => `WITH <${graph}> DELETE { ?s ?p ?o } INSERT { ?o <${EX}p0> ?s } WHERE { ?s ?p ?o FILTER(isIRI(?o)) }`,
    () => `DELETE { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(?o = "1") }`,
    () => `INSERT DATA { GRAPH <${V.one}> { ${triple()} } } ; INSERT DATA { GRAPH <${graph}> { ${triple()} } }`,
    () => some(['CLEAR NAMED', 'CLEAR ALL', 'DROP NAMED', 'DROP ALL', 'CLEAR DEFAULT']),
    () => `${some(['DROP', 'CLEAR', 'CREATE'])} ${some(['SILENT ', ''])}GRAPH <${graph}>`,
    () => `${some(['COPY', 'MOVE', 'ADD'])} ${some(['SILENT ', ''])}GRAPH <${from}> TO GRAPH <${to}>`,
    () => `${some(['COPY', 'MOVE', 'ADD'])} GRAPH <${from}> TO DEFAULT`,
  ];
  const target = { graph, timestamp };
  const writes: readonly (() => Asked)[] = [
    ...updates.map((update) => (): Asked => ['update', { update: update(), timestamp }]),
    () => ['knot', { turtle: `${triple()}\n${triple()}`, ...target }],
    () => [
      'knot',
      { turtle: triple(), timestamp, ...(pick(2) === 0 ? { snapshot: 'k', replace_snapshot: true } : {}) },
    ],
    () => ['knot', { turtle: triple(), graph: V.two, snapshot: 'k', replace_snapshot: true, timestamp }],
    () => ['set', { entity: `${EX}n${pick(8)}`, predicate: `${EX}p${pick(3)}`, value: `${pick(5)}`, timestamp }],
    () => ['retract', { entity: `${EX}n${pick(8)}`, predicate: `${EX}p${pick(3)}`, timestamp }],
    () => [
      'retract_source',
      { source: some(['test', 'snapshot:k', 'aa:x']), repair: 'r', graph, apply: pick(2) === 0, timestamp },
    ],
    () => ['graph_create', target],
    () => ['graph_replace', { turtle: triple(), ...target }],
    () => ['graph_merge', { turtle: `${triple()}\n${triple()}`, ...target }],
    () => ['graph_delete', target],
    () => ['overlay_create', { overlay: some([`${EX}open/new`, graph]), parent_branch: some(GRAPHS), timestamp }],
    () => [
      'overlay_write',
      {
        overlay: some([V.over, V.over, graph]),
        op: some(['assert', 'tombstone', 'retract']),
        subject: `${EX}n${pick(8)}`,
        predicate: `${EX}p0`,
        object: 'x',
        timestamp,
      },
    ],
    () => ['episode', { name: `e${pick(2)}`, nodes: [{ name: `apple ${pick(3)}`, type: 'T1' }], graph, timestamp }],
    () => ['episode', { name: `e${pick(2)}`, nodes: [{ name: `apple ${pick(3)}`, type: 'T1' }], timestamp }],
    () => ['episodes_complete', { name: `e${pick(2)}`, episode_body: `b${pick(3)}`, timestamp }],
    () => ['retract_episode', { episode: `e${pick(2)}`, timestamp }],
  ];
  return some(writes)();
}

const operations = new Map(OPERATIONS.map((operation) => [operation.name, operation]));

async function answer(store: Store, [name, request]: Asked, principal: Principal): Promise<string> {
  const operation = operations.get(name);
  assert.ok(operation !== undefined && SEEN[name] === 'written', name);
  const [text = ''] = await answersOf(store, configuration, { operation, request, principal });
  return steady(text).replaceAll(/"tx_id":[1-9]\d*|\(tx \d+\)/g, '"tx_id":N');
}

/** All that can be read, and how it came to be so. */
async function readable(store: Store, principal: Principal): Promise<string> {
  const operation = operations.get('read');
  assert.ok(operation !== undefined);
  const queries = [
    'SELECT ?g ?s ?p ?o { GRAPH ?g { ?s ?p ?o } }',
    `SELECT ?s ?p ?o FROM <${ROOT}> { ?s ?p ?o }`,
    ...[V.one, V.two, V.over, V.cover].map(
      (graph) => `SELECT ?s ?p ?o FROM <${graph}#inferred> FROM <${graph}> { ?s ?p ?o }`,
    ),
    'SELECT ?g { GRAPH ?g {} }',
  ];
  const texts: string[] = [];
  for (const query of queries) {
    const [text = ''] = await answersOf(store, configuration, { operation, request: { query }, principal });
    const found = text.startsWith('body {') ? (JSON.parse(text.slice(5)) as { rows?: unknown[] }).rows : undefined;
    texts.push(
      found === undefined
        ? text
        : found
            .map((row) => JSON.stringify(row))
            .sort()
            .join('\n'),
    );
  }
  return texts.join('\n--\n');
}

/** What stands in graphs that may not be read. */
async function hidden(store: Store, principal: Principal): Promise<string[]> {
  const lines: string[] = [];
  const snapshot = store.snapshot();
  try {
    for await (const batch of snapshot.quads()) {
      for (const { subject, predicate, object, graph } of batch) {
        const iri = graph.termType === 'DefaultGraph' ? ROOT : graph.value;
        if (iri.startsWith('urn:svc:') && iri !== ROOT) continue;
        if (!mayRead(principal, iri)) lines.push(JSON.stringify([subject, predicate, object, iri]));
      }
    }
  } finally {
    snapshot.close();
  }
  return lines.sort();
}

for (const [name, rules] of Object.entries(RULES)) {
  test(`writes tell of no other graph: ${name}`, async (t) => {
    const principal = new ReadRules(rules).principal(null);
    const root = name === 'ROOT as well';
    for (let seed = 11; seed < 11 + SEEDS; seed++) {
      const [one, other] = await pair(seed, root, [':memory:', ':memory:'], OPTIONS);
      const only = await alone(seed, root, ':memory:', OPTIONS);
      t.after(() => Promise.all([one, other, only].map((store) => store.close())));
      for (const store of [one, other, only])
        await store.loadShapes('law', SHAPES, { timestamp: '2029-01-01T00:00:00Z' });
      const before = await hidden(one, principal);
      const pick = random(seed * 7);
      let [written, refused] = [0, 0];
      for (let at = 0; at < WRITES; at++) {
        const asked = write(pick, at);
        const said = await answer(one, asked, principal);
        for (const [what, store] of Object.entries({ other, only })) {
          // The name of an overlay over what may not be read is taken, which the refusal tells (docs/governance.md).
          if (store === only && JSON.stringify(asked).includes(V.cover)) continue;
          const there = await answer(store, asked, principal);
          const message = `${what}: ${JSON.stringify(asked)} (seed ${seed}, write ${at}): ${difference(said, there)}`;
          assert.equal(said, there, message);
        }
        if (said.startsWith('body error')) refused++;
        else written++;
        if (at % 10 < 9) continue;
        const here = await readable(one, principal);
        for (const store of [other, only]) {
          const there = await readable(store, principal);
          assert.equal(here, there, `seed ${seed}, write ${at}: ${difference(here, there)}`);
        }
      }
      assert.deepEqual(await hidden(one, principal), before, 'nothing of the other graphs changes');
      assert.ok(before.length > 10);
      assert.ok(written > 10 && refused > 5, `${written} written, ${refused} refused`);
    }
  });
}
