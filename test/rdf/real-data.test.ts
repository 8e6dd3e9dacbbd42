/** Real data through every format and back: the schema.org vocabulary and the whole of FIBO. */

import assert from 'node:assert/strict';
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { compareCodePoints } from '../../engine/base/text.js';
import { quadToLine } from '../../engine/rdf/canonical/lines.js';
import { decompress } from '../../engine/rdf/formats/input/compression.js';
import { readQuads } from '../../engine/rdf/formats/reader.js';
import { type Format, formatOfPath } from '../../engine/rdf/formats/registry.js';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import { read, write } from './documents.js';
import { sameDataset } from './isomorphism.js';

const shared = sharedFolder();
const skip = shared === null && SHARED_ABSENT;
const FORMATS: readonly Format[] = ['ntriples', 'nquads', 'turtle', 'trig', 'rdfxml', 'jsonld'];
const PREFIXES = {
  schema: 'https://schema.org/',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  owl: 'http://www.w3.org/2002/07/owl#',
};

/** A file as it is, labels made different from file to file. */
async function readFile(path: string, scope: string): Promise<Quad[]> {
  const { format, compression } = formatOfPath(path);
  const plain = decompress(createReadStream(path), { compression, sourceName: path });
  let anonymous = 0;
  const options = {
    format,
    sourceName: path,
    baseIri: pathToFileURL(path).href,
    blankNode: (label: string | null) =>
      terms.blankNode(label === null ? `${scope}a${anonymous++}` : `${scope}-${label}`),
  };
  const quads: Quad[] = [];
  for await (const batch of readQuads(plain, options)) quads.push(...batch);
  return quads;
}

async function survivesEveryFormat(quads: readonly Quad[]): Promise<void> {
  const keyed = quads.map((quad) => ({ quad, line: quadToLine(quad) }));
  const sorted = keyed.sort((left, right) => compareCodePoints(left.line, right.line)).map(({ quad }) => quad);
  const lines = new Set(sorted.map(quadToLine));
  for (const format of FORMATS) {
    const again = await read(await write(sorted, { format, prefixes: PREFIXES }), { format });
    const readLines = new Set(again.map(quadToLine));
    assert.equal(readLines.size, lines.size, format);
    for (const line of readLines) assert.ok(lines.has(line), `${format}: ${line}`);
  }
}

test('schema.org: the same in every format', { skip }, async () => {
  const quads = await readFile(join(shared!, 'data/schemaorg/schemaorg-all-https-30.0.nt.gz'), 'd');
  assert.ok(quads.length > 10_000);
  await survivesEveryFormat(quads);
  const turtle = await readFile(join(shared!, 'data/schemaorg/schemaorg-all-https-30.0.ttl'), 'd');
  assert.ok(await sameDataset(turtle, quads));
});

test('FIBO: 294 files, the same in every format', { skip }, async () => {
  const folder = join(shared!, 'data/fibo');
  const files = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.rdf'))
    .sort();
  assert.equal(files.length, 294);
  const quads: Quad[] = [];
  for (const [index, file] of files.entries()) quads.push(...(await readFile(join(folder, file), `d${index}`)));
  assert.equal(quads.length, 76_820);
  await survivesEveryFormat(quads);
});
