/**
 * What holds of imports whatever the bundle: a share that is imported, promoted and shared again has the same triples, to the
 * byte (invariant 9); a bundle whose bytes were changed is refused, or means the same, and nothing is half staged.
 * SVC_SHARE_FUZZ says how many changed bundles, SVC_SHARE_SEED which.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { readArchive, writeArchive } from '../../engine/share/archive.js';
import { memorySource } from '../../engine/share/bundle.js';
import { canonicalJson } from '../../engine/share/manifest.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { randomNumbers } from '../storage/scan-support.js';
import { bundleOf, bundleOfLines, canonicalExport, EX, type MadeBundle } from './bundle-support.js';

const FUZZ = Number(process.env.SVC_SHARE_FUZZ ?? 2000);
const SEED = Number(process.env.SVC_SHARE_SEED ?? 1);

async function quadsOf(store: Store, graph?: string): Promise<Quad[]> {
  const where = graph === undefined ? '{ ?s ?p ?o }' : `{ GRAPH <${graph}> { ?s ?p ?o } }`;
  const answer = await store.select(`SELECT ?s ?p ?o ${where}`);
  const quads: Quad[] = [];
  for await (const [s, p, o] of answer.rows())
    quads.push(terms.quad(s as Quad['subject'], p as Quad['predicate'], o as Quad['object']));
  return quads;
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('', '"', '\\', '\n\t\r\b\f', '\u0001\u007f', '\ufffe\uffff', '\u{1f600}', 'e\u0301'),
);
const node = fc.constantFrom('n0', 'n1', 'n2', 'n3', 'n4').map((label) => terms.blankNode(label));
const name = fc
  .constantFrom('a', 'b', 'a/b', 'a>'.slice(0, 1), 'caf\u00e9', '\u{1f600}')
  .map((local) => terms.namedNode(EX + local));
const literal = fc.oneof(
  text.map((value) => terms.literal(value)),
  text.map((value) => terms.literal(value, 'en-gb')),
  fc
    .constantFrom('1', '01', '1.0', 'abc')
    .map((value) => terms.literal(value, terms.namedNode('http://www.w3.org/2001/XMLSchema#integer'))),
);
const predicate = fc
  .constantFrom(`${EX}p`, `${EX}q`, 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type')
  .map((iri) => terms.namedNode(iri));
const triple = fc
  .tuple(fc.oneof(name, node), predicate, fc.oneof(name, node, literal))
  .map(([s, p, o]) => terms.quad(s, p, o));

test('invariant 9: share, import, promote, share again: the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(triple, { maxLength: 12 }), async (quads) => {
      const lines = await canonicalExport(quads);
      const bundle = bundleOfLines(lines, { counts: countsOf(lines) });
      const store = await openStore(':memory:');
      try {
        const { graph, shareId, accepted } = await store.importShare(bundle, { source: 'peer' });
        assert.equal(accepted, bundle.manifest.counts.triples);
        assert.equal(await canonicalExport(await quadsOf(store, graph)), lines, 'staged');
        await store.promoteShare(shareId);
        assert.equal(await canonicalExport(await quadsOf(store)), lines, 'promoted');
      } finally {
        await store.close();
      }
    }),
    { numRuns: 40, seed: SEED },
  );
});

function countsOf(lines: string) {
  const isNode = /(?:^|(?<=> ))_:c14n[0-9]+(?= )/gm;
  return { triples: lines.split('\n').length - 1, blank_nodes: new Set(lines.match(isNode) ?? []).size, shapes: 0 };
}

async function stateOf(store: Store): Promise<string> {
  let exported = '';
  for await (const chunk of store.export('nquads')) exported += Buffer.from(chunk).toString();
  return JSON.stringify([store.transactions(), (await store.graphs()).graphs, exported]);
}

/** A few bytes changed, taken out, put in, doubled or swapped. */
function mutated(bytes: Uint8Array, below: (most: number) => number): Buffer {
  let changed = Buffer.from(bytes);
  const changes = 1 + below(3);
  for (let i = 0; i < changes; i++) {
    const at = below(changed.length + 1);
    const more = Buffer.from([below(4) === 0 ? below(256) : '"\\<>_: .\n{}[]0a\u00e9'.charCodeAt(below(16)) & 0xff]);
    const length = 1 + below(8);
    const kinds = [
      () => Buffer.concat([changed.subarray(0, at), more, changed.subarray(at + 1)]),
      () => Buffer.concat([changed.subarray(0, at), more, changed.subarray(at)]),
      () => Buffer.concat([changed.subarray(0, at), changed.subarray(at + length)]),
      () => Buffer.concat([changed.subarray(0, at), changed.subarray(at, at + length), changed.subarray(at)]),
      () => changed.subarray(0, at),
    ];
    changed = Buffer.from((kinds[below(kinds.length)] as () => Buffer)());
  }
  return changed;
}

async function mixed(): Promise<MadeBundle> {
  const made = await bundleOf(
    'ex:a a ex:Host ; rdfs:label "alpha", "caf\u00e9 \\"x\\"\\n" ; ex:p [ ex:q 1 , "x"@en ] . ex:b ex:p ex:a , 2.5 . _:x ex:p _:y . _:y ex:p _:x .',
  );
  const shapes = '# shape set: s\n<http://example.org/S> a <http://www.w3.org/ns/shacl#NodeShape> .\n';
  return bundleOfLines(made.exportNTriples, { shapes: ['s'], counts: { ...made.manifest.counts, shapes: 1 } }, shapes);
}

test(`${FUZZ} bundles that were changed: refused, or the same, and nothing is half staged`, async () => {
  const bundle = await mixed();
  const manifestText = `${canonicalJson(bundle.manifest)}\n`;
  const pieces: Uint8Array[] = [];
  const whole = {
    manifest: bundle.manifest,
    manifestText,
    exportNTriples: memorySource(bundle.exportNTriples),
    shapesTurtle: bundle.shapesTurtle,
    signature: null,
  };
  for await (const piece of writeArchive(whole, { viewTurtle: null })) pieces.push(piece);
  const archive = Buffer.concat(pieces);
  const store = await openStore(':memory:');
  await store.load({ text: `<${EX}s> <${EX}p> "x" .`, format: 'turtle' });
  await store.importShare(bundle, { source: 'peer' });
  const before = await stateOf(store);
  const random = randomNumbers(SEED);
  const outcomes = { refused: 0, same: 0 };
  for (let i = 0; i < FUZZ; i++) {
    const which = i % 4;
    try {
      const changed = async () => {
        if (which === 0) return { ...bundle, manifest: mutated(Buffer.from(manifestText), random).toString() };
        if (which === 1)
          return { ...bundle, exportNTriples: new Uint8Array(mutated(Buffer.from(bundle.exportNTriples), random)) };
        if (which === 2)
          return { ...bundle, shapesTurtle: mutated(Buffer.from(bundle.shapesTurtle), random).toString() };
        const bytes = mutated(archive, random);
        const read = await readArchive(memorySource(bytes).chunks());
        const kept: Uint8Array[] = [];
        for await (const chunk of read.exportNTriples.chunks()) kept.push(chunk);
        return { manifest: read.manifestText, exportNTriples: Buffer.concat(kept), shapesTurtle: read.shapesTurtle };
      };
      const found = await store.importShare(await changed(), { source: 'peer' });
      // It was imported before: what is not refused is that share, byte for byte of what its id covers.
      assert.deepEqual([found.outcome, found.shareId], ['unchanged', bundle.manifest.share_id]);
      outcomes.same++;
    } catch (error) {
      const { name: kind, code } = error as Error & { code?: string };
      if (kind === 'AssertionError') throw error;
      assert.equal(kind, 'SvcError', String((error as Error).stack));
      assert.ok(
        ['invalid_request', 'parse_error', 'invalid_utf8', 'limit_exceeded'].includes(code ?? ''),
        `${code}: ${error}`,
      );
      outcomes.refused++;
    }
    if (i % 1000 === 999) assert.equal(await stateOf(store), before, `after ${i + 1}`);
  }
  assert.equal(await stateOf(store), before);
  assert.ok(outcomes.refused > FUZZ / 2, JSON.stringify(outcomes));
  await store.close();
});
