/** Kernels of star joins: kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import * as twins from './twins/star-rows.js';
import { few, RUNS } from './values.js';

const areas = new Areas();
const { kernels } = areas;

const NEEDS = ['required', 'optional', 'exists'] as const;

test('crossKeys: kernel = twin', () => {
  fc.assert(
    fc.property(
      fc.array(few, { minLength: 1, maxLength: 9 }),
      fc.array(few, { minLength: 1, maxLength: 5 }),
      (s, p) => {
        areas.run(() => {
          const from = s.length >> 1;
          const expected = twins.crossKeys(s.slice(from), p);
          const [toS, toP] = [areas.area(8 * expected.length), areas.area(8 * expected.length)];
          kernels.crossKeys(areas.bigs(s), from, s.length - from, areas.bigs(p), p.length, toS, toP);
          const read = (at: number) => [...areas.memory.bigsAt(at, expected.length)];
          assert.deepEqual(
            read(toS),
            expected.map(([subject]) => subject),
          );
          assert.deepEqual(
            read(toP),
            expected.map(([, predicate]) => predicate),
          );
        });
      },
    ),
    { numRuns: RUNS },
  );
});

const ranges = fc
  .uniqueArray(fc.bigInt(0n, 60n), { maxLength: 8 })
  .map((bounds) => bounds.sort((a, b) => (a < b ? -1 : 1)))
  .map((bounds) =>
    bounds.flatMap((from, at) =>
      at % 2 === 0 && at + 1 < bounds.length ? [{ from, to: bounds[at + 1] as bigint }] : [],
    ),
  );

const star = fc.record({
  /** How many input rows each subject has, or that each has one, with its own number. */
  rows: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 }),
  single: fc.boolean(),
  before: fc.integer({ min: 0, max: 3 }),
  tests: fc.array(fc.option(ranges, { nil: null }), { minLength: 1, maxLength: 4 }),
  sizes: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 24, maxLength: 24 }),
  ids: fc.array(fc.bigInt(0n, 60n), { minLength: 72, maxLength: 72 }),
  legs: fc.array(fc.record({ predicate: fc.nat(3), need: fc.constantFrom(...NEEDS), shown: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
  limit: fc.integer({ min: 1, max: 20 }),
  split: fc.nat(10),
});

test('appendObjects and starRows: kernel = twin, however the calls fall', () => {
  fc.assert(
    fc.property(star, ({ rows, single, before, tests, sizes, ids, legs: asked, limit, split }) => {
      areas.run(() => {
        const width = tests.length;
        const legs = asked.map((leg) => ({ ...leg, predicate: leg.predicate % width }));
        const keys = rows.length * width;
        const found = sizes
          .slice(0, keys)
          .flatMap((size, key) => ids.slice(3 * key, 3 * key + size).map((id) => ({ key, id })));
        const expected = twins.appendObjects(found, keys, tests);

        const list = areas.area(8 * found.length + 8);
        const starts = areas.area(4 * (keys + 1));
        const state = areas.words([0, 0]);
        const tested = areas.words(
          tests.map((test) =>
            test === null ? 0 : areas.bigs([BigInt(test.length), ...test.flatMap(({ from, to }) => [from, to])]),
          ),
        );
        const cut = Math.min(split, found.length);
        for (const [part, end] of [
          [found.slice(0, cut), 0],
          [found.slice(cut), 0],
          [[], keys],
        ] as const) {
          const keysAt = areas.words(part.map(({ key }) => key));
          const idsAt = areas.bigs(part.map(({ id }) => id));
          kernels.appendObjects(keysAt, part.length, idsAt, tested, width, list, starts, state, end);
        }
        assert.deepEqual(areas.readWords(state, 2), [expected.objects.length, keys + 1]);
        assert.deepEqual(areas.readWords(starts, keys + 1), expected.starts);
        assert.deepEqual([...areas.memory.bigsAt(list, expected.objects.length)], expected.objects);

        // Subjects of the batch before these have been done.
        const counts = [...Array<number>(before).fill(2), ...rows];
        let next = 0;
        const grouped = counts.map((count) => Array.from({ length: count }, () => next++).reverse());
        const inputs = single ? rows.map((_, subject) => [before + subject]) : grouped.slice(before);
        const firsts = grouped.map((_, subject) => counts.slice(0, subject).reduce((sum, count) => sum + count, 0));
        const rowStarts = single ? 0 : areas.words([...firsts, next]);
        const order = single ? 0 : areas.words(grouped.flat());
        const made = twins.starRows({ rows: inputs, predicates: width, starts: expected.starts, legs });
        const out = areas.area(4 * limit);
        const places = legs.map(({ shown }) => (shown ? areas.area(4 * limit) : 0));
        const head = [rows.length, width, legs.length, starts, rowStarts, order, before, 0, 0, out, 0, 0];
        const words = legs.flatMap((leg, at) => [leg.predicate, NEEDS.indexOf(leg.need), places[at] as number, 0]);
        const at = areas.words([...head, ...words]);
        for (let done = 0; ; ) {
          const count = kernels.starRows(at, limit);
          const read = (address: number) => areas.readWords(address, count).map((word) => word | 0);
          const columns = [read(out), ...places.map((place) => (place === 0 ? null : read(place)))];
          const part = made.slice(done, done + limit);
          assert.equal(count, part.length);
          columns.forEach((column, c) => {
            if (column !== null)
              assert.deepEqual(
                column,
                part.map((row) => row[c]),
              );
          });
          done += count;
          if (count < limit) break;
        }
      });
    }),
    { numRuns: RUNS },
  );
});
