/** Random histories in and out of packs, and the hash with small bounds: results never depend on them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { terms } from '../../engine/rdf/terms.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { hashContent } from '../../engine/storage/packs/content-hash.js';
import { SnapshotContent, type TransactionLookup } from '../../engine/storage/packs/content-source.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { PackTransaction } from '../../engine/storage/seam/pack.js';
import { COLUMNS, type GraphSet, type StorageSnapshot, type TimeSlice } from '../../engine/storage/seam/scan.js';
import { found, idOf, node, quad, sampleQuads, scan, typed } from './scan-support.js';
import { month, write } from './stage-support.js';
import { assertSound } from './support/compare.js';
import { freeze, iriOf, thaw } from './support/packing.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const GRAPHS = ['g1', 'g2'] as const;

const quads = GRAPHS.flatMap((graph) =>
  Array.from({ length: 12 }, (_, at) =>
    quad(node(`s${at % 3}`), node(`p${at % 2}`), typed(`${at}`, 'integer'), node(graph)),
  ),
);

const places = fc.uniqueArray(fc.nat(quads.length - 1), { maxLength: 12 });
const write1 = fc.record({ assert: places, retract: places, at: fc.integer({ min: 1, max: 12 }), fold: fc.boolean() });
const history = fc.record({
  writes: fc.array(write1, { minLength: 1, maxLength: 8 }),
  between: fc.array(write1, { maxLength: 3 }),
});

interface RandomWrite {
  readonly assert: readonly number[];
  readonly retract: readonly number[];
  readonly at: number;
  readonly fold: boolean;
}

async function apply(engine: StorageEngine, writes: readonly RandomWrite[], graph?: string): Promise<void> {
  const chosen = (numbers: readonly number[]) =>
    numbers.map((at) => quads[at] as (typeof quads)[number]).filter((it) => it.graph.value !== graph);
  for (const { assert: asserted, retract, at, fold } of writes) {
    await write(engine, { retract: chosen(retract), assert: chosen(asserted), timestamp: month(at) });
    if (fold) await engine.fold({});
  }
}

function timesOf(tx: number): TimeSlice[] {
  const moments = [1, 3, 6, 9, 12].map((at) => month(at) + 1);
  return [
    { kind: 'current' },
    { kind: 'all' },
    ...Array.from({ length: tx + 1 }, (_, at): TimeSlice => ({ kind: 'asOf', tx: at })),
    ...moments.map((validAt): TimeSlice => ({ kind: 'validAt', validAt })),
    ...moments.map((validAt): TimeSlice => ({ kind: 'asOfValidAt', tx: Math.ceil(tx / 2), validAt })),
  ];
}

/** All that is answered about a graph, from where it is. */
function answersOf(snapshot: StorageSnapshot, times: readonly TimeSlice[], store: boolean): string[][] {
  const one: GraphSet = { kind: 'one', graph: idOf(snapshot, node('g1')) };
  const graphs: GraphSet = store ? { kind: 'store', store: 'pack', graphs: one } : one;
  return times.map((time) => scan(snapshot, { graphs, time, columns: COLUMNS }).map(String).sort());
}

function look<Result>(engine: StorageEngine, read: (snapshot: StorageSnapshot) => Result): Result {
  const snapshot = engine.snapshot();
  try {
    return read(snapshot);
  } finally {
    snapshot.close();
  }
}

const OPENED = [
  ['a file', () => openLmdbEngine(folder.fresh())],
  ['memory', async () => openMemoryEngine()],
] as const;

for (const [name, open] of OPENED) {
  test(`invariant 7: freeze and thaw are the identity on history, freeze on answers by name (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ writes, between }) => {
        const engine = await open();
        try {
          await write(engine, { assert: [quads[0] as (typeof quads)[number]], timestamp: month(1) });
          await apply(engine, writes);
          const times = timesOf(look(engine, ({ tx }) => tx));
          const wanted = look(engine, (snapshot) => answersOf(snapshot, times, false));
          const others = look(engine, (snapshot) =>
            found(snapshot, { graphs: { kind: 'one', graph: idOf(snapshot, node('g1')) } }),
          );
          const frozen = await freeze(engine, 'g1', folder.fresh('.qpack.db'), { timestamp: month(5) });
          engine.packs.useArchives(() => frozen.path);
          assert.deepEqual(
            look(engine, (snapshot) => answersOf(snapshot, times, true)),
            wanted,
          );
          await apply(engine, between, iriOf('g1'));
          await assertSound(engine);
          await thaw(engine, frozen, { timestamp: month(6) });
          await assertSound(engine);
          assert.deepEqual(
            look(engine, (snapshot) => answersOf(snapshot, times, false)),
            wanted,
          );
          assert.deepEqual(
            look(engine, (snapshot) => found(snapshot, { graphs: { kind: 'one', graph: idOf(snapshot, node('g1')) } })),
            others,
          );
          assert.deepEqual(await engine.packs.contentOf(iriOf('g1'), {}), frozen.content);
        } finally {
          await engine.close();
        }
      }),
      {
        numRuns: 20,
        examples: [
          [
            {
              writes: [
                { assert: [], retract: [0], at: 1, fold: false },
                { assert: [0], retract: [], at: 1, fold: false },
              ],
              between: [],
            },
          ],
        ],
        includeErrorInReport: true,
      },
    );
  });
}

test('the hash is the same however many lines are sorted at once', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  const inGraph = sampleQuads(11, 500).map((it) => quad(it.subject, it.predicate, it.object, node('g1')));
  const long = quad(node('s1'), node('p1'), terms.literal(`${'long "text" '.repeat(300_000)}`), node('g1'));
  await write(engine, { assert: [...inGraph, long], timestamp: month(1) });
  await write(engine, { retract: inGraph.slice(0, 200), timestamp: month(2) });
  const wanted = await engine.packs.contentOf(iriOf('g1'), {});
  const byId = new Map(engine.transactions().map((one): [number, PackTransaction] => [one.id, one]));
  const lookup: TransactionLookup = (tx) => byId.get(tx) as PackTransaction;
  const snapshot = engine.snapshot();
  const content = new SnapshotContent(snapshot, iriOf('g1'), lookup);
  for (const linesMax of [1, 7, 100, 700]) {
    assert.deepEqual(await hashContent(content, [], {}, { linesMax }), wanted, `${linesMax} lines`);
  }
  await assert.rejects(hashContent(content, [], {}, { textBytesMax: 1 << 20 }), {
    code: 'limit_exceeded',
    message: /more than 1048576 bytes/,
  });
  const abort = new AbortController();
  abort.abort();
  await assert.rejects(hashContent(content, [], { signal: abort.signal }), { code: 'aborted' });
  snapshot.close();
  await engine.close();
});

test('the hash of many lines, which another thread takes, is that of the same lines', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  const many = Array.from({ length: 110_000 }, (_, at) =>
    quad(node(`s${at % 900}`), node('p'), typed(`${at}`, 'integer'), node('g1')),
  );
  await write(engine, { assert: many, timestamp: month(1) });
  await write(engine, { retract: many.slice(0, 100_000), timestamp: month(2) });
  const path = folder.fresh('.qpack.db');
  const frozen = await freeze(engine, 'g1', path);
  assert.deepEqual(frozen.content.counts, { facts: 210_000, open: 10_000, transactions: 2, terms: 110_901 });
  const snapshot = engine.snapshot();
  snapshot.close();
  await thaw(engine, frozen);
  await assertSound(engine);
  const again = engine.snapshot();
  const byId = new Map(engine.transactions().map((one): [number, PackTransaction] => [one.id, one]));
  const content = new SnapshotContent(again, iriOf('g1'), (tx) => byId.get(tx) as PackTransaction);
  // In parts, which are fewer lines than a thread is begun for.
  assert.deepEqual(await hashContent(content, [], {}, { linesMax: 50_000 }), frozen.content);
  again.close();
  await engine.close();
});
