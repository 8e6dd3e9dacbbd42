/** The dictionary of an epoch: scopes of blank nodes, fingerprints, provisional numbers; kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import { hashTerm, type Seed } from './twins/hash.js';
import { awaitedDocuments, withScope } from './twins/scopes.js';
import {
  numberTerms,
  RECORD_KIND,
  storedBytes,
  type TwinRecord,
  type TwinTerm,
  termOfRecord,
} from './twins/term-table.js';
import { RUNS } from './values.js';

const areas = new Areas();
const SEED: Seed = [0x0123456789abcdefn, 0xfedcba9876543210n];
const SCOPE = 'd0011223344556677';
const OTHER_SCOPE = 'd8899aabbccddeeff';
const DEFAULT_GRAPH = 77_777;
const PREDICATE_CACHE_BYTES = 64 * 160;

const none = new Uint8Array(0);
const name = fc
  .constantFrom('', 'a', 'b', 'ab', 'http://example.org/a', 'http://example.org/ab', 'x'.repeat(40))
  .map((text) => Buffer.from(text));
const record: fc.Arbitrary<TwinRecord> = fc.oneof(
  fc.constant({ kind: RECORD_KIND.none, qualifier: none, lexical: none }),
  fc.record({ kind: fc.constantFrom(1, 2, 3), qualifier: fc.constant(none), lexical: name }),
  fc.record({ kind: fc.constantFrom(4, 6), qualifier: name.filter((q) => q.length > 0), lexical: name }),
  fc.record({
    kind: fc.constant(RECORD_KIND.anonymous),
    qualifier: fc.constant(none),
    lexical: fc.oneof(fc.nat({ max: 12 }), fc.constantFrom(99, 100, 268_435_455)),
  }),
);
const scopes = fc.constantFrom(SCOPE, null);

/** Quads of any records in any place, in which subjects and predicates often repeat. */
const quads = (maxLength: number): fc.Arbitrary<TwinRecord[]> =>
  fc
    .array(fc.tuple(fc.tuple(record, record, record, record), fc.boolean(), fc.boolean()), { minLength: 1, maxLength })
    .map((list) => {
      let [s, p] = (list[0] as (typeof list)[0])[0];
      return list.flatMap(([own, sameSubject, samePredicate]) => {
        if (!sameSubject) s = own[0];
        if (!samePredicate) p = own[1];
        return [s, p, own[2], own[3]];
      });
    });

/** The records as the tokenisers leave them. */
function placeRecords(records: readonly TwinRecord[]): number {
  const words = records.flatMap(({ kind, qualifier, lexical }) => {
    const number = typeof lexical === 'number';
    const length = number ? lexical : lexical.length;
    const at = number ? 0 : areas.bytes(lexical);
    const qualifierAt = qualifier.length === 0 ? 0 : areas.bytes(qualifier);
    return [at, ((kind << 28) | length) >>> 0, qualifierAt, qualifier.length];
  });
  return areas.words(words);
}

interface Table {
  readonly state: number;
  readonly arena: number;
  readonly offsets: number;
  readonly hashes: number;
}

function placeTable(logSlots: number, terms: number, arenaBytes: number): Table {
  const slots = 2 ** logSlots;
  const arena = areas.area(arenaBytes);
  const offsets = areas.zeroed(4 * (terms + 1));
  const hashes = areas.area(8 * terms);
  const state = areas.words([
    areas.zeroed(24 * slots),
    0,
    logSlots,
    0,
    terms,
    arena,
    arena + arenaBytes,
    arena,
    offsets,
    hashes,
    ...SEED.flatMap((word) => [Number(word & 0xffffffffn), Number(word >> 32n)]),
    0,
    0,
  ]);
  return { state, arena, offsets, hashes };
}

function hashAll(
  records: number,
  count: number,
  state: number,
  scope: string | null,
  scratchBytes: number,
): { hashes: number; calls: number } {
  const hashes = areas.area(16 * count);
  const own = scope === null ? 0 : areas.bytes(Buffer.from(scope));
  const other = areas.bytes(Buffer.from(OTHER_SCOPE));
  const cache = areas.zeroed(PREDICATE_CACHE_BYTES);
  let done = 0;
  let calls = 0;
  while (done < count) {
    const scratch = areas.area(scratchBytes);
    const added = areas.kernels.hashRecords(
      state,
      cache,
      records + 16 * done,
      count - done,
      own,
      other,
      scratch,
      scratch + scratchBytes,
      hashes + 16 * done,
    );
    assert.ok(added > 0, 'every call gets on');
    done += added;
    calls++;
  }
  return { hashes, calls };
}

function storedOf(table: Table, terms: number): Uint8Array[] {
  const offsets = areas.readWords(table.offsets, terms + 1);
  return offsets
    .slice(1)
    .map((end, i) => areas.readBytes(table.arena + (offsets[i] as number), end - (offsets[i] as number)));
}

function assertNumbered(records: readonly TwinRecord[], scope: string | null, scratchBytes: number): void {
  const terms = records.map((one) => termOfRecord(one, scope, OTHER_SCOPE));
  const expected = numberTerms(terms, DEFAULT_GRAPH);
  areas.run(() => {
    const at = placeRecords(records);
    const table = placeTable(11, records.length, 200 * records.length + 128);
    const { hashes } = hashAll(at, records.length, table.state, scope, scratchBytes);
    const rows = areas.area(4 * records.length);
    const done = areas.kernels.probeRecords(table.state, at, hashes, records.length, DEFAULT_GRAPH, rows);
    assert.equal(done, records.length);
    assert.deepEqual(areas.readWords(rows, records.length), expected.numbers);
    const { distinct } = expected;
    assert.equal(areas.readWords(table.state, 4)[3], distinct.length);
    assert.deepEqual(
      storedOf(table, distinct.length),
      distinct.map((term) => Uint8Array.from(storedBytes(term))),
    );
    assert.deepEqual(areas.readBigs(table.hashes, distinct.length), distinct.map(firstWord));
  });
}

function firstWord({ kind, qualifier, lexical }: TwinTerm): bigint {
  return hashTerm(SEED, kind, qualifier, lexical)[0];
}

test('records get scopes, fingerprints and numbers as the twin says', () => {
  fc.assert(
    fc.property(quads(50), scopes, (records, scope) => {
      assertNumbered(records, scope, 32_768);
    }),
    { numRuns: RUNS },
  );
});

test('labels whose area fills up go on in another one, and get their scope once', () => {
  fc.assert(
    fc.property(quads(15), scopes, fc.integer({ min: 128, max: 400 }), (...args) => {
      const [records, scope, scratchBytes] = args;
      assertNumbered(records, scope, scratchBytes);
    }),
    { numRuns: RUNS },
  );
});

test('a table that grows keeps its numbers', () => {
  const records: TwinRecord[] = Array.from({ length: 2000 }, (_, i) => ({
    kind: 2,
    qualifier: none,
    lexical: Buffer.from(`http://example.org/${(i * 7) % 901}`),
  }));
  const expected = numberTerms(
    records.map((one) => termOfRecord(one, SCOPE, OTHER_SCOPE)),
    DEFAULT_GRAPH,
  );
  areas.run(() => {
    const at = placeRecords(records);
    const table = placeTable(7, 2000, 100_000);
    const { hashes } = hashAll(at, records.length, table.state, SCOPE, 4096);
    const rows = areas.area(4 * records.length);
    let grown = 0;
    for (let done = 0, log = 7; done < records.length; ) {
      const left = records.length - done;
      const added = areas.kernels.probeRecords(
        table.state,
        at + 16 * done,
        hashes + 16 * done,
        left,
        DEFAULT_GRAPH,
        rows + 4 * done,
      );
      assert.equal(added % 4, 0);
      done += added;
      if (added === 0) {
        log++;
        grown++;
        areas.kernels.regrowTable(table.state, areas.zeroed(24 * 2 ** log), log);
      }
    }
    assert.ok(grown >= 3, `${grown} times`);
    assert.deepEqual(areas.readWords(rows, records.length), expected.numbers);
  });
});

test('a full arena or a full count of terms stops before the quad that does not fit', () => {
  const records: TwinRecord[] = Array.from({ length: 400 }, (_, i) => ({
    kind: 2,
    qualifier: none,
    lexical: Buffer.from(`http://example.org/${String(i).padStart(4, '0')}`),
  }));
  for (const [terms, arenaBytes] of [
    [150, 100_000],
    [400, 3000],
  ] as const) {
    areas.run(() => {
      const at = placeRecords(records);
      const table = placeTable(11, terms, arenaBytes);
      const { hashes } = hashAll(at, records.length, table.state, SCOPE, 4096);
      const rows = areas.area(4 * records.length);
      const done = areas.kernels.probeRecords(table.state, at, hashes, records.length, DEFAULT_GRAPH, rows);
      const kept = areas.readWords(table.state, 4)[3] as number;
      assert.ok(done % 4 === 0 && done <= kept && kept < done + 4, `${done} records, ${kept} terms`);
      assert.ok(kept <= terms);
      assert.deepEqual(areas.readWords(rows, done), [...Array(done).keys()]);
      const again = areas.kernels.probeRecords(table.state, at, hashes, done, DEFAULT_GRAPH, rows);
      assert.equal(again, done, 'what is there is found again');
    });
  }
});

const documentCount = 20;
const placeholder = fc
  .nat({ max: documentCount - 1 })
  .map((document) => `d\u0001${document.toString(16).padStart(15, '0')}`);
const triple = fc
  .array(fc.oneof(placeholder, fc.constantFrom('<<( _:', '-x <p> "d" )>>', ' <p> _:d0011223344556677a1', 'd', '')))
  .map((parts) => Buffer.from(`\u0007${parts.join('/')}`));
const stored = fc.oneof(
  triple,
  fc
    .nat({ max: documentCount - 1 })
    .chain((document) =>
      fc
        .constantFrom('-x', 'a1', '')
        .map((label) => Buffer.from(`\u0001d\u0001${document.toString(16).padStart(15, '0')}${label}`)),
    ),
  fc
    .constantFrom('\u0001d0011223344556677-x', '\u0002d\u0001000000000000001', '\u0001e', '\u0001x', '\u0002')
    .map((text) => Buffer.from(text)),
);

test('scopes of documents are listed and put in: kernel = twin', () => {
  const scopeOf = (document: number) => (document * 0x9e3779b1).toString(16).padStart(16, '0').slice(0, 16);
  const all = Array.from({ length: documentCount }, (_, document) => scopeOf(document));
  fc.assert(
    fc.property(fc.array(stored, { maxLength: 60 }), (terms) => {
      areas.run(() => {
        const { arena, offsets } = areas.strings(terms);
        // The kernel looks at the first bytes of every term; behind the last one lies the fence.
        const awaited = terms.map(awaitedDocuments);
        const used = areas.zeroed(documentCount);
        const waiting = awaited.filter((documents) => documents.length > 0).length;
        assert.equal(areas.kernels.listScopes(arena, offsets, terms.length, used), waiting);
        const marked = Uint8Array.from({ length: documentCount }, (_, document) =>
          awaited.flat().includes(document) ? 1 : 0,
        );
        assert.deepEqual(areas.readBytes(used, documentCount), marked);

        const before = terms.map((_, i) => BigInt(i));
        const hashes = areas.bigs(before);
        const scopeArea = areas.bytes(Buffer.from(all.join('')));
        const patched = areas.kernels.patchScopes(
          arena,
          offsets,
          terms.length,
          hashes,
          scopeArea,
          ...SEED,
          areas.area(16),
        );
        assert.equal(patched, waiting);
        const expected = terms.map((term) => withScope(term, all));
        assert.deepEqual(Buffer.from(areas.readBytes(arena, Buffer.concat(terms).length)), Buffer.concat(expected));
        const renewed = expected.map((term, i) =>
          awaited[i]?.length === 0 ? BigInt(i) : hashTerm(SEED, term[0] as number, none, term.subarray(1))[0],
        );
        assert.deepEqual(areas.readBigs(hashes, terms.length), renewed);
      });
    }),
    { numRuns: RUNS },
  );
});
