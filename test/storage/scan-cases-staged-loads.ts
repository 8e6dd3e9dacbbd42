/** Behaviour of snapshots of staged loads: the store as it will be, and nothing of it once the load is dropped. */

import assert from 'node:assert/strict';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import type { TermId } from '../../engine/storage/ids/layout.js';
import type { LoadOptions, StorageEngine } from '../../engine/storage/seam/engine.js';
import { type ChangedRows, COLUMNS, type StorageSnapshot } from '../../engine/storage/seam/scan.js';
import type { Case, CaseContext } from './scan-case.js';
import {
  ALL,
  columnOf,
  complete,
  exactly,
  expected,
  found,
  idOf,
  load,
  node,
  ORDERS,
  quad,
  sampleQuads,
  scan,
  show,
  shown,
  showQuad,
  sourcesOf,
  typed,
} from './scan-support.js';
import { month, write } from './stage-support.js';

/** Little data in many epochs, and graphs with partitions of their own. */
const SMALL: LoadOptions = { bounds: { epochRowsMax: 64, epochTermsMax: 64, ownPartitionRows: 40 } };
const STORED: LoadOptions = { blankNodeScope: 'store' };

/** What a snapshot shows, through every way of reading. */
function account(snapshot: StorageSnapshot): unknown {
  const names = (ids: readonly TermId[]) => snapshot.decode(columnOf(ids), ids.length).map(show);
  const predicate = snapshot.encode(node('p1'));
  const subject = snapshot.encode(node('s1'));
  return {
    tx: snapshot.tx,
    orders: ORDERS.map((order) => scan(snapshot, { order, columns: COLUMNS })),
    history: scan(snapshot, { time: { kind: 'all' }, columns: COLUMNS }).length,
    past: [0, 1, 2].map((tx) => found(snapshot, { time: { kind: 'asOf', tx } })),
    quads: found(snapshot),
    count: snapshot.count(complete({})),
    graphs: names(snapshot.graphs()),
    perGraph: snapshot
      .graphs()
      .map((graph) => [
        snapshot.count(complete({ graphs: { kind: 'one', graph } })),
        found(snapshot, { graphs: { kind: 'one', graph } }),
      ]),
    predicates: snapshot
      .predicates(ALL)
      .map((one) => `${names([one.predicate])} ${one.rows}`)
      .sort(),
    ofPredicate: predicate === null ? null : found(snapshot, { pattern: { p: exactly(predicate) } }),
    ofSubject: subject === null ? null : probed(snapshot, subject),
  };
}

function probed(snapshot: StorageSnapshot, subject: TermId): string[] {
  const { graphs, pattern, time } = complete({});
  const probe = snapshot.probe({ graphs, pattern, time, order: 'SPOG', keys: ['s'], columns: ['s', 'p', 'o', 'g'] });
  probe.begin([columnOf([subject])], 1);
  const lines: string[] = [];
  for (let batch = probe.next(); batch !== null; batch = probe.next()) {
    const { columns } = batch;
    const rows = Array.from({ length: batch.rows }, (_, row) =>
      COLUMNS.map((name) => {
        const ids = columns[name];
        return ids === null ? 0n : (BigInt(ids[2 * row + 1] as number) << 32n) | BigInt(ids[2 * row] as number);
      }),
    );
    lines.push(...shown(snapshot, rows));
  }
  probe.close();
  return lines.sort();
}

/** Changed rows as text: `+ s p o g [from,to)`. */
export function changesOf(snapshot: StorageSnapshot, tx: number, graph?: TermId): string[] {
  assert.ok(snapshot.changes);
  const lines: string[] = [];
  for (const batch of snapshot.changes(tx, graph)) {
    const isBounded = batch.rows <= 4096 || tx !== snapshot.tx || snapshot.staged !== true;
    assert.ok(batch.rows > 0 && isBounded, `a batch of ${batch.rows} rows`);
    lines.push(...linesOf(snapshot, batch));
  }
  return lines.sort();
}

function linesOf(snapshot: StorageSnapshot, { op, rows, columns }: ChangedRows): string[] {
  const terms = (['s', 'p', 'o', 'g'] as const).map((name) => snapshot.decode(columns[name], rows).map(show));
  return Array.from({ length: rows }, (_, row) => {
    const times = (['validFrom', 'validTo'] as const).map(
      (name) => `${columns[name][2 * row + 1]}.${columns[name][2 * row]}`,
    );
    return `${op === 'assert' ? '+' : '-'} ${terms.map((column) => column[row]).join(' ')} ${times.join()}`;
  });
}

/** Stages, looks, publishes, and looks again: both times the same is seen. */
async function sameBeforeAndAfter(engine: StorageEngine, quads: readonly Quad[], options: LoadOptions): Promise<void> {
  const staged = await engine.stageLoad(sourcesOf(quads), { ...STORED, ...options, timestamp: month(9) }, {});
  const before = engine.snapshot();
  const within = staged.snapshot();
  assert.equal(within.staged, true);
  const told = { account: account(within), changes: changesOf(within, within.tx) };
  const known = quads
    .slice(0, 20)
    .flatMap((it) => [it.subject, it.predicate, it.object].map((term) => idOf(within, term)));
  const estimate = within.estimate(complete({}));
  assert.ok(estimate.rows >= within.count(complete({})) / 2, 'the estimate counts what is staged');
  assert.equal(told.changes.length, staged.loaded?.quadsAdded);
  assert.equal(found(within).length - found(before).length, staged.loaded?.quadsAdded);
  before.close();
  within.close();
  const { tx, durable } = staged.commit();
  await durable;
  const after = engine.snapshot();
  assert.equal(after.tx, tx);
  assert.deepEqual({ account: account(after), changes: changesOf(after, tx) }, told);
  assert.deepEqual(
    quads.slice(0, 20).flatMap((it) => [it.subject, it.predicate, it.object].map((term) => idOf(after, term))),
    known,
    'terms keep their ids',
  );
  after.close();
  assert.ok((await engine.verify({})).ok);
}

async function intoEmptyStore({ engine }: CaseContext): Promise<void> {
  await sameBeforeAndAfter(engine, sampleQuads(41), {});
}

async function ofSeveralEpochs({ engine }: CaseContext): Promise<void> {
  await sameBeforeAndAfter(engine, sampleQuads(42, 500), SMALL);
}

async function intoFullStore({ engine }: CaseContext): Promise<void> {
  await load(engine, sampleQuads(43), { ...STORED, timestamp: month(1) });
  await write(engine, { retract: sampleQuads(43, 60), assert: sampleQuads(44, 40), timestamp: month(2) });
  const more = [...sampleQuads(45, 200), quad(node('fresh'), node('p1'), terms.literal('quite new'), node('g9'))];
  await sameBeforeAndAfter(engine, more, {});
  await sameBeforeAndAfter(engine, sampleQuads(46, 400), SMALL);
}

async function ofNothingNew({ engine }: CaseContext): Promise<void> {
  await load(engine, sampleQuads(43), STORED);
  await sameBeforeAndAfter(engine, sampleQuads(43), {});
}

async function batchesOfChanges({ engine }: CaseContext): Promise<void> {
  const many = Array.from({ length: 9000 }, (_, at) => quad(node(`s${at}`), node('p'), typed(String(at), 'integer')));
  const staged = await engine.stageLoad(sourcesOf(many), {}, {});
  const within = staged.snapshot();
  assert.equal(changesOf(within, within.tx).length, 9000);
  within.close();
  await staged.discard();
}

/** What is read of a dropped load must not be mixed up with the next, which has its numbers. */
async function droppedLoads({ engine }: CaseContext): Promise<void> {
  await load(engine, sampleQuads(47, 50), STORED);
  for (const name of ['first', 'second', 'third']) {
    const quads = Array.from({ length: 40 }, (_, at) =>
      quad(node(`${name}${at}`), node(name), terms.literal(name + at)),
    );
    const staged = await engine.stageLoad(sourcesOf(quads), SMALL, {});
    const within = staged.snapshot();
    const predicate = idOf(within, node(name));
    assert.deepEqual(found(within, { pattern: { p: exactly(predicate) } }), expected(quads));
    within.close();
    if (name === 'second') staged.snapshot();
    await staged.discard();
    const outside = engine.snapshot();
    assert.equal(outside.encode(node(name)), null, 'its terms are gone');
    assert.equal(outside.tx, 1);
    outside.close();
    assert.throws(() => staged.snapshot(), { code: 'invalid_request' });
  }
  const last = quad(node('last'), node('last'), terms.literal('last'));
  assert.equal((await load(engine, [last])).tx, 2);
  const snapshot = engine.snapshot();
  assert.deepEqual(found(snapshot, { pattern: { p: exactly(idOf(snapshot, node('last'))) } }), [
    showQuad(quad(last.subject, last.predicate, last.object, terms.namedNode('urn:svc:graph:root'))),
  ]);
  assert.ok((await engine.verify({})).ok);
}

export const STAGED_LOAD_CASES: readonly Case[] = [
  { name: 'a staged load into an empty store can be read', run: intoEmptyStore },
  { name: 'a staged load of several epochs can be read', run: ofSeveralEpochs },
  { name: 'a staged load into a full store can be read', run: intoFullStore },
  { name: 'a staged load that adds nothing can be read', run: ofNothingNew },
  { name: 'changes of a staged load come in batches', run: batchesOfChanges },
  { name: 'what was read of a load that is dropped is forgotten', run: droppedLoads },
];
