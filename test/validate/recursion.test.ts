/** Shapes that ask about themselves: the greatest fixed point; and paths, counts and results where much is nested. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failures, report } from './support.js';

const CHAIN = ':S a sh:NodeShape ; sh:property [ sh:path :next ; sh:node :S ] , [ sh:path :bad ; sh:maxCount 0 ] .';

test('a fault far away is a fault of all that lead to it; a ring without fault conforms', async () => {
  const targets = ':S sh:targetSubjectsOf :next .';
  const ring = ':a :next :b . :b :next :c . :c :next :a .';
  assert.deepEqual(await failures(`${CHAIN}${targets}`, ring), []);
  assert.deepEqual(await failures(`${CHAIN}${targets}`, `${ring} :c :bad 1 . :d :next :a . :e :next :f .`), [
    ':a :next Node :b',
    ':b :next Node :c',
    ':c :bad MaxCount -',
    ':c :next Node :a',
    ':d :next Node :a',
  ]);
});

test('two shapes that ask about each other', async () => {
  const shapes = `:Man a sh:NodeShape ; sh:targetClass :M ; sh:property [ sh:path :wife ; sh:node :Woman ; sh:minCount 1 ] .
    :Woman a sh:NodeShape ; sh:class :W ; sh:property [ sh:path :husband ; sh:node :Man ; sh:minCount 1 ] .`;
  assert.deepEqual(await failures(shapes, ':a a :M ; :wife :b . :b a :W ; :husband :a .'), []);
  assert.deepEqual(await failures(shapes, ':a a :M ; :wife :b . :b a :W .'), [':a :wife Node :b']);
});

test('a long chain is settled without nesting', async () => {
  const chain = Array.from({ length: 300 }, (_, at) => `:n${at} :next :n${at + 1} .`).join('\n');
  const { violations } = await report(`${CHAIN} :S sh:targetNode :n0 .`, `${chain} :n300 :bad 1 .`);
  assert.equal(violations.length, 1);
});

test('batches: more focus nodes than one holds, each with its own values', async () => {
  const people = Array.from({ length: 9000 }, (_, at) => `:p${at} a :P ; :n ${at} .`).join('\n');
  const shapes = ':S sh:targetClass :P ; sh:property [ sh:path :n ; sh:maxExclusive 8998 ; sh:minCount 1 ] .';
  assert.deepEqual(await failures(shapes, `${people} :q a :P .`), [
    ':p8998 :n MaxExclusive 8998',
    ':p8999 :n MaxExclusive 8999',
    ':q :n MinCount -',
  ]);
});

test('warnings and infos do not make data invalid; deactivated shapes say nothing', async () => {
  const shapes = `:S sh:targetNode :a ; sh:property [ sh:path :p ; sh:minCount 1 ; sh:severity sh:Warning ; sh:message "p!"@en, "P?"@de ] ,
      [ sh:path :q ; sh:minCount 1 ; sh:severity sh:Info ] , [ sh:path :r ; sh:minCount 1 ; sh:deactivated true ] .`;
  const { conforms, violations, warnings, infos } = await report(shapes, '');
  assert.deepEqual([conforms, violations.length], [true, 0]);
  assert.deepEqual(
    [...warnings, ...infos].map(({ severity, message, path }) => [severity, message, path]),
    [
      ['Warning', 'p!', 'http://example.org/p'],
      ['Info', 'Less than 1 value', 'http://example.org/q'],
    ],
  );
});
