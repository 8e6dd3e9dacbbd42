/** Answers about ids: kernel = twin, over batches of several askers, also where ids push each other out. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isDictionaryTag, makeId, TAG } from '../../engine/storage/ids/layout.js';
import { Areas } from './areas.js';
import { answersOf } from './twins/id-answers.js';
import { RUNS } from './values.js';

const areas = new Areas();
const { kernels } = areas;
const TABLE_BYTES = 16 * 2 ** 17;
const BY_VALUE = 255;

const TAGS = [TAG.unbound, TAG.iri, TAG.string, TAG.typed, TAG.integer, TAG.triple, TAG.local];
const id = fc
  .tuple(
    fc.constantFrom(...TAGS),
    fc.oneof(
      fc.nat(20),
      fc.maxSafeInteger().map((value) => Math.abs(value) % 2 ** 48),
    ),
  )
  .map(([tag, payload]) => makeId(tag, 0, BigInt(payload)));
const batch = fc.record({
  asker: fc.integer({ min: 1, max: 3 }),
  rows: fc.array(fc.tuple(id, fc.constantFrom(0, 3, 3, 3, 4)), { maxLength: 50 }),
});

/** Some answer that depends on who asks. */
const answerOf = (asker: number) => (value: bigint) => Number((value + BigInt(asker)) % 3n);

test('findAnswers and giveAnswers: every row gets the answer of its id', () => {
  const byTag = new Array<number>(256).fill(BY_VALUE);
  byTag[TAG.unbound] = 2;
  byTag[TAG.iri] = 1;
  byTag[TAG.local] = 3;
  fc.assert(
    fc.property(fc.array(batch, { minLength: 1, maxLength: 6 }), (batches) => {
      areas.run(() => {
        const table = areas.zeroed(TABLE_BYTES);
        const tagsAt = areas.bytes(Uint8Array.from(byTag));
        for (const { asker, rows } of batches) {
          const ids = rows.map(([value]) => value);
          const before = rows.map(([, answer]) => answer);
          const out = areas.bytes(Uint8Array.from(before));
          const [wanted, waiting] = [areas.area(8 * rows.length), areas.area(8 * rows.length)];
          const counts = areas.area(12);
          const idsAt = areas.bigs(ids);
          const asked = kernels.findAnswers(table, asker, tagsAt, idsAt, rows.length, out, wanted, waiting, counts);
          const [waits, left, others] = areas.readWords(counts, 3) as [number, number, number];
          const questions = areas.readBigs(wanted, asked);
          assert.equal(others, questions.filter((value) => !isDictionaryTag(Number(value >> 56n))).length);
          const answers = areas.bytes(Uint8Array.from(questions, answerOf(asker)));
          kernels.giveAnswers(table, asker, wanted, asked, answers, waiting, waits, out, 1);
          const expected = answersOf(before, ids, byTag, answerOf(asker));
          assert.deepEqual([...areas.readBytes(out, rows.length)], expected);
          assert.equal(left, expected.filter((answer) => answer === 3).length);
        }
      });
    }),
    { numRuns: RUNS },
  );
});

test('an id is asked about once, in later batches too', () => {
  areas.run(() => {
    const table = areas.zeroed(TABLE_BYTES);
    const byTag = areas.bytes(new Uint8Array(256).fill(BY_VALUE));
    const ids = [7n, 8n, 7n, 7n, 8n].map((number) => makeId(TAG.string, 0, number));
    const [idsAt, wanted, waiting] = [areas.bigs(ids), areas.area(40), areas.area(40)];
    const [counts, answers] = [areas.area(12), areas.bytes(Uint8Array.of(1, 0))];
    for (const expected of [2, 0]) {
      const out = areas.bytes(new Uint8Array(5).fill(3));
      assert.equal(kernels.findAnswers(table, 9, byTag, idsAt, 5, out, wanted, waiting, counts), expected);
      const waits = areas.readWords(counts, 1)[0] as number;
      assert.equal(waits, expected === 0 ? 0 : 5);
      kernels.giveAnswers(table, 9, wanted, expected, answers, waiting, waits, out, 1);
      assert.deepEqual([...areas.readBytes(out, 5)], [1, 0, 1, 1, 0]);
    }
  });
});
