/** Fingerprints, checksums and line counts: known answers, and kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import { checksum, type Fingerprint, hashTerm, messageWords, type Seed, sipHash } from './twins/hash.js';
import { countLines } from './twins/lines.js';
import { RUNS, u64 } from './values.js';

const areas = new Areas();
const seeds = fc.tuple(u64, u64);
const PUBLISHED_SEED: Seed = [0x0706050403020100n, 0x0f0e0d0c0b0a0908n];

function fingerprintBytes(fingerprint: Fingerprint): string {
  const bytes = Buffer.alloc(16);
  fingerprint.forEach((word, i) => {
    bytes.writeBigUInt64LE(word, 8 * i);
  });
  return bytes.toString('hex');
}

function hashWithKernel(seed: Seed, kind: number, qualifier: Uint8Array, lexical: Uint8Array): Fingerprint {
  return areas.run(() => {
    const out = areas.area(16);
    const [q, l] = [areas.bytes(qualifier), areas.bytes(lexical)];
    areas.kernels.hashTerm(seed[0], seed[1], kind, q, qualifier.length, l, lexical.length, out);
    return areas.readBigs(out, 2) as unknown as Fingerprint;
  });
}

test('the twin gives the published answers of SipHash-2-4-128 and SipHash-1-3-128', () => {
  const answer = (length: number, compressions: number, finalisations: number) => {
    const message = Uint8Array.from({ length }, (_, i) => i);
    return fingerprintBytes(sipHash(messageWords(message), PUBLISHED_SEED, compressions, finalisations));
  };
  assert.equal(answer(0, 2, 4), 'a3817f04ba25a8e66df67214c7550293');
  assert.equal(answer(1, 2, 4), 'da87c1d86b99af44347659119b22fc45');
  assert.equal(answer(0, 1, 3), 'e77ebcb22788a5befd62db6add303001');
});

test('the kernel gives the published answer of SipHash-1-3-128 for the empty message', () => {
  // A term of kind 0 without text has the one word 0, which is the padded empty message.
  const none = new Uint8Array(0);
  assert.equal(fingerprintBytes(hashWithKernel(PUBLISHED_SEED, 0, none, none)), 'e77ebcb22788a5befd62db6add303001');
});

test('a term is the SipHash message that its head comment says', () => {
  // 23 bytes: the head word of a term of 16 lexical bytes, and those bytes but the last, which is the length.
  const lexical = Buffer.from('fifteen letters\x17', 'latin1');
  const head = Buffer.from([2, 0, 0, 0, 16, 0, 0, 0]);
  const message = Buffer.concat([head, lexical.subarray(0, 15)]);
  const expected = sipHash(messageWords(message), PUBLISHED_SEED, 1, 3);
  assert.deepEqual(hashWithKernel(PUBLISHED_SEED, 2, new Uint8Array(0), lexical), expected);
});

test('hashTerm: kernel = twin', () => {
  const bytes = fc.uint8Array({ maxLength: 40 });
  fc.assert(
    fc.property(seeds, fc.integer({ min: 0, max: 8 }), bytes, bytes, (seed, kind, qualifier, lexical) => {
      assert.deepEqual(hashWithKernel(seed, kind, qualifier, lexical), hashTerm(seed, kind, qualifier, lexical));
    }),
    { numRuns: 3 * RUNS },
  );
});

test('the fingerprint tells where the qualifier ends and how long the text is', () => {
  const seen = new Set<string>();
  let terms = 0;
  for (let zeros = 0; zeros < 20; zeros++) {
    for (let cut = 0; cut <= zeros; cut++) {
      for (const kind of [1, 2, 6]) {
        seen.add(fingerprintBytes(hashWithKernel([1n, 2n], kind, new Uint8Array(cut), new Uint8Array(zeros - cut))));
        terms++;
      }
    }
  }
  assert.equal(seen.size, terms);
});

test('checksum: kernel = twin, of every length up to 100 and at random', () => {
  const check = (bytes: Uint8Array) => {
    const actual = areas.run(() => areas.kernels.checksum(areas.bytes(bytes), bytes.length) >>> 0);
    assert.equal(actual, checksum(bytes));
  };
  for (let length = 0; length <= 100; length++) {
    check(new Uint8Array(length));
    check(Uint8Array.from({ length }, (_, i) => 255 - i));
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 5000 }), check), { numRuns: RUNS });
});

test('checksum: every changed bit and every lost byte shows', () => {
  const bytes = Uint8Array.from({ length: 67 }, (_, i) => (i * 37) & 255);
  const whole = checksum(bytes);
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const damaged = Uint8Array.from(bytes);
    damaged[bit >>> 3]! ^= 1 << (bit & 7);
    assert.notEqual(checksum(damaged), whole, `bit ${bit}`);
  }
  for (let length = 0; length < bytes.length; length++) assert.notEqual(checksum(bytes.subarray(0, length)), whole);
});

test('countLines: kernel = twin', () => {
  const byte = fc.oneof(fc.constantFrom(10, 13, 0), fc.nat({ max: 255 }));
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 200 }), (values) => {
      const bytes = Uint8Array.from(values);
      const actual = areas.run(() => areas.kernels.countLines(areas.bytes(bytes), bytes.length));
      assert.equal(actual, countLines(bytes));
    }),
    { numRuns: RUNS },
  );
});

test('zero and fillColumn write their range and nothing else', () => {
  fc.assert(
    fc.property(fc.nat({ max: 300 }), u64, (count, value) => {
      areas.run(() => {
        const bytes = areas.area(count);
        areas.kernels.zero(bytes, count);
        assert.deepEqual(areas.readBytes(bytes, count), new Uint8Array(count));
        const column = areas.area(8 * count);
        areas.kernels.fillColumn(column, count, value);
        assert.deepEqual(areas.readBigs(column, count), Array(count).fill(value));
      });
    }),
    { numRuns: RUNS },
  );
});
