/** Behaviour of documents: what a load takes, from where, and what becomes of its blank nodes. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import type { Case, CaseContext } from './scan-case.js';
import {
  complete,
  document,
  exactly,
  expected,
  found,
  idOf,
  load,
  node,
  quad,
  ROOT,
  scan,
  show,
  typed,
} from './scan-support.js';

const PREFIX = '@prefix : <http://example.org/> .\n';

const hex = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');
const scopeOfBytes = (text: string) => hex(`sha256:${hex(text)}`).slice(0, 16);

async function emptyDocument({ engine }: CaseContext): Promise<void> {
  const { tx, summary } = await load(engine, `${PREFIX}# nothing\n`);
  assert.equal(tx, 1);
  assert.deepEqual([summary.quadsRead, summary.quadsAdded, summary.termsAdded, summary.sources], [0, 0, 0, 1]);
  assert.deepEqual(scan(engine.snapshot()), []);
  assert.equal(engine.snapshot().tx, 1);
  assert.equal(engine.transactions().length, 1);
}

async function duplicates({ engine }: CaseContext): Promise<void> {
  const text = `${PREFIX}:a :p :b, :b, "x" . :a :p :b . :g { :a :p :b . :a :p :b }`;
  const { summary } = await load(engine, text);
  assert.deepEqual([summary.quadsRead, summary.quadsAdded], [6, 3]);
  assert.equal(summary.bytesRead, new TextEncoder().encode(text).length);
  const more = await load(engine, `${PREFIX}:a :p :b, :c .`);
  assert.deepEqual([more.summary.quadsRead, more.summary.quadsAdded, more.summary.termsAdded], [2, 1, 1]);
  assert.equal(engine.snapshot().count(complete({})), 4);
}

async function loadedAgain({ engine }: CaseContext): Promise<void> {
  const text = `${PREFIX}_:x :p 1 . [] :p 2 . :l :p (1 [ :q _:x ]) . :g { _:x :p _:g } _:g { _:x :p 3 }`;
  const first = await load(engine, text);
  const before = found(engine.snapshot());
  const second = await load(engine, text);
  assert.equal(second.summary.quadsAdded, 0);
  assert.equal(second.summary.quadsRead, first.summary.quadsRead);
  assert.equal(second.summary.termsAdded, 0);
  assert.equal(second.tx, first.tx + 1);
  assert.deepEqual(found(engine.snapshot()), before);
}

async function blankNodes({ engine, open }: CaseContext): Promise<void> {
  const text = `${PREFIX}_:x :p 1 . [] :p 2 . [ :q [] ] :p 3 .`;
  const h = scopeOfBytes(text);
  await load(engine, text);
  const subjectsOf = (lines: string[]) => [...new Set(lines.map((line) => line.split(' ')[0]))].sort();
  assert.deepEqual(subjectsOf(found(engine.snapshot())), [`_:d${h}-x`, `_:d${h}a0`, `_:d${h}a1`], 'EX-1');
  const other = `${PREFIX}_:x :p 1 .`;
  await load(engine, other);
  assert.ok(found(engine.snapshot()).some((line) => line.startsWith(`_:d${scopeOfBytes(other)}-x `)));

  const restored = await open();
  const lines = found(engine.snapshot()).map((line) => `${line.split(' ').slice(0, 3).join(' ')} .`);
  const ntriples = lines.join('\n').replace(/\^\^(\S+)/g, '^^<$1>');
  await load(restored, ntriples, { blankNodeScope: 'store' });
  assert.deepEqual(found(restored.snapshot()), found(engine.snapshot()), 'labels verbatim');
  const anonymous = `${PREFIX}[] :p _:y .`;
  await load(restored, anonymous, { blankNodeScope: 'store' });
  assert.ok(found(restored.snapshot()).some((line) => line.startsWith(`_:d${scopeOfBytes(anonymous)}a0 `)));
  assert.ok(found(restored.snapshot()).some((line) => line.includes(' _:y ')));
  await restored.close();
}

async function snapshotKeys({ engine }: CaseContext): Promise<void> {
  const h = hex('snapshot:nightly').slice(0, 16);
  await load(engine, `${PREFIX}_:x :p 1 .`, { snapshotKey: 'nightly' });
  await load(engine, `${PREFIX}_:x :p 2 . [] :p 2 .`, { snapshotKey: 'nightly' });
  const subjects = found(engine.snapshot()).map((line) => line.split(' ')[0]);
  assert.deepEqual(subjects, [`_:d${h}-x`, `_:d${h}-x`, `_:d${h}a0`], 'versions share their nodes');
  const pair = [document(`${PREFIX}_:x :q 1 .`, 'one.trig'), document(`${PREFIX}_:x :q 1 . `, 'two.trig')];
  await load(engine, pair, { snapshotKey: 'nightly' });
  const q = exactly(idOf(engine.snapshot(), node('q')));
  assert.equal(engine.snapshot().count(complete({ pattern: { p: q } })), 2, 'two documents share no label');
}

async function scopesOfQuads({ engine }: CaseContext): Promise<void> {
  const quads = [
    quad(terms.blankNode('x'), node('p'), terms.blankNode('x')),
    quad(terms.blankNode('y'), node('p'), node('o')),
  ];
  await load(engine, quads);
  await load(engine, quads);
  assert.equal(engine.snapshot().count(complete({})), 2, 'the same quads again are the same nodes');
  await load(engine, [quads[0] as Quad]);
  assert.equal(engine.snapshot().count(complete({})), 3, 'other quads are another document');
  assert.ok(found(engine.snapshot()).some((line) => /^_:d[0-9a-f]{16}-x \S+ _:d[0-9a-f]{16}-x /.test(line)));
}

async function destinations({ engine }: CaseContext): Promise<void> {
  const text = `${PREFIX}:a :p 1 . :g { :a :p 2 }`;
  await load(engine, text, { graph: 'http://example.org/target' });
  await load(engine, text);
  const one = typed('1', 'integer');
  const two = typed('2', 'integer');
  const wanted = [
    quad(node('a'), node('p'), one, node('target')),
    quad(node('a'), node('p'), two, node('g')),
    quad(node('a'), node('p'), one, ROOT),
  ];
  const snapshot = engine.snapshot();
  assert.deepEqual(found(snapshot), expected(wanted));
  assert.deepEqual(
    snapshot.graphs(),
    [ROOT, node('g'), node('target')].map((graph) => idOf(snapshot, graph)),
    'ROOT first, then by IRI',
  );
  await assert.rejects(load(engine, text, { graph: 'relative' }), { code: 'invalid_request' });
}

async function sourcesOfEveryKind({ engine }: CaseContext): Promise<void> {
  const bytes = new TextEncoder().encode(`${PREFIX}:stream :p 1 .`);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  }
  async function* quads() {
    yield quad(node('async'), node('p'), node('o'));
  }
  const { tx, summary } = await load(engine, [
    { kind: 'bytes', bytes: chunks(), name: 'stream', format: 'turtle' },
    { kind: 'quads', quads: quads(), name: 'quads' },
    {
      kind: 'bytes',
      bytes: new TextEncoder().encode('<http://example.org/nt> <urn:p> <urn:o> .'),
      name: 'nt',
      format: 'ntriples',
    },
    {
      kind: 'bytes',
      bytes: new TextEncoder().encode('<r> <urn:p> <urn:o> .'),
      name: 'base',
      format: 'turtle',
      baseIri: 'http://example.org/',
    },
  ]);
  assert.equal(tx, 1, 'several sources are one transaction');
  assert.deepEqual([summary.sources, summary.quadsRead, summary.quadsAdded], [4, 4, 4]);
  const subjects = found(engine.snapshot()).map((line) => line.split(' ')[0]);
  assert.deepEqual(
    subjects,
    ['async', 'nt', 'r', 'stream'].map((name) => show(node(name))),
  );
}

async function files({ engine }: CaseContext): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-scan-'));
  try {
    const plain = join(folder, 'plain.ttl');
    const packed = join(folder, 'packed.NT.gz');
    const unnamed = join(folder, 'unnamed');
    const blank = `${PREFIX}_:x :p 1 .`;
    writeFileSync(plain, blank);
    writeFileSync(packed, gzipSync(`<http://example.org/a> <http://example.org/p> "2" .\n`));
    writeFileSync(unnamed, blank);
    const { summary } = await load(engine, [
      { kind: 'file', path: plain },
      { kind: 'file', path: packed },
      { kind: 'file', path: unnamed, format: 'turtle' },
    ]);
    assert.deepEqual(
      [summary.sources, summary.quadsRead, summary.quadsAdded],
      [3, 3, 2],
      'the same bytes, the same nodes',
    );
    assert.ok(found(engine.snapshot())[1]?.startsWith(`_:d${scopeOfBytes(blank)}-x `));
    const again = await load(engine, [
      { kind: 'bytes', bytes: gzipSync(blank), name: 'b', format: 'turtle', compression: 'gzip' },
    ]);
    assert.equal(again.summary.quadsAdded, 0, 'the hash is that of the decompressed bytes');
    await assert.rejects(load(engine, [{ kind: 'file', path: unnamed }]), { code: 'unknown_format' });
    const long = [quad(node('a'), node('p'), terms.literal('é'.repeat(600)))];
    await assert.rejects(load(engine, long, { statementBytesMax: 1000 }), { code: 'limit_exceeded' });
    assert.equal((await load(engine, long, { statementBytesMax: 2000 })).summary.quadsAdded, 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const DOCUMENT_CASES: readonly Case[] = [
  { name: 'an empty document', run: emptyDocument },
  { name: 'duplicates and open quads', run: duplicates },
  { name: 'a document loaded again', run: loadedAgain },
  { name: 'blank nodes of documents', run: blankNodes },
  { name: 'blank nodes under a snapshot key', run: snapshotKeys },
  { name: 'blank nodes of quads', run: scopesOfQuads },
  { name: 'destination graphs', run: destinations },
  { name: 'sources of every kind', run: sourcesOfEveryKind },
  { name: 'files, compression and limits', run: files },
];
