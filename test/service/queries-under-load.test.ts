/**
 * Queries beside writes: each answer is that of one transaction, whoever asks, in whatever thread, and
 * however slowly it is read. Wrong options are refused by name, and nothing is held afterwards.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { memorySlots } from '../../engine/query/runtime/process-memory.js';
import { openStore, type Store, SvcError, terms } from '../../interfaces/library/index.js';

const PREFIX = 'PREFIX : <http://example.org/>\n';
const ITEMS = 40;
const WRITES = 30;

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const held = (): number => memorySlots().reduce((sum, chunks) => sum + chunks, 0);

async function numberOf(store: Store, text: string, options = {}): Promise<string[]> {
  const answer = await store.query(PREFIX + text, options);
  assert.ok(answer.kind === 'select');
  const values: string[] = [];
  for await (const row of answer.rows()) values.push(row.map((term) => term?.value ?? '-').join(' '));
  return values;
}

/** Every item has the same number at any time, so an answer with two numbers has seen two transactions. */
const writeAll = (round: number) =>
  `DELETE { ?s :n ?old } INSERT { ?s :n ${round} } WHERE { ?s a :Item OPTIONAL { ?s :n ?old } }`;

const QUERIES = [
  'SELECT DISTINCT ?n { ?s a :Item ; :n ?n }',
  'SELECT DISTINCT ?n { ?s :next* ?t . ?t :n ?n }',
  'SELECT (MIN(?n) AS ?a) (MAX(?n) AS ?b) (COUNT(*) AS ?c) { ?s :n ?n }',
  'SELECT DISTINCT ?n { ?s a :Thing . { ?s :n ?n } UNION { ?s :next/:n ?n } OPTIONAL { ?s :n ?m } FILTER EXISTS { ?s :n ?n } }',
  'SELECT ?n ?m { ?s :n ?n . ?t :n ?m FILTER(?n != ?m) }',
];

function assertOneTransaction(query: number, rows: readonly string[]): void {
  if (query === 4) assert.deepEqual(rows, []);
  else if (query === 2) {
    const [least, most, count] = (rows[0] as string).split(' ');
    assert.equal(least, most);
    assert.equal(count, String(ITEMS));
  } else assert.equal(rows.length, 1, rows.join(', '));
}

test('each answer is that of one transaction while updates, loads and folds run', async () => {
  const store = await openStore(join(folder, 'load.db'), { readers: 2 });
  const items = Array.from({ length: ITEMS }, (_, at) => `:i${at} a :Item ; :next :i${(at + 1) % ITEMS} .`).join('\n');
  const schema = ':Item <http://www.w3.org/2000/01/rdf-schema#subClassOf> :Thing .';
  await store.update(`${PREFIX}INSERT DATA { ${schema} ${items} }`);
  await store.update(PREFIX + writeAll(0));
  const prepared = await store.prepare(`${PREFIX}SELECT DISTINCT ?n { ?s a ?class ; :n ?n }`);
  let writing = true;
  const write = async () => {
    for (let round = 1; round <= WRITES; round++) {
      await store.update(PREFIX + writeAll(round));
      if (round % 10 === 0) await store.fold();
      if (round % 7 === 0) {
        await store.load({
          text: `<http://example.org/x${round}> <http://example.org/m> ${round} .`,
          format: 'turtle',
        });
      }
    }
    writing = false;
  };
  const read = async (first: number) => {
    for (let query = first; writing; query = (query + 1) % QUERIES.length) {
      assertOneTransaction(query, await numberOf(store, QUERIES[query] as string));
      const text = `SELECT DISTINCT ?n { ?s a :Item ; :n ?n }`;
      let csv = '';
      for await (const bytes of await store.read(PREFIX + text, { format: 'csv' })) csv += Buffer.from(bytes);
      assert.match(csv, /^n\r\n\d+\r\n$/);
      const asked = await prepared.query({ class: terms.namedNode('http://example.org/Item') });
      assert.ok(asked.kind === 'select');
      let rows = 0;
      for await (const _ of asked.rows()) rows++;
      assert.equal(rows, 1);
    }
  };
  await Promise.all([write(), read(0), read(2), read(3)]);
  assert.equal(store.stats().snapshots.open, 0);
  assert.equal(held(), 0);
  // What each transaction left can still be asked for.
  assert.deepEqual(await numberOf(store, QUERIES[0] as string, { tx: 2 }), ['0']);
  await store.close();
});

test('an answer that is read slowly stays what it was', async () => {
  const store = await openStore(join(folder, 'slow.db'));
  const data = Array.from({ length: 9000 }, (_, at) => `:s${at} :p ${at} .`).join('\n');
  await store.update(`${PREFIX}INSERT DATA { ${data} }`);
  const answer = await store.query(`${PREFIX}SELECT ?s ?o { ?s :p ?o }`);
  assert.ok(answer.kind === 'select');
  let rows = 0;
  for await (const _ of answer.rows()) {
    if (rows++ % 3000 === 0)
      await store.update(`${PREFIX}DELETE WHERE { ?s :p ${rows} } ; INSERT DATA { :new :p -${rows} }`);
  }
  assert.equal(rows, 9000);
  await store.close();
});

test('an answer has one reader, and gives everything back whoever leaves it', async () => {
  const store = await openStore(':memory:');
  await store.update(`${PREFIX}INSERT DATA { :a :p 1, 2, 3 }`);
  const ask = async () => {
    const answer = await store.query('SELECT * { ?s ?p ?o . ?t ?q ?r } ORDER BY ?o');
    assert.ok(answer.kind === 'select');
    return answer;
  };
  const twice = await ask();
  twice.rows();
  for (const again of [() => twice.rows(), () => twice.encode('csv')]) {
    assert.throws(again, { code: 'invalid_request', message: /once only/ });
  }
  await assert.rejects(async () => {
    for await (const _ of twice.bindings()) assert.fail('they are read as rows');
  }, /once only/);
  twice.close();
  const left = await ask();
  for await (const _ of left.rows()) break;
  const unread = await ask();
  unread.close();
  assert.equal(store.stats().snapshots.open, 0);
  // Values beyond what every query may hold without asking count for the whole process.
  const values = Array.from({ length: 60_000 }, (_, at) => `"${at}"`).join(' ');
  const large = await store.query(`SELECT * { VALUES ?x { ${values} } } ORDER BY DESC(?x)`);
  assert.ok(large.kind === 'select');
  const rows = large.rows()[Symbol.asyncIterator]();
  await rows.next();
  large.close();
  assert.equal(held(), 0);
  const forgotten = await store.query(`SELECT * { VALUES ?x { ${values} } } ORDER BY DESC(?x)`);
  assert.ok(forgotten.kind === 'select');
  await forgotten.rows()[Symbol.asyncIterator]().next();
  await store.close();
  assert.equal(held(), 0);
});

const WRONG: readonly (readonly [name: string, value: unknown])[] = [
  ['timeoutMs', '5'],
  ['timeoutMs', Number.NaN],
  ['timeoutMs', -1],
  ['timeoutMs', 10n],
  ['memoryBudgetBytes', 0],
  ['memoryBudgetBytes', Symbol('much')],
  ['disabledRewrites', 5],
  ['disabledRewrites', [5]],
  ['baseIri', {}],
  ['parameters', null],
  ['signal', {}],
];

test('wrong texts and options are refused by name, and hold nothing', async () => {
  const store = await openStore(':memory:');
  const query = 'SELECT * { ?s ?p ?o }';
  const refused = async (run: () => Promise<unknown>, name: string) => {
    await assert.rejects(run, (error) => {
      assert.ok(error instanceof SvcError, `${name}: ${String(error)}`);
      assert.equal(error.code, 'invalid_request', error.message);
      assert.ok(error.message.startsWith(name), error.message);
      return true;
    });
  };
  const prepared = await store.prepare(query);
  for (const [name, value] of WRONG) {
    const options = { [name]: value } as never;
    await refused(() => store.query(query, options), name);
    await refused(() => store.read(query, options), name);
    await refused(() => store.explain(query, options), name);
    await refused(() => store.update('CLEAR ALL', options), name);
    await refused(() => store.queryBindings(query, options), name);
    if (name !== 'parameters' && name !== 'baseIri') await refused(() => prepared.query({}, options), name);
  }
  for (const text of [undefined, null, 5, {}, [query], Symbol('text')] as never[]) {
    for (const ask of ['query', 'read', 'explain', 'update', 'prepare', 'queryBindings', 'queryVoid'] as const) {
      await refused(() => store[ask](text), 'the query or update');
    }
  }
  for (const options of [null, 5, 'x', []] as never[]) await refused(() => store.query(query, options), 'the options');
  assert.equal(store.stats().snapshots.open, 0);
  await store.close();
});
