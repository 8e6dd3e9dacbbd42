/** Stored bytes of terms, and the training and storing of symbol tables. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { SvcError } from '../../engine/base/errors.js';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { freeSymbols, placeSymbols } from '../../engine/kernels/symbol-table.js';
import { type Term, terms, XSD } from '../../engine/rdf/terms.js';
import {
  dictionaryId,
  KIND,
  partsOf,
  sameStored,
  storedBytes,
  storedKey,
  type TermParts,
  termOf,
} from '../../engine/storage/dictionary/stored-term.js';
import {
  decodeSymbolList,
  encodeSymbolList,
  SYMBOL_BYTES_MAX,
  SYMBOLS_MAX,
  trainSymbols,
} from '../../engine/storage/dictionary/symbol-training.js';
import { auxiliaryOf, datatypeCode, payloadOf, TAG, tagOf } from '../../engine/storage/ids/layout.js';
import { seal, unseal } from '../../engine/storage/lmdb/sealed.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { decodeSymbols } from '../kernels/twins/symbols.js';
import { storedBytes as twinStoredBytes } from '../kernels/twins/term-table.js';

const RUNS = Number(process.env.SVC_FUZZ_RUNS ?? 200);
const { namedNode, blankNode, literal } = {
  namedNode: (iri: string) => terms.namedNode(iri),
  blankNode: (label: string) => terms.blankNode(label),
  literal: (...parts: Parameters<typeof terms.literal>) => terms.literal(...parts),
};

// Stored terms.

const lexical = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: fc.constantFrom('a', '\0', '\n', '"', '--', 'é', '漢', '😀'), maxLength: 20 }),
);
const term: fc.Arbitrary<Term> = fc.oneof(
  fc.webUrl().map(namedNode),
  fc.constantFrom('', 'urn:x', 'http://example.org/é').map(namedNode),
  fc.stringMatching(/^[a-z0-9]{1,20}$/).map(blankNode),
  lexical.map((text) => literal(text)),
  fc.tuple(lexical, fc.constantFrom('en', 'de-AT', 'zh-Hant-x-a')).map(([text, tag]) => literal(text, tag)),
  fc
    .tuple(lexical, fc.constantFrom('en', 'ar-eg'), fc.constantFrom('ltr' as const, 'rtl' as const))
    .map(([text, language, direction]) => literal(text, { language, direction })),
  fc
    .tuple(lexical, fc.oneof(fc.webUrl(), fc.constantFrom(`${XSD}integer`, `${XSD}duration`, 'urn:type')))
    .map(([text, type]) => literal(text, namedNode(type))),
);

test('a term is what its stored bytes say, wherever they stand in a buffer', () => {
  fc.assert(
    fc.property(term, fc.uint8Array({ maxLength: 9 }), fc.uint8Array({ maxLength: 9 }), (one, before, behind) => {
      const parts = partsOf(one);
      assert.ok(parts !== null);
      const bytes = storedBytes(parts);
      const around = Buffer.concat([before, bytes, behind]);
      const back = termOf(around, before.length, before.length + bytes.length);
      assert.ok(back.equals(one), `${bytes.toString('hex')}: ${JSON.stringify(back)}`);
    }),
    { numRuns: 5 * RUNS },
  );
});

test('different terms have different stored bytes, and the kernels make the same ones', () => {
  fc.assert(
    fc.property(term, term, (a, b) => {
      const [x, y] = [a, b].map((one) => partsOf(one) as NonNullable<ReturnType<typeof partsOf>>);
      assert.ok(x !== undefined && y !== undefined);
      assert.equal(storedBytes(x).equals(storedBytes(y)), a.equals(b));
      const { kind, qualifier, lexical: text } = x;
      const twin = twinStoredBytes({ kind, qualifier: Buffer.from(qualifier), lexical: Buffer.from(text) });
      assert.deepEqual(Buffer.from(twin), storedBytes(x));
    }),
    { numRuns: 2 * RUNS },
  );
});

test('stored bytes of each kind, and their ids', () => {
  const stored = (one: Term) => storedBytes(partsOf(one) as NonNullable<ReturnType<typeof partsOf>>).toString('latin1');
  assert.equal(stored(namedNode('urn:a')), '\u0002urn:a');
  assert.equal(stored(blankNode('b0')), '\u0001b0');
  assert.equal(stored(literal('c')), '\u0003c');
  assert.equal(stored(literal('d', 'EN-us')), '\u0004EN-us\0d', 'language tags as they are written');
  const forms = ['EN-us', 'en-US'].map((tag) => storedBytes(partsOf(literal('d', tag)) as TermParts));
  const other = storedBytes(partsOf(literal('D', 'en-us')) as TermParts);
  assert.equal(storedKey(forms[0] as Buffer), storedKey(forms[1] as Buffer));
  assert.notEqual(storedKey(forms[0] as Buffer), storedKey(other));
  const same = (a: Buffer, b: Buffer): boolean => sameStored(a, 0, a.length, b, 0, b.length);
  assert.ok(same(forms[0] as Buffer, forms[1] as Buffer));
  assert.ok(!same(forms[0] as Buffer, other), 'texts differ by case');
  assert.equal(stored(literal('e', { language: 'ar', direction: 'rtl' })), '\u0005ar--rtl\0e');
  assert.equal(stored(literal('f', namedNode(`${XSD}duration`))), `\u0006${XSD}duration\0f`);
  assert.equal(partsOf(terms.defaultGraph()), null);
  assert.equal(partsOf(terms.variable?.('x') as Term), null);
  const id = dictionaryId({ kind: KIND.typed, qualifier: `${XSD}duration`, lexical: 'f' }, 2 ** 48 - 1);
  assert.equal(tagOf(id), TAG.typed);
  assert.equal(auxiliaryOf(id), datatypeCode(`${XSD}duration`));
  assert.equal(payloadOf(id), 2n ** 48n - 1n);
});

test('bytes that are no term are damage', () => {
  for (const bytes of ['\u0000abc', '\u0009abc\0d', '\u0006no end of the datatype', '\u0004', '\u00ffa\0b']) {
    const buffer = Buffer.from(bytes, 'latin1');
    assert.throws(
      () => termOf(buffer, 0, buffer.length),
      (error) => error instanceof SvcError && error.code === 'store_corrupt',
      JSON.stringify(bytes),
    );
  }
  const early = Buffer.from('\u0006type of the next term\0a', 'latin1');
  assert.throws(() => termOf(early, 0, 10), /has no qualifier/, 'a mark behind the term does not count');
});

// Symbol tables.

/** Lines of a text of the project, as a dictionary would have them. */
function sampleLines(): Buffer[] {
  const text = readFileSync(join(CHECKOUT, 'tools/demo/sky.ttl'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.length > 0)
    .map((line) => Buffer.from(line));
}

function codedLength(memory: ThreadMemory, symbols: readonly Uint8Array[], lines: readonly Uint8Array[]): number {
  const table = placeSymbols(memory, symbols);
  let total = 0;
  for (const line of lines) {
    const from = memory.allocate(line.length);
    const out = memory.allocate(2 * line.length + 64);
    memory.bytesAt(from, line.length).set(line);
    const length = memory.kernels.encodeSymbols(table, from, line.length, out);
    const codes = Uint8Array.from(memory.bytesAt(out, length));
    assert.deepEqual(Buffer.from(decodeSymbols(symbols, codes)), Buffer.from(line));
    total += length;
    memory.free(from, line.length);
    memory.free(out, 2 * line.length + 64);
  }
  freeSymbols(memory, table);
  return total;
}

const sizeOf = (lines: readonly Uint8Array[]) => lines.reduce((sum, line) => sum + line.length, 0);

test('a trained table shrinks text that it has not seen by at least 30 %', () => {
  const lines = sampleLines();
  const { symbols } = trainSymbols(
    new ThreadMemory(),
    lines.filter((_, i) => i % 2 === 0),
  );
  assert.ok(symbols.length > 100 && symbols.length <= SYMBOLS_MAX);
  assert.ok(symbols.every((symbol) => symbol.length >= 1 && symbol.length <= SYMBOL_BYTES_MAX));
  const unseen = lines.filter((_, i) => i % 2 === 1);
  const share = codedLength(new ThreadMemory(), symbols, unseen) / sizeOf(unseen);
  assert.ok(share <= 0.7, `${share.toFixed(3)} of its size`);
});

test('a trained table shrinks IRIs by more than half', () => {
  const lines = Array.from({ length: 1000 }, (_, i) =>
    Buffer.from(`http://example.org/resource/item-${(i * 7919) % 100_000}`),
  );
  const { symbols } = trainSymbols(
    new ThreadMemory(),
    lines.filter((_, i) => i % 4 === 0),
  );
  const share = codedLength(new ThreadMemory(), symbols, lines) / sizeOf(lines);
  assert.ok(share <= 0.5, `${share.toFixed(3)} of its size`);
});

test('training on nothing, on one byte, and on every byte', () => {
  assert.deepEqual(trainSymbols(new ThreadMemory(), []).symbols, []);
  assert.deepEqual(trainSymbols(new ThreadMemory(), [new Uint8Array(0)]).symbols, []);
  const all = [Uint8Array.from({ length: 256 }, (_, i) => i), Uint8Array.of(0), Uint8Array.of(255, 255)];
  const { symbols } = trainSymbols(new ThreadMemory(), all);
  assert.ok(symbols.length <= SYMBOLS_MAX);
  codedLength(new ThreadMemory(), symbols, all);
  assert.deepEqual(trainSymbols(new ThreadMemory(), all), { symbols }, 'the same sample gives the same table');
});

const symbolList = fc.array(fc.uint8Array({ minLength: 1, maxLength: SYMBOL_BYTES_MAX }), { maxLength: SYMBOLS_MAX });

test('symbol lists come back from their stored form', () => {
  fc.assert(
    fc.property(symbolList, (symbols) => {
      const back = decodeSymbolList(encodeSymbolList({ symbols }));
      assert.deepEqual(
        back.symbols.map((symbol) => [...symbol]),
        symbols.map((symbol) => [...symbol]),
      );
    }),
    { numRuns: RUNS },
  );
});

test('damage to a sealed symbol list is seen', () => {
  const list = encodeSymbolList({ symbols: [Buffer.from('http://'), Buffer.from('e'), Buffer.from('12345678')] });
  const sealed = seal(list);
  assert.deepEqual(unseal(sealed, 'a list'), list);
  const assertCorrupt = (bytes: Uint8Array | undefined, what: string) =>
    assert.throws(
      () => unseal(bytes, 'a list'),
      (error) => error instanceof SvcError && error.code === 'store_corrupt',
      what,
    );
  for (let bit = 0; bit < 8 * sealed.length; bit++) {
    const damaged = Uint8Array.from(sealed);
    damaged[bit >>> 3]! ^= 1 << (bit & 7);
    assertCorrupt(damaged, `bit ${bit}`);
  }
  for (let length = 0; length < sealed.length; length++) assertCorrupt(sealed.subarray(0, length), `${length} bytes`);
  assertCorrupt(undefined, 'missing');
});
