/** Sort keys of rows and what is counted on them: kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import * as keyTwin from './twins/row-keys.js';
import { RUNS, U64_MAX, u64 } from './values.js';

const areas = new Areas();
const { kernels } = areas;

const TERMS = 40;

interface KeyedRows {
  readonly rows: keyTwin.NumberRow[];
  readonly widths: readonly number[];
  /** The order of columns from the lowest bits up. */
  readonly order: readonly number[];
  readonly ranks: readonly number[][];
}

/** Rows of provisional numbers, and ranks that fit the widths of a key of at most 64 bits. */
const keyedRows: fc.Arbitrary<KeyedRows> = fc
  .record({
    rows: fc.array(fc.tuple(...([0, 1, 2, 3] as const).map(() => fc.nat({ max: TERMS - 1 }))), { maxLength: 80 }),
    widths: fc.constantFrom([6, 6, 6, 0], [6, 6, 6, 6], [0, 3, 0, 1], [20, 10, 30, 4], [31, 1, 32, 0], [1, 31, 31, 1]),
    order: fc.constantFrom([2, 1, 0, 3], [0, 2, 1, 3], [1, 0, 2, 3], [2, 1, 3, 0], [3, 2, 1, 0]),
    values: fc.array(fc.nat({ max: 0xffffffff }), { minLength: 4 * TERMS, maxLength: 4 * TERMS }),
  })
  .map(({ rows, widths, order, values }) => ({
    rows: rows as unknown as keyTwin.NumberRow[],
    widths,
    order,
    ranks: widths.map((width, c) => values.slice(c * TERMS, (c + 1) * TERMS).map((value) => value % 2 ** width)),
  }));

function layoutOf({ widths, order }: KeyedRows): keyTwin.KeyLayout {
  const layout = widths.map(() => ({ shift: 0, width: 0 }));
  let shift = 0;
  for (const c of order) {
    layout[c] = { shift, width: widths[c] as number };
    shift += widths[c] as number;
  }
  return layout as unknown as keyTwin.KeyLayout;
}

function placeLayout(layout: keyTwin.KeyLayout): number {
  return areas.words(layout.flatMap(({ shift, width }) => [shift, width]));
}

function placeRows(rows: readonly keyTwin.NumberRow[]): number {
  return areas.words(rows.flat());
}

function allKeys(made: KeyedRows): bigint[] {
  return keyTwin.composeKeys(made.rows, made.ranks, layoutOf(made), () => true);
}

function sorted(keys: readonly bigint[]): bigint[] {
  return [...keys].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

test('composeKeys: kernel = twin, of all rows and of those with a mark', () => {
  fc.assert(
    fc.property(
      keyedRows,
      fc.array(fc.integer({ min: 0, max: 2 }), { minLength: TERMS, maxLength: TERMS }),
      (made, marks) => {
        const { rows, ranks } = made;
        const layout = layoutOf(made);
        areas.run(() => {
          const at = placeRows(rows);
          const rankAreas = areas.words(ranks.map((list) => areas.words(list)));
          const compose = (markArea: number, wanted: number, passes: (graph: number) => boolean) => {
            const expected = keyTwin.composeKeys(rows, ranks, layout, passes);
            const out = areas.area(8 * expected.length);
            const count = kernels.composeKeys(at, rows.length, markArea, wanted, rankAreas, placeLayout(layout), out);
            assert.equal(count, expected.length);
            assert.deepEqual(areas.readBigs(out, count), expected);
          };
          compose(0, 0, () => true);
          const markArea = areas.bytes(Uint8Array.from(marks));
          for (const wanted of [0, 1, 2]) compose(markArea, wanted, (graph) => marks[graph] === wanted);
        });
      },
    ),
    { numRuns: RUNS },
  );
});

test('dedupeKeys and dropMarkedKeys: kernel = twin', () => {
  const keys = fc.array(fc.oneof(u64, fc.constantFrom(0n, 1n, U64_MAX)), { maxLength: 100 });
  fc.assert(
    fc.property(keys, fc.infiniteStream(fc.boolean()), (list, coins) => {
      areas.run(() => {
        for (const input of [list, sorted(list)]) {
          const at = areas.bigs(input);
          const kept = kernels.dedupeKeys(at, input.length);
          assert.deepEqual(areas.readBigs(at, kept), keyTwin.dedupeKeys(input));
        }
        const marks = list.map(() => coins.next().value as boolean);
        const at = areas.bigs(list);
        const kept = kernels.dropMarkedKeys(at, list.length, areas.bytes(Uint8Array.from(marks, Number)));
        assert.deepEqual(areas.readBigs(at, kept), keyTwin.dropMarkedKeys(list, marks));
      });
    }),
    { numRuns: RUNS },
  );
});

test('relayoutKeys and keyColumn: kernel = twin', () => {
  fc.assert(
    fc.property(keyedRows, fc.constantFrom([3, 2, 1, 0], [0, 1, 2, 3]), (made, order) => {
      const keys = allKeys(made);
      const from = layoutOf(made);
      const to = layoutOf({ ...made, order });
      areas.run(() => {
        const out = areas.area(8 * keys.length);
        kernels.relayoutKeys(areas.bigs(keys), keys.length, placeLayout(from), placeLayout(to), out);
        const expected = keyTwin.relayoutKeys(keys, from, to);
        assert.deepEqual(areas.readBigs(out, keys.length), expected);
        kernels.relayoutKeys(out, keys.length, placeLayout(to), placeLayout(from), out);
        assert.deepEqual(areas.readBigs(out, keys.length), keys, 'and back, in place');
        if (Math.max(...made.widths) > 10) return;
        for (const c of [0, 1, 2, 3] as const) {
          const ids = Array.from({ length: 2 ** from[c].width }, (_, rank) => U64_MAX - BigInt(rank * (c + 1)));
          const tables = areas.words([0, 1, 2, 3].map((column) => (column === c ? areas.bigs(ids) : 0)));
          const column = areas.area(8 * keys.length);
          kernels.keyColumn(areas.bigs(keys), keys.length, placeLayout(from), c, tables, column);
          assert.deepEqual(areas.readBigs(column, keys.length), keyTwin.keyColumn(keys, from[c], ids));
        }
      });
    }),
    { numRuns: RUNS },
  );
});

test('countGraphs and markColumn: kernel = twin', () => {
  fc.assert(
    fc.property(keyedRows, ({ rows }) => {
      areas.run(() => {
        const at = placeRows(rows);
        const counts = areas.zeroed(4 * TERMS);
        kernels.countGraphs(at, rows.length, counts);
        assert.deepEqual(areas.readWords(counts, TERMS), keyTwin.countGraphs(rows, TERMS));
        for (const c of [0, 1, 2, 3] as const) {
          const marks = areas.zeroed(TERMS);
          kernels.markColumn(at, rows.length, c, marks);
          assert.deepEqual([...areas.readBytes(marks, TERMS)], keyTwin.markColumn(rows, c, TERMS).map(Number));
        }
      });
    }),
    { numRuns: RUNS },
  );
});

test('assignRanks: kernel = twin, equal ids share a rank', () => {
  const ids = fc.array(fc.oneof(u64, fc.constantFrom(0n, 5n, U64_MAX)), { minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(ids, fc.option(fc.infiniteStream(fc.boolean())), (list, coins) => {
      const marks = coins === null ? null : list.map(() => coins.next().value as boolean);
      const expected = keyTwin.assignRanks(list, marks);
      areas.run(() => {
        const numbers = [...list.keys()].sort((a, b) => ((list[a] as bigint) < (list[b] as bigint) ? -1 : 1));
        const ranks = areas.area(4 * list.length);
        const out = areas.area(8 * expected.ids.length);
        const count = kernels.assignRanks(
          areas.bigs(numbers.map((number) => list[number] as bigint)),
          areas.words(numbers),
          list.length,
          marks === null ? 0 : areas.bytes(Uint8Array.from(marks, Number)),
          ranks,
          out,
        );
        assert.deepEqual(areas.readBigs(out, count), expected.ids);
        const actual = areas.readWords(ranks, list.length);
        expected.ranks.forEach((rank, number) => {
          if (rank !== undefined) assert.equal(actual[number], rank, `number ${number}`);
        });
      });
    }),
    { numRuns: RUNS },
  );
});

test('sumRows: kernel = twin, and the order of the rows does not matter', () => {
  const row = fc.tuple(u64, u64, u64, u64);
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), u64, fc.nat(), (rows, start, cut) => {
      const middle = rows.length === 0 ? 0 : cut % rows.length;
      const sumOf = (list: typeof rows) =>
        areas.run(() => {
          const columns = areas.columns([0, 1, 2, 3].map((c) => list.map((values) => values[c] as bigint)));
          const sum = areas.bigs([start]);
          kernels.sumRows(columns, 0, middle, sum);
          kernels.sumRows(columns, middle, list.length, sum);
          return areas.readBigs(sum, 1)[0];
        });
      const expected = keyTwin.sumRows(rows, start);
      assert.equal(sumOf(rows), expected);
      assert.equal(sumOf([...rows].reverse()), expected);
    }),
    { numRuns: RUNS },
  );
});

test('countSubjects, countObjects, countDistinctFirst: kernel = twin', () => {
  const small = keyedRows.filter(({ widths }) => (widths[1] as number) <= 10);
  fc.assert(
    fc.property(small, fc.boolean(), (made, repeated) => {
      const predicates = 2 ** (made.widths[1] as number);
      const counted = (order: readonly number[]) => {
        const layout = layoutOf({ ...made, order });
        const keys = keyTwin.composeKeys(made.rows, made.ranks, layout, () => true);
        return { layout, keys: repeated ? sorted(keys) : keyTwin.dedupeKeys(sorted(keys)) };
      };
      areas.run(() => {
        const spo = counted([3, 2, 1, 0]);
        const figures = areas.zeroed(8 * predicates);
        kernels.countSubjects(areas.bigs(spo.keys), spo.keys.length, placeLayout(spo.layout), figures);
        const bySubject = keyTwin.countByPredicate(spo.keys, spo.layout, 0, predicates);
        assert.deepEqual(
          areas.readWords(figures, 2 * predicates),
          bySubject.flatMap(({ rows, distinct }) => [rows, distinct]),
        );
        const pos = counted([3, 0, 2, 1]);
        const objects = areas.zeroed(4 * predicates);
        kernels.countObjects(areas.bigs(pos.keys), pos.keys.length, placeLayout(pos.layout), objects);
        const byObject = keyTwin.countByPredicate(pos.keys, pos.layout, 2, predicates);
        assert.deepEqual(
          areas.readWords(objects, predicates),
          byObject.map(({ distinct }) => distinct),
        );
        const tally = areas.zeroed(4 * predicates);
        kernels.countRanks(areas.bigs(spo.keys), spo.keys.length, placeLayout(spo.layout), 1, tally);
        assert.deepEqual(areas.readWords(tally, predicates), keyTwin.countRanks(spo.keys, spo.layout[1], predicates));
        for (const [{ keys, layout }, first] of [
          [spo, 0],
          [pos, 1],
        ] as const) {
          const distinct = kernels.countDistinctFirst(areas.bigs(keys), keys.length, placeLayout(layout), first);
          assert.equal(distinct, keyTwin.countDistinct(keys, layout[first]));
        }
      });
    }),
    { numRuns: RUNS },
  );
});
