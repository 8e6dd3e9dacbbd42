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
