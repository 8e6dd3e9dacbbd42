/** Random writes to a store in memory and to a store file, folded at times: every face of time says the same of both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { termToString } from '../../engine/rdf/canonical/lines.js';
import { openStore, type Store, type TimeOptions } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { EX, factsAt, historyOf, quad, T } from './time-support.js';

const folder = new StoreFolder();
const SUBJECTS = 3;

const fact = fc
  .tuple(
    fc.integer({ min: 0, max: SUBJECTS - 1 }),
    fc.integer({ min: 0, max: 1 }),
    fc.integer({ min: 0, max: 3 }),
    fc.boolean(),
  )
  .map(([s, p, o, inGraph]) => quad(`s${s}`, `p${p}`, o, inGraph ? 'g' : undefined));
const month = fc.integer({ min: 1, max: 12 }).map(T);
const entity = fc.integer({ min: 0, max: SUBJECTS - 1 }).map((s) => `${EX}s${s}`);
const source = fc.constantFrom('one', 'two');

type Step = (store: Store) => Promise<unknown>;

const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .record({
      retract: fc.array(fact, { maxLength: 4 }),
      assert: fc.array(fact, { maxLength: 5 }),
      timestamp: month,
      validFrom: fc.option(month),
      source,
    })
    .map(
      ({ retract, assert: asserted, timestamp, validFrom, source: from }): Step =>
        (store) =>
          store.transact({ retract, assert: asserted }, { timestamp, validFrom: validFrom ?? undefined, source: from }),
    ),
  fc.record({ quads: fc.array(fact, { maxLength: 6 }), timestamp: month, replaces: fc.boolean() }).map(
    ({ quads, timestamp, replaces }): Step =>
      (store) =>
        store.load({ quads }, { timestamp, snapshotKey: 'k', replaceSnapshot: replaces }),
  ),
  fc.tuple(entity, fc.integer({ min: 0, max: 4 }), month).map(
    ([subject, value, timestamp]): Step =>
      async (store) =>
        store.set(subject, `${EX}p0`, { int: value }, { timestamp }).catch((error: { code?: string }) => error.code),
  ),
  fc.tuple(entity, month).map(
    ([subject, timestamp]): Step =>
      (store) =>
        store.retract(subject, { timestamp }),
  ),
  fc.tuple(source, month).map(
    ([from, timestamp]): Step =>
      (store) =>
        store.retractSource(from, { repair: 'r', apply: true, timestamp }),
  ),
  fc.constant<Step>((store) => store.fold().then(() => undefined)),
);

/** All that can be read of times. */
async function account(store: Store): Promise<unknown> {
  const { length } = store.transactions();
  const slices: TimeOptions[] = [{}];
  for (let tx = 0; tx <= length; tx += 2) slices.push({ tx }, { tx, validAt: T(1 + (tx % 12)) });
  for (let at = 1; at <= 12; at += 2) slices.push({ validAt: T(at) });
  const unravelled: unknown[] = [];
  for (const slice of slices.slice(1)) {
    const { facts } = await store.unravel(slice);
    unravelled.push(
      facts.map(
        ({ entity: s, predicate, value, validFrom, validTo, tx }) =>
          [s, predicate, value].map(termToString).join(' ') + validFrom + validTo + tx,
      ),
    );
  }
  const histories: unknown[] = [];
  for (let s = 0; s < SUBJECTS; s++) {
    for (const graph of [undefined, `${EX}g`])
      histories.push(await historyOf(store, `s${s}`, { graph }).catch((error: { code?: string }) => error.code));
  }
  const pairs: string[] = [];
  for await (const { entity: s, predicate, facts } of store.contradictions({ allPredicates: true })) {
    pairs.push(
      [s, predicate, ...facts.map(({ value }) => value)].map(termToString).join(' ') +
        facts.map(({ tx, validFrom, validTo }) => `${tx} ${validFrom} ${validTo}`).join(),
    );
  }
  return {
    log: store.transactions(),
    facts: slices.map((slice) => factsAt(store, slice)),
    unravelled,
    histories,
    // Groups come in the order of ids, which the stores give in orders of their own.
    pairs: pairs.sort(),
    plans: [
      await store.retractSource('one', { repair: 'r' }),
      await store.retractSource('two', { repair: 'r', graph: undefined }),
    ].map(({ planned, entities, sample }) => [
      planned,
      entities,
      sample.map(({ entity: s, value }) => termToString(s) + termToString(value)),
    ]),
  };
}

test('a store in memory and a store file say the same of every time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 18 }), async (steps) => {
      const stores = [await openStore(':memory:'), await openStore(folder.fresh())];
      try {
        for (const one of steps) {
          const [first, second] = [await one(stores[0] as Store), await one(stores[1] as Store)];
          assert.deepEqual(second, first);
        }
        const [memory, file] = [await account(stores[0] as Store), await account(stores[1] as Store)];
        assert.deepEqual(file, memory);
        for (const store of stores) assert.deepEqual((await store.verify()).problems, []);
      } finally {
        for (const store of stores) await store.close();
      }
    }),
    { numRuns: 25 },
  );
});
