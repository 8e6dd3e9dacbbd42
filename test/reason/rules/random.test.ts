/**
 * Random rules over random graphs, run after each of some random writes, against a naive evaluator: the same facts, the same
 * owners, the same counts. SVC_REASON sets how many sequences.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openStore } from '../../../interfaces/library/index.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import { factsIn, quadOf, rule, write } from './arbitrary.js';
import { derive } from './naive.js';
import { acceptedRules, rulesOf, run } from './support.js';

const SEQUENCES = Number(process.env.SVC_REASON ?? 60);
const folder = new StoreFolder();

test(`random rules derive what a naive evaluator derives (${SEQUENCES} sequences)`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { minLength: 1, maxLength: 4 }),
      fc.array(write, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (lines, writes, inMemory) => {
        const document = rulesOf(...lines.map((line, at) => `R${at}: ${line}`));
        const set = await acceptedRules(document);
        fc.pre(set !== null);
        const store = await openStore(inMemory ? ':memory:' : folder.fresh());
        try {
          let before = new Map<string, string>();
          for (const { assert: added, retract: removed } of writes) {
            await store.transact({ retract: removed.map(quadOf), assert: added.map(quadOf) });
            const base = await factsIn(store, '');
            const expected = derive(set?.rules ?? [], [...base.values()], before);
            const result = await run(store, document);
            const found = await factsIn(store, 'urn:svc:graph:root#inferred');
            assert.deepEqual([...found.keys()].sort(), [...expected.owners.keys()].sort());
            assert.equal(result.strata, expected.strata);
            const perRule: { readonly rule: string; readonly asserted: number }[] = (set?.rules ?? []).map(({ id }) => {
              const own = [...expected.owners].filter(([key, owner]) => owner === id && before.get(key) !== id);
              return { rule: id, asserted: own.length };
            });
            assert.deepEqual(result.perRule, perRule);
            const lost = [...before].filter(([key, owner]) => expected.owners.get(key) !== owner);
            assert.equal(result.retracted, lost.length);
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
