import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { civilFromDays, daysFromCivil, isCivilDate } from '../../engine/base/calendar.js';
import { SvcError } from '../../engine/base/errors.js';
import { formatInstant, INSTANT_MAX, INSTANT_MIN, parseInstant } from '../../engine/base/instant.js';

function assertMalformed(text: string, options = {}): void {
  assert.throws(
    () => parseInstant(text, options),
    (error) =>
      error instanceof SvcError && error.code === 'invalid_request' && error.message.includes(text.slice(0, 20)),
    `${JSON.stringify(text)} is malformed`,
  );
}

test('BT-3: offset applied, fraction dropped', () => {
  assert.equal(formatInstant(parseInstant('2026-03-01T02:30:00.999+02:00')), '2026-03-01T00:30:00Z');
});

test('BT-4: malformed times are refused', () => {
  for (const text of ['2026-02-30T00:00:00Z', 'yesterday']) assertMalformed(text);
});

test('well-formed times have one normal form', () => {
  const forms: Record<string, string> = {
    '2026-01-01T00:00:00Z': '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00-00:00': '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.9999999999999999999Z': '2026-01-01T00:00:00Z',
    '1969-12-31T23:59:59.5Z': '1969-12-31T23:59:59Z',
    '0000-01-01T00:00:00Z': '0000-01-01T00:00:00Z',
    '0000-01-01T12:00:00+05:30': '0000-01-01T06:30:00Z',
    '9999-12-31T23:59:59Z': '9999-12-31T23:59:59Z',
    '2024-02-29T23:30:00-23:59': '2024-03-01T23:29:00Z',
  };
  for (const [text, normal] of Object.entries(forms)) assert.equal(formatInstant(parseInstant(text)), normal);
});

test('malformed times', () => {
  const texts = [
    '',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01t00:00:00Z',
    '2026-01-01T00:00:00z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T00:00Z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00,5Z',
    '2026-01-01T00:00:00+0200',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+02:60',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '-0001-01-01T00:00:00Z',
    '10000-01-01T00:00:00Z',
    '0000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    '٢٠٢٦-01-01T00:00:00Z',
    '1767225600',
  ];
  for (const text of texts) assertMalformed(text);
});

test('a bare date is midnight, where it is allowed', () => {
  assert.equal(parseInstant('2026-03-01', { allowDate: true }), parseInstant('2026-03-01T00:00:00Z'));
  for (const text of ['2026-02-30', '2026-3-1', '2026-03-01Z', '2026-03']) assertMalformed(text, { allowDate: true });
});

test('the message names the field and a long text is cut', () => {
  assert.throws(() => parseInstant('x'.repeat(1000), { name: 'valid_from' }), {
    message: `valid_from: "${'x'.repeat(40)}..." is not a time`,
  });
});

test('property: normal forms are read back, and order as text', () => {
  const instants = fc.integer({ min: INSTANT_MIN, max: INSTANT_MAX });
  fc.assert(
    fc.property(instants, instants, (a, b) => {
      const [x, y] = [formatInstant(a), formatInstant(b)];
      assert.equal(parseInstant(x), a);
      assert.equal(x < y, a < b);
    }),
  );
});

test('property: the calendar agrees with the platform', () => {
  fc.assert(
    fc.property(fc.integer({ min: -50_000_000, max: 50_000_000 }), (days) => {
      const { year, month, day } = civilFromDays(days);
      const date = new Date(days * 86_400_000);
      assert.deepEqual([year, month, day], [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]);
      assert.equal(daysFromCivil(year, month, day), days);
      assert.ok(isCivilDate(year, month, day));
    }),
  );
});
