/**
 * Bundles of ours in other RDF tools: what we share of real vocabularies is read by Oxigraph as the same triples, and its own
 * RDFC-1.0 gives the same bytes. The latter is Python's, which SVC_BENCH_PYTHON names; where there is none it is skipped.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'oxigraph';
import { openStore } from '../../interfaces/library/index.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import { sha256 } from './bundle-support.js';

const PYTHON = process.env.SVC_BENCH_PYTHON ?? 'python3';
const SHARED = sharedFolder();
const hasCanonical = spawnSync(PYTHON, ['-c', 'import pyoxigraph']).status === 0;

/** Reads a document, labels its nodes canonically, and writes its lines in the order of their code points. */
const CANONICAL = `
import sys, pyoxigraph as ox
form = {'turtle': ox.RdfFormat.TURTLE, 'rdfxml': ox.RdfFormat.RDF_XML}[sys.argv[2]]
quads = ox.Dataset(ox.parse(path=sys.argv[1], format=form, base_iri=sys.argv[3]))
quads.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
lines = {' '.join(map(str, (q.subject, q.predicate, q.object))) + ' .\\n' for q in quads}
sys.stdout.buffer.write(''.join(sorted(lines)).encode())
`;

interface Vocabulary {
  readonly path: string;
  readonly format: 'turtle' | 'rdfxml';
  readonly base: string;
  readonly hasBlankNodes: boolean;
}

const VOCABULARIES: readonly Vocabulary[] = [
  { path: 'schemaorg/schemaorg-all-https-30.0.ttl', format: 'turtle', base: 'urn:x:', hasBlankNodes: false },
  { path: 'fibo/FND/Accounting/CurrencyAmount.rdf', format: 'rdfxml', base: 'urn:x:', hasBlankNodes: true },
];

for (const { path, format, base, hasBlankNodes } of VOCABULARIES) {
  test(`a share of ${path} is the same in Oxigraph`, { skip: SHARED === null ? SHARED_ABSENT : false }, async (t) => {
    const source = join(SHARED as string, 'data', path);
    const store = await openStore(':memory:');
    t.after(() => store.close());
    await store.load({ text: readFileSync(source, 'utf8'), format }, { baseIri: base });
    const { files, manifest } = await store.share({ noShapes: true });
    const text = files['export.nt'];
    assert.equal(manifest.counts.blank_nodes > 0, hasBlankNodes);
    const read = parse(text, { format: 'application/n-triples' });
    assert.equal(read.length, manifest.counts.triples);
    const written = new Set(read.map(({ subject, predicate, object }) => `${subject} ${predicate} ${object} .`));
    assert.deepEqual([...written].sort(), text.split('\n').slice(0, -1).sort());
    await t.test('canonical bytes', { skip: hasCanonical ? false : 'python has no pyoxigraph' }, () => {
      const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', CANONICAL, source, format, base], {
        maxBuffer: 1 << 28,
      });
      assert.equal(status, 0, String(stderr));
      assert.equal(sha256(stdout), manifest.files['export.nt'].sha256);
    });
  });
}
