/**
 * Triple terms in store files, against the store in memory: documents, quads and transactions give the
 * same quads with the same labels, through folds and openings; the file says by its format that it has them.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Format } from '../../engine/rdf/formats/registry.js';
import { writeQuads } from '../../engine/rdf/formats/writer.js';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { LoadOptions, LoadSource, StorageEngine } from '../../engine/storage/seam/engine.js';
import { load, node, quad } from './scan-support.js';
import { assertSame, assertSound, linesOf } from './support/compare.js';
import { assertRefused, bytes, folder, withStore } from './support/loading.js';
import { quads } from './support/random-terms.js';

const FORMATS: readonly Format[] = ['nquads', 'trig'];
/** Everything through the second thread, in epochs of a few rows. */
const NARROW: LoadOptions = { bounds: { helperInputBytesMin: 0, epochRowsMax: 16 } };

async function textOf(content: readonly Quad[], format: Format): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of writeQuads([content], { format, prefixes: { ex: 'http://example.org/' } })) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** Runs with a store file and a store in memory. */
async function withBoth(run: (lmdb: StorageEngine, memory: StorageEngine, path: string) => Promise<void>) {
  const path = folder.fresh();
  const lmdb = await openLmdbEngine(path);
  const memory = openMemoryEngine();
  try {
    await run(lmdb, memory, path);
  } finally {
    await lmdb.close();
    await memory.close();
  }
}

async function change(engine: StorageEngine, asserted: readonly Quad[], retracted: readonly Quad[]): Promise<void> {
  const stage = engine.stage({ timestamp: 1_700_000_000 });
  stage.retract(retracted);
  stage.assert(asserted);
  await stage.commit({ recordEmpty: true }).durable;
}

test('random quads: loaded as quads and as documents, written and taken back, folded, opened again', async () => {
  await fc.assert(
    fc.asyncProperty(quads, quads, fc.constantFrom(...FORMATS), fc.boolean(), async (first, second, format, store) => {
      await withBoth(async (lmdb, memory, path) => {
        const options: LoadOptions = { timestamp: 1_600_000_000, blankNodeScope: store ? 'store' : 'document' };
        const text = await textOf(second, format);
        const file: LoadSource = { kind: 'file', path: folder.file(text, `.${format}`), name: 'file', format };
        for (const engine of [lmdb, memory]) {
          await load(engine, first, options);
          await load(engine, [bytes(text, format)], options);
          await load(engine, [file], { ...options, ...(engine === lmdb ? NARROW : {}) });
          await change(engine, [...second, ...first.slice(0, 3)], first.slice(2));
        }
        assertSame(lmdb, memory);
        await lmdb.fold({});
        for (const engine of [lmdb, memory]) await change(engine, first, second.slice(1));
        assertSame(lmdb, memory);
        await assertSound(lmdb);
        const reader = await openLmdbEngine(path, { readOnly: true, checked: true });
        assertSame(reader, memory);
        await reader.close();
      });
    }),
    { numRuns: 25 },
  );
});

const DOCUMENTS: Readonly<Record<string, readonly [Format, string]>> = {
  'annotations and reifiers behind plain statements': [
    'turtle',
    `@base <http://e/x/> . @prefix : <#> . @prefix p.q: <http://e/pq/> .
     [] :a [ :b () ] . :s :p :o , 1 {| :q [] |} , "x" ~ :r {| :q2 _:l |} ~ _:l2 .
     << :s :p _:l >> :said [ :by _:l2 ] . BASE <y/> <rel> :p <<( <s> p.q:p <<( _:l :p 'x'@en--ltr )>> )>> .
     PREFIX : <http://other/> :s :p :o .`,
  ],
  'inside of a named graph block': [
    'trig',
    '@prefix : <http://e/> . :g { :s :p [] . :s :p <<( :a :b _:c )>> . [] :p _:c } :s :p [] . { :x :y [] }',
  ],
  'inside of a block named by a label': [
    'trig',
    '_:g { <a:s> <a:p> _:g . <a:s> <a:p> 1 {| <a:q> [] |} . } <a:x> <a:y> _:g .',
  ],
  'inside of a block without a name': [
    'trig',
    '[] { <a:s> <a:p> [] . << <a:s> <a:p> [] >> <a:q> 1 . } <a:x> <a:y> [] .',
  ],
  'inside of a default graph block': [
    'trig',
    '{ <a:s> <a:p> [] . <a:s> <a:p> <<( <a:s> <a:p> [] )>> } <a:g> { <a:x> <a:y> [] }',
  ],
  'at the very start': ['turtle', '<a:s> <a:p> <<( <a:s> <a:p> "\\u0041\\n" )>> .'],
  'lines, some of them with triple terms': [
    'nquads',
    '# one\n_:a <a:p> "x" <a:g> .\r\n_:a <a:p> <<( _:a <a:p> "é\\u0001"@EN-gb )>> _:g .\n\n_:b <a:p> _:a .\n_:a <a:p> <<( _:b <a:p> <<( _:c <a:q> "1"^^<http://www.w3.org/2001/XMLSchema#integer> )>> )>> . # end\n_:c <a:p> _:g .',
  ],
  'lines with carriage returns alone': [
    'ntriples',
    '_:a <a:p> "x" .\r_:a <a:p> <<( _:a <a:p> "y" )>> .\r_:a <a:p> "z" .\r',
  ],
};

for (const [name, [format, text]] of Object.entries(DOCUMENTS)) {
  test(`a document with triple terms: ${name}`, async () => {
    await withBoth(async (lmdb, memory) => {
      const file: LoadSource = { kind: 'file', path: folder.file(`${text}\n`, '.txt'), name: 'file', format };
      for (const engine of [lmdb, memory]) {
        await load(engine, [bytes(text, format)], { timestamp: 1_600_000_000 });
        await load(engine, [file], { timestamp: 1_600_000_000, ...(engine === lmdb ? NARROW : {}) });
      }
      assert.ok(linesOf(memory).some((line) => line.includes('<<')));
      assertSame(lmdb, memory);
      await assertSound(lmdb);
    });
  });
}

test('many lines, in pieces that end anywhere', async () => {
  const lines = Array.from({ length: 6000 }, (_, i) => {
    const tail = i % 97 === 0 ? `<<( _:n${i} <a:p> "${'é'.repeat(i % 50)}" )>>` : `"${i}"`;
    return `_:n${i} <http://example.org/predicate> ${tail} .`;
  });
  await withBoth(async (lmdb, memory) => {
    const path = folder.file(lines.join('\n'), '.nt');
    async function* chunks(): AsyncGenerator<Uint8Array> {
      const all = Buffer.from(lines.join('\n'));
      for (let at = 0; at < all.length; at += 1009) yield all.subarray(at, at + 1009);
    }
    for (const engine of [lmdb, memory]) {
      const streamed: LoadSource = { kind: 'bytes', bytes: chunks(), name: 'streamed', format: 'ntriples' };
      const { summary } = await load(engine, [streamed], { timestamp: 1_600_000_000 });
      assert.equal(summary.quadsRead, lines.length);
      const more = engine === lmdb ? { bounds: { helperInputBytesMin: 0, epochRowsMax: 1000 } } : {};
      const again = await load(engine, [{ kind: 'file', path, name: 'file' }], { timestamp: 1_600_000_000, ...more });
      assert.deepEqual([again.summary.quadsRead, again.summary.quadsAdded], [lines.length, 0], 'the same document');
    }
    assert.deepEqual(linesOf(lmdb), linesOf(memory));
    await assertSound(lmdb);
  });
});

test('a fault behind a triple term is told with its place in the document', async () => {
  await withStore(async (engine) => {
    const term = '<<( <a:s> <a:p> 1 )>>';
    // `¦` stands where the fault is.
    const cases: readonly (readonly [Format, string])[] = [
      ['turtle', `@prefix : <a:> .\n:s :p ${term} .\n:s :p ¦é é .`],
      ['turtle', `@prefix : <a:> . :é :p 1 . :s :p ${term} , ¦bad .`],
      ['trig', `@prefix : <a:> .\n:g {\n:s :p ${term} .\n:s ¦x:p 1 }`],
      ['ntriples', `<a:s> <a:p> "1" .\n<a:s> <a:p> <<( <a:s> <a:p> "é" )>> .\n<a:s> <a:p> ¦.\n`],
      ['ntriples', `<a:s> <a:p> <<( <a:s> <a:p> "1" )>> .\n\n<a:s> <a:p> <<( <a:s> ¦"p" "1" )>> .`],
    ];
    for (const [format, marked] of cases) {
      const text = marked.replace('¦', '');
      const before = marked.slice(0, marked.indexOf('¦')).split('\n');
      const [line, column] = [before.length, (before[before.length - 1] as string).length + 1];
      await assertRefused(engine, [bytes(text, format)], 'parse_error', { source: 'input', line, column });
      const file: LoadSource = { kind: 'file', path: folder.file(text, '.txt'), name: 'input', format };
      await assertRefused(engine, [file], 'parse_error', { line, column }, NARROW);
    }
    await assertSound(engine);
  });
});

const plain = quad(node('s'), node('p'), node('o'));
const withTriple = quad(node('s'), node('p'), quad(node('s'), node('p'), terms.literal('x')));

test('a file has format 3 from its first triple term on: a load', async () => {
  await withStore(async (engine) => {
    await load(engine, [plain]);
    assert.equal(engine.stats().formatVersion, 2);
    await load(engine, [withTriple]);
    assert.equal(engine.stats().formatVersion, 3);
    await load(engine, [quad(node('a'), node('b'), node('c'))]);
    assert.equal(engine.stats().formatVersion, 3);
  });
});

test('a file has format 3 from its first triple term on: a transaction, and folds that it overtakes', async () => {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path, { bounds: { foldRows: 1 } });
  await change(engine, [plain], []);
  assert.equal(engine.stats().formatVersion, 2);
  await change(engine, [withTriple], []);
  const reader = await openLmdbEngine(path, { readOnly: true, checked: true });
  assert.equal(reader.stats().formatVersion, 3);
  for (let i = 0; i < 5; i++) await change(engine, [quad(node(`s${i}`), node('p'), node('o'))], [plain]);
  await engine.fold({});
  for (const one of [engine, reader]) {
    assert.equal(one.stats().formatVersion, 3);
    assert.equal(linesOf(one).filter((line) => line.includes('<<')).length, 1);
    await assertSound(one);
    await one.close();
  }
});

test('a file has format 3 from its first triple term on: a transaction that goes straight to runs', async () => {
  await withStore(async (engine) => {
    const many = Array.from({ length: 66_000 }, (_, i) =>
      quad(node(`s${i}`), node('p'), i === 7 ? withTriple : plain.object),
    );
    const stage = engine.stage({ timestamp: 1_700_000_000 });
    stage.assert(many);
    await stage.commit().durable;
    assert.equal(engine.stats().formatVersion, 3);
    assert.equal(linesOf(engine).filter((line) => line.includes('<<')).length, 1);
    await assertSound(engine);
  });
});
