/** Behaviour of composed sets of graphs: what algebra on the rows of the sets that they are made of gives. */

import assert from 'node:assert/strict';
import type { TermId } from '../../engine/storage/ids/layout.js';
import {
  COLUMNS,
  CURRENT,
  type GraphSet,
  type ScanPattern,
  type StorageSnapshot,
} from '../../engine/storage/seam/scan.js';
import { type IndexQuestion, isComposed, isMerged, type TimeSlice } from '../../engine/storage/seam/source.js';
import type { Case, CaseContext } from './scan-case.js';
import { checkShapes, SLICES, withHistory } from './scan-cases-probes.js';
import {
  ALL,
  compareKeys,
  complete,
  drain,
  exactly,
  type IdRow,
  idOf,
  keyOf,
  load,
  node,
  ORDERS,
  quad,
  ROOT,
  readBatch,
  SPOG,
  sampleQuads,
  scan,
  typed,
} from './scan-support.js';
import { month, write } from './stage-support.js';

export interface SourceCase {
  readonly name: string;
  readonly set: GraphSet;
}

/** Every kind of composition, over the graphs of `sampleQuads`. */
function sourceCases(snapshot: StorageSnapshot, tx: number): SourceCase[] {
  const one = (name: string): GraphSet => ({ kind: 'one', graph: idOf(snapshot, node(name)) });
  const root: GraphSet = { kind: 'one', graph: idOf(snapshot, ROOT) };
  const [g1, g2, g3] = ['g1', 'g2', 'g3'].map(one) as [GraphSet, GraphSet, GraphSet];
  const none: GraphSet = { kind: 'some', graphs: [], merged: false };
  const past: TimeSlice = { kind: 'asOf', tx: 2 };
  const overlay: GraphSet = { kind: 'overlay', base: root, additions: g1, removals: g2 };
  return [
    { name: 'two layers, merged', set: { kind: 'layers', layers: [root, g1], merged: true } },
    {
      name: 'two layers that overlap',
      set: { kind: 'layers', layers: [ALL, g1, { kind: 'named', except: [] }], merged: false },
    },
    { name: 'no layers', set: { kind: 'layers', layers: [], merged: false } },
    { name: 'an overlay', set: overlay },
    { name: 'an overlay that only adds', set: { kind: 'overlay', base: root, additions: g1, removals: none } },
    { name: 'an overlay that only removes', set: { kind: 'overlay', base: root, additions: none, removals: g1 } },
    { name: 'an overlay over nothing', set: { kind: 'overlay', base: none, additions: g1, removals: g2 } },
    { name: 'an overlay over an overlay', set: { kind: 'overlay', base: overlay, additions: g3, removals: g1 } },
    {
      name: 'an overlay over merged graphs, with several removals',
      set: {
        kind: 'overlay',
        base: { kind: 'some', graphs: [idOf(snapshot, ROOT), idOf(snapshot, node('g4'))], merged: true },
        additions: g3,
        removals: { kind: 'layers', layers: [g1, g2], merged: true },
      },
    },
    { name: 'a graph at its own time', set: { kind: 'timed', graphs: g1, time: past } },
    {
      name: 'layers at different times',
      set: { kind: 'layers', layers: [root, { kind: 'timed', graphs: ALL, time: past }], merged: true },
    },
    { name: 'what was asserted', set: { kind: 'changes', tx, op: 'assert', graphs: { kind: 'all' } } },
    { name: 'what was retracted', set: { kind: 'changes', tx, op: 'retract', graphs: { kind: 'all' } } },
    {
      name: 'what was asserted in one graph',
      set: { kind: 'changes', tx, op: 'assert', graphs: { kind: 'one', graph: idOf(snapshot, node('g1')) } },
    },
    {
      name: 'the state without what a transaction asserted',
      set: {
        kind: 'overlay',
        base: ALL,
        additions: { kind: 'changes', tx, op: 'retract', graphs: { kind: 'all' } },
        removals: { kind: 'changes', tx, op: 'assert', graphs: { kind: 'all' } },
      },
    },
  ];
}

const tripleOf = (row: IdRow): string => row.slice(0, 3).join();

/** The rows with which an index should answer. */
export type ModelAnswer = (question: IndexQuestion, time: TimeSlice) => IdRow[];

const noIndex: ModelAnswer = () => assert.fail('there is no index');

/** The rows of a set, all columns, from plain scans of stored graphs. */
function modelOf(snapshot: StorageSnapshot, set: GraphSet, time: TimeSlice, answer = noIndex): IdRow[] {
  const of = (part: GraphSet, at = time): IdRow[] => modelOf(snapshot, part, at, answer);
  switch (set.kind) {
    case 'layers':
      return set.layers.flatMap((layer) => of(layer));
    case 'overlay': {
      const removed = new Set(of(set.removals).map(tripleOf));
      const left = of(set.base).filter((row) => !removed.has(tripleOf(row)));
      return [...left, ...of(set.additions)];
    }
    case 'changes': {
      const column = COLUMNS.indexOf(set.op === 'assert' ? 'txFrom' : 'txTo');
      return of(set.graphs, { kind: 'all' }).filter((row) => row[column] === BigInt(set.tx));
    }
    case 'timed':
      return of(set.graphs, set.time);
    case 'index':
      return answer(set, time);
    case 'store':
      return assert.fail('no store is attached');
    default: {
      const graphs: GraphSet = set.kind === 'some' ? { ...set, merged: false } : set;
      return scan(snapshot, { graphs, time, columns: COLUMNS });
    }
  }
}

/** The rows that a scan with the columns of terms gives in an order. */
function expectedRows(rows: readonly IdRow[], set: GraphSet, order: (typeof ORDERS)[number]): IdRow[] {
  const shown = rows.map((row) => [...row.slice(0, 3), isMerged(set) ? 0n : (row[3] as TermId), 0n, 0n, 0n, 0n]);
  const once = new Map(shown.map((row) => [row.join(), row]));
  return [...once.values()].sort((a, b) => compareKeys(keyOf(a, order), keyOf(b, order)));
}

function patternsFor(row: IdRow | undefined): ScanPattern[] {
  if (row === undefined) return [{}];
  const [s, p, o] = row as [TermId, TermId, TermId];
  const above = { kind: 'ranges', ranges: [{ from: o, to: 1n << 63n }] } as const;
  return [{}, { s: exactly(s) }, { p: exactly(p) }, { p: exactly(p), o: exactly(o) }, { o: above }];
}

const fits = (row: IdRow, pattern: ScanPattern): boolean =>
  (['s', 'p', 'o'] as const).every((position, at) => {
    const test = pattern[position];
    const id = row[at] as TermId;
    if (test === undefined) return true;
    return test.kind === 'id' ? id === test.id : test.ranges.some(({ from, to }) => id >= from && id < to);
  });

/** Scans, seeks, counts and estimates of every kind of composition. */
function checkSources(snapshot: StorageSnapshot, tx: number, time: TimeSlice): void {
  checkSets(snapshot, sourceCases(snapshot, tx), time);
}

export function checkSets(
  snapshot: StorageSnapshot,
  cases: readonly SourceCase[],
  time: TimeSlice,
  answer?: ModelAnswer,
): void {
  for (const { name, set } of cases) {
    const model = modelOf(snapshot, set, time, answer);
    for (const pattern of patternsFor(model[Math.floor(model.length / 2)])) {
      const rows = model.filter((row) => fits(row, pattern));
      const request = complete({ graphs: set, pattern, time });
      const label = `${name}, ${JSON.stringify(Object.keys(pattern))}, ${time.kind}`;
      for (const order of ORDERS) {
        const wanted = expectedRows(rows, set, order);
        assert.deepEqual(scan(snapshot, { ...request, order }), wanted, `${label}, ${order}`);
        checkSeek(snapshot, request, order, wanted, `${label}, ${order}`);
      }
      const count = expectedRows(rows, set, 'SPOG').length;
      assert.equal(snapshot.count(request), count, `count of ${label}`);
      const estimate = snapshot.estimate(request);
      if (estimate.exact) assert.equal(estimate.rows, count, `exact estimate of ${label}`);
      else assert.ok(Number.isFinite(estimate.rows) && estimate.rows >= 0, `estimate of ${label}`);
    }
    for (const figures of snapshot.predicates(set)) assert.ok(figures.rows > 0 && figures.distinctSubjects > 0);
  }
}

/** Seeks the key of a row in the middle before anything was read, and one behind it later on. */
function checkSeek(
  snapshot: StorageSnapshot,
  request: ReturnType<typeof complete>,
  order: (typeof ORDERS)[number],
  wanted: readonly IdRow[],
  label: string,
): void {
  const middle = wanted[Math.floor(wanted.length / 2)];
  if (middle === undefined) return;
  for (const depth of [1, 3, 4]) {
    const key = keyOf(middle, order).slice(0, depth);
    const cursor = snapshot.scan({ ...request, order });
    cursor.seek(key);
    const rows = drain(cursor, SPOG);
    const left = wanted.filter((row) => compareKeys(keyOf(row, order).slice(0, depth), key) >= 0);
    assert.deepEqual(rows, left, `${label}, sought with ${depth} ids`);
  }
}

async function overLoads({ engine }: CaseContext): Promise<void> {
  const quads = sampleQuads(31, 200);
  for (let part = 0; part < 3; part++) {
    const slice = quads.filter((_, at) => at % 3 === part || at % 4 === part);
    await load(engine, slice, { blankNodeScope: 'store' });
  }
  checkSources(engine.snapshot(), 2, CURRENT);
}

async function overHistory(context: CaseContext): Promise<void> {
  await withHistory(context, sampleQuads(32, 90));
  const snapshot = context.engine.snapshot();
  for (const time of SLICES.filter(({ kind }) => kind !== 'all')) {
    checkSources(snapshot, 3, time);
    checkSources(snapshot, 6, time);
  }
}

async function probes(context: CaseContext): Promise<void> {
  await withHistory(context, sampleQuads(33, 60));
  const snapshot = context.engine.snapshot();
  for (const time of [CURRENT, { kind: 'validAt', validAt: month(3) } as const]) {
    checkShapes(snapshot, { time, sets: sourceCases(snapshot, 5) });
  }
}

/** What a stage would change is a source before it is committed, and the same one afterwards. */
async function stagedChanges(context: CaseContext): Promise<void> {
  const { engine } = context;
  const quads = sampleQuads(34, 60);
  await withHistory(context, quads);
  const stage = engine.stage({ timestamp: month(7) });
  stage.retract(quads.filter((_, row) => row % 6 === 2));
  stage.assert(quads.filter((_, row) => row % 9 === 4));
  stage.assert([quad(node('s1'), node('p1'), node('quite-new'))]);
  const before = stage.snapshot();
  checkSources(before, before.tx, CURRENT);
  checkShapes(before, { sets: sourceCases(before, before.tx).filter(({ name }) => name.startsWith('what')) });
  const read = (snapshot: StorageSnapshot, op: 'assert' | 'retract'): IdRow[] =>
    scan(snapshot, { graphs: { kind: 'changes', tx: snapshot.tx, op, graphs: { kind: 'all' } }, order: 'SPOG' });
  const told = (snapshot: StorageSnapshot): readonly number[] => {
    const rows = { assert: 0, retract: 0 };
    for (const changed of snapshot.changes(snapshot.tx)) rows[changed.op] += changed.rows;
    return [rows.assert, rows.retract];
  };
  assert.deepEqual([read(before, 'assert').length, read(before, 'retract').length], told(before));
  assert.ok(read(before, 'retract').length > 0 && read(before, 'assert').length > 0);
  before.close();
  const { tx, durable } = stage.commit();
  await durable;
  const after = engine.snapshot();
  assert.equal(after.tx, tx);
  assert.deepEqual([read(after, 'assert').length, read(after, 'retract').length], told(after));
  await engine.fold({});
  const folded = engine.snapshot();
  for (const op of ['assert', 'retract'] as const) assert.deepEqual(read(folded, op), read(after, op), op);
}

/** A load, and rows of other transactions that are retracted beside it: in runs, and in the delta above them. */
async function changesOfLoads({ engine }: CaseContext): Promise<void> {
  const quads = sampleQuads(35, 120);
  await load(engine, quads, { timestamp: month(1), blankNodeScope: 'store' });
  await write(engine, { assert: [quad(node('late'), node('p'), node('o'))], timestamp: month(2) });
  const staged = await engine.stageLoad(
    [{ kind: 'quads', quads: sampleQuads(36, 80), name: 'second' }],
    { timestamp: month(3), blankNodeScope: 'store' },
    {},
  );
  const gone = quads.filter((_, row) => row % 5 === 0).concat(quad(node('late'), node('p'), node('o')));
  const retracted = staged.retract(gone);
  const snapshot = staged.snapshot();
  assert.ok(retracted > 1);
  const { tx } = snapshot;
  checkSources(snapshot, tx, CURRENT);
  const told = { assert: 0, retract: 0 };
  for (const { op, rows } of snapshot.changes(tx)) told[op] += rows;
  assert.deepEqual(told, { assert: staged.counts.asserted, retract: retracted });
  snapshot.close();
  const { durable } = staged.commit();
  await durable;
  const after = engine.snapshot();
  const kept = { assert: 0, retract: 0 };
  for (const { op, rows } of after.changes(tx)) kept[op] += rows;
  assert.deepEqual(kept, told);
  checkSources(after, tx, CURRENT);
}

/** Thousands of rows, so that a batch of the base has parts of several batches of removals, and the other way round. */
async function manyBlocks({ engine }: CaseContext): Promise<void> {
  const of = (from: number, to: number, step: number, graph?: string) =>
    Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => from + at * step).map((at) =>
      quad(
        node(`s${at % 1700}`),
        node(`p${at % 3}`),
        typed(String(at), 'integer'),
        graph === undefined ? undefined : node(graph),
      ),
    );
  await load(engine, [...of(0, 12_000, 1), ...of(0, 12_000, 2, 'sparse'), ...of(3000, 9000, 1, 'dense')]);
  await write(engine, { assert: of(11_000, 13_000, 3, 'sparse'), retract: of(0, 500, 1) });
  const snapshot = engine.snapshot();
  const graph = (name: string): GraphSet => ({ kind: 'one', graph: idOf(snapshot, node(name)) });
  const root: GraphSet = { kind: 'one', graph: idOf(snapshot, ROOT) };
  const nothing: GraphSet = { kind: 'some', graphs: [], merged: false };
  const sets: GraphSet[] = [
    { kind: 'overlay', base: root, additions: graph('dense'), removals: graph('sparse') },
    { kind: 'overlay', base: graph('sparse'), additions: nothing, removals: root },
    { kind: 'overlay', base: root, additions: graph('sparse'), removals: graph('dense') },
  ];
  for (const set of sets) {
    const model = modelOf(snapshot, set, CURRENT);
    for (const order of ORDERS) {
      const wanted = expectedRows(model, set, order);
      const cursor = snapshot.scan(complete({ graphs: set, order }));
      const rows = [...(readBatch(cursor, SPOG) ?? [])];
      assert.deepEqual(rows, wanted.slice(0, rows.length));
      const beyond = wanted[Math.floor((rows.length + wanted.length) / 2)];
      if (beyond !== undefined) cursor.seek(keyOf(beyond, order));
      const left = beyond === undefined ? [] : wanted.slice(wanted.indexOf(beyond));
      assert.deepEqual(drain(cursor, SPOG), left, `${set.kind} ${order}`);
      assert.deepEqual(scan(snapshot, { graphs: set, order }), wanted);
    }
  }
}

async function noSuchStore({ engine }: CaseContext): Promise<void> {
  await load(engine, [quad(node('a'), node('p'), node('o'))]);
  const set: GraphSet = { kind: 'store', store: 'pack', graphs: ALL };
  assert.ok(isComposed(set));
  assert.throws(() => scan(engine.snapshot(), { graphs: set }), { code: 'store_missing' });
}

export const SOURCE_CASES: readonly Case[] = [
  { name: 'composed sets of graphs give what algebra on their parts gives', run: overLoads },
  { name: 'composed sets at every kind of time, over runs, history and delta', run: overHistory },
  { name: 'composed sets are probed as they are scanned', run: probes },
  { name: 'what a transaction changed is a source, staged, committed and folded', run: stagedChanges },
  { name: 'what a load and retractions beside it changed is a source', run: changesOfLoads },
  { name: 'overlays of many blocks', run: manyBlocks },
  { name: 'a store that is not attached is no source', run: noSuchStore },
];
