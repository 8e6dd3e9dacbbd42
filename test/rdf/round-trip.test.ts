/** What is written is read again as the same dataset, in every format, whatever the chunks. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareCodePoints } from '../../engine/base/text.js';
import { canonicalLines, quadToLine } from '../../engine/rdf/canonical/lines.js';
import { decompress } from '../../engine/rdf/formats/input/compression.js';
import { readQuads } from '../../engine/rdf/formats/reader.js';
import type { Format } from '../../engine/rdf/formats/registry.js';
import { writeQuads } from '../../engine/rdf/formats/writer.js';
import type { Quad } from '../../engine/rdf/terms.js';
import { collect, dataset, inChunks, read, type Shape, verbatim, write } from './documents.js';
import { comparable } from './isomorphism.js';

const PREFIXES = {
  ex: 'http://example.org/',
  ns: 'http://example.org/ns#',
  '': 'urn:x:',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
};

const SHAPES: Record<Format, Shape> = {
  ntriples: { namedGraphs: false, tripleTerms: true, xml: false },
  nquads: { namedGraphs: true, tripleTerms: true, xml: false },
  turtle: { namedGraphs: false, tripleTerms: true, xml: false },
  trig: { namedGraphs: true, tripleTerms: true, xml: false },
  rdfxml: { namedGraphs: false, tripleTerms: true, xml: true },
  jsonld: { namedGraphs: true, tripleTerms: false, xml: false },
};

/** Sorted as an export is: by graph, then line. */
function sorted(quads: readonly Quad[]): Quad[] {
  const key = (quad: Quad): string => `${quad.graph.value}\u0000${quadToLine(quad)}`;
  return [...quads].sort((left, right) => compareCodePoints(key(left), key(right)));
}

for (const [format, shape] of Object.entries(SHAPES) as [Format, Shape][]) {
  test(`${format}: random datasets survive writing and reading`, async () => {
    const chunkSizes = fc.constantFrom(1, 2, 3, 7, 64, 65_536);
    await fc.assert(
      fc.asyncProperty(dataset(shape), chunkSizes, fc.boolean(), async (quads, chunkSize, twice) => {
        const ordered = sorted(quads);
        const source = twice
          ? [ordered]
          : (function* () {
              yield ordered;
            })();
        const bytes = await collect(writeQuads(source, { format, prefixes: PREFIXES }));
        const again = await read(bytes, { format }, chunkSize);
        if (format === 'rdfxml') assert.equal(await comparable(again), await comparable(quads));
        else assert.equal(canonicalLines(again), canonicalLines(quads));
      }),
      { numRuns: 150 },
    );
  });
}

test('unsorted quads are written right too', async () => {
  await fc.assert(
    fc.asyncProperty(
      dataset(SHAPES.jsonld),
      fc.constantFrom<Format>('trig', 'jsonld', 'nquads'),
      async (quads, format) => {
        const again = await read(await write(quads, { format }), { format });
        assert.equal(canonicalLines(again), canonicalLines(quads));
      },
    ),
    { numRuns: 60 },
  );
});

test('compressed output is read back', async () => {
  for (const compression of ['gzip', 'zstd'] as const) {
    await fc.assert(
      fc.asyncProperty(dataset(SHAPES.nquads), fc.constantFrom(1, 5, 65_536), async (quads, chunkSize) => {
        const packed = await collect(writeQuads([quads], { format: 'nquads', compression }));
        const plain = decompress(inChunks(packed, chunkSize), { compression, sourceName: 'doc' });
        const again: Quad[] = [];
        for await (const batch of readQuads(plain, { format: 'nquads', sourceName: 'doc', blankNode: verbatim() })) {
          again.push(...batch);
        }
        assert.equal(canonicalLines(again), canonicalLines(quads));
      }),
      { numRuns: 25 },
    );
  }
});

test('the quick path of JSON-LD agrees with the library', async () => {
  await fc.assert(
    fc.asyncProperty(dataset(SHAPES.jsonld), async (quads) => {
      const text = await write(sorted(quads), { format: 'jsonld' });
      const quick = await read(text, { format: 'jsonld' });
      // An outer context, even an empty one, closes the quick path.
      const long = await read(text, { format: 'jsonld', jsonLd: { expandContext: {} } });
      assert.equal(canonicalLines(long), canonicalLines(quick));
    }),
    { numRuns: 60 },
  );
});

test('writing what was read gives the same bytes', async () => {
  for (const format of ['turtle', 'trig', 'nquads', 'jsonld'] as const) {
    const shape = { ...SHAPES[format], tripleTerms: false };
    await fc.assert(
      fc.asyncProperty(dataset(shape), async (quads) => {
        const text = await write(sorted(quads), { format, prefixes: PREFIXES });
        const again = await write(sorted(await read(text, { format })), { format, prefixes: PREFIXES });
        assert.equal(again, text);
      }),
      { numRuns: 40 },
    );
  }
});
