/** Parts of inlined dates and times, lengths of texts: kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BIAS, makeId, TAG } from '../../engine/storage/ids/layout.js';
import { Areas } from './areas.js';
import { DATE_PARTS, datePart } from './twins/date-parts.js';
import { textLength } from './twins/text-lengths.js';
import { RUNS } from './values.js';

const areas = new Areas();
const ROWS = 4096;
const [OTHER, INTEGER, DECIMAL, ERROR] = [0, 1, 2, 4];
const DAY_MS = 86_400_000;

test('readDateParts: kernel = twin, from the year 1 to 9999, before 1970 too; other ids are left', () => {
  const rows = fc.array(
    fc.record({
      tag: fc.constantFrom(
        TAG.date,
        TAG.dateTime,
        TAG.dateTimeMs,
        TAG.typed,
        TAG.local,
        TAG.unbound,
        TAG.iri,
        TAG.string,
        TAG.langString,
        TAG.integer,
        TAG.boolean,
        TAG.triple,
      ),
      zone: fc.nat(120),
      // Milliseconds that are inlined do not reach all years.
      ms: fc.integer({ min: -719_162 * DAY_MS, max: 2_932_896 * DAY_MS }),
    }),
    { minLength: 1, maxLength: 50 },
  );
  fc.assert(
    fc.property(rows, fc.nat(DATE_PARTS.length - 1), (list, part) => {
      areas.run(() => {
        const unit: Record<number, number> = { [TAG.date]: DAY_MS, [TAG.dateTime]: 1000, [TAG.dateTimeMs]: 1 };
        const units = list.map(({ tag, ms }) => Math.floor((tag === TAG.dateTimeMs ? ms / 4 : ms) / (unit[tag] ?? 1)));
        const ids = list.map(({ tag, zone }, index) =>
          tag === TAG.unbound ? 0n : makeId(tag, zone, tag in unit ? BigInt(units[index] as number) + BIAS : 7n),
        );
        const column = areas.area(10 * ROWS);
        areas.kernels.readDateParts(areas.bigs(ids), ids.length, part, column);
        const kinds = [...areas.readBytes(column, ids.length)];
        const scales = areas.readBytes(column + ROWS, ids.length);
        const values = areas.memory.doublesAt(column + 2 * ROWS, ids.length);
        list.forEach(({ tag }, index) => {
          if (!(tag in unit)) {
            assert.equal(kinds[index], tag === TAG.typed || tag === TAG.local ? OTHER : ERROR);
            return;
          }
          const localMs = (units[index] as number) * (unit[tag] as number);
          const expected = datePart(DATE_PARTS[part] as (typeof DATE_PARTS)[number], localMs, tag === TAG.date);
          const kind = DATE_PARTS[part] === 'seconds' ? DECIMAL : INTEGER;
          assert.equal(kinds[index], expected === null ? ERROR : kind);
          const unitsOf = 10 ** (scales[index] as number);
          if (expected !== null) assert.equal((values[index] as number) / unitsOf, expected);
        });
      });
    }),
    { numRuns: 2 * RUNS },
  );
});

test('textLengths: kernel = twin, with and without languages, beyond the basic plane', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', 'ä', '\u{1F600}x', 'a'.repeat(70)),
  );
  const term = fc.record({
    kind: fc.constantFrom(3, 4),
    text: text.map((value) => Buffer.from(value).toString().replaceAll('\0', '')),
  });
  fc.assert(
    fc.property(fc.array(term, { minLength: 1, maxLength: 20 }), (list) => {
      areas.run(() => {
        const stored = list.map((one) =>
          Buffer.from(`${String.fromCharCode(one.kind)}${one.kind === 4 ? 'en\0' : ''}${one.text}`),
        );
        const starts: number[] = [];
        const ends: number[] = [];
        let at = 0;
        for (const { length } of stored) {
          starts.push(at);
          at += length;
          ends.push(at);
        }
        const out = areas.area(4 * list.length);
        const all = areas.bytes(Buffer.concat(stored));
        areas.kernels.textLengths(all, areas.words(starts), areas.words(ends), list.length, out);
        assert.deepEqual(
          areas.readWords(out, list.length),
          list.map((one) => textLength(one.text)),
        );
      });
    }),
    { numRuns: RUNS },
  );
});
