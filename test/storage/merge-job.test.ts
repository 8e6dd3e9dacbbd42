/** Merges of runs: what is due, that nothing but dead rows is lost, and jobs that are dropped half-way. */

import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { OPEN } from '../../engine/storage/ids/layout.js';
import { INDEXES } from '../../engine/storage/indexes/index-list.js';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { publish } from '../../engine/storage/lmdb-store/publish.js';
import { readHead } from '../../engine/storage/log/head.js';
import { mergeJob } from '../../engine/storage/merge/merge-job.js';
import { dueMerges, RUNS_MAX, SPLIT_ROWS } from '../../engine/storage/merge/merge-policy.js';
import { mergeManyRuns } from '../../engine/storage/merge/merge-runs.js';
import { FileSink } from '../../engine/storage/runs/file-sink.js';
import { decodeManifest, type Manifest, type RunRecord } from '../../engine/storage/runs/manifest.js';
import { ORDERS } from '../../engine/storage/runs/orders.js';
import { decodeRunStatistics } from '../../engine/storage/runs/run-statistics.js';
import { assertSound } from './support/compare.js';
import { type Case, cases, storeShape } from './support/histories.js';
import { writeStore } from './support/run-builder.js';
import { StoreFolder } from './support/store-folder.js';
import { assertSameHistory } from './support/time-travel.js';

const RUNS = Number(process.env.SVC_PROPERTY_RUNS ?? 8);
/** Times that a property is repeated until its cases were of every kind. */
const ROUNDS_MAX = 8;
const folder = new StoreFolder();

function manifestOf(file: LmdbFile): Manifest {
  return decodeManifest(file.readCopy('meta', 'manifest'), file.path);
}

async function mergeAndPublish(path: string, whole = false): Promise<Manifest> {
  const file = LmdbFile.open(path, { readOnly: false });
  try {
    const manifest = manifestOf(file);
    const sink = new FileSink(file, manifest);
    const merged = await mergeManyRuns(file, manifest, sink, {}, (next) => dueMerges(next, undefined, whole));
    sink.flush();
    const next = merged.manifest;
    const removed = { runs: merged.replaced, directories: [] };
    publish(file, { manifest: next, head: readHead(file, manifest, undefined), removed }, INDEXES);
    const live = next.partitions.flatMap(({ runs }) => ORDERS.flatMap((order) => runs[order] ?? []));
    assert.equal(storedValues(file, 'rows', next.nextRowBlock), sum(live.map((run) => run.blocks)), 'live blocks only');
    return next;
  } finally {
    await file.close();
  }
}

/** Merges runs that nothing names, as a load does: how many of their blocks were left, of how many. */
async function mergeUnnamed(path: string): Promise<{ readonly left: number; readonly merged: number }> {
  const file = LmdbFile.open(path, { readOnly: false });
  try {
    const manifest = manifestOf(file);
    const sink = new FileSink(file, manifest);
    const due = (next: Manifest) => dueMerges(next, undefined, true);
    const { replaced } = await mergeManyRuns(file, manifest, sink, {}, due, () => true);
    sink.flush();
    const blocks = replaced.flatMap((run) => Array.from({ length: run.blocks }, (_, i) => run.firstBlock + i));
    return { left: blocks.filter((key) => file.readCopy('rows', key) !== undefined).length, merged: blocks.length };
  } finally {
    await file.close();
  }
}

function storedValues(file: LmdbFile, database: 'rows' | 'directories', end: number): number {
  let values = 0;
  for (let key = 1; key < end; key++) if (file.readCopy(database, key) !== undefined) values++;
  return values;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function assertTidy(manifest: Manifest): void {
  assert.deepEqual(dueMerges(manifest), [], 'nothing is due after a merge to the end');
  for (const { runs } of manifest.partitions) {
    for (const order of ORDERS) {
      const current = (runs[order] ?? []).filter((run) => run.kind === 'current');
      assert.ok(current.length <= RUNS_MAX);
      for (const { dead, rows } of current) assert.ok((dead?.rows ?? 0) < 0.2 * rows, 'decayed runs are rewritten');
    }
  }
}

/** As few runs as there can be, but for large ones that would be rewritten for a few rows. */
function assertWhole(manifest: Manifest): void {
  assert.deepEqual(dueMerges(manifest, undefined, true), []);
  for (const { runs } of manifest.partitions) {
    for (const order of ORDERS) {
      const current = (runs[order] ?? []).filter((run) => run.kind === 'current').map(({ rows }) => rows);
      assert.ok(current.length < 2 || (current.length === 2 && 64 * Math.min(...current) < Math.max(...current)));
      assert.ok((runs[order] ?? []).filter((run) => run.kind === 'history' && run.span === undefined).length < 2);
    }
  }
}

async function merge(one: Case, whole: boolean): Promise<void> {
  const path = folder.fresh();
  const shape = storeShape(one);
  await writeStore(path, shape);
  assertTidy(await mergeAndPublish(path));
  if (whole) assertWhole(await mergeAndPublish(path, true));
  const engine = await openLmdbEngine(path);
  try {
    const snapshot = engine.snapshot();
    assertSameHistory(snapshot, shape.history, one.history);
    snapshot.close();
    await assertSound(engine);
  } finally {
    await engine.close();
  }
  for (const name of [path, `${path}-lock`]) await rm(name, { force: true });
}

test('merged runs hold the rows of their inputs less the dead ones', { timeout: 600_000 }, async () => {
  const folds = fc.integer({ min: 1, max: 30 });
  const many = fc.tuple(cases, folds).map(([one, folds]) => ({ ...one, folds }));
  await fc.assert(fc.asyncProperty(many, fc.boolean(), merge), {
    numRuns: RUNS,
    interruptAfterTimeLimit: 240_000,
    includeErrorInReport: true,
  });
});

const MANY: Case = {
  history: { seed: 5, transactions: 40, changesPerTransaction: 400, terms: 40, graphs: 1, instants: 50 },
  folds: 10,
  ownGraphs: 1,
  blockRows: 7,
};

test('a job that is dropped leaves the store as it was', async () => {
  const path = folder.fresh();
  const shape = storeShape(MANY);
  await writeStore(path, shape);
  const file = LmdbFile.open(path, { readOnly: false });
  const manifest = manifestOf(file);
  const before = storedValues(file, 'rows', manifest.nextRowBlock);
  const memory = new ThreadMemory();
  const sink = new FileSink(file, manifest);
  const [due] = dueMerges(manifest);
  assert.ok(due !== undefined);
  const job = mergeJob({ file, memory, sink, stepBlocks: 1 }, manifest, due);
  assert.equal(job.next().done, false, 'one block is not all');
  sink.flush();
  assert.ok((file.lastKey('rows') as number) >= manifest.nextRowBlock, 'something was written');
  job.return(undefined as never);
  assert.equal(memory.liveBytes, 0, 'a dropped job frees its memory');
  sink.discard();
  assert.equal(file.lastKey('rows'), manifest.nextRowBlock - 1);
  assert.equal(storedValues(file, 'rows', manifest.nextRowBlock), before);
  await file.close();
  const engine = await openLmdbEngine(path);
  await assertSound(engine);
  await engine.close();
});

test('blocks of runs that nothing names are removed while they are read', async () => {
  const path = folder.fresh();
  await writeStore(path, storeShape(MANY));
  const { left, merged } = await mergeUnnamed(path);
  // A block whose rows are all dead is not read; it is removed with its run.
  assert.ok(merged > 100 && 10 * left < merged, `${left} of ${merged} blocks are left`);
});

test('a finished job frees its memory, and its statistics are those of the living rows', async () => {
  const path = folder.fresh();
  const shape = storeShape(MANY);
  await writeStore(path, shape);
  const file = LmdbFile.open(path, { readOnly: false });
  const manifest = manifestOf(file);
  const memory = new ThreadMemory();
  const sink = new FileSink(file, manifest);
  const due = dueMerges(manifest).find(({ order, runs }) => order === 'SPOG' && runs[0]?.kind === 'current');
  assert.ok(due !== undefined);
  assert.ok(due.runs.some((run) => run.dead !== undefined));
  const job = mergeJob({ file, memory, sink, stepBlocks: 1 }, manifest, due);
  let step = job.next();
  let steps = 1;
  for (; !step.done; step = job.next()) {
    // Commits between steps turn over pages of the file; the job reads on in the newest state.
    sink.flush();
    file.write(() => file.put('meta', 'between', Buffer.from(String(steps))));
    steps++;
  }
  assert.ok(steps > 1);
  assert.equal(memory.liveBytes, 0);
  sink.flush();
  const runs = step.value.manifest.partitions[0]?.runs.SPOG ?? [];
  const merged = runs.find((run) => run.id === manifest.nextRun) as RunRecord;
  const statistics = decodeRunStatistics(file.readCopy('statistics', merged.id), merged.id);
  const open = shape.rows.filter((row) => row.txTo === OPEN);
  const within = open.filter((row) => due.runs.some((run) => row.txFrom >= run.txMin && row.txFrom <= run.txMax));
  assert.equal(merged.rows, within.length);
  assert.equal(statistics.distinctSubjects, new Set(within.map((row) => row.s)).size);
  for (const { predicate, rows, distinctSubjects, distinctObjects } of statistics.predicates) {
    const its = within.filter((row) => row.p === predicate);
    assert.equal(rows, its.length);
    assert.equal(distinctSubjects, new Set(its.map((row) => row.s)).size);
    // An estimate: the order that is merged does not show them.
    assert.ok(2 * distinctObjects >= new Set(its.map((row) => row.o)).size && distinctObjects <= rows);
  }
  await file.close();
});

test('which merges are due: sizes of steady folds', () => {
  const written = { current: 0, history: 0 };
  const foldRows = 65_536;
  const folds = 300;
  let id = 1;
  let runs: RunRecord[] = [];
  const record = (kind: RunRecord['kind'], rows: number): RunRecord => ({
    id: id++,
    kind,
    rows,
    firstBlock: 1,
    blocks: 1,
    directory: 1,
    bytes: 1,
    sum: '0',
    txMin: 1,
    txMax: 1,
  });
  const manifest = (): Manifest => ({ partitions: [{ graph: null, runs: { SPOG: runs } }] }) as unknown as Manifest;
  for (let fold = 0; fold < folds; fold++) {
    runs.push(record('current', foldRows), record('history', foldRows));
    for (let due = dueMerges(manifest()); due.length > 0; due = dueMerges(manifest())) {
      const inputs = due[0]?.runs ?? [];
      const kind = inputs[0]?.kind as RunRecord['kind'];
      const rows = sum(inputs.map((run) => run.rows));
      // Most rows of history live and die in one window, a few outlive it.
      const made = due[0]?.split
        ? [
            { ...record(kind, 0.8 * rows), span: { level: 6, window: fold >>> 6 } },
            { ...record(kind, 0.2 * rows), span: { level: 20, window: 0 } },
          ]
        : [{ ...record(kind, rows), ...(inputs[0]?.span ? { span: inputs[0].span } : {}) }];
      written[kind] += rows;
      const at = runs.indexOf(inputs[0] as RunRecord);
      runs = runs.flatMap((run, i) => (i === at ? made : [run])).filter((run) => !inputs.includes(run));
    }
  }
  const current = runs.filter((run) => run.kind === 'current');
  const history = runs.filter((run) => run.kind === 'history');
  assert.ok(current.length <= RUNS_MAX);
  const windows = Math.ceil(folds / 64) + 1;
  assert.ok(history.length <= 3 * windows + 8, `${history.length} runs`);
  assert.ok(sum(history.filter((run) => run.span === undefined).map((run) => run.rows)) < SPLIT_ROWS);
  assert.ok(written.current <= 8 * folds * foldRows, 'a row is merged at most 8 times');
  assert.ok(written.history <= 8 * folds * foldRows, 'a row of history is merged at most 8 times');
});

interface Found {
  spans: number;
  scattered: number;
}

async function split(one: Case, windowRows: number, found: Found): Promise<void> {
  const path = folder.fresh();
  const shape = storeShape(one);
  await writeStore(path, shape);
  const file = LmdbFile.open(path, { readOnly: false });
  const memory = new ThreadMemory();
  let manifest = manifestOf(file);
  const sink = new FileSink(file, manifest);
  const replaced: RunRecord[] = [];
  for (const { graph } of manifest.partitions) {
    for (const order of ORDERS) {
      const runsNow = (): readonly RunRecord[] =>
        manifest.partitions.find((partition) => partition.graph === graph)?.runs[order] ?? [];
      const history = runsNow().filter((run) => run.kind === 'history');
      const half = Math.ceil(history.length / 2);
      for (const runs of [history.slice(0, half), history.slice(half)]) {
        if (runs.length === 0) continue;
        const due = { graph, order, runs, split: true };
        const job = mergeJob({ file, memory, sink, stepBlocks: 2, windowRows }, manifest, due);
        let step = job.next();
        for (; !step.done; step = job.next()) sink.flush();
        sink.flush();
        manifest = step.value.manifest;
        replaced.push(...step.value.replaced);
      }
      found.spans = Math.max(found.spans, runsNow().length);
      found.scattered += runsNow().filter((run) => run.span?.valid !== undefined).length;
    }
  }
  assert.equal(memory.liveBytes, 0);
  sink.flush();
  const removed = { runs: replaced, directories: [] };
  publish(file, { manifest, head: readHead(file, manifest, undefined), removed }, INDEXES);
  await file.close();
  const engine = await openLmdbEngine(path);
  const snapshot = engine.snapshot();
  assertSameHistory(snapshot, shape.history, one.history);
  snapshot.close();
  await assertSound(engine);
  await engine.close();
}

test('history split by span holds the same rows', { timeout: 600_000 }, async () => {
  const found: Found = { spans: 0, scattered: 0 };
  const property = fc.asyncProperty(cases, fc.integer({ min: 1, max: 40 }), async (one, windowRows) => {
    await split(one, windowRows, found);
  });
  // A few random histories may hold none whose validity has to keep rows apart.
  for (let round = 0; round < ROUNDS_MAX && (found.spans <= 3 || found.scattered === 0); round++) {
    await fc.assert(property, { numRuns: RUNS, interruptAfterTimeLimit: 240_000, includeErrorInReport: true });
  }
  assert.ok(found.spans > 3 && found.scattered > 0, JSON.stringify(found));
});

test('which merges are due when a fold is asked for: one run a window, but large ones are not rewritten for a few rows', () => {
  let id = 1;
  const record = (kind: RunRecord['kind'], rows: number, span?: RunRecord['span']): RunRecord => {
    const about = { firstBlock: 1, blocks: 1, directory: 1, bytes: 1, sum: '0', txMin: 1, txMax: 1 };
    return { id: id++, kind, rows, ...about, ...(span === undefined ? {} : { span }) };
  };
  const inputs = (runs: readonly RunRecord[]): number[] => {
    const manifest = { partitions: [{ graph: null, runs: { SPOG: runs } }] } as unknown as Manifest;
    return (dueMerges(manifest, undefined, true)[0]?.runs ?? []).map(({ rows }) => rows);
  };
  const valid = (window: number) => ({ level: 3, window: 0, valid: { level: 4, window } });
  assert.deepEqual(inputs([record('current', 100), record('current', 10), record('current', 20)]), [100, 10, 20]);
  assert.deepEqual(inputs([record('current', 3000), record('current', 10), record('current', 20)]), [10, 20]);
  assert.deepEqual(inputs([record('current', 3000), record('current', 30)]), []);
  assert.deepEqual(inputs([record('history', 1000), record('history', 3)]), [1000, 3]);
  const spans = [record('history', 50, { level: 3, window: 0 }), record('history', 9, { level: 2, window: 0 })];
  assert.deepEqual(inputs(spans), []);
  assert.deepEqual(inputs([...spans, record('history', 8, { level: 3, window: 0 })]), [50, 8]);
  assert.deepEqual(inputs([...spans, record('history', 10, valid(1))]), [50, 10], 'a few rows of other validity');
  const scattered = [0, 1, 2].map((window) => record('history', 40, valid(window)));
  assert.deepEqual(inputs(scattered), [], 'what validity keeps apart stays apart');
});

test('a fold that is asked for leaves one current run in each order, and one hash run', async () => {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  for (let load = 0; load < 4; load++) {
    const lines = Array.from({ length: 200 }, (_, at) => `<urn:s${load}-${at}> <urn:p> "${load} ${at}" .`);
    const source = {
      kind: 'bytes',
      name: `${load}`,
      bytes: Buffer.from(lines.join('\n')),
      format: 'ntriples',
    } as const;
    const staged = await engine.stageLoad([source], {}, {});
    await staged.commit().durable;
  }
  assert.ok(engine.stats().currentRuns > 4);
  await engine.fold({}, true);
  assert.ok(engine.stats().currentRuns <= 4);
  await assertSound(engine);
  await engine.close();
  const file = LmdbFile.open(path, { readOnly: true });
  assert.equal(manifestOf(file).hashRuns.length, 1);
  await file.close();
});
