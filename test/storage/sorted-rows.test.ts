/** Sorted copies of rows after writes: those of sorting all rows again, for a few comparisons. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OPEN, type TermId } from '../../engine/storage/ids/layout.js';
import { type Row, sortedRows } from '../../engine/storage/memory/rows.js';
import { SortedRows } from '../../engine/storage/memory/sorted-rows.js';
import type { Order } from '../../engine/storage/seam/scan.js';

const ORDERS: readonly Order[] = ['SPOG', 'POSG', 'OSPG', 'GSPO'];
const id = (number: number): TermId => BigInt(number) as TermId;

function rowOf([s, p, o, g]: readonly number[], tx: number): Row {
  const [of, to] = [BigInt(tx), OPEN];
  return {
    s: id(s ?? 0),
    p: id(p ?? 0),
    o: id(o ?? 0),
    g: id(g ?? 0),
    txFrom: of,
    txTo: to,
    validFrom: of,
    validTo: to,
  };
}

const closing = (row: Row, tx: number): Row => ({ ...row, txTo: BigInt(tx), validTo: BigInt(tx) });

test('after any writes, read in any order in between or not, rows stand as if all were sorted', () => {
  const few = fc.nat(3);
  const write = fc.record({
    opened: fc.array(fc.tuple(few, few, few, few), { maxLength: 12 }),
    /** Which of the rows that are open are closed. */
    closed: fc.array(fc.nat(200), { maxLength: 6 }),
    read: fc.subarray([...ORDERS]),
  });
  fc.assert(
    fc.property(fc.array(write, { maxLength: 12 }), (writes) => {
      let rows: readonly Row[] = [];
      let sorted = new SortedRows(rows);
      for (const [at, { opened, closed, read }] of writes.entries()) {
        const open = rows.filter(({ txTo }) => txTo === OPEN);
        const gone = new Set(closed.flatMap((place) => open[place % Math.max(1, open.length)] ?? []));
        const ends = new Map([...gone].map((row) => [row, closing(row, at + 1)]));
        const added = opened.map((quad) => rowOf(quad, at + 1));
        rows = rows.map((row) => ends.get(row) ?? row).concat(added);
        sorted = sorted.after(rows, added, ends);
        for (const order of read) assert.deepEqual(sorted.in(order), sortedRows(rows, order));
      }
      for (const order of ORDERS) assert.deepEqual(sorted.in(order), sortedRows(rows, order));
    }),
    { numRuns: 300 },
  );
});

/** A row that counts how often its subject is looked at. */
function watched(row: Row, looks: { count: number }): Row {
  return Object.defineProperty({ ...row }, 's', {
    enumerable: true,
    get: () => {
      looks.count++;
      return row.s;
    },
  });
}

test('a write of one row does not sort the others again', () => {
  const looks = { count: 0 };
  const all = Array.from({ length: 4096 }, (_, at) => watched(rowOf([(at * 7919) % 4096, 1, 1, 1], 1), looks));
  const before = new SortedRows(all);
  assert.equal(before.in('SPOG').length, 4096);
  assert.ok(looks.count > 4096);
  let rows: readonly Row[] = all;
  let sorted = before;
  looks.count = 0;
  for (let tx = 2; tx < 12; tx++) {
    const added = [rowOf([tx * 300, 2, 2, 2], tx)];
    rows = rows.concat(added);
    sorted = sorted.after(rows, added, new Map());
    // Half of them are read: what was not is made up for by the next.
    if (tx % 2 === 0) assert.equal(sorted.in('SPOG').length, 4096 + tx - 1);
  }
  // Each of the ten is compared some dozen times, with one or two looks at a comparison.
  assert.ok(looks.count < 10 * 30, `${looks.count} looks`);
});
