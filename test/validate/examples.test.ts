/** The examples of semantics-reasoning 4.7 that need no store. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERSON_SHAPE, report } from './support.js';

test('EX-4.1: a person without a name', async () => {
  const { conforms, violations, warnings, infos } = await report(PERSON_SHAPE, 'ex:al a ex:Person .');
  assert.equal(conforms, false);
  assert.deepEqual(violations, [
    {
      severity: 'Violation',
      focus_node: 'http://ex/al',
      component: 'MinCountConstraintComponent',
      path: 'http://ex/name',
      value: null,
      source_shape: 'http://ex/PersonShape',
      message: 'Less than 1 value',
      alternatives: [
        { kind: 'path', value: 'http://ex/name' },
        { kind: 'datatype', value: 'http://www.w3.org/2001/XMLSchema#string' },
      ],
    },
  ]);
  assert.deepEqual([warnings, infos], [[], []]);
});

test('EX-4.2: a predicate that was probably misspelt', async () => {
  const { violations } = await report(PERSON_SHAPE, 'ex:al a ex:Person ; ex:nmae "Al" .');
  assert.equal(violations.length, 1);
  assert.deepEqual(violations[0]?.alternatives[0], {
    kind: 'predicate',
    value: 'http://ex/name',
    instead_of: 'http://ex/nmae',
    score: 0.925,
  });
});

test('EX-4.3: a value that is not in the list', async () => {
  const { violations } = await report(PERSON_SHAPE, 'ex:al a ex:Person ; ex:name "Al" ; ex:status "actve" .');
  assert.equal(violations.length, 1);
  assert.equal(violations[0]?.component, 'InConstraintComponent');
  assert.equal(violations[0]?.value, 'actve');
  const [first, second] = violations[0]?.alternatives ?? [];
  assert.equal(first?.value, 'active');
  assert.ok((first?.score ?? 0) > 0.9);
  assert.deepEqual(second, { kind: 'value', value: 'retired' });
});
