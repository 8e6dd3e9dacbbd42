/**
 * Properties of the tokeniser kernels on random documents: kernel = twin (quads, code, offset), on
 * valid and on damaged input; the result does not depend on where the input is cut or on how small
 * the areas are; agreement with n3 on valid documents; nothing is written outside the areas.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TOKENISE } from '../../engine/kernels/tokenise-errors.js';
import { BASE, documentOf, mutated } from './tokenise-documents.js';
import { assertIsomorphic, isLines, KernelBench, type Syntax, twin, withN3 } from './tokeniser-support.js';

const SYNTAXES: readonly Syntax[] = ['ntriples', 'nquads', 'turtle', 'trig'];
const RUNS = Number(process.env.SVC_FUZZ_RUNS ?? 300);
const encoder = new TextEncoder();

/** n3 knows VERSION in Turtle and TriG only. */
function isBeyondN3(syntax: Syntax, text: string): boolean {
  return isLines(syntax) && /version/i.test(text);
}

for (const syntax of SYNTAXES) {
  const bench = new KernelBench();

  test(`${syntax}: valid documents, kernel = twin = n3`, () => {
    fc.assert(
      fc.property(documentOf(syntax), (text) => {
        const bytes = encoder.encode(text);
        const actual = bench.run(syntax, bytes, BASE);
        assert.deepEqual(actual, twin(syntax, bytes, BASE));
        assert.equal(actual.code, TOKENISE.ok);
        if (!isBeyondN3(syntax, text)) assertIsomorphic(actual.quads, withN3(syntax, text, BASE), text);
      }),
      { numRuns: RUNS },
    );
  });

  test(`${syntax}: damaged documents, kernel = twin`, () => {
    fc.assert(
      fc.property(mutated(documentOf(syntax)), (bytes) => {
        assert.deepEqual(bench.run(syntax, bytes, BASE), twin(syntax, bytes, BASE));
      }),
      { numRuns: RUNS * 4 },
    );
  });

  test(`${syntax}: the result does not depend on where the input is cut`, () => {
    const input = fc.oneof(
      documentOf(syntax).map((text) => encoder.encode(text)),
      mutated(documentOf(syntax)),
    );
    fc.assert(
      fc.property(input, fc.array(fc.nat(), { maxLength: 12 }), (bytes, places) => {
        const cuts = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
        assert.deepEqual(bench.run(syntax, bytes, BASE, cuts), bench.run(syntax, bytes, BASE));
      }),
      { numRuns: RUNS * 2 },
    );
  });

  test(`${syntax}: cut behind every single byte`, () => {
    fc.assert(
      fc.property(mutated(documentOf(syntax)), (bytes) => {
        const part = bytes.subarray(Math.max(0, bytes.length - 400));
        const cuts = Array.from(part, (_, i) => i);
        assert.deepEqual(bench.run(syntax, part, BASE, cuts), bench.run(syntax, part, BASE));
      }),
      { numRuns: Math.ceil(RUNS / 6) },
    );
  });

  test(`${syntax}: small areas give the same quads in more calls, or say that they are full`, () => {
    const small = new KernelBench(1 << 16, 64 * 12, 1024);
    fc.assert(
      fc.property(documentOf(syntax), (text) => {
        const bytes = encoder.encode(text);
        const whole = bench.run(syntax, bytes, BASE);
        const parts = small.run(syntax, bytes, BASE);
        if (parts.code === TOKENISE.ok) assert.deepEqual(parts, whole);
        else assert.deepEqual(parts.quads, whole.quads.slice(0, parts.quads.length));
        assert.ok([TOKENISE.ok, TOKENISE.recordsFull, TOKENISE.scratchFull].includes(parts.code as 0));
      }),
      { numRuns: RUNS },
    );
  });
}
