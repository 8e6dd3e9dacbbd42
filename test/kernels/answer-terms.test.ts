/** Answers as bytes: kernel = twin, and inlined literals = the plain reading of their ids. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CurieTable } from '../../engine/rdf/curies.js';
import { LOOKS_LIKE_IRI_OR_BLANK } from '../../engine/rdf/json-values.js';
import { inlineId, inlineLexical } from '../../engine/storage/ids/inline.js';
import { BIAS, DATATYPES, makeId, TAG } from '../../engine/storage/ids/layout.js';
import { Areas } from './areas.js';
import { writeRows } from './twins/answer-rows.js';
import { type AnswerPattern, findEntries, writeStoredTerm } from './twins/answer-terms.js';
import { inlineText } from './twins/inline-text.js';
import { RUNS } from './values.js';

const areas = new Areas();
const { kernels } = areas;
const XSD = 'http://www.w3.org/2001/XMLSchema#';

function writtenBy(id: bigint): string {
  return areas.run(() => {
    const at = areas.area(64);
    const end = kernels.writeInlineText(id, at);
    assert.ok(end - at <= 64);
    return Buffer.from(areas.readBytes(at, end - at)).toString();
  });
}

test('writeInlineText gives back every literal that is inlined', () => {
  const twoDigits = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));
  const zone = fc.oneof(
    fc.constantFrom('', 'Z', '+00:00', '+14:00', '-14:00'),
    fc
      .tuple(fc.constantFrom('+', '-'), twoDigits(13), fc.constantFrom('00', '15', '30', '45'))
      .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
  );
  const date = fc
    .tuple(fc.integer({ min: 0, max: 9999 }), twoDigits(12), twoDigits(31))
    .map(([year, month, day]) => `${String(year).padStart(4, '0')}-${month}-${day}`);
  const time = fc.tuple(twoDigits(23), twoDigits(59), twoDigits(59)).map((parts) => parts.join(':'));
  const fraction = fc.constantFrom('', '.000', '.5', '.007', '.999');
  const number = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -20, max: 20 })).map(String);
  const literal = fc.oneof(
    number.map((text) => [`${XSD}integer`, text] as const),
    number.map((text) => [`${XSD}unsignedByte`, text] as const),
    fc
      .tuple(fc.constantFrom('decimal', 'double', 'float'), number, fc.stringMatching(/^[0-9]{0,40}$/))
      .map(([type, whole, digits]) => [`${XSD}${type}`, digits === '' ? whole : `${whole}.${digits}`] as const),
    fc.constantFrom('true', 'false', '0', '1').map((text) => [`${XSD}boolean`, text] as const),
    fc.tuple(date, zone).map((parts) => [`${XSD}date`, parts.join('')] as const),
    fc
      .tuple(date, time, fraction, zone)
      .map(([day, at, part, offset]) => [`${XSD}dateTime`, `${day}T${at}${part}${offset}`] as const),
  );
  let inlined = 0;
  fc.assert(
    fc.property(literal, ([datatype, text]) => {
      const id = inlineId(datatype, text);
      if (id === null) return;
      inlined++;
      assert.equal(writtenBy(id), text);
    }),
    { numRuns: 10 * RUNS },
  );
  assert.ok(inlined > RUNS);
});

test('writeInlineText = twin = the plain reading, on any payload of the calendar and of numbers', () => {
  const kinds = fc.constantFrom(
    TAG.integer,
    TAG.decimal,
    TAG.double,
    TAG.float,
    TAG.date,
    TAG.dateTime,
    TAG.dateTimeMs,
  );
  // From the year 1 to 9999.
  const [first, last] = [-719_162, 2_932_896];
  const unit: Record<number, number> = { [TAG.date]: 1, [TAG.dateTime]: 86_400, [TAG.dateTimeMs]: 86_400_000 };
  fc.assert(
    fc.property(kinds, fc.nat(40), fc.double({ min: 0, max: 1, noNaN: true }), (tag, auxiliary, share) => {
      const by = unit[tag];
      const whole = by === undefined ? (2 * share - 1) * (2 ** 47 - 1) : (first + share * (last - first)) * by;
      const value = Math.trunc(Math.max(-(2 ** 47) + 1, Math.min(2 ** 47 - 1, whole)));
      const code = tag === TAG.integer ? DATATYPES.indexOf(`${XSD}integer`) : auxiliary;
      const id = makeId(tag, code, BigInt(value) + BIAS);
      const expected = inlineLexical(Number(id & 0xffffffffn), Number(id >> 32n));
      assert.equal(writtenBy(id), expected);
      assert.equal(inlineText(tag, code, value), expected);
    }),
    { numRuns: 5 * RUNS },
  );
  assert.equal(kernels.writeInlineText(makeId(TAG.iri, 0, 5n), areas.area(64)), 0);
});

const GUARDED = 4;

/** A column of an answer whose terms are all stored ones of one kind, as the tables of the kernels. */
class Column {
  readonly record = areas.area(48);
  readonly kept = areas.area(36);
  readonly entries: number;
  private readonly tables: number;

  constructor(
    private readonly rows: number,
    prefix: string,
    pattern: AnswerPattern,
    kind: number,
    plain: Uint8Array,
  ) {
    const capacity = 64;
    this.tables = areas.area(24 * capacity);
    this.entries = areas.area(4 * rows);
    const parts = [pattern.head, pattern.middle, pattern.tail].map((text) => Buffer.from(text));
    const order = { none: 0, first: 1, last: 2 }[pattern.qualifier] + (pattern.guarded ? GUARDED : 0);
    const record = areas.words([order, ...parts.map(({ length }) => length)]);
    const texts = areas.bytes(Buffer.concat(parts));
    // Pattern records are followed by their texts.
    const whole = areas.area(16 + Buffer.concat(parts).length);
    areas.memory.bytes.copyWithin(whole, record, record + 16);
    areas.memory.bytes.copyWithin(whole + 16, texts, texts + Buffer.concat(parts).length);
    const patterns = areas.words(Array.from({ length: 8 }, (_, at) => (at === kind ? whole : 1)));
    const { tables } = this;
    const words = [tables + 16 * capacity, 2 * capacity - 1, tables, 1, tables + 8 * capacity, tables + 12 * capacity];
    const { length } = Buffer.from(prefix);
    areas.memory.words.set(
      [...words, this.entries, areas.bytes(Buffer.from(prefix)), length, patterns, areas.bytes(plain)],
      this.record >>> 2,
    );
    areas.memory.words.fill(0, tables >>> 2, (tables >>> 2) + 6 * capacity);
    const lists = [8, 8, 8].map((bytes) => areas.area(bytes * capacity));
    const ids = areas.area(8 * capacity);
    areas.memory.words.set([areas.area(65_536), 0, ...lists.flatMap((list) => [list, 0]), ids], this.kept >>> 2);
  }

  /** Puts a table of CURIEs where the kernels look for it. */
  shortenBy({ entries }: CurieTable): void {
    const texts = entries.flatMap(({ namespace, name }) => [Buffer.from(namespace), Buffer.from(`${name}:`)]);
    const table = areas.words([entries.length, ...texts.flatMap((text) => [areas.bytes(text), text.length])]);
    const [patterns] = areas.readWords(this.record + 36, 1) as [number];
    areas.memory.words[patterns >>> 2] = table;
  }

  /** The entries of ids, and the entries that wait for bytes of the dictionary. */
  find(ids: readonly bigint[]): { entries: readonly number[]; stored: readonly number[]; ruled: readonly number[] } {
    kernels.findEntries(this.record, this.kept, areas.bigs(ids), ids.length);
    return { entries: areas.readWords(this.entries, this.rows), stored: this.list(4), ruled: this.list(2) };
  }

  list(at: number): readonly number[] {
    const [list, length] = areas.readWords(this.kept + 4 * at, 2) as [number, number];
    return areas.readWords(list, 2 * length).filter((_, index) => index % 2 === 1);
  }

  write(terms: readonly Uint8Array[]): void {
    const starts: number[] = [];
    const ends: number[] = [];
    let at = 0;
    for (const { length } of terms) {
      starts.push(at);
      at += length;
      ends.push(at);
    }
    const text = areas.bytes(Buffer.concat(terms));
    const places = areas.words(terms.map((_, index) => index));
    kernels.writeStoredTerms(this.kept, places, text, areas.words(starts), areas.words(ends), terms.length);
  }

  textOf(entry: number): string {
    const [offset, length] = [8, 12].map((each) => areas.readWords(this.tables + 64 * each + 4 * entry, 1)[0]) as [
      number,
      number,
    ];
    const [base] = areas.readWords(this.kept, 1) as [number];
    return Buffer.from(areas.readBytes(base + offset, length)).toString();
  }
}

const KIND_IRI = 2;
const KIND_STRING = 3;
const PLAIN = new Uint8Array(256).fill(1);
PLAIN.fill(0, 0, 32);
PLAIN[0x22] = 0;
const isPlain = (text: string) => Buffer.from(text).every((byte) => PLAIN[byte] === 1);

test('findEntries, writeStoredTerms, writeAnswerRows: kernel = twin, escapes, unbound cells and chunks included', () => {
  const texts = fc.array(
    fc.oneof(
      fc.string(),
      fc.constantFrom('', 'plain', 'a:b', 'a: b', '_:', '_x:', '1:b', 'a+.-9:\u00a0', 'a "quote"', 'ä\u{1F600}'),
    ),
    {
      minLength: 1,
      maxLength: 12,
    },
  );
  const pattern = fc.record({
    head: fc.string({ maxLength: 20 }),
    middle: fc.string({ maxLength: 9 }),
    tail: fc.string({ maxLength: 20 }),
    qualifier: fc.constantFrom('none' as const, 'first' as const, 'last' as const),
  });
  const KIND_LANGUAGE = 4;
  fc.assert(
    fc.property(texts, pattern, fc.infiniteStream(fc.nat(12)), fc.boolean(), (values, format, picks, leaveOut) => {
      areas.run(() => {
        const ids = Array.from({ length: 30 }, () => {
          const pick = picks.next().value as number;
          return pick === 0 ? 0n : makeId(TAG.langString, 0, BigInt(pick));
        });
        const column = new Column(ids.length, 'p:', format, KIND_LANGUAGE, PLAIN);
        const keys = [0n];
        const entries = findEntries(keys, ids);
        const found = column.find(ids);
        assert.deepEqual(found.entries, entries);
        assert.deepEqual(
          found.stored,
          keys.slice(1).map((_, index) => index + 1),
        );
        const textFor = (key: bigint) => values[Number(key & 0xffffn) % values.length] as string;
        column.write(
          keys.slice(1).map((key) => Buffer.concat([Buffer.from([KIND_LANGUAGE]), Buffer.from(`en\0${textFor(key)}`)])),
        );
        const written = keys.slice(1).map((key) => writeStoredTerm(format, 'en', textFor(key), isPlain));
        const ruled = column.list(2);
        assert.deepEqual(
          ruled,
          written.flatMap((text, index) => (text === null ? [index + 1] : [])),
        );
        written.forEach((text, index) => {
          if (text !== null) assert.equal(column.textOf(index + 1), `p:${text}`);
        });
        if (ruled.length > 0) return;
        const cells = entries.map((entry) => [entry === 0 ? null : column.textOf(entry)]);
        const layout = { begin: '[', between: ', ', end: ']\n', unbound: leaveOut ? null : '' };
        const parts = ['[', ', ', ']\n'].flatMap((text) => [areas.bytes(Buffer.from(text)), text.length]);
        const chunk = areas.area(65_536);
        const record = areas.words([...parts, leaveOut ? 1 : 0, chunk, 0, 65_536]);
        const columns = areas.words([column.record]);
        for (let row = 0; row < ids.length; ) {
          const used = areas.readWords(record + 32, 1)[0] as number;
          const next = kernels.writeAnswerRows(columns, 1, row, ids.length, record, column.kept, used + 40);
          assert.ok(next > row);
          row = next;
        }
        const [used] = areas.readWords(record + 32, 1) as [number];
        assert.equal(Buffer.from(areas.readBytes(chunk, used)).toString(), writeRows(cells, layout));
      });
    }),
    { numRuns: RUNS },
  );
});

/** What becomes of stored terms of a kind: their texts, null for those that go through the rule. */
function writtenAs(pattern: AnswerPattern, kind: number, texts: readonly string[], curies?: CurieTable) {
  return areas.run(() => {
    const column = new Column(texts.length, '', pattern, kind, PLAIN);
    if (curies !== undefined) column.shortenBy(curies);
    column.find(texts.map((_, at) => makeId(TAG.string, 0, BigInt(at + 1))));
    column.write(texts.map((text) => Buffer.concat([Buffer.from([kind]), Buffer.from(text)])));
    const ruled = column.list(2);
    return texts.map((_, at) => (ruled.includes(at + 1) ? null : column.textOf(at + 1)));
  });
}

const QUOTED: AnswerPattern = { head: '<', middle: '', tail: '>', qualifier: 'none' };

test('strings that look like IRIs go through the rule: kernel = twin, and none that does is written', () => {
  const part = fc.constantFrom('a', 'Z', '_', ':', ' ', '1', '+', '.', '-', '\u00a0', 'é', '"', '#', '\n');
  const texts = fc.array(
    fc.array(part, { maxLength: 5 }).map((parts) => parts.join('')),
    { minLength: 1, maxLength: 12 },
  );
  const guarded = { ...QUOTED, guarded: true };
  fc.assert(
    fc.property(texts, (values) => {
      const written = writtenAs(guarded, KIND_STRING, values);
      const expected = values.map((value) => writeStoredTerm(guarded, '', value, isPlain));
      assert.deepEqual(written, expected);
      values.forEach((value, at) => {
        if (LOOKS_LIKE_IRI_OR_BLANK.test(value)) assert.equal(written[at], null, value);
      });
    }),
    { numRuns: RUNS },
  );
});

test('IRIs are shortened as the plain reading does it', () => {
  const names = fc.constantFrom('a', 'b', 'ex', 'a-rather.long+name');
  const namespaces = fc.constantFrom('u:', 'u:x', 'u:x/', 'http://e/', 'http://e/x#', 'http://é/');
  const prefixes = fc.array(fc.record({ name: names, namespace: namespaces }), { maxLength: 5 });
  const rest = fc.array(fc.constantFrom('x', '_', '-', '.', '/', '7', 'é', '#'), { maxLength: 4 });
  const iris = fc.array(
    fc.tuple(namespaces, rest).map(([namespace, parts]) => namespace + parts.join('')),
    { minLength: 1, maxLength: 12 },
  );
  fc.assert(
    fc.property(prefixes, iris, (declared, values) => {
      const curies = new CurieTable(declared);
      const written = writtenAs(QUOTED, KIND_IRI, values, curies);
      assert.deepEqual(
        written,
        values.map((iri) => `<${curies.compact(iri)}>`),
      );
    }),
    { numRuns: 2 * RUNS },
  );
});
