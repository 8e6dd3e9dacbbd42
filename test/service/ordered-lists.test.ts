/** Lists in the order of names: entities with their facts, and triple pattern fragments, held to plain sorting. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listEntities } from '../../engine/service/facts/cord.js';
import { readFacts, readFactsOfEach } from '../../engine/service/facts/entity-facts.js';
import { ROOT_ID } from '../../engine/storage/ids/layout.js';
import { ROOT_ONLY } from '../../engine/storage/seam/rows.js';
import { CURRENT } from '../../engine/storage/seam/scan.js';
import { openStore, type Store, terms } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { body, document, type Json, run } from './reads-support.js';
import { EX, knot, onBothStores, quad, T } from './time-support.js';

const folder = new StoreFolder();

/** Names that are prefixes of others, go on below and above the bracket of N-Triples, or lie beyond the first plane. */
const NAMES = ['a', 'a/b', 'a/b#c', 'a-b', 'a1', 'a10', 'aZ', 'a?x', 'az', 'b', 'é', '\u{10400}', '\uffee', 'A'];

/**
 * Entities whose names come in every way in which ids are given: two loads that overlap, small
 * transactions before and after a fold, blank nodes, other schemes; and some that are gone again.
 */
async function fill(store: Store): Promise<void> {
  const some = (names: readonly string[], more = '') =>
    names.map((name) => `<${EX}${name}> ex:p "${name}"${more} .`).join(' ');
  await knot(store, `${some(NAMES.slice(0, 6))} _:n1 ex:p 1 ; a ex:T . <urn:z> a ex:T ; ex:p 1 . <Urn:a> ex:q ex:b .`);
  await store.transact({ assert: [quad('a/b#d', 'p', 7)] }, { timestamp: T(1) });
  await store.fold();
  await knot(
    store,
    `${some(NAMES.slice(4), ', "again"')} <${EX}a> a ex:T ; ex:q ex:b . <${EX}gone> ex:p 1 . [] a ex:T .`,
  );
  await store.transact({ assert: [quad('a/', 'q', 'b')] }, { timestamp: T(2) });
  await store.transact({ assert: [quad('0', 'p', 9)] }, { timestamp: T(3) });
  await store.retract(`${EX}gone`, { timestamp: T(4) });
}

async function linesOf(store: Store): Promise<string[]> {
  const { text } = await document(store, 'export', { format: 'ntriples' }, 'document');
  return text.split('\n').slice(0, -1);
}

const compareCodePoints = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const subjectOf = (line: string) => (line.split(' ')[0] as string).replace(/^<(.*)>$/, '$1');

async function pages(store: Store, request: Json, limit: number): Promise<Json[]> {
  const all: Json[] = [];
  for (let offset = 0; ; offset += limit) {
    const page = await body(store, 'cord', { ...request, limit, offset });
    assert.equal(page.count, page.entities.length);
    all.push(...page.entities);
    if (!page.truncated) return all;
    assert.equal(page.count, limit);
  }
}

onBothStores('cord: every entity once, in the order of IRIs, in pages of any size', async (store) => {
  assert.deepEqual(await body(store, 'cord', {}), { entities: [], count: 0, truncated: false });
  await fill(store);
  const lines = await linesOf(store);
  const iris = [...new Set(lines.map(subjectOf))].sort(compareCodePoints);
  for (const limit of [1, 3, 100]) {
    const entities = await pages(store, {}, limit);
    assert.deepEqual(
      entities.map(({ iri }) => iri),
      iris,
    );
    assert.equal(entities.flatMap(({ facts }) => facts).length, lines.length);
  }
  const filtered = (...needles: string[]) =>
    iris.filter((iri) =>
      needles.every((needle) => lines.some((line) => subjectOf(line) === iri && line.includes(needle))),
    );
  const type = { type: `${EX}T` };
  const p = { predicate: `${EX}p` };
  const names = async (request: Json) => (await pages(store, request, 2)).map(({ iri }) => iri);
  assert.deepEqual(await names(type), filtered(`<${EX}T>`));
  assert.deepEqual(await names(p), filtered(` <${EX}p> `));
  assert.deepEqual(await names({ ...type, ...p }), filtered(` <${EX}p> `, `<${EX}T>`));
  assert.deepEqual(await names({ type: `${EX}None` }), []);
  assert.deepEqual(await names({ predicate: `${EX}none` }), []);
});

onBothStores('cord: facts by predicate and value; a known example; what is refused', async (store) => {
  await knot(store, 'ex:alice a ex:Person ; ex:age 30 ; ex:name "Al", "al"@en, "http://x" . ex:bob ex:age 31 .');
  assert.deepEqual(await body(store, 'cord', { type: `${EX}Person`, limit: 2 }), {
    entities: [
      {
        iri: `${EX}alice`,
        facts: [
          { predicate: `${EX}age`, value: 30 },
          { predicate: `${EX}name`, value: 'Al' },
          { predicate: `${EX}name`, value: { value: 'al', lang: 'en' } },
          { predicate: `${EX}name`, value: { value: 'http://x', datatype: 'http://www.w3.org/2001/XMLSchema#string' } },
          { predicate: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type', value: `${EX}Person` },
        ],
      },
    ],
    count: 1,
    truncated: false,
  });
  assert.equal((await body(store, 'cord', { limit: 0 })).count, 1, 'a limit out of its range is clamped');
  await assert.rejects(run(store, 'cord', { limit: 1.5 }), /'limit' is 1.5; expected an integer/);
  await assert.rejects(run(store, 'cord', { offset: -1 }), /'offset' is -1/);
  await assert.rejects(run(store, 'cord', { type: 'a/Person' }), /a\/Person.* is relative/);
});

test('cord: a page reads a part of a class, not all of it', async () => {
  const store = await openStore(folder.fresh());
  const texts = Array.from({ length: 20_000 }, (_, at) => `<${EX}e${at}> a <${EX}T> ; <${EX}p> ${at} .`);
  await store.load({ text: texts.join('\n'), format: 'turtle' });
  const { listEntities } = await import('../../engine/service/facts/cord.js');
  const snapshot = store.snapshot();
  await listEntities(snapshot.storage, { type: `${EX}T`, limit: 5 });
  assert.ok(snapshot.storage.counters.termsDecoded < 300, `${snapshot.storage.counters.termsDecoded} terms`);
  assert.ok(snapshot.storage.counters.rowsScanned < 20_000, `${snapshot.storage.counters.rowsScanned} rows`);
  snapshot.close();
  await store.close();
});

test('cord: an entity with more facts than a list shows says so', async () => {
  const store = await openStore(':memory:');
  const values = Array.from({ length: 1001 }, (_, at) => at).join(', ');
  await knot(store, `ex:hub ex:p ${values} .`);
  const [hub] = (await body(store, 'cord', {})).entities;
  assert.deepEqual([hub.facts.length, hub.facts_truncated], [1000, true]);
  await store.close();
});

onBothStores('fragments: pages of every pattern are the sorted N-Triples lines, with exact totals', async (store) => {
  await fill(store);
  const lines = await linesOf(store);
  const shown = ({ subject, predicate, object }: Json) => [subject, predicate, object] as unknown;
  const whole = await body(store, 'fragments', { pageSize: 1000 });
  assert.equal(whole.totalCount, lines.length);
  const { text } = await document(store, 'fragments', { pageSize: 1000, base_url: 'http://h' }, 'ntriples');
  assert.deepEqual(text.split('\n').slice(0, lines.length), lines, 'the order of N-Triples');
  const patterns: [Json, (triple: Json) => boolean][] = [
    [{}, () => true],
    [{ subject: `${EX}a` }, ({ subject }) => subject === `${EX}a`],
    [{ predicate: `${EX}p` }, ({ predicate }) => predicate === `${EX}p`],
    [{ object: `${EX}b` }, ({ object }) => object === `${EX}b`],
    [
      { object: `<${EX}T>`, predicate: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type' },
      ({ object }) => object === `${EX}T`,
    ],
    [{ object: 'again' }, ({ object }) => object === 'again'],
    [{ object: '"a1"' }, ({ object }) => object === 'a1'],
    [{ object: '"1"^^<http://www.w3.org/2001/XMLSchema#integer>' }, ({ object }) => object === 1],
    [{ subject: `${EX}a1`, predicate: `${EX}p` }, ({ subject }) => subject === `${EX}a1`],
    [
      { subject: `${EX}a`, predicate: `${EX}p`, object: 'a' },
      ({ subject, object }) => subject === `${EX}a` && object === 'a',
    ],
    [{ subject: `${EX}unknown` }, () => false],
    [{ predicate: '_:x' }, () => false],
  ];
  for (const [pattern, matches] of patterns) {
    const expected = whole.triples.filter(matches).map(shown);
    for (const pageSize of [1, 4, 1000]) {
      const found: unknown[] = [];
      for (let page = 1; ; page++) {
        const answer = await body(store, 'fragments', { ...pattern, page, pageSize });
        assert.deepEqual([answer.totalCount, answer.page, answer.pageSize], [expected.length, page, pageSize]);
        found.push(...answer.triples.map(shown));
        assert.equal(answer.controls.previous === undefined, page === 1);
        if (answer.controls.next === undefined) break;
        assert.equal(answer.triples.length, pageSize);
      }
      assert.deepEqual(found, expected, JSON.stringify(pattern));
    }
  }
  const blank = lines.map(subjectOf).find((subject) => subject.startsWith('_:')) as string;
  const ofBlank = await body(store, 'fragments', { subject: blank });
  assert.ok(ofBlank.totalCount > 0 && ofBlank.triples.every(({ subject }: Json) => subject === blank));
});

onBothStores('fragments: controls, documents, a page past the end, and what is refused', async (store) => {
  await knot(store, 'ex:a ex:age 1, 2 . ex:b ex:age 3, "a \\"b\\""@en . ex:c ex:age 5 .');
  const age = `${EX}age`;
  const first = await body(store, 'fragments', { predicate: age, page: 1, pageSize: 2 });
  assert.deepEqual(first, {
    triples: [
      { subject: `${EX}a`, predicate: age, object: 1 },
      { subject: `${EX}a`, predicate: age, object: 2 },
    ],
    totalCount: 5,
    page: 1,
    pageSize: 2,
    controls: { next: '/fragments?predicate=http%3A%2F%2Fexample.org%2Fage&page=2&pageSize=2' },
  });
  const quoted = await body(store, 'fragments', { object: '"a \\"b\\""@EN', page: 3, pageSize: 5000 });
  assert.deepEqual(quoted, {
    triples: [],
    totalCount: 1,
    page: 3,
    pageSize: 1000,
    controls: { previous: '/fragments?object=%22a%20%5C%22b%5C%22%22%40EN&page=2&pageSize=1000' },
  });
  const turtle = await document(
    store,
    'fragments',
    { predicate: age, page: 2, pageSize: 2, base_url: 'http://h/' },
    'turtle',
  );
  assert.equal(turtle.mediaType, 'text/turtle; charset=utf-8');
  const url = (page: number) => `<http://h/fragments?predicate=http%3A%2F%2Fexample.org%2Fage&page=${page}&pageSize=2>`;
  assert.ok(turtle.text.includes(`${url(2)} void:triples "5"`), turtle.text);
  for (const part of [`hydra:next ${url(3)}`, `hydra:previous ${url(1)}`, 'hydra:totalItems "5"', '"3"^^']) {
    assert.ok(turtle.text.includes(part), part);
  }
  const two = await openStore(':memory:');
  await two.load({ text: turtle.text, format: 'turtle' });
  assert.equal(two.stats().factsCurrent, 2 + 4);
  await two.close();
  for (const bad of [{ page: 0 }, { pageSize: 0 }, { page: 1.5 }, { page: 'x' }, { subject: 'a' }, { object: '<a>' }]) {
    await assert.rejects(run(store, 'fragments', bad), { code: 'invalid_request' }, JSON.stringify(bad));
  }
});

onBothStores(
  'facts of many subjects by one probe are those of each by a scan, cut at the same place',
  async (store) => {
    await fill(store);
    await store.update(`DELETE WHERE { <${EX}a1> <${EX}p> "a1" } ; INSERT DATA { <${EX}a2> <${EX}p> 5, 6, 7, "x" }`);
    const snapshot = store.snapshot();
    const { storage } = snapshot;
    const subjects = [...new Set((await linesOf(store)).map(subjectOf))].map((text) => {
      const id = storage.encode(text.startsWith('_:') ? terms.blankNode(text.slice(2)) : terms.namedNode(text));
      assert.ok(id !== null, text);
      return id;
    });
    subjects.reverse();
    let cuts = 0;
    for (const time of [CURRENT, { kind: 'asOf', tx: 1 } as const]) {
      for (const factsMax of [1, 3, Number.POSITIVE_INFINITY]) {
        const scope = { graphs: ROOT_ONLY, time };
        const alone = subjects.map((subject) => readFacts(storage, { graph: ROOT_ID, time, subject }, factsMax));
        assert.deepEqual(readFactsOfEach(storage, scope, subjects, factsMax), alone);
        cuts += alone.filter(({ cut }) => cut).length;
      }
    }
    assert.ok(cuts > 0, 'some were cut');
    assert.deepEqual(readFactsOfEach(storage, { graphs: ROOT_ONLY, time: CURRENT }, []), []);
    snapshot.close();
  },
);

test('cord: a page opens no scan for each of its entities', async () => {
  const store = await openStore(folder.fresh());
  const text = Array.from({ length: 500 }, (_, n) => `<${EX}e${n}> <${EX}p> "${n}" .\n`).join('');
  await store.load({ text, format: 'ntriples' });
  const snapshot = store.snapshot();
  const opened = { scans: 0, probes: 0 };
  const counting = new Proxy(snapshot.storage, {
    get: (target, name) => {
      if (name === 'scan') opened.scans++;
      if (name === 'probe') opened.probes++;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const { entities } = await listEntities(counting, { limit: 200 });
  assert.equal(entities.length, 200);
  assert.ok(opened.scans <= 10 && opened.probes >= 1 && opened.probes <= 10, JSON.stringify(opened));
  snapshot.close();
  await store.close();
});
