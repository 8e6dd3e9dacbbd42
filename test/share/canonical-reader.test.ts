/**
 * The reader of canonical lines passes over what a line has in common with the line before: the places of terms are those of a
 * reader that looks at every line alone, wherever what comes is cut.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CanonicalReader, type LinePlaces } from '../../engine/share/canonical-reader.js';

const SUBJECTS = ['<urn:a>', '<urn:a1>', '<urn:a:b>', '<urn:é>', '_:c14n0', '_:c14n1', '_:c14n10'];
const PREDICATES = ['<urn:p>', '<urn:p2>', '<urn:pp>'];
const OBJECTS = [
  '<urn:o>',
  '<urn:o2>',
  '_:c14n3',
  '"x"',
  '"x y"',
  '"x"@en',
  '"x"^^<urn:t>',
  '"\\"q\\""',
  '"<urn:p> "',
  '"é"',
];

interface Read {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly kind: string;
  readonly blanks: readonly number[];
}

function textAt({ bytes }: LinePlaces, from: number, to: number): string {
  return bytes.toString('utf8', from, to);
}

function readBy(chunks: readonly Uint8Array[]): { readonly reads: Read[]; readonly same: boolean[] } {
  const reads: Read[] = [];
  const same: boolean[] = [];
  const reader = new CanonicalReader((line) => {
    reads.push({
      subject: textAt(line, line.start, line.subjectEnd),
      predicate: textAt(line, line.predicateStart, line.predicateEnd),
      object: textAt(line, line.objectStart, line.objectEnd),
      kind: line.objectKind,
      blanks: [line.subjectBlank, line.objectBlank],
    });
    same.push(line.sameSubject);
    assert.equal(textAt(line, line.objectEnd, line.end), ' .');
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { reads, same };
}

const triples = fc.uniqueArray(
  fc.tuple(fc.constantFrom(...SUBJECTS), fc.constantFrom(...PREDICATES), fc.constantFrom(...OBJECTS)),
  { minLength: 1, maxLength: 40, selector: (triple) => triple.join(' ') },
);

test('places are those of each line alone, wherever the bytes are cut', () => {
  fc.assert(
    fc.property(triples, fc.array(fc.nat(4000), { maxLength: 12 }), (some, cuts) => {
      const lines = some.map((triple) => Buffer.from(`${triple.join(' ')} .\n`)).sort(Buffer.compare);
      const bytes = Buffer.concat(lines);
      const places = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((to, at) => bytes.subarray(places[at], to));
      const { reads, same } = readBy(chunks);
      const alone = lines.map((line) => readBy([line]).reads[0] as Read);
      assert.deepEqual(reads, alone);
      assert.deepEqual(
        same,
        alone.map(({ subject }, at) => at > 0 && alone[at - 1]?.subject === subject),
      );
    }),
    { numRuns: 300 },
  );
});
