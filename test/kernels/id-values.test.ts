/** Values of ids: kernel = twin, over batches of several askers, also where ids push each other out. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeId, TAG } from '../../engine/storage/ids/layout.js';
import { Areas } from './areas.js';
import { valuesOf } from './twins/id-values.js';
import { RUNS } from './values.js';

const areas = new Areas();
const { kernels } = areas;
const TABLE_BYTES = 24 * 2 ** 17;

const id = fc
  .tuple(fc.constantFrom(TAG.unbound, TAG.iri, TAG.integer, TAG.local), fc.oneof(fc.nat(20), fc.nat()))
  .map(([tag, payload]) => makeId(tag, 0, BigInt(payload)));
const batch = fc.record({ asker: fc.integer({ min: 1, max: 3 }), ids: fc.array(id, { maxLength: 50 }) });

/** Some value that depends on who asks. */
const madeOf = (asker: number) => (value: bigint) => (value * 31n + BigInt(asker)) % 2n ** 64n;

test('findValues and giveValues: every row gets the value of its id', () => {
  fc.assert(
    fc.property(fc.array(batch, { minLength: 1, maxLength: 6 }), (batches) => {
      areas.run(() => {
        const table = areas.zeroed(TABLE_BYTES);
        for (const { asker, ids } of batches) {
          const rows = ids.length;
          const [out, wanted, waiting] = [areas.area(8 * rows), areas.area(8 * rows), areas.area(8 * rows)];
          const waits = areas.area(8);
          const asked = kernels.findValues(table, asker, areas.bigs(ids), rows, out, wanted, waiting, waits);
          const values = areas.bigs(areas.readBigs(wanted, asked).map(madeOf(asker)));
          const count = areas.readWords(waits, 1)[0] as number;
          kernels.giveAnswers(table, asker, wanted, asked, values, waiting, count, out, 8);
          assert.deepEqual(areas.readBigs(out, rows), valuesOf(ids, madeOf(asker)));
        }
      });
    }),
    { numRuns: RUNS },
  );
});

test('a value is asked for once, in later batches too', () => {
  areas.run(() => {
    const table = areas.zeroed(TABLE_BYTES);
    const ids = [7n, 8n, 7n, 7n, 8n].map((number) => makeId(TAG.string, 0, number));
    const [idsAt, out, wanted, waiting] = [areas.bigs(ids), areas.area(40), areas.area(40), areas.area(40)];
    const [waits, values] = [areas.area(8), areas.bigs([1n, 2n])];
    for (const expected of [2, 0]) {
      assert.equal(kernels.findValues(table, 9, idsAt, 5, out, wanted, waiting, waits), expected);
      const count = areas.readWords(waits, 1)[0] as number;
      assert.equal(count, expected === 0 ? 0 : 5);
      kernels.giveAnswers(table, 9, wanted, expected, values, waiting, count, out, 8);
      assert.deepEqual(areas.readBigs(out, 5), [1n, 2n, 1n, 1n, 2n]);
    }
  });
});
