/** Staged transactions: what of a change is left when it is netted per quad. */

import assert from 'node:assert/strict';
import { terms } from '../../engine/rdf/terms.js';
import type { Case, CaseContext } from './scan-case.js';
import { changesOf } from './scan-cases-staged-loads.js';
import { complete, expected, found, load, node, quad, ROOT, typed } from './scan-support.js';
import { committed, fact, month, rowsOf, visible, write } from './stage-support.js';

async function openStaysOpen({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1)], timestamp: month(1) });
  const again = await write(engine, { assert: [fact(1)], timestamp: month(2), validFrom: month(1) - 1 });
  assert.deepEqual(again, { tx: 0, counts: { asserted: 0, retracted: 0 } });
  assert.deepEqual(rowsOf(engine.snapshot()), ['1 tx1.. [T1,)']);
  assert.equal(engine.transactions().length, 1);
}

async function retractThenAssert({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1), fact(2)], timestamp: month(1) });
  const stage = engine.stage({ timestamp: month(3) });
  assert.equal(stage.retract([fact(1), fact(2)]), 2);
  assert.equal(stage.assert([fact(1)]), 1);
  assert.deepEqual(stage.counts, { asserted: 0, retracted: 1 });
  assert.equal(await committed(stage.commit()), 2);
  assert.deepEqual(rowsOf(engine.snapshot()), ['1 tx1.. [T1,)', '2 tx1..2 [T1,T3)']);
}

async function assertThenRetract({ engine }: CaseContext): Promise<void> {
  const before = visible(engine);
  const stage = engine.stage({});
  assert.equal(stage.assert([fact(1)]), 1);
  assert.equal(stage.retract([fact(1)]), 1);
  assert.equal(stage.retract([fact(1)]), 0);
  assert.deepEqual(stage.counts, { asserted: 0, retracted: 0 });
  assert.equal(await committed(stage.commit()), 0);
  assert.deepEqual(visible(engine), before);
  assert.equal(engine.snapshot().encode(node('s')), null);
}

async function toAndFro({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1)], timestamp: month(1) });
  const stage = engine.stage({ timestamp: month(2) });
  for (let round = 0; round < 3; round++) {
    assert.deepEqual([stage.retract([fact(1)]), stage.assert([fact(2)])], [1, 1]);
    assert.deepEqual([stage.retract([fact(1)]), stage.assert([fact(2)])], [0, 0]);
    assert.deepEqual(stage.counts, { asserted: 1, retracted: 1 });
    assert.deepEqual([stage.assert([fact(1)]), stage.retract([fact(2)])], [1, 1]);
    assert.deepEqual(stage.counts, { asserted: 0, retracted: 0 });
  }
  assert.equal(await committed(stage.commit()), 0);
  assert.deepEqual(rowsOf(engine.snapshot()), ['1 tx1.. [T1,)']);
}

async function assertedAfterClose({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(4)], timestamp: month(1) });
  await write(engine, { retract: [fact(4)], timestamp: month(3) });
  const third = await write(engine, { assert: [fact(4)], timestamp: month(5) });
  assert.deepEqual(third, { tx: 3, counts: { asserted: 1, retracted: 0 } });
  assert.deepEqual(rowsOf(engine.snapshot()), ['4 tx1..2 [T1,T3)', '4 tx3.. [T5,)'], 'BT-2');
  assert.equal(engine.stats().factsCurrent, 1);
  assert.equal(engine.stats().rowsTotal, 2);
}

async function sameQuadTwice({ engine }: CaseContext): Promise<void> {
  const stage = engine.stage({ timestamp: month(1) });
  assert.equal(stage.assert([fact(1), fact(1), fact(2), fact(1)]), 2);
  assert.equal(stage.assert([fact(1)], month(6)), 0, 'the first assertion says when it begins');
  await stage.commit().durable;
  assert.deepEqual(rowsOf(engine.snapshot()), ['1 tx1.. [T1,)', '2 tx1.. [T1,)']);
  const next = engine.stage({ timestamp: month(2) });
  assert.equal(next.retract([fact(1), fact(1)]), 1);
  assert.deepEqual(next.counts, { asserted: 0, retracted: 1 });
  await next.commit().durable;
  assert.deepEqual(
    engine.transactions().map(({ quadsAdded, quadsRetracted }) => [quadsAdded, quadsRetracted]),
    [
      [2, 0],
      [0, 1],
    ],
  );
}

async function absent({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1)] });
  const before = visible(engine);
  const stage = engine.stage({});
  const unknown = [
    fact(2),
    fact(1, 'g'),
    quad(node('new'), node('p'), node('o')),
    quad(node('s'), node('p'), node('s')),
  ];
  assert.equal(stage.retract(unknown), 0);
  assert.equal(await committed(stage.commit()), 0);
  assert.deepEqual(visible(engine), before);
}

async function graphsApart({ engine }: CaseContext): Promise<void> {
  const all = [fact(1), fact(1, 'g1'), fact(1, 'g2')];
  const { counts } = await write(engine, { assert: all, timestamp: month(1) });
  assert.deepEqual(counts, { asserted: 3, retracted: 0 });
  const explicit = quad(node('s'), node('p'), typed('1', 'integer'), ROOT);
  assert.deepEqual((await write(engine, { assert: [explicit] })).tx, 0, 'the default graph is ROOT');
  await write(engine, { retract: [fact(1, 'g1')], assert: [fact(2, 'g2')], timestamp: month(2) });
  const snapshot = engine.snapshot();
  assert.deepEqual(found(snapshot), expected([fact(1), fact(1, 'g2'), fact(2, 'g2')]));
  assert.equal(snapshot.graphs().length, 2);
  await write(engine, { retract: [explicit], timestamp: month(3) });
  assert.deepEqual(found(engine.snapshot()), expected([fact(1, 'g2'), fact(2, 'g2')]));
  assert.equal(engine.stats().factsCurrent, 0);
}

async function equalTerms({ engine }: CaseContext): Promise<void> {
  const s = node('s');
  const p = node('p');
  const tagged = (language: string) => quad(s, p, terms.literal('chat', language));
  const { counts } = await write(engine, { assert: [tagged('fr'), tagged('FR'), quad(s, p, terms.literal('chat'))] });
  assert.equal(counts.asserted, 2, 'languages are compared without regard to case');
  assert.deepEqual((await write(engine, { retract: [tagged('Fr')] })).counts, { asserted: 0, retracted: 1 });
  const lexical = ['1', '01', '+1'].map((text) => quad(s, p, typed(text, 'integer')));
  const illTyped = quad(s, p, typed('abc', 'integer'));
  assert.equal((await write(engine, { assert: [...lexical, illTyped] })).counts.asserted, 4, 'lexical forms differ');
  assert.equal((await write(engine, { retract: [quad(s, p, typed('01', 'integer'))] })).counts.retracted, 1);
  assert.deepEqual(
    found(engine.snapshot()),
    expected([
      quad(s, p, terms.literal('chat')),
      quad(s, p, typed('1', 'integer')),
      quad(s, p, typed('+1', 'integer')),
      illTyped,
    ]),
  );
}

async function besideLoads({ engine }: CaseContext): Promise<void> {
  const quads = [fact(1), fact(2), fact(3, 'g')];
  await load(engine, quads, { timestamp: month(1), source: 'loaded' });
  assert.equal((await write(engine, { assert: quads })).tx, 0, 'what a load opened is open');
  await write(engine, { retract: [fact(1), fact(3, 'g')], timestamp: month(2) });
  const { summary, tx } = await load(engine, quads, { timestamp: month(4) });
  assert.deepEqual([summary.quadsAdded, tx], [2, 3], 'a load opens again what was closed');
  assert.deepEqual(rowsOf(engine.snapshot()), [
    '1 tx1..2 [T1,T2)',
    '1 tx3.. [T4,)',
    '2 tx1.. [T1,)',
    '3@g tx1..2 [T1,T2)',
    '3@g tx3.. [T4,)',
  ]);
  assert.ok((await engine.verify({})).ok);
}

async function many({ engine }: CaseContext): Promise<void> {
  const count = 100_000;
  const quads = Array.from({ length: count }, (_, at) =>
    quad(node(`s${at % 1000}`), node(`p${at % 7}`), typed(String(at), 'integer')),
  );
  const stage = engine.stage({ timestamp: month(1) });
  assert.equal(stage.assert(quads), count);
  assert.equal(stage.assert(quads.slice(0, 10)), 0);
  const within = stage.snapshot();
  assert.equal(within.count(complete({})), count);
  within.close();
  assert.equal(await committed(stage.commit()), 1);
  assert.equal(engine.stats().factsCurrent, count);
  const half = quads.filter((_, at) => at % 2 === 0);
  const { counts } = await write(engine, { retract: half, timestamp: month(2) });
  assert.equal(counts.retracted, count / 2);
  const snapshot = engine.snapshot();
  assert.equal(snapshot.count(complete({})), count / 2);
  assert.equal(snapshot.count(complete({ time: { kind: 'asOf', tx: 1 } })), count);
  assert.equal(snapshot.count(complete({ time: { kind: 'validAt', validAt: month(2) } })), count / 2);
  assert.equal(engine.stats().rowsTotal, count);
}

async function changesOfStage({ engine }: CaseContext): Promise<void> {
  const many = Array.from({ length: 5000 }, (_, at) => fact(100 + at));
  await write(engine, { assert: [fact(1), fact(2), fact(3, 'g'), ...many], timestamp: month(1) });
  const stage = engine.stage({ timestamp: month(3) });
  stage.retract([fact(1), fact(2), fact(3, 'g'), ...many.slice(0, 4500)]);
  stage.assert([fact(2), fact(4), fact(5), fact(6, 'h')]);
  stage.retract([fact(5)]);
  stage.assert(many.slice(0, 100));
  const within = stage.snapshot();
  const staged = changesOf(within, stage.tx);
  const lines = staged
    .filter((line) => !/"[1-9][0-9]{2,}"/.test(line))
    .map((line) => line.replace(/^(.).*"(.)".*$/, '$1$2'));
  assert.deepEqual(lines, ['+4', '+6', '-1', '-3'], 'what came and went, or went and came back, is no change');
  assert.equal(staged.length, 4 + 4400);
  assert.equal(changesOf(within, 1).length, 5003, 'earlier transactions are read from the log');
  within.close();
  const tx = await committed(stage.commit());
  assert.deepEqual(changesOf(engine.snapshot(), tx), staged);
}

export const STAGE_NETTING_CASES: readonly Case[] = [
  { name: 'the changes of a stage are its net changes', run: changesOfStage },
  { name: 'what is open stays open', run: openStaysOpen },
  { name: 'retracted, then asserted in one transaction', run: retractThenAssert },
  { name: 'asserted, then retracted in one transaction', run: assertThenRetract },
  { name: 'to and fro in one transaction', run: toAndFro },
  { name: 'asserted after a close', run: assertedAfterClose },
  { name: 'the same quad twice', run: sameQuadTwice },
  { name: 'retracting what is not there', run: absent },
  { name: 'graphs are apart', run: graphsApart },
  { name: 'equal terms and different ones', run: equalTerms },
  { name: 'transactions and loads', run: besideLoads },
  { name: '100,000 quads in one transaction', run: many },
];
