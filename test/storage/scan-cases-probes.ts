/** Behaviour of probes: for every key what a scan of everything says, whatever the store looks like. */

import assert from 'node:assert/strict';
import type { Quad } from '../../engine/rdf/terms.js';
import type { TermId } from '../../engine/storage/ids/layout.js';
import {
  BATCH_ROWS,
  COLUMNS,
  type Column,
  type GraphSet,
  type IdColumn,
  type KeyPosition,
  type Order,
  type PositionTest,
  type ProbeCursor,
  type ProbeRequest,
  type ScanPattern,
  type StorageSnapshot,
  type TimeSlice,
} from '../../engine/storage/seam/scan.js';
import { isMerged } from '../../engine/storage/seam/source.js';
import type { Case, CaseContext } from './scan-case.js';
import { graphCases } from './scan-cases-patterns.js';
import {
  ALL,
  columnOf,
  compareKeys,
  exactly,
  type IdRow,
  idOf,
  load,
  node,
  quad,
  SPOG,
  sampleQuads,
  scan,
  typed,
} from './scan-support.js';
import { month, write } from './stage-support.js';

const GREATEST = (1n << 64n) - 1n;

interface ProbeShape {
  readonly order: Order;
  readonly keys: readonly KeyPosition[];
  /** Positions that the pattern binds to an id. */
  readonly constants: readonly KeyPosition[];
}

/** Every way in which keys and constants can make the front of an order. */
const SHAPES: readonly ProbeShape[] = (['SPOG', 'POSG', 'OSPG'] as const).flatMap((order) => {
  const positions = [...order.slice(0, 3).toLowerCase()] as KeyPosition[];
  return [1, 2, 3].flatMap((depth) =>
    Array.from({ length: 2 ** depth - 1 }, (_, constants) => ({
      order,
      keys: positions.slice(0, depth).filter((_, at) => (constants & (1 << at)) === 0),
      constants: positions.slice(0, depth).filter((_, at) => (constants & (1 << at)) !== 0),
    })),
  );
});

type Key = readonly TermId[];

const keyOfRow = (row: IdRow, keys: readonly KeyPosition[]): Key =>
  keys.map((position) => row[COLUMNS.indexOf(position)] as TermId);

/** Keys of some of the rows, keys beside them, and the least and the greatest: ascending, each once. */
function keysFrom(rows: readonly IdRow[], positions: readonly KeyPosition[], step = 1): Key[] {
  const keys: Key[] = [positions.map(() => 0n), positions.map(() => GREATEST), positions.map(() => 1n << 63n)];
  for (let at = 0; at < rows.length; at += step) {
    const key = keyOfRow(rows[at] as IdRow, positions);
    keys.push(key);
    if (at % 5 === 0) keys.push([...key.slice(0, -1), (key.at(-1) as TermId) + 1n]);
    if (at % 7 === 0 && key.length > 1) keys.push([key[0] as TermId, ...key.slice(1).map(() => 0n)]);
  }
  keys.sort(compareKeys);
  return keys.filter((key, at) => at === 0 || compareKeys(keys[at - 1] as Key, key) !== 0);
}

const columnsOfKeys = (keys: readonly Key[], width: number): IdColumn[] =>
  Array.from({ length: width }, (_, at) => columnOf(keys.map((key) => key[at] as TermId)));

/** A line for each row of what was begun: the number of its key, its ids, and its count if there is one. */
function readProbe(cursor: ProbeCursor, request: ProbeRequest): string[] {
  const rows: string[] = [];
  let idle = 0;
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
    assert.ok(batch.rows <= BATCH_ROWS);
    idle = batch.rows === 0 ? idle + 1 : 0;
    assert.ok(idle < 1000, 'it gets on');
    assert.equal(batch.counts !== null, request.counted === true);
    for (const column of COLUMNS) {
      const wanted = request.counted !== true && request.columns.includes(column);
      assert.equal(batch.columns[column] !== null, wanted, `column ${column} is there exactly when it is wanted`);
    }
    for (let row = 0; row < batch.rows; row++) {
      const ids = COLUMNS.map((column) => {
        const values = batch.columns[column];
        return values === null
          ? 0n
          : (BigInt(values[2 * row + 1] as number) << 32n) | BigInt(values[2 * row] as number);
      });
      const count = batch.counts === null ? [] : [batch.counts[row]];
      rows.push([batch.keys[row], ...ids, ...count].join(' '));
    }
  }
  assert.equal(cursor.next(), null, 'after the end comes nothing');
  return rows;
}

interface Model {
  readonly request: ProbeRequest;
  /** What a scan of the pattern gives in the order. */
  readonly rows: readonly IdRow[];
}

/** The rows of the keys among those of the model, as `readProbe` writes them. */
function wantedRows({ request, rows }: Model, keys: readonly Key[]): string[] {
  const found = new Map<string, IdRow[]>();
  for (const row of rows) {
    const key = keyOfRow(row, request.keys).join();
    const list = found.get(key);
    if (list === undefined) found.set(key, [row]);
    else list.push(row);
  }
  return keys.flatMap((key, number): string[] => {
    const list = found.get(key.join()) ?? [];
    if (request.counted !== true) {
      const shown = (row: IdRow) => row.map((id, at) => (request.columns.includes(COLUMNS[at] as Column) ? id : 0n));
      return list.map((row) => [number, ...shown(row)].join(' '));
    }
    return list.length === 0 ? [] : [[number, ...COLUMNS.map(() => 0n), list.length].join(' ')];
  });
}

/** Probes for some sets of keys with one cursor, forwards and back. */
function checkProbe(snapshot: StorageSnapshot, model: Model, label: string): void {
  const { request, rows } = model;
  const all = keysFrom(rows, request.keys);
  const sets: Key[][] = [
    all,
    [],
    all.filter((_, at) => at % 3 === 1),
    all.slice(Math.floor(all.length / 2), Math.floor(all.length / 2) + 1),
  ];
  const cursor = snapshot.probe(request);
  for (const keys of sets) {
    cursor.begin(columnsOfKeys(keys, request.keys.length), keys.length);
    assert.deepEqual(readProbe(cursor, request), wantedRows(model, keys), `${label}, ${keys.length} keys`);
  }
  cursor.begin(columnsOfKeys(all, request.keys.length), all.length);
  cursor.next();
  cursor.begin(columnsOfKeys(all.slice(0, 2), request.keys.length), 2);
  assert.deepEqual(readProbe(cursor, request), wantedRows(model, all.slice(0, 2)), `${label}, begun anew`);
  cursor.close();
  assert.equal(cursor.next(), null, 'a closed cursor has nothing');
}

interface Variant {
  readonly time?: TimeSlice;
  readonly columns?: readonly Column[];
  /** Beside keys and constants. */
  readonly tests?: Partial<Record<KeyPosition, PositionTest>>;
  /** The graph sets, if not all kinds of stored ones. */
  readonly sets?: readonly { readonly name: string; readonly set: GraphSet }[];
}

/** Every shape over every kind of graph set; constants are those of a row in the middle. */
export function checkShapes(snapshot: StorageSnapshot, variant: Variant = {}): void {
  const { time = { kind: 'current' }, columns = SPOG, tests = {}, sets = graphCases(snapshot) } = variant;
  const all = scan(snapshot, { order: 'SPOG', time });
  const sample = all[Math.floor(all.length / 2)];
  if (sample === undefined) return;
  for (const { order, keys, constants } of SHAPES) {
    const fixed = constants.map((position) => [position, exactly(sample[COLUMNS.indexOf(position)] as TermId)]);
    const open = Object.entries(tests).filter(([position]) => !keys.includes(position as KeyPosition));
    const pattern = { ...Object.fromEntries(open), ...Object.fromEntries(fixed) };
    for (const { name, set } of sets) {
      const wanted = isMerged(set) ? columns.filter((column) => SPOG.includes(column)) : columns;
      const read = [...new Set([...SPOG, ...wanted])];
      const rows = scan(snapshot, { graphs: set, pattern, order, time, columns: read });
      const label = `${order}, keys ${keys.join('')}, constants ${constants.join('')}, ${name}`;
      const request = { graphs: set, pattern, order, time, keys, columns: wanted };
      checkProbe(snapshot, { request, rows }, label);
      const counted = scan(snapshot, { graphs: set, pattern, order, time, columns: SPOG });
      checkProbe(snapshot, { request: { ...request, columns: [], counted: true }, rows: counted }, `${label}, counted`);
    }
  }
}

async function shapes({ engine }: CaseContext): Promise<void> {
  await load(engine, sampleQuads(11, 90), { blankNodeScope: 'store' });
  checkShapes(engine.snapshot());
}

async function shapesOverManyLoads({ engine }: CaseContext): Promise<void> {
  const quads = sampleQuads(12, 90);
  for (let part = 0; part < 5; part++) {
    const slice = quads.filter((_, at) => at % 5 === part || at % 4 === part);
    await load(engine, slice, { blankNodeScope: 'store' });
  }
  checkShapes(engine.snapshot(), { columns: ['o', 's'] });
}

async function shapesWithTests({ engine }: CaseContext): Promise<void> {
  await load(engine, sampleQuads(13, 90), { blankNodeScope: 'store' });
  const snapshot = engine.snapshot();
  const integer = (value: number): TermId => idOf(snapshot, typed(String(value), 'integer'));
  const s = idOf(snapshot, node('s3'));
  const o: PositionTest = { kind: 'ranges', ranges: [{ from: integer(2), to: integer(6) }] };
  checkShapes(snapshot, { tests: { o } });
  const two: PositionTest = {
    kind: 'ranges',
    ranges: [
      { from: 0n, to: s },
      { from: integer(3), to: integer(9) },
    ],
  };
  checkShapes(snapshot, { tests: { o: two, s: { kind: 'ranges', ranges: [{ from: s, to: GREATEST }] } } });
  checkShapes(snapshot, { tests: { o: { kind: 'ranges', ranges: [] } } });
}

/** A store with a past: quads come, go and come again, in commits of which a fold takes up the first half. */
export async function withHistory({ engine }: CaseContext, quads: readonly Quad[]): Promise<void> {
  const first = quads.filter((_, row) => row % 3 !== 1);
  await load(engine, first, { blankNodeScope: 'store', timestamp: month(1) });
  for (let at = 2; at <= 6; at++) {
    await write(engine, {
      timestamp: month(at),
      retract: quads.filter((_, row) => (row + at) % 7 === 0),
      assert: quads.filter((_, row) => (row * at) % 11 === 3),
    });
    if (at === 4) await engine.fold({});
  }
}

export const SLICES: readonly TimeSlice[] = [
  { kind: 'current' },
  { kind: 'all' },
  { kind: 'asOf', tx: 3 },
  { kind: 'validAt', validAt: month(3) },
  { kind: 'asOfValidAt', tx: 5, validAt: month(2) },
];

async function slices(context: CaseContext): Promise<void> {
  await withHistory(context, sampleQuads(14, 60));
  const snapshot = context.engine.snapshot();
  for (const time of SLICES) {
    checkShapes(snapshot, { time, columns: time.kind === 'all' ? COLUMNS : SPOG });
  }
}

async function foldedAndMerged(context: CaseContext): Promise<void> {
  await withHistory(context, sampleQuads(15, 90));
  await context.engine.fold({});
  checkShapes(context.engine.snapshot());
}

async function staged(context: CaseContext): Promise<void> {
  const quads = sampleQuads(16, 60);
  await withHistory(context, quads);
  const stage = context.engine.stage({ timestamp: month(7) });
  stage.retract(quads.filter((_, row) => row % 6 === 2));
  stage.assert(quads.filter((_, row) => row % 9 === 4));
  stage.assert([quad(node('s1'), node('p1'), node('quite-new'))]);
  const snapshot = stage.snapshot();
  for (const time of SLICES.slice(0, 2)) checkShapes(snapshot, { time });
  snapshot.close();
  stage.discard();
}

/** 13,000 rows: keys that share blocks, keys whose rows fill several, and keys at the edges of blocks. */
async function manyBlocks({ engine }: CaseContext): Promise<void> {
  const quads = Array.from({ length: 13_000 }, (_, at) =>
    quad(node(`s${at % 4300}`), node(at % 5 === 0 ? 'often' : `p${at % 3}`), typed(String(at), 'integer')),
  );
  await load(engine, quads);
  await write(engine, { retract: quads.filter((_, at) => at % 97 === 0 || (at > 5000 && at < 5300)) });
  await engine.fold({});
  const snapshot = engine.snapshot();
  const root: GraphSet = { kind: 'one', graph: snapshot.graphs()[0] as TermId };
  const often = exactly(idOf(snapshot, node('often')));
  const cases: [Order, KeyPosition[], ScanPattern][] = [
    ['SPOG', ['s'], {}],
    ['SPOG', ['s', 'p'], {}],
    ['SPOG', ['s'], { p: often }],
    ['POSG', ['p'], {}],
    ['POSG', ['o'], { p: often }],
    ['OSPG', ['o'], {}],
  ];
  for (const [order, keys, pattern] of cases) {
    const sets: GraphSet[] = order === 'POSG' ? [root, ALL] : [root];
    for (const graphs of sets) {
      const time: TimeSlice = { kind: 'current' };
      const request = { graphs, pattern, order, time, keys, columns: ['s', 'o'] as const };
      const rows = scan(snapshot, { graphs, pattern, order });
      const label = `${order}, keys ${keys.join('')}`;
      for (const counted of [false, true]) {
        const model = { request: { ...request, counted }, rows };
        for (const step of [2, 1000]) {
          const chosen = keysFrom(rows, keys, step);
          const cursor = snapshot.probe(model.request);
          cursor.begin(columnsOfKeys(chosen, keys.length), chosen.length);
          assert.deepEqual(readProbe(cursor, model.request), wantedRows(model, chosen), `${label}, step ${step}`);
          cursor.close();
        }
      }
    }
  }
}

async function closedSnapshot({ engine }: CaseContext): Promise<void> {
  await load(engine, [quad(node('a'), node('p'), node('o'))]);
  const snapshot = engine.snapshot();
  const time: TimeSlice = { kind: 'current' };
  const request: ProbeRequest = { graphs: ALL, pattern: {}, order: 'SPOG', time, keys: ['s'], columns: ['o'] };
  const cursor = snapshot.probe(request);
  assert.equal(cursor.next(), null, 'nothing was begun');
  const key = [columnOf([idOf(snapshot, node('a'))])];
  cursor.begin(key, 1);
  assert.equal(readProbe(cursor, request).length, 1);
  cursor.close();
  cursor.close();
  snapshot.close();
  assert.throws(
    () => {
      const late = snapshot.probe(request);
      late.begin(key, 1);
      late.next();
    },
    { code: 'store_closed' },
  );
}

export const PROBE_CASES: readonly Case[] = [
  { name: 'probes of every shape', run: shapes },
  { name: 'probes over many loads', run: shapesOverManyLoads },
  { name: 'probes with further tests', run: shapesWithTests },
  { name: 'probes of every time', run: slices },
  { name: 'probes after folds', run: foldedAndMerged },
  { name: 'probes of a stage', run: staged },
  { name: 'probes of many blocks', run: manyBlocks },
  { name: 'probes and closed snapshots', run: closedSnapshot },
];
