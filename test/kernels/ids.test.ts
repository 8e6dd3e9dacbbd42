/** Ids of terms: inlined ones against the plain code of the storage engine, dictionary ids against the twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TYPE_CODE } from '../../engine/kernels/as/term-codes.js';
import { dictionaryId, KIND } from '../../engine/storage/dictionary/stored-term.js';
import { inlineIdOfCode } from '../../engine/storage/ids/inline.js';
import { DATATYPES, datatypeCode, isIntegerCode } from '../../engine/storage/ids/layout.js';
import { Areas } from './areas.js';
import { type Inliner, inlineTerms } from './twins/inline.js';
import { sortTerms } from './twins/string-sort.js';
import { collectIds, resolveDictionaryIds } from './twins/term-ids.js';
import { RUNS, text, u64 } from './values.js';

const areas = new Areas();
const INLINER: Inliner = { codeOf: datatypeCode, idOf: inlineIdOfCode };

/** The table of datatypes as the loader hands it to the kernels. */
function placeTypes(): number {
  const words = DATATYPES.flatMap((iri) => [iri === '' ? 0 : areas.bytes(Buffer.from(iri)), iri.length]);
  return areas.words([DATATYPES.length, ...words]);
}

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 17 });
const lexical = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: -(1n << 48n), max: 1n << 48n }).map(String),
  fc.tuple(fc.constantFrom('', '-', '+'), digits, fc.constantFrom('', '.'), digits).map((parts) => parts.join('')),
  fc.constantFrom(
    ...[
      '',
      '0',
      '-0',
      '00',
      '-',
      '.',
      '0.',
      '.0',
      '0.0',
      '-0.0',
      '1e0',
      'INF',
      'NaN',
      'true',
      'false',
      '1',
      'True',
      'truf',
    ],
    ...['140737488355327', '140737488355328', '-140737488355327', '-140737488355328', '14073748835532.7'],
    ...[
      '999999999999999',
      '1000000000000000',
      '99999999999999999999',
      '0.00000000000000000000000000000000000000012345',
    ],
    ...[`0.${'0'.repeat(39)}1`, `0.${'0'.repeat(40)}1`, `1.${'0'.repeat(20)}`, '١', '1\0', '\0', ' 1', '1 '],
    ...[
      '2024-02-29',
      '2023-02-29',
      '1900-02-29',
      '2000-02-29',
      '0000-01-01',
      '-0001-01-01',
      '0001-01-01',
      '9999-12-31',
    ],
    ...['2024-04-31', '2024-13-01', '2024-00-10', '2024-01-00', '2024/01/01', '10000-01-01', '2024-1-1'],
    ...['2024-01-01T24:00:00', '2024-01-01T23:59:60', '2024-01-01 00:00:00', '2024-01-01T00:00:00.1234'],
    ...['6429-10-17T02:45:55.327', '6429-10-17T02:45:55.328', '9999-12-31T23:59:59.999', '0001-01-01T00:00:00.000Z'],
  ),
  fc
    .tuple(
      fc.integer({ min: 0, max: 10_000 }).map((year) => String(year).padStart(4, '0')),
      fc.integer({ min: 0, max: 13 }).map((month) => String(month).padStart(2, '0')),
      fc.integer({ min: 0, max: 32 }).map((day) => String(day).padStart(2, '0')),
      fc.constantFrom(
        '',
        'T00:00:00',
        'T23:59:59',
        'T23:59:59.999',
        'T12:30:30.5',
        'T24:00:00',
        'T1:00:00',
        'T00:60:00',
        't00:00:00',
      ),
      fc.constantFrom(
        '',
        'Z',
        'z',
        '+00:00',
        '-00:00',
        '+14:00',
        '-14:00',
        '+14:15',
        '+05:45',
        '-05:50',
        '+5:00',
        '+15:00',
        'Z ',
      ),
    )
    .map(([year, month, day, time, zone]) => `${year}-${month}-${day}${time}${zone}`),
  fc.string({ unit: fc.constantFrom(...'0123456789+-.:TZeE '), maxLength: 30 }),
);
/** Half of the time one of the datatypes that can be inlined. */
const code = fc.oneof(fc.integer({ min: 0, max: DATATYPES.length + 1 }), fc.integer({ min: 1, max: 7 }));

test('inlineId: every datatype and odd lexical forms, kernel = storage', () => {
  let inlined = 0;
  fc.assert(
    fc.property(code, lexical, (type, form) => {
      const bytes = Buffer.from(form);
      const actual = areas.run(() => areas.kernels.inlineId(type, areas.bytes(bytes), bytes.length));
      const expected = inlineIdOfCode(type, form) ?? 0n;
      assert.equal(BigInt.asUintN(64, actual), expected, `${JSON.stringify(form)} as ${DATATYPES[type]}`);
      if (expected !== 0n) inlined++;
    }),
    { numRuns: 30 * RUNS },
  );
  assert.ok(inlined > 2 * RUNS, `${inlined} of ${30 * RUNS} were inlined`);
});

test('inlineId: the days of years around a century, and of others, and every zone', () => {
  const idOf = (type: string, form: string): void => {
    const bytes = Buffer.from(form);
    const number = datatypeCode(`http://www.w3.org/2001/XMLSchema#${type}`);
    const actual = areas.run(() => areas.kernels.inlineId(number, areas.bytes(bytes), bytes.length));
    assert.equal(BigInt.asUintN(64, actual), inlineIdOfCode(number, form) ?? 0n, form);
  };
  for (let day = Date.UTC(1897, 0, 1); day < Date.UTC(1905, 0, 1); day += 86_400_000) {
    idOf('date', new Date(day).toISOString().slice(0, 10));
  }
  for (let year = 1; year <= 9999; year += 7) idOf('date', `${String(year).padStart(4, '0')}-03-01`);
  const two = (number: number) => String(number).padStart(2, '0');
  for (let hours = 0; hours <= 16; hours++) {
    for (const minutes of [0, 1, 14, 15, 30, 45, 59, 60, 75]) {
      for (const sign of '+-') {
        idOf('dateTime', `2024-05-06T07:08:09${sign}${two(hours)}:${two(minutes)}`);
        idOf('date', `2024-05-06${sign}${two(hours)}:${two(minutes)}`);
      }
    }
  }
});

const stored = fc.oneof(
  fc
    .tuple(
      fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...DATATYPES.slice(1)) }, { weight: 1, arbitrary: fc.webUrl() }),
      lexical,
    )
    .map(([type, form]) => Buffer.from(`\u0006${type}\0${form}`)),
  fc.tuple(fc.constantFrom(1, 2, 3), text).map(([kind, bytes]) => Buffer.concat([Buffer.from([kind]), bytes])),
  fc.constantFrom('\u0004en\x001', '\u0005en--ltr\x001').map((bytes) => Buffer.from(bytes)),
);

test('inlineTerms: kernel = twin', () => {
  fc.assert(
    fc.property(fc.array(stored, { maxLength: 60 }), (terms) => {
      const expected = inlineTerms(terms, INLINER);
      areas.run(() => {
        const { arena, offsets } = areas.strings(terms);
        const count = terms.length;
        const [ids, codes, list] = [areas.area(8 * count), areas.area(count), areas.area(4 * count)];
        const listed = areas.kernels.inlineTerms(arena, offsets, count, placeTypes(), ids, codes, list);
        assert.deepEqual(areas.readBigs(ids, count), expected.ids);
        assert.deepEqual([...areas.readBytes(codes, count)], expected.codes);
        assert.deepEqual(areas.readWords(list, listed), expected.list);
      });
    }),
    { numRuns: RUNS },
  );
});

const dictionaryTerm = fc
  .tuple(fc.integer({ min: 1, max: 7 }), text)
  .map(([kind, bytes]) => Buffer.concat([Buffer.from([kind]), bytes]));

test('resolveDictionaryIds: kernel = twin, with and without repeated terms', () => {
  const first = fc.oneof(fc.nat(), fc.integer({ min: 2 ** 47, max: 2 ** 48 - 200 })).map(BigInt);
  fc.assert(
    fc.property(fc.array(dictionaryTerm, { maxLength: 80 }), first, fc.boolean(), (terms, from, inPlace) => {
      const names = terms.map((bytes) => bytes.toString('latin1'));
      const mayRepeat = new Set(names).size < names.length;
      const sorted = sortTerms(terms);
      const order = sorted.map((bytes) => (terms as readonly Uint8Array[]).indexOf(bytes));
      const codes = terms.map((_, i) => (i * 5) % 43);
      const expected = resolveDictionaryIds(
        sorted,
        order.map((term) => codes[term] as number),
        from,
      );
      areas.run(() => {
        const { arena, offsets } = areas.strings(terms);
        const list = areas.words(order);
        const ids = areas.area(8 * terms.length);
        const unique = inPlace ? list : areas.area(4 * terms.length);
        const count = areas.kernels.resolveDictionaryIds(
          arena,
          offsets,
          list,
          terms.length,
          from,
          areas.bytes(Uint8Array.from(codes)),
          ids,
          unique,
          mayRepeat ? 1 : 0,
        );
        const distinct = order.filter((_, i) => expected[i]?.isNew);
        assert.deepEqual(areas.readWords(unique, count), distinct);
        const actual = areas.readBigs(ids, terms.length);
        assert.deepEqual(
          order.map((term) => actual[term]),
          expected.map(({ id }) => id),
        );
      });
    }),
    { numRuns: 2 * RUNS },
  );
});

test('the ids of the twin are those of the storage engine', () => {
  for (const kind of [KIND.blank, KIND.iri, KIND.string, KIND.language, KIND.direction, KIND.typed]) {
    const qualifier = kind === KIND.typed ? (DATATYPES[30] as string) : '';
    const [resolved] = resolveDictionaryIds([Uint8Array.of(kind, 97)], [30], 123_456_789_012n);
    assert.equal(resolved?.id, dictionaryId({ kind, qualifier, lexical: 'a' }, 123_456_789_012));
  }
});

test('collectIds: kernel = twin', () => {
  fc.assert(
    fc.property(fc.array(u64, { minLength: 1, maxLength: 50 }), fc.option(fc.array(fc.nat())), (ids, picks) => {
      const list = picks?.map((pick) => pick % ids.length) ?? null;
      const count = list?.length ?? ids.length;
      areas.run(() => {
        const out = areas.area(8 * count);
        areas.kernels.collectIds(areas.bigs(ids), list ? areas.words(list) : 0, count, out);
        assert.deepEqual(areas.readBigs(out, count), collectIds(ids, list));
      });
    }),
    { numRuns: RUNS },
  );
});

test('the datatypes that kernels look at have the codes of the storage engine', () => {
  const codes = Object.entries(TYPE_CODE).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  for (const [type, code] of codes) {
    if (!type.startsWith('derived')) assert.equal(code, datatypeCode(`http://www.w3.org/2001/XMLSchema#${type}`), type);
  }
  const integers = [...DATATYPES.keys()].filter((code) => isIntegerCode(code) && code !== TYPE_CODE.integer);
  assert.equal(DATATYPES[TYPE_CODE.derivedFirst], 'http://www.w3.org/2001/XMLSchema#nonPositiveInteger');
  assert.equal(DATATYPES[TYPE_CODE.derivedLast], 'http://www.w3.org/2001/XMLSchema#unsignedByte');
  assert.equal(integers.length, TYPE_CODE.derivedLast - TYPE_CODE.derivedFirst + 1, 'derived integers stand together');
});
