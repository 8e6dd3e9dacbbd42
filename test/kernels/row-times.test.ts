/** Tests of time over rows, and dead rows: kernel = twin, and the worked example of the semantics. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import * as deadTwin from './twins/dead-rows.js';
import * as twin from './twins/row-times.js';
import { few, RUNS, u64 } from './values.js';

const areas = new Areas();
const { kernels } = areas;
const { OPEN } = twin;

const time = fc.oneof(few, fc.bigInt({ min: 0n, max: 8n }), u64);
const times = fc.array(fc.record({ txFrom: time, txTo: time, validFrom: time, validTo: time }), { maxLength: 60 });
const coins = fc.option(fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }));

interface Placed {
  readonly txFrom: number;
  readonly txTo: number;
  readonly validFrom: number;
  readonly validTo: number;
}

function place(rows: readonly twin.RowTimes[]): Placed {
  const column = (name: keyof twin.RowTimes) => areas.bigs(rows.map((row) => row[name]));
  return { txFrom: column('txFrom'), txTo: column('txTo'), validFrom: column('validFrom'), validTo: column('validTo') };
}

function asOf(rows: readonly twin.RowTimes[], selected: readonly number[], all: boolean, tx: bigint): number[] {
  const at = place(rows);
  const from = all ? 0 : areas.words(selected);
  const to = areas.area(4 * selected.length);
  const { txFrom, txTo, validTo } = at;
  const kept = areas.readWords(to, kernels.selectAsOf(txFrom, txTo, validTo, from, selected.length, tx, to));
  if (all) return kept;
  const again = kernels.selectAsOf(txFrom, txTo, validTo, from, selected.length, tx, from);
  assert.deepEqual(areas.readWords(from, again), kept);
  return kept;
}

function validAt(
  rows: readonly twin.RowTimes[],
  selected: readonly number[],
  all: boolean,
  tx: bigint,
  instant: bigint,
): number[] {
  const { txFrom, txTo, validFrom, validTo } = place(rows);
  const from = all ? 0 : areas.words(selected);
  const to = areas.area(4 * selected.length);
  const run = (target: number) =>
    kernels.selectAsOfValidAt(txFrom, txTo, validFrom, validTo, from, selected.length, tx, instant, target);
  const kept = areas.readWords(to, run(to));
  if (!all) assert.deepEqual(areas.readWords(from, run(from)), kept);
  return kept;
}

test('selectAsOf, selectAsOfValidAt, closeAsOf: kernel = twin', () => {
  fc.assert(
    fc.property(times, coins, time, time, (rows, list, tx, instant) => {
      const selected = [...rows.keys()].filter((row) => list === null || list[row]);
      areas.run(() => {
        assert.deepEqual(asOf(rows, selected, list === null, tx), twin.selectAsOf(rows, selected, tx));
        assert.deepEqual(
          validAt(rows, selected, list === null, tx, instant),
          twin.selectAsOfValidAt(rows, selected, tx, instant),
        );
        const { txTo, validTo } = place(rows);
        kernels.closeAsOf(txTo, validTo, list === null ? 0 : areas.words(selected), selected.length, tx);
        const expected = twin.closeAsOf(rows, selected, tx);
        assert.deepEqual(
          areas.readBigs(txTo, rows.length),
          expected.map((row) => row.txTo),
        );
        assert.deepEqual(
          areas.readBigs(validTo, rows.length),
          expected.map((row) => row.validTo),
        );
      });
    }),
    { numRuns: 2 * RUNS },
  );
});

/** Months of 2026 as instants; tx 1 asserts 4 from month 1 on, tx 2 sets 8 in month 4. */
test('the matrix of BT-5', () => {
  const rows: twin.RowTimes[] = [
    { txFrom: 1n, txTo: 2n, validFrom: 1n, validTo: 4n },
    { txFrom: 2n, txTo: OPEN, validFrom: 4n, validTo: OPEN },
  ];
  const [four, eight] = [0, 1];
  areas.run(() => {
    const at = (tx: bigint, instant: bigint) => validAt(rows, [0, 1], true, tx, instant);
    const known = (tx: bigint) => asOf(rows, [0, 1], true, tx);
    assert.deepEqual(known(2n), [eight]);
    assert.deepEqual(known(OPEN - 1n), [eight]);
    assert.deepEqual(known(1n), [four]);
    assert.deepEqual(known(0n), []);
    assert.deepEqual(at(2n, 2n), [four]);
    assert.deepEqual(at(2n, 4n), [eight]);
    assert.deepEqual(at(2n, 6n), [eight]);
    assert.deepEqual(at(1n, 2n), [four]);
    assert.deepEqual(at(1n, 6n), [four]);
    assert.deepEqual(at(2n, 0n), []);
  });
});

test('countDead, selectAlive: kernel = twin', () => {
  const row = fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 4096 }));
  fc.assert(
    fc.property(fc.uniqueArray(row, { maxLength: 40 }), row, row, (drawn, x, y) => {
      const dead = [...drawn].sort((a, b) => a - b);
      const [from, to] = [Math.min(x, y), Math.max(x, y)];
      const alive = deadTwin.selectAlive(dead, from, to);
      areas.run(() => {
        const list = areas.bytes(new Uint8Array(Uint16Array.from(dead).buffer));
        const out = areas.area(4 * alive.length);
        assert.equal(kernels.countDead(list, dead.length, x), deadTwin.countDead(dead, x));
        const count = kernels.selectAlive(list, dead.length, from, to, out);
        assert.deepEqual(areas.readWords(out, count), alive);
      });
    }),
    { numRuns: RUNS },
  );
});
