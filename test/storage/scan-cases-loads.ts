/** Behaviour of loads: staging, publishing, discarding, blank nodes, isolation, transactions. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { Progress } from '../../engine/base/control.js';
import { SvcError } from '../../engine/base/errors.js';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import type { StorageEngine } from '../../engine/storage/engine.js';
import type { Case } from './scan-cases.js';
import {
  ALL,
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
  sampleQuads,
  scan,
  show,
  showQuad,
  sourcesOf,
  typed,
} from './scan-support.js';

type Context = Parameters<Case['run']>[0];

const PREFIX = '@prefix : <http://example.org/> .\n';

/** All that a reader can see of a store. */
function visible(engine: StorageEngine): unknown {
  const snapshot = engine.snapshot();
  const stats = engine.stats();
  const seen = {
    tx: snapshot.tx,
    quads: found(snapshot),
    graphs: snapshot.graphs().length,
    transactions: engine.transactions(),
    terms: stats.terms,
    counts: [stats.factsCurrent, stats.quadsCurrent, stats.rowsTotal, stats.graphs, stats.transactions],
  };
  snapshot.close();
  return seen;
}

async function emptyStore({ engine }: Context): Promise<void> {
  const snapshot = engine.snapshot();
  assert.equal(snapshot.tx, 0);
  assert.deepEqual(scan(snapshot), []);
  assert.equal(snapshot.count(complete({})), 0);
  assert.deepEqual(snapshot.estimate(complete({})), { rows: 0, exact: true });
  assert.deepEqual(snapshot.graphs(), []);
  assert.deepEqual(snapshot.predicates(ALL), []);
  assert.deepEqual(engine.transactions(), []);
  assert.equal(show(snapshot.decode(new Uint32Array([1, 0x20000000]), 1)[0] as Quad), show(ROOT), 'ROOT is term 1');
  assert.ok((await engine.verify({})).ok);
}

async function emptyDocument({ engine }: Context): Promise<void> {
  const { tx, summary } = await load(engine, `${PREFIX}# nothing\n`);
  assert.equal(tx, 1);
  assert.deepEqual([summary.quadsRead, summary.quadsAdded, summary.termsAdded, summary.sources], [0, 0, 0, 1]);
  assert.deepEqual(scan(engine.snapshot()), []);
  assert.equal(engine.snapshot().tx, 1);
  assert.equal(engine.transactions().length, 1);
}

async function duplicates({ engine }: Context): Promise<void> {
  const text = `${PREFIX}:a :p :b, :b, "x" . :a :p :b . :g { :a :p :b . :a :p :b }`;
  const { summary } = await load(engine, text);
  assert.deepEqual([summary.quadsRead, summary.quadsAdded], [6, 3]);
  assert.equal(summary.bytesRead, new TextEncoder().encode(text).length);
  const more = await load(engine, `${PREFIX}:a :p :b, :c .`);
  assert.deepEqual([more.summary.quadsRead, more.summary.quadsAdded, more.summary.termsAdded], [2, 1, 1]);
  assert.equal(engine.snapshot().count(complete({})), 4);
}

async function loadedAgain({ engine }: Context): Promise<void> {
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

const hex = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');
const scopeOfBytes = (text: string) => hex(`sha256:${hex(text)}`).slice(0, 16);

async function blankNodes({ engine, open }: Context): Promise<void> {
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

async function snapshotKeys({ engine }: Context): Promise<void> {
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

async function scopesOfQuads({ engine }: Context): Promise<void> {
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

async function destinations({ engine }: Context): Promise<void> {
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

async function graphNames({ engine }: Context): Promise<void> {
  const names = ['z', 'a', 'é', '\u{10000}', '\uffff', 'B'];
  await load(
    engine,
    names.map((name) => quad(node('s'), node('p'), node('o'), node(name))),
  );
  const snapshot = engine.snapshot();
  const graphs = snapshot
    .graphs()
    .map((id) => show(snapshot.decode(new Uint32Array([Number(id & 0xffffffffn), Number(id >> 32n)]), 1)[0] as Quad));
  assert.deepEqual(
    graphs,
    ['B', 'a', 'z', 'é', '\uffff', '\u{10000}'].map((name) => show(node(name))),
    'no ROOT: it holds nothing',
  );
}

async function isolation({ engine }: Context): Promise<void> {
  const quads = sampleQuads(11, 100);
  const later = [
    quad(node('later'), node('p0'), node('new'), node('lateGraph')),
    quad(node('s0'), node('late'), node('o')),
  ];
  await load(engine, quads, { blankNodeScope: 'store' });
  const old = engine.snapshot();
  const before = {
    quads: found(old),
    graphs: old.graphs(),
    predicates: old.predicates(ALL),
    count: old.count(complete({})),
  };
  const open = old.scan(complete({ order: 'SPOG' }));
  await load(engine, later);
  assert.deepEqual(
    { quads: found(old), graphs: old.graphs(), predicates: old.predicates(ALL), count: old.count(complete({})) },
    before,
  );
  const id = old.encode(node('later'));
  assert.ok(id === null || old.count(complete({ pattern: { s: exactly(id) } })) === 0);
  let rows = 0;
  for (let batch = open.next(); batch !== null; batch = open.next()) rows += batch.selection?.length ?? batch.rows;
  assert.equal(rows, before.count, 'nor does a cursor that was open');
  const fresh = engine.snapshot();
  assert.deepEqual(found(fresh), expected([...quads, ...later]));
  assert.equal(fresh.tx, old.tx + 1);
  for (const term of [node('s0'), node('p0')]) assert.equal(old.encode(term), fresh.encode(term), 'ids do not change');
}

async function discarded({ engine }: Context): Promise<void> {
  await load(engine, sampleQuads(12, 50), { blankNodeScope: 'store' });
  const before = visible(engine);
  const staged = await engine.stageLoad(sourcesOf(sampleQuads(13, 400)), { blankNodeScope: 'store' }, {});
  assert.ok(staged.summary.quadsAdded > 100);
  assert.deepEqual(visible(engine), before, 'a staged load is invisible');
  await staged.discard();
  assert.deepEqual(visible(engine), before, 'a discarded load leaves no trace');
  assert.equal(engine.snapshot().encode(node('p9')), null);
  const after = await load(engine, [quad(node('fresh'), node('p0'), node('o'))]);
  assert.equal(after.summary.quadsAdded, 1);
  assert.equal(engine.transactions().length, 2);
  assert.ok((await engine.verify({})).ok);
}

async function failedLoads({ engine }: Context): Promise<void> {
  await load(engine, `${PREFIX}:a :p 1 .`);
  const before = visible(engine);
  const good = document(`${PREFIX}:b :p 2 .`, 'good.trig');
  const reject = (sources: readonly unknown[], code: string, control = {}) =>
    assert.rejects(
      async () => engine.stageLoad(sources as Parameters<StorageEngine['stageLoad']>[0], {}, control),
      (error) => error instanceof SvcError && error.code === code,
      `${code} for ${JSON.stringify(sources.map((source) => (source as { name: string }).name))}`,
    );
  await reject([good, document(`${PREFIX}:a :p .`, 'syntax.trig')], 'parse_error');
  await reject([good, document('<a> <b> <c> .', 'relative.trig')], 'parse_error');
  await reject([good, { kind: 'file', path: '/nonexistent/data.ttl', name: 'missing' }], 'source_unreadable');
  const bad: [string, Quad][] = [
    ['relative', quad(node('a'), node('p'), terms.namedNode('relative'))],
    ['illegal IRI', quad(node('a'), node('p'), terms.namedNode('http://example.org/a b'))],
    ['illegal label', quad(terms.blankNode('a b'), node('p'), node('o'))],
    ['half a character', quad(node('a'), node('p'), terms.literal('\ud800'))],
    ['bad language', quad(node('a'), node('p'), terms.literal('a', 'not a tag'))],
    ['literal subject', quad(terms.literal('a'), node('p'), node('o'))],
    ['blank predicate', quad(node('a'), terms.blankNode('p'), node('o'))],
    ['variable', quad(node('a'), node('p'), terms.variable?.('v') as never)],
  ];
  for (const [name, it] of bad) await reject([good, { kind: 'quads', quads: [it], name }], 'parse_error');
  const aborted = AbortSignal.abort();
  await reject([good], 'aborted', { signal: aborted });
  await reject([{ kind: 'quads', quads: sampleQuads(1, 20), name: 'quads' }], 'aborted', { signal: aborted });
  assert.deepEqual(visible(engine), before);
}

async function sourcesOfEveryKind({ engine }: Context): Promise<void> {
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

async function files({ engine }: Context): Promise<void> {
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

async function progress({ engine }: Context): Promise<void> {
  const phases: string[] = [];
  const many = Array.from({ length: 30_000 }, (_, at) => quad(node(`s${at}`), node('p'), typed(String(at), 'integer')));
  const onProgress = ({ phase, done, elapsedMs }: Progress) => {
    assert.ok(done >= 0 && elapsedMs >= 0);
    phases.push(phase);
  };
  const controller = new AbortController();
  const staged = engine.stageLoad(sourcesOf(many), {}, { onProgress, signal: controller.signal });
  setTimeout(() => controller.abort(), 5);
  const outcome = await staged.then(
    (load) => load.discard().then(() => 'finished'),
    (error) => (error instanceof SvcError ? error.code : String(error)),
  );
  assert.ok(outcome === 'aborted' || outcome === 'finished', outcome);
  assert.equal(engine.snapshot().count(complete({})), 0);
  assert.equal((await load(engine, many)).summary.quadsAdded, 30_000);
}

async function transactionList({ engine }: Context): Promise<void> {
  await load(engine, [quad(node('a'), node('p'), node('o'))], {
    timestamp: 2_000_000_000,
    actor: 'ana',
    source: 'first',
  });
  await load(engine, [quad(node('a'), node('p'), node('o'))], { timestamp: -5 });
  const startSeconds = Math.floor(Date.now() / 1000);
  await load(engine, [quad(node('b'), node('p'), node('o'))]);
  const [first, second, third] = engine.transactions();
  assert.deepEqual(first, { id: 1, timestamp: 2_000_000_000, actor: 'ana', source: 'first', quadsAdded: 1 });
  assert.deepEqual(second, { id: 2, timestamp: -5, actor: null, source: null, quadsAdded: 0 });
  assert.equal(third?.id, 3);
  assert.ok(Math.abs((third?.timestamp as number) - startSeconds) < 60, 'the clock, where no time is given');
  assert.equal(engine.transactions().length, 3);
}

async function figures({ engine }: Context): Promise<void> {
  const quads = sampleQuads(14);
  await load(engine, quads, { blankNodeScope: 'store' });
  const stats = engine.stats();
  const all = expected(quads);
  const root = all.filter((line) => line.endsWith(show(ROOT)));
  assert.equal(stats.quadsCurrent, all.length);
  assert.equal(stats.factsCurrent, root.length);
  assert.equal(stats.rowsTotal, all.length);
  assert.equal(stats.graphs, 5);
  assert.equal(stats.predicates, 4);
  assert.equal(stats.transactions, 1);
  assert.equal(stats.entities, new Set(root.map((line) => line.split(' ')[0])).size);
  assert.ok(stats.terms >= 20);
  const report = await engine.verify({});
  assert.deepEqual(report.problems, []);
  assert.ok(report.ok && report.rowsChecked >= all.length && report.termsChecked >= 20);
}

async function closed({ engine, open }: Context): Promise<void> {
  const other = await open();
  await load(other, [quad(node('a'), node('p'), node('o'))]);
  const snapshot = other.snapshot();
  snapshot.close();
  snapshot.close();
  assert.throws(() => snapshot.scan(complete({})), { code: 'store_closed' });
  await other.close();
  assert.throws(() => other.snapshot(), { code: 'store_closed' });
  await assert.rejects(other.stageLoad([], {}, {}), { code: 'store_closed' });
  assert.equal(engine.snapshot().tx, 0, 'another store is not touched');
}

/** Random loads, some discarded, against a plain set. */
async function randomLoads({ open }: Context): Promise<void> {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const object = fc.oneof(
    name.map(node),
    fc.integer({ min: -3, max: 3 }).map((value) => typed(String(value), 'integer')),
    fc.constantFrom('x', '').map((text) => terms.literal(text)),
  );
  const graph = fc.option(fc.constantFrom('g', 'h').map(node), { nil: terms.defaultGraph() });
  const quads = fc.array(
    fc.tuple(name, name, object, graph).map(([s, p, o, g]) => quad(node(s), node(p), o, g)),
    { maxLength: 12 },
  );
  const loads = fc.array(fc.record({ quads, kept: fc.boolean() }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(loads, async (steps) => {
      const engine = await open();
      const model = new Map<string, Quad>();
      for (const { quads: batch, kept } of steps) {
        const staged = await engine.stageLoad(sourcesOf(batch), {}, {});
        const fresh = new Set(batch.map(showQuad).filter((line) => !model.has(line)));
        assert.equal(staged.summary.quadsAdded, fresh.size);
        if (!kept) {
          await staged.discard();
          continue;
        }
        await staged.publish();
        for (const it of batch) model.set(showQuad(it), it);
      }
      const snapshot = engine.snapshot();
      assert.deepEqual(found(snapshot), expected([...model.values()]));
      assert.equal(snapshot.count(complete({})), model.size);
      assert.equal(engine.transactions().length, steps.filter(({ kept }) => kept).length);
      assert.ok((await engine.verify({})).ok);
      snapshot.close();
      await engine.close();
    }),
    { numRuns: 15, seed: 7 },
  );
}

export const LOAD_CASES: readonly Case[] = [
  { name: 'an empty store', run: emptyStore },
  { name: 'an empty document', run: emptyDocument },
  { name: 'duplicates and open quads', run: duplicates },
  { name: 'a document loaded again', run: loadedAgain },
  { name: 'blank nodes of documents', run: blankNodes },
  { name: 'blank nodes under a snapshot key', run: snapshotKeys },
  { name: 'blank nodes of quads', run: scopesOfQuads },
  { name: 'destination graphs', run: destinations },
  { name: 'the order of graphs', run: graphNames },
  { name: 'isolation of snapshots', run: isolation },
  { name: 'discarded loads', run: discarded },
  { name: 'failed and aborted loads', run: failedLoads },
  { name: 'sources of every kind', run: sourcesOfEveryKind },
  { name: 'files, compression and limits', run: files },
  { name: 'progress, and an abort on the way', run: progress },
  { name: 'the list of transactions', run: transactionList },
  { name: 'figures and verification', run: figures },
  { name: 'closed stores and snapshots', run: closed },
  { name: 'random loads', run: randomLoads },
];
