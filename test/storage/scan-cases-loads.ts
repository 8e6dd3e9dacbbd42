/** Behaviour of loads: staging, publishing, discarding, blank nodes, isolation, transactions. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Progress } from '../../engine/base/control.js';
import { SvcError } from '../../engine/base/errors.js';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { Case, CaseContext } from './scan-case.js';
import {
  ALL,
  complete,
  document,
  exactly,
  expected,
  found,
  load,
  node,
  quad,
  ROOT,
  sampleQuads,
  scan,
  show,
  showQuad,
  sourcesOf,
  toldOf,
  typed,
} from './scan-support.js';

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

async function emptyStore({ engine }: CaseContext): Promise<void> {
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

async function graphNames({ engine }: CaseContext): Promise<void> {
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

async function isolation({ engine }: CaseContext): Promise<void> {
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

async function discarded({ engine }: CaseContext): Promise<void> {
  await load(engine, sampleQuads(12, 50), { blankNodeScope: 'store' });
  const before = visible(engine);
  const staged = await engine.stageLoad(sourcesOf(sampleQuads(13, 400)), { blankNodeScope: 'store' }, {});
  assert.ok((staged.loaded?.quadsAdded ?? 0) > 100);
  assert.deepEqual(visible(engine), before, 'a staged load is invisible');
  await staged.discard();
  assert.deepEqual(visible(engine), before, 'a discarded load leaves no trace');
  assert.equal(engine.snapshot().encode(node('p9')), null);
  const after = await load(engine, [quad(node('fresh'), node('p0'), node('o'))]);
  assert.equal(after.summary.quadsAdded, 1);
  assert.equal(engine.transactions().length, 2);
  assert.ok((await engine.verify({})).ok);
}

async function failedLoads({ engine }: CaseContext): Promise<void> {
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

async function progress({ engine }: CaseContext): Promise<void> {
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
    (load) => {
      load.discard();
      return 'finished';
    },
    (error) => (error instanceof SvcError ? error.code : String(error)),
  );
  assert.ok(outcome === 'aborted' || outcome === 'finished', outcome);
  assert.equal(engine.snapshot().count(complete({})), 0);
  assert.equal((await load(engine, many)).summary.quadsAdded, 30_000);
}

async function transactionList({ engine }: CaseContext): Promise<void> {
  await load(engine, [quad(node('a'), node('p'), node('o'))], {
    timestamp: 2_000_000_000,
    actor: 'ana',
    source: 'first',
  });
  await load(engine, [quad(node('a'), node('p'), node('o'))], { timestamp: -5 });
  const startSeconds = Math.floor(Date.now() / 1000);
  await load(engine, [quad(node('b'), node('p'), node('o'))]);
  const [first, second, third] = toldOf(engine);
  assert.deepEqual(first, {
    id: 1,
    timestamp: 2_000_000_000,
    actor: 'ana',
    source: 'first',
    quadsAdded: 1,
    quadsRetracted: 0,
  });
  assert.deepEqual(second, { id: 2, timestamp: -5, actor: null, source: null, quadsAdded: 0, quadsRetracted: 0 });
  assert.equal(third?.id, 3);
  assert.ok(Math.abs((third?.timestamp as number) - startSeconds) < 60, 'the clock, where no time is given');
  assert.equal(engine.transactions().length, 3);
}

async function figures({ engine }: CaseContext): Promise<void> {
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

async function closed({ engine, open }: CaseContext): Promise<void> {
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
async function randomLoads({ open }: CaseContext): Promise<void> {
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
        assert.equal(staged.loaded?.quadsAdded, fresh.size);
        if (!kept) {
          await staged.discard();
          continue;
        }
        await staged.commit().durable;
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
  { name: 'the order of graphs', run: graphNames },
  { name: 'isolation of snapshots', run: isolation },
  { name: 'discarded loads', run: discarded },
  { name: 'failed and aborted loads', run: failedLoads },
  { name: 'progress, and an abort on the way', run: progress },
  { name: 'the list of transactions', run: transactionList },
  { name: 'figures and verification', run: figures },
  { name: 'closed stores and snapshots', run: closed },
  { name: 'random loads', run: randomLoads },
];
