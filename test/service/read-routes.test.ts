/** Exact counts, the program's version, the routes of reading operations, and the scopes of an export. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { answerOperation } from '../../engine/service/operations/definition/answer-operation.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { body, configuration, document, openThreaded, operationOf, run, textOf } from './reads-support.js';
import { EX, knot, onBothStores, ROOT, T } from './time-support.js';

const counts = ({ facts, entities, predicates }: Record<string, number>) => [facts, entities, predicates];

onBothStores('stats: facts, entities and predicates of ROOT are exact whatever came and went', async (store) => {
  assert.deepEqual(counts(await body(store, 'stats', {})), [0, 0, 0]);
  await knot(store, 'ex:a ex:p 1 . ex:b ex:p 2 . ex:g { ex:z ex:other 1 }', { timestamp: T(1) });
  assert.deepEqual(counts(await body(store, 'stats', {})), [2, 2, 1]);
  // The same entities again from another load: no run knows of all of them.
  await knot(store, 'ex:a ex:q 3 . ex:b ex:q 4 .', { timestamp: T(2) });
  await store.set(`${EX}a`, `${EX}r`, { int: 5 }, { timestamp: T(3) });
  assert.deepEqual(counts(await body(store, 'stats', {})), [5, 2, 3]);
  await store.retract(`${EX}a`, { predicate: `${EX}r`, timestamp: T(4) });
  await store.retract(`${EX}b`, { timestamp: T(4) });
  assert.deepEqual(counts(await body(store, 'stats', {})), [2, 1, 2]);
});

test('version: the commit that was built, and every declared feature', async () => {
  const store = await openThreaded();
  const answer = await body(store, 'version', {});
  assert.match(answer.git_sha, /^[0-9a-f]{40}$/);
  assert.equal(execFileSync('git', ['cat-file', '-t', answer.git_sha], { encoding: 'utf8' }).trim(), 'commit');
  assert.equal(typeof answer.git_dirty, 'boolean');
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.equal(answer.version, version);
  assert.deepEqual(Object.keys(answer.features), [
    'shacl',
    'owl',
    'reactive-reasoner',
    'remote',
    'server',
    'onnx',
    'ann',
  ]);
  await store.close();
});

test('routes: no two operations claim the same method and path', () => {
  const routes = OPERATIONS.flatMap(({ name, projections }) =>
    (projections.http ?? []).map((route) => ({ name, route })),
  );
  const keys = routes.map(({ route }) => `${route.method} ${route.path}`);
  assert.equal(new Set(keys).size, keys.length);
  for (const { name, route } of routes) {
    const forms = operationOf(name).representations.map((form) => form.name);
    if (route.representation !== undefined) assert.ok(forms.includes(route.representation), `${name} ${route.path}`);
  }
});

const EPISODES = `
  @prefix base: <http://svc.local/ontology/> . @prefix prov: <http://www.w3.org/ns/prov#> .
  ex:e1 base:groupId "infra" ; prov:value "one" . ex:e2 base:groupId "other" .
  ex:kota prov:wasGeneratedBy ex:e1, ex:e2 ; ex:p 1 . ex:app prov:wasGeneratedBy ex:e1 . ex:lone ex:p 2 .
  ex:far prov:wasGeneratedBy ex:e2 .`;

onBothStores(
  'export: scopes are exclusive, each with its triples, sorted, counted, without repetition',
  async (store) => {
    await knot(store, `${EPISODES} ex:g { ex:z ex:p 1, 01 }`, { timestamp: T(1) });
    const nt = async (request: object) => {
      const answer = await document(store, 'export', { format: 'ntriples', ...request }, 'document');
      assert.equal(answer.mediaType, 'application/n-triples; charset=utf-8');
      const lines = answer.text.split('\n').slice(0, -1);
      assert.deepEqual(lines, [...new Set(lines)].sort());
      assert.equal(answer.notes.entries, lines.length);
      return lines.map((line) => line.replaceAll(EX, '').split(' ')[0]);
    };
    assert.equal((await nt({})).length, 9);
    assert.equal((await nt({ graph: ROOT })).length, 9);
    assert.deepEqual(await nt({ graph: `${EX}g` }), ['<z>', '<z>']);
    assert.deepEqual(await nt({ group_id: 'infra' }), ['<app>', '<e1>', '<e1>', '<kota>', '<kota>', '<kota>']);
    assert.deepEqual(await nt({ group_id: 'nobody' }), []);
    assert.deepEqual(await nt({ construct: `DESCRIBE <${EX}lone>` }), ['<lone>']);
    assert.deepEqual(await nt({ construct: `CONSTRUCT { ?s a <${EX}T> } WHERE { ?s <${EX}p> ?o }` }), [
      '<kota>',
      '<lone>',
    ]);

    const turtle = await document(store, 'export', { graph: `${EX}g` }, 'document');
    assert.equal(turtle.mediaType, 'text/turtle; charset=utf-8');
    assert.match(turtle.text, /^<http:\/\/example\.org\/z> <http:\/\/example\.org\/p> "01"\^\^/);
    const asBody = await body(store, 'export', { graph: `${EX}g`, format: 'ntriples' });
    assert.deepEqual([asBody.triples, asBody.format, asBody.graph], [2, 'ntriples', `${EX}g`]);
  },
);

onBothStores('export: what is refused, before a byte is written', async (store) => {
  await knot(store, 'ex:a ex:p 1 . ex:g { ex:b ex:p 1 }');
  await once(store.deleteGraph(`${EX}g`), 'end');
  const refused = (request: object, message: RegExp) =>
    assert.rejects(run(store, 'export', request, 'document'), (error: Error & { httpStatus?: number }) => {
      assert.match(error.message, message);
      return error.httpStatus === 400;
    });
  await refused({ graph: `${EX}none` }, /unknown graph: http:\/\/example\.org\/none/);
  await refused({ graph: 'urn:svc:dataset:frozen' }, /unknown graph/);
  await refused({ graph: ROOT, group_id: 'g' }, /only one of graph, group_id, construct/);
  await refused({ group_id: 'g', construct: 'ASK {}' }, /only one of/);
  await refused({ construct: 'SELECT * {}' }, /form SELECT; expected CONSTRUCT or DESCRIBE/);
  await refused({ construct: 'ASK {}' }, /form ASK/);
  await refused({ construct: 'CONSTRUCT {' }, /./);
  for (const format of ['jsonld', 'rdfxml', 'trig', 'nquads', 'n3', 5]) await refused({ format }, /field 'format'/);
  // A graph that held something once is known, and empty.
  assert.equal((await document(store, 'export', { graph: `${EX}g` }, 'document')).text, '');
  assert.equal(store.stats().snapshots.open, 0);
});

test('export in a reader thread: the same bytes, and a refusal before the head', async () => {
  const store = await openThreaded();
  await store.load({ text: '<http://e/b> <http://e/p> 1 . <http://e/a> <http://e/p> "x" .', format: 'turtle' });
  const context = { store, configuration, control: {}, documents: [], representation: 'document' };
  const answer = await answerOperation(operationOf('export'), { format: 'ntriples' }, context);
  assert.deepEqual([answer.mediaType, answer.notes], ['application/n-triples; charset=utf-8', { entries: 2 }]);
  assert.match(await textOf(answer), /^<http:\/\/e\/a> <http:\/\/e\/p> "x" \.\n<http:\/\/e\/b>/);
  await assert.rejects(answerOperation(operationOf('export'), { graph: 'http://e/none' }, context), {
    code: 'not_found_in_store',
  });
  await store.close();
});
