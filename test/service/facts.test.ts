/** Facts over time beyond the worked examples: values, guards, lists, replacement, repair, contradictions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { termToString } from '../../engine/rdf/canonical/lines.js';
import { parseValueText } from '../../engine/service/facts/value-text.js';
import { toValue } from '../../engine/service/facts/values.js';
import { producerBoundary } from '../../engine/service/writes/replace-snapshot.js';
import { type Store, terms, type ValueInput } from '../../interfaces/library/index.js';
import { EX, ex, factsAt, historyOf, knot, LABEL, onBothStores, quad, T, trace } from './time-support.js';

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const invalid = { code: 'invalid_request' };

test('values: every form, as the term that is stored', () => {
  const cases: [ValueInput, string][] = [
    ['text', '"text"'],
    ['http://example.org/a', '"http://example.org/a"'],
    [{ iri: 'http://example.org/a' }, '<http://example.org/a>'],
    [{ iri: '_:d0123456789abcdef-x' }, '_:d0123456789abcdef-x'],
    [{ str: '' }, '""'],
    [{ int: 42 }, `"42"^^<${XSD}integer>`],
    [{ int: -1n }, `"-1"^^<${XSD}integer>`],
    [{ float: 1.5 }, `"1.5"^^<${XSD}double>`],
    [{ float: 2 }, `"2.0"^^<${XSD}double>`],
    [{ float: -0 }, `"-0.0"^^<${XSD}double>`],
    [{ float: 1e21 }, `"1e+21"^^<${XSD}double>`],
    [{ bool: true }, `"true"^^<${XSD}boolean>`],
    [{ value: 'chat', lang: 'FR' }, '"chat"@FR'],
    [{ value: 'x', lang: 'ar', direction: 'rtl' }, '"x"@ar--rtl'],
    [{ value: '2026-01-01', datatype: `${XSD}date` }, `"2026-01-01"^^<${XSD}date>`],
    [{ value: 'abc', datatype: `${XSD}integer` }, `"abc"^^<${XSD}integer>`],
    [ex('a'), `<${EX}a>`],
    [terms.literal('x', 'en'), '"x"@en'],
    [terms.literal('01', terms.namedNode(`${XSD}integer`)), `"01"^^<${XSD}integer>`],
  ];
  for (const [input, text] of cases) assert.equal(termToString(toValue(input).term), text);
  const digits = '123456789012345678901234567890';
  assert.equal(termToString(toValue(parseValueText(`{"int": ${digits}}`)).term), `"${digits}"^^<${XSD}integer>`);
});

test('values: no form, several forms and malformed parts are refused', () => {
  const bad: unknown[] = [
    undefined,
    null,
    42,
    true,
    [],
    ['a'],
    {},
    { iri: 'relative' },
    { iri: 'http://e/a b' },
    { iri: '_:' },
    { iri: 5 },
    { str: 5 },
    { int: 1.5 },
    { int: '1' },
    { int: 2 ** 53 },
    { float: 'x' },
    { float: Number.NaN },
    { float: Number.POSITIVE_INFINITY },
    { bool: 1 },
    { value: 'x' },
    { value: 5, lang: 'en' },
    { value: 'x', lang: '' },
    { value: 'x', lang: 'not a tag' },
    { value: 'x', datatype: 'relative' },
    { value: 'x', datatype: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString' },
    { value: 'x', lang: 'en', datatype: `${XSD}string` },
    { str: 'x', iri: 'http://e/a' },
    { str: 'x', extra: 1 },
    { value: String.fromCharCode(0xd800), lang: 'en' },
    terms.defaultGraph(),
  ];
  for (const input of bad) assert.throws(() => toValue(input), invalid, JSON.stringify(input));
  for (const text of ['', 'hello', '{', '{"int": 01}']) assert.throws(() => parseValueText(text), invalid, text);
});

async function counts(written: Promise<{ tx: number; retracted: number; asserted: number }>): Promise<number[]> {
  const { tx, retracted, asserted } = await written;
  return [tx, retracted, asserted];
}

onBothStores('set: every row of its table', async (store) => {
  await knot(store, 'ex:s ex:p 1, 2, 3 . ex:o ex:q ex:s .', { timestamp: T(1) });
  const set = (value: ValueInput, predicate = 'p') => counts(store.set(`${EX}s`, `${EX}${predicate}`, value));
  assert.deepEqual(await set({ int: 9 }), [2, 3, 1]);
  assert.deepEqual(await set({ int: 9 }), [0, 0, 0]);
  assert.deepEqual(await set({ value: '09', datatype: `${XSD}integer` }), [3, 1, 1], 'another lexical form');
  assert.deepEqual(await set('first', 'new'), [4, 0, 1]);
  assert.deepEqual(await set({ value: 'first', lang: 'en' }, 'new'), [5, 1, 1]);
  assert.deepEqual(await set({ value: 'first', lang: 'EN' }, 'new'), [0, 0, 0]);
  assert.deepEqual(await counts(store.set(ex('o'), ex('q'), ex('b'))), [6, 1, 1]);
  await assert.rejects(store.set(`${EX}unknown`, `${EX}p`, 'x'), {
    code: 'not_found_in_store',
    message: `entity not found: ${EX}unknown`,
  });
  await store.retract(`${EX}o`);
  assert.deepEqual(await counts(store.set(`${EX}o`, `${EX}q`, { int: 1 })), [8, 0, 1], 'a closed row is enough');
  assert.deepEqual(await counts(store.set(`${EX}b`, `${EX}q`, { int: 1 })), [9, 0, 1], 'so is to be an object');
  for (const [entity, predicate] of [
    ['relative', `${EX}p`],
    [`${EX}s`, 'relative'],
    [`${EX}s`, '_:b'],
    [5, `${EX}p`],
    ['_: ', `${EX}p`],
  ]) {
    await assert.rejects(store.set(entity as string, predicate as string, 'x'), invalid);
  }
});

onBothStores('set and retract: the guard of bare strings', async (store) => {
  const text = `ex:s ex:refs ex:a ; ex:mixed ex:a, "text" ; ex:numbers 1 ; ex:tagged ex:a, "x"@en .`;
  await knot(store, text);
  const set = (predicate: string, value: ValueInput) => store.set(`${EX}s`, `${EX}${predicate}`, value);
  const retract = (predicate: string, value: ValueInput) =>
    store.retract(`${EX}s`, { predicate: `${EX}${predicate}`, value });
  for (const [predicate, value] of [
    ['refs', 'plain'],
    ['refs', `${EX}a`],
    ['none', `${EX}a`],
    ['none', 'mailto:a@b'],
    ['tagged', 'y'],
  ] as const) {
    await assert.rejects(set(predicate, value), invalid, `${predicate} ${value}`);
    await assert.rejects(retract(predicate, value), invalid, `${predicate} ${value}`);
  }
  assert.equal((await retract('mixed', `${EX}a`)).retracted, 0, 'a string literal makes it silent');
  assert.equal((await retract('numbers', `${EX}a`)).retracted, 0);
  assert.equal((await retract('none', 'no colon here')).retracted, 0);
  assert.equal((await retract('none', 'a: b')).retracted, 0, 'white space is in no IRI');
  assert.equal((await retract('refs', { str: 'plain' })).retracted, 0, 'stated on purpose');
  assert.equal((await retract('refs', { iri: `${EX}none` })).retracted, 0);
  assert.equal((await retract('mixed', 'text')).retracted, 1, 'it matched');
  assert.equal((await set('mixed', { str: `${EX}a` })).asserted, 1);
  await assert.rejects(store.retract(`${EX}unknown`, { value: `${EX}a` }), invalid, 'also of what is unknown');
});

onBothStores('retract: by predicate, by value, all; what is unknown is nothing; ROOT only', async (store) => {
  await knot(store, 'ex:s ex:p 1, 2 ; ex:q 1, ex:o . ex:t ex:p 1 . ex:g { ex:s ex:p 1 }', { timestamp: T(1) });
  const retracted = async (name: string, options = {}) => (await store.retract(`${EX}${name}`, options)).retracted;
  assert.equal(await retracted('unknown'), 0);
  assert.equal(await retracted('s', { predicate: `${EX}unknown` }), 0);
  assert.equal(await retracted('s', { predicate: `${EX}p`, value: { int: 3 } }), 0);
  assert.equal(store.transactions().length, 1);
  assert.equal(await retracted('s', { value: { int: 1 } }), 2, 'under every predicate');
  assert.equal(await retracted('s', { predicate: `${EX}p` }), 1);
  assert.equal(await retracted('s'), 1);
  assert.equal(await retracted('s'), 0);
  assert.deepEqual(factsAt(store), ['ex:t ex:p 1']);
  assert.equal(store.stats().quadsCurrent, 2);
  assert.deepEqual(
    store.transactions({ since: 1 }).map(({ source }) => source),
    ['retract', 'retract', 'retract'],
  );
});

onBothStores('retract: the last type of an entity that keeps other facts', async (store) => {
  await knot(store, 'ex:s a ex:C, ex:D ; ex:p 1 . ex:only a ex:C . ex:g { ex:s ex:p 2 }');
  const by = (options: object, name = 's') => store.retract(`${EX}${name}`, options);
  const before = await trace(store);
  await assert.rejects(by({ predicate: TYPE }), invalid);
  assert.deepEqual(await trace(store), before);
  assert.equal((await by({ predicate: TYPE, value: { iri: `${EX}C` } })).retracted, 1, 'one of two');
  await assert.rejects(by({ predicate: TYPE, value: { iri: `${EX}D` } }), invalid);
  await assert.rejects(by({ value: { iri: `${EX}D` } }), invalid);
  assert.equal((await by({ predicate: `${EX}p` })).retracted, 1);
  assert.equal((await by({ predicate: TYPE })).retracted, 1, 'no other facts in ROOT');
  assert.equal((await by({ predicate: TYPE }, 'only')).retracted, 1);
  await knot(store, 'ex:s a ex:C ; ex:p 1 .');
  assert.equal((await by({ predicate: TYPE, allowOrphan: true })).retracted, 1);
  await knot(store, 'ex:s a ex:C ; ex:p 1 .');
  assert.equal((await by({})).retracted, 2, 'the whole entity');
});

onBothStores('history: order, pages, graphs, entities that are not there', async (store) => {
  await knot(store, 'ex:a ex:q 2, 1 ; ex:p ex:b . ex:g { ex:a ex:p 5 }', { timestamp: T(1) });
  await store.transact(
    { retract: [quad('a', 'q', 1), quad('a', 'p', 'b')], assert: [quad('a', 'o', 7)] },
    { timestamp: T(2) },
  );
  const all = [
    'assert ex:p ex:b tx1 [T1,T2)',
    'assert ex:q 1 tx1 [T1,T2)',
    'assert ex:q 2 tx1 [T1,)',
    'assert ex:o 7 tx2 [T2,)',
    'retract ex:p ex:b tx2 [T1,)',
    'retract ex:q 1 tx2 [T1,)',
  ];
  assert.deepEqual(await historyOf(store, 'a'), all);
  assert.deepEqual(await historyOf(store, 'a', { limit: 2, offset: 1 }), all.slice(1, 3));
  const { truncated } = await store.history(`${EX}a`, { limit: 5 });
  assert.deepEqual([truncated, (await store.history(`${EX}a`, { limit: 6 })).truncated], [true, false]);
  assert.deepEqual(await historyOf(store, 'a', { graph: `${EX}g` }), ['assert ex:p 5 tx1 [T1,)']);
  assert.deepEqual(await historyOf(store, 'b'), [], 'known as an object');
  await assert.rejects(store.history(`${EX}none`), {
    code: 'not_found_in_store',
    message: `entity not found: ${EX}none`,
  });
  await assert.rejects(store.history(`${EX}b`, { graph: `${EX}g` }), { code: 'not_found_in_store' });
  await assert.rejects(store.history(`${EX}a`, { graph: `${EX}none` }), { code: 'not_found_in_store' });
  await assert.rejects(store.history(`${EX}a`, { graph: 'relative' }), invalid);
  await assert.rejects(store.history('relative'), invalid);
  await assert.rejects(store.history(`${EX}a`, { limit: -1 }), invalid);
  await assert.rejects(store.history(`${EX}a`, { offset: 0.5 }), invalid);
  await store.transact({ retract: [quad('a', 'p', 5, 'g')] }, { timestamp: T(3) });
  const gone = ['assert ex:p 5 tx1 [T1,T3)', 'retract ex:p 5 tx3 [T1,)'];
  assert.deepEqual(await historyOf(store, 'a', { graph: `${EX}g` }), gone, 'a graph that has only history');
});

onBothStores('unravel: order, times as known then, pages', async (store) => {
  await knot(store, 'ex:b ex:p 2, 1 . ex:a ex:q 1 ; ex:p ex:o . ex:g { ex:a ex:p 9 }', { timestamp: T(1) });
  await store.set(`${EX}a`, `${EX}q`, { int: 2 }, { timestamp: T(4) });
  const lines = async (options: Parameters<Store['unravel']>[0]) => {
    const { facts, truncated } = await store.unravel(options);
    const shown = facts.map(({ entity, predicate, value, validFrom, validTo, tx }) =>
      [entity, predicate, value]
        .map(({ value: text }) => text.replace(EX, ''))
        .concat(validFrom.slice(5, 7), validTo?.slice(5, 7) ?? '-', `tx${tx}`)
        .join(' '),
    );
    return truncated ? [...shown, '...'] : shown;
  };
  const first = ['a p o 01 - tx1', 'a q 1 01 - tx1', 'b p 1 01 - tx1', 'b p 2 01 - tx1'];
  assert.deepEqual(await lines({ tx: 1 }), first);
  assert.deepEqual(await lines({ tx: 2 }), [first[0], 'a q 2 04 - tx2', first[2], first[3]]);
  assert.deepEqual(
    await lines({ validAt: T(2) }),
    [first[0], 'a q 1 01 04 tx1', first[2], first[3]],
    'the end is known now',
  );
  assert.deepEqual(await lines({ tx: 1, validAt: T(6) }), first, 'and was not then');
  assert.deepEqual(await lines({ tx: 1, limit: 2, offset: 1 }), [first[1], first[2], '...']);
  assert.deepEqual(await lines({ tx: 1, offset: 3 }), [first[3]]);
  assert.deepEqual(await lines({ tx: 1, offset: 9 }), []);
  assert.deepEqual(await lines({ tx: 0 }), []);
  await assert.rejects(store.unravel({}), invalid);
});

onBothStores('contradictions: closed ones, empty intervals, several pairs in order, pages of ROOT', async (store) => {
  const fact = (value: number) => quad('n', 'p', value);
  await store.transact({ assert: [fact(1)] }, { timestamp: T(1) });
  await store.transact({ assert: [fact(2)] }, { timestamp: T(1), validFrom: T(3) });
  await store.transact({ assert: [fact(3)] }, { timestamp: T(5) });
  await store.transact({ retract: [fact(3)] }, { timestamp: T(2) });
  await store.transact({ retract: [fact(1)] }, { timestamp: T(6) });
  await store.transact({ assert: [fact(1)] }, { timestamp: T(7) });
  const pairs = await store.detectContradictions(`${EX}n`, `${EX}p`);
  assert.deepEqual(
    pairs.map(({ facts }) => facts.map(({ value, tx }) => `${value.value} tx${tx}`).join(' / ')),
    ['1 tx1 / 2 tx2', '2 tx2 / 1 tx6'],
  );
  assert.deepEqual(await store.detectContradictions(`${EX}none`, `${EX}p`), []);
  await knot(store, 'ex:m ex:p "a", "a"@en ; ex:q 1 .');
  const found = new Map<string, number>();
  for await (const { entity } of store.contradictions({ allPredicates: true }))
    found.set(entity.value, (found.get(entity.value) ?? 0) + 1);
  assert.deepEqual([found.get(`${EX}n`), found.get(`${EX}m`), found.size], [2, 1, 2]);
  const aborted = store.contradictions({ allPredicates: true }, { signal: AbortSignal.abort() });
  await assert.rejects(aborted.next(), { code: 'aborted' });
});

test('producer boundaries', () => {
  const cases: Record<string, string> = {
    'snapshot:code:r': 'snapshot:code:r',
    'snapshot:code:r:a': 'snapshot:code:r',
    'snapshot:code:r:a:b': 'snapshot:code:r',
    'snapshot:code:rr:a': 'snapshot:code:rr',
    'snapshot:code:': 'snapshot:code:',
    'snapshot:code::a': 'snapshot:code::a',
    'snapshot:inv': 'snapshot:inv',
    'snapshot:inv:a': 'snapshot:inv:a',
    'code:r:a': 'code:r:a',
    'episode:code:r:a': 'episode:code:r:a',
  };
  for (const [source, boundary] of Object.entries(cases)) assert.equal(producerBoundary(source), boundary);
});

const key = (snapshotKey: string, more = {}) => ({ snapshotKey, replaceSnapshot: true, ...more });

onBothStores('replacement: owners, graphs, blank nodes, empty payloads', async (store) => {
  await knot(store, 'ex:a ex:p 1 .', { source: 'ops', timestamp: T(1) });
  const first = await knot(
    store,
    'ex:a ex:p 1, 2 . _:x ex:p [ ex:q 3 ] .',
    key('k', { timestamp: T(2), source: 'ignored' }),
  );
  assert.deepEqual([first.quadsRead, first.quadsAdded, first.quadsRetracted], [4, 3, 0]);
  const again = await knot(store, 'ex:a ex:p 1, 2 . _:x ex:p [ ex:q 3 ] .', key('k', { timestamp: T(3) }));
  assert.deepEqual(
    [again.tx, again.quadsAdded, again.quadsRetracted],
    [3, 0, 0],
    'the same nodes; the transaction is written',
  );
  const plain = await knot(store, 'ex:a ex:p 1, 2 . _:x ex:p [ ex:q 3 ] .', { snapshotKey: 'k' });
  assert.equal(plain.quadsAdded, 0, 'a load under the key has the same nodes too');
  await knot(store, 'ex:a ex:p 7 .', key('k', { graph: `${EX}g` }));
  assert.equal(store.stats().factsCurrent, 4, 'another graph is another scope');
  await knot(store, 'ex:a ex:p 8 .', key('other'));
  const empty = await knot(store, '', key('k', { timestamp: T(6) }));
  assert.deepEqual([empty.quadsRead, empty.quadsRetracted], [0, 3]);
  assert.deepEqual(factsAt(store), ['ex:a ex:p 1', 'ex:a ex:p 8'], 'what ops asserted first is of ops');
  assert.equal(store.stats().quadsCurrent, 3);
  const sources = new Set(store.transactions().map(({ source }) => source));
  assert.deepEqual([...sources].sort(), [null, 'ops', 'snapshot:k', 'snapshot:other'].sort());
});

onBothStores('replacement: a malformed payload or key changes nothing', async (store) => {
  await knot(store, 'ex:a ex:p 1 .', key('k'));
  const before = await trace(store);
  await assert.rejects(knot(store, 'ex:a ex:p 2 . this is wrong', key('k')), { code: 'parse_error' });
  await assert.rejects(knot(store, 'ex:a ex:p 2 .', { replaceSnapshot: true }), invalid);
  await assert.rejects(knot(store, 'ex:a ex:p 2 .', key('  ')), invalid);
  await assert.rejects(knot(store, 'ex:a ex:p 2 .', key('k', { signal: AbortSignal.abort() })), { code: 'aborted' });
  assert.deepEqual(await trace(store), before);
});

onBothStores('replacement: labels', async (store) => {
  const labels = () => {
    const snapshot = store.snapshot();
    const found = [...snapshot.dataset().match(null, terms.namedNode(LABEL))].map(
      (one) => `${one.subject.value.slice(EX.length)} ${one.object.value}`,
    );
    snapshot.close();
    return found.sort().join(', ');
  };
  await knot(store, 'ex:b rdfs:label "b"@en, "b"@de . ex:c rdfs:label "c" . ex:d rdfs:label "d" .', key('k'));
  await knot(store, 'ex:s ex:p ex:b, ex:d . ex:d rdfs:label "D" . ex:g { ex:s ex:p ex:c }', { source: 'ops' });
  await knot(store, '', key('k'));
  assert.equal(labels(), 'b b, b b, d D', 'both of b; c is mentioned elsewhere only; d has another label');
  await knot(store, 'ex:e rdfs:label "e" .', key('k'));
  await knot(store, 'ex:e ex:q 1 .', { source: 'ops' });
  await knot(store, '', key('k'));
  assert.equal(labels(), 'b b, b b, d D, e e', 'mentioned as a subject');
  await knot(store, 'ex:e ex:r 1 .', key('k'));
  assert.equal(labels(), 'b b, b b, d D', 'e is there again, without its label');
});

onBothStores('replacement builds on writes that are not durable yet', async (store) => {
  const posts = [1, 2, 3, 4, 5].map((value) => knot(store, `ex:a ex:p ${value} . ex:b${value} ex:p 1 .`, key('k')));
  const results = await Promise.all(posts);
  assert.deepEqual(
    results.map(({ tx, quadsAdded, quadsRetracted }) => [tx, quadsAdded, quadsRetracted]),
    results.map((_, at) => [at + 1, 2, at === 0 ? 0 : 2]),
  );
  assert.deepEqual(factsAt(store), ['ex:a ex:p 5', 'ex:b5 ex:p 1']);
});

onBothStores('repair: exact sources, graphs, samples, what is refused', async (store) => {
  const many = Array.from({ length: 30 }, (_, at) => `ex:s${at} ex:p ${at} .`).join('\n');
  await knot(store, many, { source: 'run' });
  await knot(store, 'ex:x ex:p 1 .', { source: 'run ' });
  await knot(store, 'ex:g { ex:s ex:p 1, 2 }', { source: 'run' });
  const plan = await store.retractSource('run', { repair: 'r', expect: 30 });
  assert.deepEqual([plan.planned, plan.entities, plan.sample.length, plan.sampleTruncated], [30, 30, 20, true]);
  assert.deepEqual(
    plan.sample.slice(0, 4).map(({ entity }) => entity.value.slice(EX.length)),
    ['s0', 's10', 's11', 's12'],
    'as N-Triples: the end of an IRI sorts after digits',
  );
  assert.deepEqual([plan.graph, plan.repairSource], ['urn:svc:graph:root', 'repair:r']);
  const before = await trace(store);
  for (const options of [
    { repair: '' },
    { repair: ' \t' },
    {},
    { repair: 5 },
    { repair: 'r', expect: 29 },
    { repair: 'r', expect: -1 },
  ]) {
    await assert.rejects(store.retractSource('run', options as { repair: string }), invalid, JSON.stringify(options));
  }
  await assert.rejects(store.retractSource('run', { repair: 'r', graph: `${EX}none` }), { code: 'not_found_in_store' });
  await assert.rejects(store.retractSource(undefined as never, { repair: 'r' }), invalid);
  assert.deepEqual(await trace(store), before);
  const inGraph = await store.retractSource('run', { repair: 'r', apply: true, graph: `${EX}g` });
  assert.deepEqual([inGraph.retracted, inGraph.entities, inGraph.remaining], [2, 1, 0]);
  assert.equal((await store.retractSource('run', { repair: 'r' })).planned, 30);
  assert.equal((await store.retractSource('none', { repair: 'r', apply: true })).tx, 0);
});
