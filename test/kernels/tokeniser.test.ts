/** The tokeniser class: pieces of any size, statements larger than its areas, places of errors. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tokeniser, type TokeniserOptions } from '../../bench/kernels/tokeniser.js';
import { SvcError } from '../../engine/base/errors.js';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { twin } from './tokeniser-support.js';
import type { TwinQuad } from './twins/term-reader.js';

const encoder = new TextEncoder();

function takeAll(tokeniser: Tokeniser, quads: TwinQuad[]): void {
  while (tokeniser.next()) {
    assert.equal(tokeniser.batch.records.length, tokeniser.batch.quads * 16);
    for (let i = 0; i < tokeniser.batch.quads; i++) {
      const at = 16 * i;
      quads.push([tokeniser.term(at), tokeniser.term(at + 4), tokeniser.term(at + 8), tokeniser.term(at + 12)]);
    }
  }
}

/** Feeds a document in pieces and returns its quads. */
function tokenise(
  text: string,
  pieceBytes: number,
  options: TokeniserOptions,
  memory = new ThreadMemory(),
): TwinQuad[] {
  const bytes = encoder.encode(text);
  const tokeniser = new Tokeniser(memory, options);
  const quads: TwinQuad[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    tokeniser.feed(bytes.subarray(at, at + pieceBytes));
    takeAll(tokeniser, quads);
  }
  tokeniser.finish();
  takeAll(tokeniser, quads);
  tokeniser.close();
  return quads;
}

const TINY = { inputBytes: 128, batchQuads: 2, scratchBytes: 128 };

test('pieces of any size, areas that grow', () => {
  const objects = Array.from({ length: 300 }, (_, i) => `ex:object${i}`).join(', ');
  const text = `@prefix ex: <http://example.org/> .\nex:s ex:p ${objects} .\nex:s a ex:T .\n`;
  const expected = twin('turtle', encoder.encode(text)).quads;
  assert.equal(expected.length, 301);
  for (const pieceBytes of [1, 7, 64, 1000, 100_000]) {
    assert.deepEqual(tokenise(text, pieceBytes, { syntax: 'turtle', ...TINY }), expected);
  }
});

test('lines in pieces', () => {
  const line = (i: number) => `<http://example.org/s${i}> <http://example.org/p> "value \\u00e9 ${i}"@EN .\n`;
  const text = Array.from({ length: 200 }, (_, i) => line(i)).join('');
  const expected = twin('ntriples', encoder.encode(text)).quads;
  for (const pieceBytes of [13, 512, 100_000]) {
    assert.deepEqual(tokenise(text, pieceBytes, { syntax: 'ntriples', ...TINY }), expected);
  }
});

test('memory is given back', () => {
  const memory = new ThreadMemory();
  const before = memory.liveBytes;
  tokenise('<a:s> <a:p> 1 .', 4, { syntax: 'turtle', ...TINY }, memory);
  assert.equal(memory.liveBytes, before);
});

test('a byte order mark at the start is skipped', () => {
  for (const pieceBytes of [1, 2, 3, 100]) {
    assert.equal(tokenise('\ufeff<a:s> <a:p> <a:o> .\n', pieceBytes, { syntax: 'ntriples' }).length, 1);
  }
});

test('errors come after the quads before them, with line, column and excerpt', () => {
  const text = '<a:s> <a:p> 1 .\n# é漢😀\n<a:s> <a:p>\n  "é😀", @oops .\n';
  for (const pieceBytes of [1, 5, 1000]) {
    const quads: TwinQuad[] = [];
    const tokeniser = new Tokeniser(new ThreadMemory(), { syntax: 'turtle', source: 'file.ttl', ...TINY });
    const bytes = encoder.encode(text);
    const run = () => {
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        tokeniser.feed(bytes.subarray(at, at + pieceBytes));
        takeAll(tokeniser, quads);
      }
      tokeniser.finish();
      takeAll(tokeniser, quads);
    };
    assert.throws(run, (error: unknown) => {
      assert.ok(error instanceof SvcError);
      assert.equal(error.code, 'parse_error');
      const { line, column, source, excerpt } = error.position!;
      assert.deepEqual({ line, column, source }, { line: 4, column: 9, source: 'file.ttl' });
      assert.match(excerpt!, /^ {2}"é😀", @oop/);
      return true;
    });
    assert.equal(quads.length, 1);
  }
});

test('a place in the middle of a line whose beginning is done with', () => {
  const run = () => tokenise('<a:é> <a:p> 1 . <a:s> <a:p> 2 . <a:s> <a:p> ; .', 3, { syntax: 'turtle', ...TINY });
  assert.throws(run, (error: unknown) => {
    assert.ok(error instanceof SvcError);
    assert.equal(error.position?.line, 1);
    assert.equal(error.position?.column, 45);
    return true;
  });
});

test('triple terms end the reading where they begin', () => {
  const tokeniser = new Tokeniser(new ThreadMemory(), { syntax: 'ntriples' });
  tokeniser.feed(encoder.encode('<a:s> <a:p> <a:o> .\n<a:s> <a:p> <<( <a:s> <a:p> <a:o> )>> .\n'));
  const quads: TwinQuad[] = [];
  takeAll(tokeniser, quads);
  assert.equal(quads.length, 1);
  assert.ok(tokeniser.needsSlowPath);
  assert.equal(tokeniser.consumedBytes, 20);
});

test('a statement larger than the limit is refused', () => {
  const text = `<a:s> <a:p> "${'x'.repeat(5000)}" .`;
  assert.throws(
    () => tokenise(text, 100, { syntax: 'turtle', ...TINY, statementBytesMax: 4096 }),
    (error: unknown) =>
      error instanceof SvcError && error.code === 'limit_exceeded' && /statementBytesMax/.test(error.message),
  );
});
