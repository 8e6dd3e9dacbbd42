/** Comparisons of ids: kernel = twin, with what the plain comparison of two ids says. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DecidableOperator, decideComparison } from '../../engine/query/expressions/comparison.js';
import { highOf, lowOf } from '../../engine/storage/ids/halves.js';
import { BIAS, makeId, TAG } from '../../engine/storage/ids/layout.js';
import { Areas } from './areas.js';
import { compareIds } from './twins/compare-ids.js';
import { RUNS } from './values.js';

const areas = new Areas();
const { kernels } = areas;

const payload = fc.oneof(fc.integer({ min: -9, max: 300 }), fc.integer({ min: 1 - 2 ** 47, max: 2 ** 47 - 1 }));
const biased = (tag: number, ...auxiliaries: number[]) =>
  fc.tuple(fc.constantFrom(...auxiliaries), payload).map(([code, value]) => makeId(tag, code, BigInt(value) + BIAS));
const id = fc.oneof(
  biased(TAG.integer, 1, 1, 23, 25, 29),
  biased(TAG.decimal, 0, 1, 2, 30),
  biased(TAG.double, 1, 2, 30),
  biased(TAG.float, 1, 2),
  biased(TAG.date, 0, 1),
  biased(TAG.dateTime, 0, 1),
  fc
    .tuple(
      fc.constantFrom(TAG.iri, TAG.blank, TAG.string, TAG.langString, TAG.typed, TAG.boolean, TAG.local),
      fc.nat(3),
    )
    .map(([tag, value]) => makeId(tag, 0, BigInt(value))),
  fc.constant(0n),
);
const OPERATORS: readonly [DecidableOperator, asked: number, answers: number][] = [
  ['=', 1, 0b010],
  ['!=', 1, 0b101],
  ['<', 0, 0b001],
  ['<=', 0, 0b011],
  ['>', 0, 0b100],
  ['>=', 0, 0b110],
  ['sameterm', 2, 0b010],
];

const decide = (operator: DecidableOperator, x: bigint, y: bigint) =>
  decideComparison(operator, lowOf(x), highOf(x), lowOf(y), highOf(y));

test('compareIds: what it decides is right, columns and constants alike, and it decides the usual kinds', () => {
  const rows = fc.array(fc.tuple(id, id, fc.constantFrom(0, 3, 3, 3, 4)), { maxLength: 40 });
  fc.assert(
    fc.property(rows, fc.constantFrom(...OPERATORS), fc.boolean(), (list, [operator, asked, answers], constant) => {
      areas.run(() => {
        const a = list.map(([x]) => x);
        const b = list.map(([, y]) => (constant ? (list[0]?.[1] as bigint) : y));
        const before = list.map(([, , answer]) => answer);
        const out = areas.bytes(Uint8Array.from(before));
        const [aAt, bAt] = [areas.bigs(a), areas.bigs(constant ? b.slice(0, 1) : b)];
        const left = kernels.compareIds(aAt, bAt, constant ? 0 : 8, list.length, asked, answers, out);
        const found = [...areas.readBytes(out, list.length)];
        assert.equal(left, found.filter((answer) => answer === 3).length);
        for (const [row, answer] of found.entries()) {
          if (before[row] !== 3) assert.equal(answer, before[row]);
          else if (answer !== 3) assert.equal(answer, decide(operator, a[row] as bigint, b[row] as bigint));
        }
        // Where the plain comparison of order tells, and no float, long scale or other kind is in the way.
        const simple = (value: bigint) => [TAG.integer, TAG.decimal].includes(Number(value >> 56n) as never);
        const order = (x: bigint, y: bigint): number | null => {
          if (operator === 'sameterm') return x === y ? 0 : 1;
          if (!simple(x) || !simple(y)) return null;
          const [less, equal] = [decide('<', x, y), decide('=', x, y)];
          return less === 3 || equal === 3 ? null : equal === 1 ? 0 : less === 1 ? -1 : 1;
        };
        for (const [row, answer] of compareIds(before, a, b, answers, order).entries()) {
          const scale = (value: bigint) => Number((value >> 48n) & 255n);
          const long = [a[row], b[row]].some((value) => scale(value as bigint) > 29);
          if (answer !== 3 && !long) assert.equal(found[row], answer);
        }
      });
    }),
    { numRuns: RUNS },
  );
});
