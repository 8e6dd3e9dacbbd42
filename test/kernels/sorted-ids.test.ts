/** Kernels over sorted ids: intersections of lists, pairs of a merge join; kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import { intersectLists } from './twins/intersect-lists.js';
import { mergePairs } from './twins/merge-pairs.js';
import { RUNS } from './values.js';

const areas = new Areas();
const { kernels } = areas;
const limits = fc.integer({ min: 1, max: 20 });

test('intersectLists: kernel = twin, within any number of steps and pairs', () => {
  const list = fc.array(fc.bigInt(0n, 25n), { minLength: 1, maxLength: 30 });
  const side = fc.array(list, { minLength: 1, maxLength: 5 });
  const input = fc.tuple(fc.array(side, { minLength: 2, maxLength: 4 }), fc.array(fc.nat(), { maxLength: 12 }));
  const steps = fc.integer({ min: 1, max: 50 });
  fc.assert(
    fc.property(input, limits, steps, fc.boolean(), ([sides, picks], limit, stepsMax, above) => {
      areas.run(() => {
        const lists = sides.map((some) =>
          some.map((ids) =>
            ids.map((id) => (above ? id + 2n ** 63n : id)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
          ),
        );
        // By row and list: the number of the list, or none.
        const numbers = picks.map((pick) => lists.map((some, at) => ((pick + at) % (some.length + 1)) - 1));
        const state = [lists.length, picks.length, 0, 0, 0, 0];
        lists.forEach((some, at) => {
          const starts = [0];
          for (const ids of some) starts.push((starts.at(-1) as number) + ids.length);
          state.push(
            areas.words(numbers.map((row) => row[at] as number)),
            areas.words(starts),
            areas.bigs(some.flat()),
            0,
            0,
            0,
          );
        });
        const at = areas.words(state);
        const first = areas.area(4 * limit);
        const second = areas.area(4 * limit);
        const pairs: [number, number][] = [];
        for (let calls = 0; areas.memory.wordsAt(at, 3)[2] !== picks.length; calls++) {
          assert.ok(calls < 100_000);
          const count = kernels.intersectLists(at, stepsMax, limit, first, second);
          const places = areas.readWords(second, count);
          for (const [pair, row] of areas.readWords(first, count).entries()) pairs.push([row, places[pair] as number]);
        }
        const ofRows = numbers.map((row) =>
          row.includes(-1) ? null : row.map((number, side) => lists[side]?.[number] as bigint[]),
        );
        const placed = intersectLists(ofRows).map(([row, place]): [number, number] => {
          const before = (lists[0] as bigint[][]).slice(0, numbers[row]?.[0]).reduce((sum, ids) => sum + ids.length, 0);
          return [row, before + place];
        });
        assert.deepEqual(pairs, placed);
      });
    }),
    { numRuns: RUNS },
  );
});

test('mergePairs: kernel = twin, in pieces of any size', () => {
  const side = fc.array(fc.bigInt(0n, 12n), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(side, side, limits, fc.boolean(), (one, other, limit, above) => {
      areas.run(() => {
        const sorted = (ids: readonly bigint[]) =>
          ids.map((id) => (above ? id + 2n ** 63n : id)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        const [left, right] = [sorted(one), sorted(other)];
        const [leftAt, rightAt, cursor] = [areas.bigs(left), areas.bigs(right), areas.words([0, 0, 0, 0])];
        const [first, second] = [areas.area(4 * limit), areas.area(4 * limit)];
        const made: [number, number][] = [];
        for (let calls = 0; ; calls++) {
          assert.ok(calls < 10_000);
          const count = kernels.mergePairs(leftAt, left.length, rightAt, right.length, cursor, limit, first, second);
          const seconds = areas.readWords(second, count);
          for (const [at, row] of areas.readWords(first, count).entries()) made.push([row, seconds[at] as number]);
          const [leftRow, rightRow, , open] = areas.readWords(cursor, 4);
          if (open === 1) {
            assert.equal(rightRow, right.indexOf(right[right.length - 1] as bigint));
            assert.equal(left[leftRow as number], right[right.length - 1]);
          }
          if (open === 1 || leftRow === left.length || rightRow === right.length) break;
        }
        assert.deepEqual(made, mergePairs(left, right));
      });
    }),
    { numRuns: RUNS },
  );
});
