/** Entities as JSON-LD, Turtle and pages, and preview cards: lossless, escaped, at any moment, and not found by name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOperation } from '../../engine/service/operations/definition/answer-operation.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { body, configuration, document, openThreaded, operationOf, run, textOf } from './reads-support.js';
import { EX, knot, onBothStores, T } from './time-support.js';

const ALICE = { iri: `${EX}alice` };
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const PERSON = `ex:alice a ex:Person ; rdfs:label "Alice" ; ex:age 30 ; ex:knows ex:bob ; ex:motto "salut"@fr ;
  ex:born "1990-01-01"^^xsd:date . ex:bob ex:knows ex:alice .`;

onBothStores('an entity as JSON-LD: the worked example, and expanded', async (store) => {
  await knot(store, PERSON);
  assert.deepEqual(await body(store, 'entity', ALICE), {
    '@context': {
      age: `${EX}age`,
      born: `${EX}born`,
      knows: { '@id': `${EX}knows`, '@type': '@id' },
      motto: `${EX}motto`,
      label: 'http://www.w3.org/2000/01/rdf-schema#label',
    },
    '@id': `${EX}alice`,
    '@type': [`${EX}Person`],
    age: 30,
    born: { '@value': '1990-01-01', '@type': `${XSD}date` },
    knows: [{ '@id': `${EX}bob` }],
    motto: { '@value': 'salut', '@language': 'fr' },
    label: 'Alice',
  });
  const expanded = await document(store, 'entity', { ...ALICE, expanded: true }, 'jsonld');
  assert.equal(expanded.mediaType, 'application/ld+json');
  assert.deepEqual(JSON.parse(expanded.text), {
    '@id': `${EX}alice`,
    '@type': [`${EX}Person`],
    [`${EX}age`]: [{ '@value': 30, '@type': `${XSD}integer` }],
    [`${EX}born`]: [{ '@value': '1990-01-01', '@type': `${XSD}date` }],
    [`${EX}knows`]: [{ '@id': `${EX}bob` }],
    [`${EX}motto`]: [{ '@value': 'salut', '@language': 'fr' }],
    'http://www.w3.org/2000/01/rdf-schema#label': [{ '@value': 'Alice' }],
  });
});

/** Everything that could be lost: lexical forms, long numbers, clashes of names, mixed values, odd predicates, `__proto__`. */
const ODD = `ex:alice a ex:A, ex:B ; ex:n 1, 01, -0, 9007199254740993, 123456789012345678901234567890 ;
  ex:d 1.50, 1.0e0, 1.5e0, "INF"^^xsd:double ; ex:b true, "1"^^xsd:boolean ; ex:bad "abc"^^xsd:integer ;
  ex:s "a", "http://x", "_:x", "", "line\\n\\t\\"q\\" </script>" ; ex:mixed ex:bob, "bob", _:b ;
  ex:__proto__ 1 ; ex:constructor "c" ; <http://other.example/s> "clash" ; <http://example.org/a/> 1 ;
  <http://example.org/1> 2 ; ex:lang "x"@en, "x"@de-AT ; ex:one "1"@fr ; <urn:p> 1 .`;

async function reloaded(text: string, format: 'jsonld' | 'turtle'): Promise<string> {
  const store = await openStore(':memory:');
  await store.load({ text, format }, { blankNodeScope: 'store' });
  const { text: lines } = await document(store, 'export', { format: 'ntriples' }, 'document');
  await store.close();
  return lines;
}

onBothStores('nothing is lost: JSON-LD, expanded JSON-LD and Turtle load as the same triples', async (store) => {
  await knot(store, ODD);
  const { text: lines } = await document(store, 'export', { format: 'ntriples' }, 'document');
  assert.equal(lines.split('\n').length - 1, 31);
  for (const request of [ALICE, { ...ALICE, expanded: true }]) {
    assert.equal(await reloaded((await document(store, 'entity', request, 'jsonld')).text, 'jsonld'), lines);
  }
  const turtle = await document(store, 'entity', ALICE, 'turtle');
  assert.equal(turtle.mediaType, 'text/turtle; charset=utf-8');
  assert.equal(await reloaded(turtle.text, 'turtle'), lines);
  const compact = await body(store, 'entity', ALICE);
  assert.ok(!('s' in compact) && compact['http://other.example/s'] === 'clash', 'a clash keeps both IRIs');
});

onBothStores('entities of a past moment, blank nodes, those that are only named, and unknown ones', async (store) => {
  await knot(store, 'ex:h ex:cores 4 ; ex:at ex:rack . _:b ex:p 1 .', { timestamp: T(1), validFrom: T(1) });
  await store.set(`${EX}h`, `${EX}cores`, { int: 8 }, { timestamp: T(4) });
  const h = { iri: `${EX}h` };
  assert.equal((await body(store, 'entity', h)).cores, 8);
  assert.equal((await body(store, 'entity', { ...h, valid_at: T(2) })).cores, 4);
  assert.equal((await body(store, 'entity', { ...h, tx: 1 })).cores, 4);
  assert.match(
    (await document(store, 'entity', { ...h, valid_at: T(2) }, 'html')).text,
    /As it was: what held at 2026-02-01/,
  );
  assert.deepEqual(await body(store, 'entity', { iri: `${EX}rack` }), { '@context': {}, '@id': `${EX}rack` });
  const { subject } = (await body(store, 'fragments', { predicate: `${EX}p` })).triples[0];
  assert.equal((await body(store, 'entity', { iri: subject })).p, 1);
  const missing = [{ iri: `${EX}none` }, { iri: '_:none' }, { ...h, valid_at: '2020-01-01' }, { ...h, tx: 0 }];
  for (const request of missing) {
    for (const form of ['body', 'html', 'turtle', 'jsonld']) {
      await assert.rejects(run(store, 'entity', request, form), {
        code: 'not_found',
        message: `entity not found: ${request.iri}`,
      });
    }
  }
  await assert.rejects(run(store, 'preview', { iri: `${EX}none` }, 'html'), { code: 'not_found' });
  for (const bad of [
    {},
    { iri: '' },
    { iri: 'relative' },
    { iri: 'http://x/ y' },
    { ...h, valid_at: 'yesterday' },
    { ...h, tx: -1 },
  ]) {
    await assert.rejects(run(store, 'entity', bad), { code: 'invalid_request' }, JSON.stringify(bad));
  }
  await store.retract(`${EX}h`, { timestamp: T(5) });
  await assert.rejects(run(store, 'entity', h), { code: 'not_found' }, 'it is gone, and nothing names it');
  assert.equal(store.stats().snapshots.open, 0);
});

const HOSTILE = `<http://example.org/x'onclick='a> a <http://example.org/T&amp;> ;
  rdfs:label "<script>alert(1)</script> & \\"x\\" '" ; rdfs:comment "</style><img src=x onerror=alert(1)>" ;
  <http://example.org/p'q> "<b>bold</b>", <http://example.org/o'><javascript:alert(1)> .`;

function assertInert(text: string): void {
  assert.doesNotMatch(text, /<script|<img|<b>|href="javascript:|onclick='/);
  // Nothing is fetched, and every attribute stands in double quotes that no value ends.
  assert.doesNotMatch(text, /<[^>]*\ssrc=|@import|url\(|http-equiv|<link/i);
  const tags = text.match(/<(?!!doctype|\/?[a-z0-9]+(?: [a-z-]+="[^"<>]*")*>)/g);
  assert.deepEqual(tags, null, 'no angle bracket but those of whole tags');
}

onBothStores('pages and cards are escaped, whole and without scripts', async (store) => {
  await knot(store, HOSTILE.replace("<http://example.org/o'><", "<http://example.org/o'>, <"));
  const request = { iri: `${EX}x'onclick='a` };
  for (const name of ['entity', 'preview']) {
    const { text, mediaType } = await document(store, name, request, 'html');
    assert.equal(mediaType, 'text/html; charset=utf-8');
    assert.match(text, /^<!doctype html>/);
    assertInert(text);
    assert.ok(text.includes('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot; &#39;'), name);
    assert.ok(text.includes(`href="/entity/${encodeURIComponent(`${EX}o'`).replace("'", '&#39;')}"`), name);
  }
});

onBothStores('the page names those that name the entity, and says when it shows a part', async (store) => {
  const many = Array.from({ length: 60 }, (_, at) => `ex:r${at} ex:on ex:hub .`).join(' ');
  await knot(store, `${many} ex:hub ex:p ${Array.from({ length: 1001 }, (_, at) => at).join(', ')} .`);
  const { text } = await document(store, 'entity', { iri: `${EX}hub` }, 'html');
  assert.equal(text.match(/>on<\/td>/g)?.length, 50);
  assert.match(text, /There are more references than this page shows/);
  assert.match(text, /There are more facts than this page shows/);
  const jsonld = await body(store, 'entity', { iri: `${EX}hub` });
  assert.equal(jsonld.p.length, 1001, 'data is whole');
});

onBothStores('a preview: label, types, description, eight properties', async (store) => {
  await knot(store, PERSON);
  assert.deepEqual(await body(store, 'preview', ALICE), {
    iri: `${EX}alice`,
    label: 'Alice',
    type: 'Person',
    types: [`${EX}Person`],
    description: null,
    properties: [
      { predicate: `${EX}age`, label: 'age', value: 30 },
      { predicate: `${EX}born`, label: 'born', value: { value: '1990-01-01', datatype: `${XSD}date` } },
      { predicate: `${EX}knows`, label: 'knows', value: `${EX}bob` },
      { predicate: `${EX}motto`, label: 'motto', value: { value: 'salut', lang: 'fr' } },
    ],
    more: 0,
  });
  await knot(
    store,
    'ex:thing rdfs:label "Ding"@de, "Thing"@en ; rdfs:comment "what it is" ; ex:p 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 .',
  );
  const thing = await body(store, 'preview', { iri: `${EX}thing` });
  assert.deepEqual(
    [thing.label, thing.type, thing.types, thing.description, thing.properties.length, thing.more],
    ['Thing', 'Thing', [], 'what it is', 8, 2],
  );
  const bob = await document(store, 'preview', { iri: `${EX}bob` }, 'html');
  assert.match(bob.text, /<span class="badge">Thing<\/span>/);
  assert.match(bob.text, /width:400px;height:300px/);
});

async function answered(store: Store, representation: string): Promise<string> {
  const context = { store, configuration, control: {}, documents: [], representation };
  return textOf(await answerOperation(operationOf('entity'), ALICE, context));
}

test('in a reader thread: the same bytes as in the caller’s', async () => {
  const store = await openThreaded();
  await knot(store, PERSON);
  for (const form of ['jsonld', 'turtle', 'html']) {
    assert.equal(await answered(store, form), (await document(store, 'entity', ALICE, form)).text);
  }
  const context = { store, configuration, control: {}, documents: [], representation: 'html' };
  await assert.rejects(answerOperation(operationOf('entity'), { iri: 'http://e/none' }, context), {
    code: 'not_found',
  });
  await store.close();
});
