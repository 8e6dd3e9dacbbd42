/** POST /validate: the payload alone is judged, by its own shapes or by the stored sets. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { json, startTestServer } from '../http/support.js';
import { PERSON_SHAPE, PREFIXES } from '../validate/support.js';
import { body, openThreaded } from './reads-support.js';

const SHAPES = PREFIXES + PERSON_SHAPE;
const DATA = `${PREFIXES}ex:al a ex:Person ; ex:status "actve" . _:b a ex:Person ; ex:name "B" , "C" .`;

test('results over HTTP, in order, with every field', async (t) => {
  const server = await startTestServer(t);
  const response = await server.post('/validate', { shapes: SHAPES, data: DATA });
  assert.equal(response.status, 200);
  const answer = await json(response);
  assert.equal(answer.conforms, false);
  assert.deepEqual([answer.warnings, answer.infos], [[], []]);
  const violations = answer.violations as Record<string, unknown>[];
  assert.deepEqual(
    violations.map(({ focus_node, path, component }) => [focus_node, path, component]),
    [
      ['_:b', 'http://ex/name', 'MaxCountConstraintComponent'],
      ['http://ex/al', 'http://ex/name', 'MinCountConstraintComponent'],
      ['http://ex/al', 'http://ex/status', 'InConstraintComponent'],
    ],
  );
  assert.deepEqual(violations[0]?.alternatives, [
    { kind: 'value', value: 'B' },
    { kind: 'value', value: 'C' },
  ]);
  assert.deepEqual(Object.keys(violations[2] as object).sort(), [
    'alternatives',
    'component',
    'focus_node',
    'message',
    'path',
    'severity',
    'source_shape',
    'value',
  ]);
  assert.deepEqual((await json(await server.get('/stats'))).facts, 0, 'nothing is written');
});

test('a document that does not parse is named; shapes that are none are refused', async (t) => {
  const server = await startTestServer(t);
  for (const [request, message] of [
    [{ shapes: ':', data: '' }, /shapes/],
    [{ shapes: SHAPES, data: '<a' }, /data/],
    [{ shapes: '', data: '' }, /holds no SHACL shape/],
    [{ shapes: `${PREFIXES}:S sh:path :p, :q ; sh:minCount 1 .`, data: '' }, /<http:\/\/example.org\/S>/],
    [{ data: DATA }, /missing 'shapes' parameter/],
    [{ shapes: SHAPES }, /missing 'data' parameter/],
  ] as const) {
    const response = await server.post('/validate', request);
    assert.equal(response.status, 400, JSON.stringify(request));
    assert.match((await json(response)).error as string, message);
  }
});

test('without shapes the stored sets judge, those of now or of an earlier state', async () => {
  const store = await openThreaded();
  try {
    const { tx } = await store.loadShapes('person', SHAPES, { timestamp: '2026-01-01' });
    const asked = { data: DATA };
    assert.equal((await body(store, 'validate', asked)).violations.length, 3);
    await store.removeShapes('person', { timestamp: '2026-02-01' });
    await assert.rejects(body(store, 'validate', asked), (error: unknown) => error instanceof SvcError);
    assert.equal((await body(store, 'validate', { ...asked, as_of_tx: tx })).violations.length, 3);
    assert.equal((await body(store, 'validate', { ...asked, valid_at: '2026-01-15' })).violations.length, 3);
    assert.equal((await store.validate(DATA, { shapes: SHAPES })).conforms, false);
  } finally {
    await store.close();
  }
});

const SAME: readonly (readonly [format: string, mediaType: string, text: string])[] = [
  [
    'ntriples',
    'application/n-triples',
    '<http://ex/al> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://ex/Person> .',
  ],
  [
    'nquads',
    'application/n-quads',
    '<http://ex/al> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://ex/Person> <http://ex/g> .',
  ],
  ['trig', 'application/trig', '<http://ex/g> { <http://ex/al> a <http://ex/Person> }'],
  ['jsonld', 'application/ld+json', '{"@id": "http://ex/al", "@type": "http://ex/Person"}'],
  [
    'rdfxml',
    'application/rdf+xml',
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="http://ex/al"><rdf:type rdf:resource="http://ex/Person"/></rdf:Description></rdf:RDF>',
  ],
];

test('every format of RDF, as a field of the body and as the body itself', async (t) => {
  const server = await startTestServer(t);
  const missing = async (response: Response): Promise<unknown[]> => {
    const { violations, error } = await json(response);
    if (error !== undefined) return [error];
    return (violations as Record<string, unknown>[]).map(({ focus_node, path }) => [focus_node, path]);
  };
  for (const [format, mediaType, data] of SAME) {
    const wanted = [['http://ex/al', 'http://ex/name']];
    assert.deepEqual(await missing(await server.post('/validate', { shapes: SHAPES, data, format })), wanted, format);
    const address = `${server.base}/validate?${new URLSearchParams({ shapes: SHAPES })}`;
    const whole = { method: 'POST', headers: { 'Content-Type': mediaType }, body: data };
    assert.deepEqual(await missing(await fetch(address, whole)), wanted, mediaType);
  }
  const other = await fetch(`${server.base}/validate?format=trig`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/ld+json' },
    body: '{}',
  });
  assert.equal(other.status, 400);
  assert.match(
    String((await json(other)).error),
    /'format' is "trig", but the Content-Type says that the body is jsonld/,
  );
});

test('graphs of the data are judged each by itself, with the types of ROOT, as a load judges them', async (t) => {
  const server = await startTestServer(t);
  assert.equal(
    (await server.post('/shapes', { action: 'load', name: 'people', turtle: SHAPES, timestamp: '2026-01-01' })).status,
    200,
  );
  const documents = [
    '<http://ex/al> a <http://ex/Person> . <http://ex/g> { <http://ex/al> <http://ex/name> "Al" }',
    '<http://ex/al> a <http://ex/Person> ; <http://ex/name> "Al" . <http://ex/g> { <http://ex/al> <http://ex/status> "actve" }',
    '<http://ex/g> { <http://ex/al> a <http://ex/Person> ; <http://ex/name> "Al" } <http://ex/h> { <http://ex/bo> a <http://ex/Person> }',
    '<http://ex/g> { <http://ex/al> a <http://ex/Person> ; <http://ex/name> "Al" } <http://ex/h> { <http://ex/al> <http://ex/name> "B", "C" }',
  ];
  const shown = (findings: unknown) =>
    (findings as Record<string, unknown>[])
      .map(({ focus_node, path, component }) => [focus_node, path, component])
      .sort();
  for (const trig of documents) {
    const judged = await json(await server.post('/validate', { data: trig, format: 'trig' }));
    const loaded = await fetch(`${server.base}/knot`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/trig' },
      body: trig,
    });
    const { violations = [] } = await json(loaded);
    assert.deepEqual(shown(judged.violations), shown(violations), trig);
    assert.equal(judged.conforms, loaded.ok, trig);
  }
});

test('a document that is the body has the limit of other bodies, since all of it is held', async (t) => {
  const server = await startTestServer(t, { server: { max_body_bytes: 2_000_000 } });
  const line = '<http://ex/al> <http://ex/name> "Al" .\n';
  const response = await fetch(`${server.base}/validate?${new URLSearchParams({ shapes: SHAPES })}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/n-triples' },
    body: line.repeat(60_000),
  });
  assert.equal(response.status, 413);
});
