/**
 * Rules that are kept true with every write: after each of some random writes what stands is what a naive evaluator derives,
 * owners included, and a full run finds nothing to change. SVC_REASON sets how many sequences.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ruleSetOf } from '../../../engine/reason/rules/rule-sets.js';
import { openStore } from '../../../interfaces/library/index.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import { factsIn, quadOf, rule, write } from './arbitrary.js';
import { derive } from './naive.js';
import { EX, rulesOf } from './support.js';

const SEQUENCES = Number(process.env.SVC_REASON ?? 60);
const folder = new StoreFolder();
const COMPANION = 'urn:svc:graph:root#inferred';

test(`rules follow every write (${SEQUENCES} sequences)`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { minLength: 1, maxLength: 4 }),
      fc.array(write, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (lines, writes, inMemory) => {
        const prologue = `<http://ex/set> a rule:RuleSet ; rule:defaultPrefix "${EX}" .\n`;
        const document = rulesOf(...lines.map((line, at) => `R${at}: ${line}`)) + prologue;
        const set = await ruleSetOf([{ turtle: document, name: 'rules' }], EX).catch(() => null);
        fc.pre(set !== null);
        const store = await openStore(inMemory ? ':memory:' : folder.fresh(), { features: ['reactive-reasoner'] });
        try {
          await store.loadShapes('rules', document);
          let before = new Map<string, string>();
          for (const [at, { assert: added, retract: removed }] of writes.entries()) {
            await store.transact({ retract: removed.map(quadOf), assert: added.map(quadOf) });
            const base = await factsIn(store, '');
            const expected = derive(set?.rules ?? [], [...base.values()], before);
            const found = await factsIn(store, COMPANION);
            assert.deepEqual([...found.keys()].sort(), [...expected.owners.keys()].sort(), `write ${at}`);
            const again = await store.reason();
            assert.deepEqual([again.asserted, again.retracted], [0, 0], `a full run after write ${at}`);
            before = expected.owners;
          }
          assert.deepEqual((await store.verify()).problems, []);
        } finally {
          await store.close();
        }
      },
    ),
    { numRuns: SEQUENCES },
  );
});
