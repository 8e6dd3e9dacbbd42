/** Behaviour of scans: patterns, orders, graph sets, ranges, seek, counts and estimates. */

import assert from 'node:assert/strict';
import type { Quad, Term } from '../../engine/rdf/terms.js';
import { makeId, TAG, type TermId } from '../../engine/storage/ids/layout.js';
import type { Column, GraphSet, IdRange, ScanPattern, StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { COLUMNS } from '../../engine/storage/seam/scan.js';
import type { Case, CaseContext } from './scan-case.js';
import {
  ALL,
  columnOf,
  compareKeys,
  complete,
  drain,
  exactly,
  expected,
  found,
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
  show,
  typed,
} from './scan-support.js';

interface GraphCase {
  readonly name: string;
  readonly set: GraphSet;
  readonly holds: (graph: Term) => boolean;
}

/** Graph sets of every kind over the sample; g5 is no graph of it. */
export function graphCases(snapshot: StorageSnapshot): GraphCase[] {
  const id = (name: string): TermId => snapshot.encode(node(name)) ?? makeId(TAG.iri, 0, 0xffff_ffff_ffffn);
  const root = idOf(snapshot, ROOT);
  const among = (...names: string[]) => {
    const wanted = new Set(names.map((name) => (name === 'ROOT' ? show(ROOT) : show(node(name)))));
    return (graph: Term) => wanted.has(show(graph));
  };
  const some = (merged: boolean, ...names: string[]): GraphCase => ({
    name: `${merged ? 'merged' : 'some'} ${names.join(' ')}`,
    set: { kind: 'some', graphs: names.map((name) => (name === 'ROOT' ? root : id(name))), merged },
    holds: among(...names),
  });
  return [
    { name: 'all', set: ALL, holds: () => true },
    { name: 'ROOT', set: { kind: 'one', graph: root }, holds: among('ROOT') },
    { name: 'one named', set: { kind: 'one', graph: id('g1') }, holds: among('g1') },
    { name: 'an unknown one', set: { kind: 'one', graph: id('g5') }, holds: () => false },
    some(false, 'g1', 'g2'),
    some(false, 'ROOT', 'g3'),
    some(false),
    some(true, 'g1', 'g2', 'ROOT'),
    some(true, 'g4'),
    some(true, 'g5'),
    some(true),
    { name: 'named', set: { kind: 'named', except: [] }, holds: (graph) => show(graph) !== show(ROOT) },
    {
      name: 'named but one',
      set: { kind: 'named', except: [id('g2')] },
      holds: (graph) => show(graph) !== show(ROOT) && show(graph) !== show(node('g2')),
    },
  ];
}

const isMerged = (set: GraphSet) => set.kind === 'some' && set.merged;

/** Every shape of pattern, with terms that occur and terms that do not. */
function patternShapes(quads: readonly Quad[]): Partial<Record<'s' | 'p' | 'o', Term>>[] {
  const sample = quads[Math.floor(quads.length / 2)] as Quad;
  const { subject: s, predicate: p, object: o } = sample;
  return [
    {},
    { s },
    { p },
    { o },
    { s, p },
    { s, o },
    { p, o },
    { s, p, o },
    { s: node('s0'), p: node('p0') },
    { o: node('p0') },
  ];
}

async function checkPatterns(snapshot: StorageSnapshot, quads: readonly Quad[]): Promise<void> {
  for (const shape of patternShapes(quads)) {
    const pattern: Record<string, unknown> = {};
    const tests: Record<string, (term: Term) => boolean> = {};
    for (const [position, term] of Object.entries(shape)) {
      pattern[position] = exactly(idOf(snapshot, term));
      tests[position] = (other) => show(other) === show(term);
    }
    for (const { name, set, holds } of graphCases(snapshot)) {
      const wanted = expected(quads, { ...tests, g: holds, merged: isMerged(set) });
      const request = { pattern: pattern as ScanPattern, graphs: set };
      const label = `${JSON.stringify(Object.keys(shape))} over ${name}`;
      assert.deepEqual(found(snapshot, request), wanted, label);
      for (const order of ORDERS)
        assert.deepEqual(found(snapshot, { ...request, order }), wanted, `${label}, ${order}`);
      assert.equal(snapshot.count(complete(request)), wanted.length, `count of ${label}`);
      const estimate = snapshot.estimate(complete(request));
      if (estimate.exact) assert.equal(estimate.rows, wanted.length, `exact estimate of ${label}`);
      else assert.ok(Number.isFinite(estimate.rows) && estimate.rows >= 0);
    }
  }
}

async function patterns({ engine }: CaseContext): Promise<void> {
  const quads = sampleQuads(1);
  await load(engine, quads, { blankNodeScope: 'store' });
  await checkPatterns(engine.snapshot(), quads);
}

/** The same data in seven transactions with repetitions, so that several runs must be merged. */
async function patternsOverManyLoads({ engine }: CaseContext): Promise<void> {
  const quads = sampleQuads(2);
  for (let part = 0; part < 7; part++) {
    const slice = quads.filter((_, at) => at % 7 === part || at % 5 === part);
    await load(engine, slice, { blankNodeScope: 'store' });
  }
  await checkPatterns(engine.snapshot(), quads);
}

async function ranges({ engine }: CaseContext): Promise<void> {
  const quads = sampleQuads(3);
  await load(engine, quads, { blankNodeScope: 'store' });
  const snapshot = engine.snapshot();
  const integer = (value: number) => idOf(snapshot, typed(String(value), 'integer'));
  const value = (term: Term) => (term.termType === 'Literal' && /integer$/.test(term.datatype.value) ? term.value : '');
  const isBetween = (from: number, to: number) => (term: Term) =>
    /^(0|-?[1-9]\d*)$/.test(value(term)) && Number(value(term)) >= from && Number(value(term)) < to;
  const isDecimal = (term: Term) => term.termType === 'Literal' && term.datatype.value.endsWith('decimal');
  const isIri = (term: Term) => term.termType === 'NamedNode';
  const tagRange = (tag: number): IdRange => ({ from: makeId(tag, 0, 0n), to: makeId(tag + 1, 0, 0n) });
  const middle: IdRange = { from: integer(2), to: integer(6) };
  const cases: [string, readonly IdRange[], (term: Term) => boolean][] = [
    ['one range', [middle], isBetween(2, 6)],
    ['below zero', [{ from: integer(-5), to: integer(0) }], isBetween(-5, 0)],
    ['half-open', [{ from: integer(3), to: integer(4) }], isBetween(3, 4)],
    ['empty range', [{ from: integer(3), to: integer(3) }], () => false],
    ['two ranges', [middle, tagRange(TAG.decimal)], (term) => isBetween(2, 6)(term) || isDecimal(term)],
    ['IRIs', [tagRange(TAG.iri)], isIri],
    ['IRIs and some integers', [tagRange(TAG.iri), middle], (term) => isIri(term) || isBetween(2, 6)(term)],
    ['no range at all', [], () => false],
    ['everything', [{ from: 0n, to: (1n << 64n) - 1n }], () => true],
  ];
  const p = exactly(idOf(snapshot, node('p1')));
  const isP = (term: Term) => show(term) === show(node('p1'));
  for (const [name, list, holds] of cases) {
    const o = { kind: 'ranges', ranges: list } as const;
    for (const order of [undefined, ...ORDERS]) {
      for (const { name: graphs, set, holds: inGraphs } of graphCases(snapshot)) {
        const merged = isMerged(set);
        const label = `${name}, ${order}, ${graphs}`;
        const withP = { pattern: { p, o }, graphs: set, order };
        assert.deepEqual(found(snapshot, withP), expected(quads, { p: isP, o: holds, g: inGraphs, merged }), label);
        const alone = { pattern: { o }, graphs: set, order };
        assert.deepEqual(found(snapshot, alone), expected(quads, { o: holds, g: inGraphs, merged }), label);
        assert.equal(snapshot.count(complete(alone)), expected(quads, { o: holds, g: inGraphs, merged }).length);
      }
    }
  }
  const bySubject = { s: { kind: 'ranges', ranges: [tagRange(TAG.blank)] } } as const;
  const isBlank = (term: Term) => term.termType === 'BlankNode';
  assert.deepEqual(found(snapshot, { pattern: bySubject }), expected(quads, { s: isBlank }));
}

async function seeks({ engine }: CaseContext): Promise<void> {
  await load(engine, sampleQuads(4), { blankNodeScope: 'store' });
  const snapshot = engine.snapshot();
  for (const { name, set } of graphCases(snapshot)) {
    for (const order of ORDERS) {
      const rows = scan(snapshot, { graphs: set, order });
      for (const key of someKeys(rows, order)) {
        const cursor = snapshot.scan(complete({ graphs: set, order }));
        cursor.seek(key);
        const wanted = rows.filter((row) => compareKeys(keyOf(row, order).slice(0, key.length), key) >= 0);
        assert.deepEqual(drain(cursor, SPOG), wanted, `seek in ${order} over ${name}`);
      }
    }
  }
}

/** Keys of rows, their prefixes, and keys just beside them. */
function someKeys(rows: readonly IdRow[], order: (typeof ORDERS)[number]): TermId[][] {
  const keys: TermId[][] = [[], [0n], [(1n << 64n) - 1n]];
  for (let at = 0; at < rows.length; at += Math.max(1, Math.floor(rows.length / 9))) {
    const key = keyOf(rows[at] as IdRow, order);
    for (let length = 1; length <= 4; length++) {
      const prefix = key.slice(0, length);
      keys.push(prefix, [...prefix.slice(0, -1), (prefix.at(-1) as TermId) + 1n]);
    }
  }
  return keys;
}

/** 10,000 rows, so that a cursor is somewhere in the middle when it is told to seek. */
async function seeksWhileReading({ engine }: CaseContext): Promise<void> {
  const size = 10_000;
  const quads = Array.from({ length: size }, (_, at) =>
    quad(node(`s${at % 500}`), node(`p${at % 3}`), typed(String(at), 'integer')),
  );
  await load(engine, quads);
  const snapshot = engine.snapshot();
  for (const order of ORDERS) {
    const rows = scan(snapshot, { order });
    assert.equal(rows.length, size);
    const cursor = snapshot.scan(complete({ order }));
    let taken = readBatch(cursor, SPOG)?.length ?? 0;
    assert.ok(taken > 0);
    cursor.seek(keyOf(rows[0] as IdRow, order));
    const second = readBatch(cursor, SPOG) as IdRow[];
    assert.deepEqual(second[0], rows[taken], `${order}: never goes back`);
    taken += second.length;
    const target = Math.min(size - 5, taken + 1234);
    cursor.seek(keyOf(rows[target] as IdRow, order));
    assert.deepEqual((readBatch(cursor, SPOG) as IdRow[])[0], rows[target], `${order}: skips forward`);
    cursor.seek([(1n << 64n) - 1n]);
    assert.equal(cursor.next(), null, `${order}: past the end`);
    cursor.close();
  }
}

async function columns({ engine }: CaseContext): Promise<void> {
  const quads = sampleQuads(5);
  await load(engine, quads, { blankNodeScope: 'store' });
  const snapshot = engine.snapshot();
  const whole = scan(snapshot, { order: 'POSG', columns: COLUMNS });
  const subsets: Column[][] = [
    ['s'],
    ['o', 'p'],
    ['g'],
    ['txFrom'],
    ['s', 'validTo'],
    ['validFrom', 'txTo', 'g'],
    [...COLUMNS],
  ];
  for (const wanted of subsets) {
    const rows = scan(snapshot, { order: 'POSG', columns: wanted });
    const masked = whole.map((row) => row.map((id, at) => (wanted.includes(COLUMNS[at] as Column) ? id : 0n)));
    assert.deepEqual(rows, masked, wanted.join(' '));
  }
  const bare = snapshot.scan(complete({ columns: [] }));
  assert.equal(drain(bare, []).length, whole.length, 'rows are counted when no column is wanted');
}

async function batchEdges({ open }: CaseContext): Promise<void> {
  for (const size of [1, 4095, 4096, 4097, 8192, 8193]) {
    const engine = await open();
    const quads = Array.from({ length: size }, (_, at) =>
      quad(node(`s${at}`), node('p'), typed(String(at), 'integer')),
    );
    await load(engine, quads);
    const snapshot = engine.snapshot();
    for (const order of ORDERS) assert.equal(scan(snapshot, { order }).length, size, `${size} rows, ${order}`);
    assert.equal(snapshot.count(complete({})), size);
    assert.deepEqual(
      snapshot.predicates(ALL).map(({ rows }) => rows),
      [size],
    );
    const last = typed(String(size - 1), 'integer');
    assert.equal(scan(snapshot, { pattern: { o: exactly(idOf(snapshot, last)) } }).length, 1);
    snapshot.close();
    await engine.close();
  }
}

async function manyGraphs({ engine }: CaseContext): Promise<void> {
  const graphs = Array.from({ length: 1000 }, (_, at) => node(`graph${at}`));
  const quads = graphs.flatMap((graph, at) => [
    quad(node('shared'), node('p'), node('o'), graph),
    quad(node(`s${at}`), node('p'), typed(String(at), 'integer'), graph),
  ]);
  await load(engine, quads);
  const snapshot = engine.snapshot();
  assert.equal(snapshot.graphs().length, 1000);
  for (const at of [0, 1, 499, 999]) {
    const graph = graphs[at] as Term;
    const set: GraphSet = { kind: 'one', graph: idOf(snapshot, graph) };
    const wanted = expected(quads, { g: (term) => term.value === graph.value });
    for (const order of ORDERS) assert.deepEqual(found(snapshot, { graphs: set, order }), wanted);
  }
  const half = graphs.slice(0, 500).map((graph) => idOf(snapshot, graph));
  assert.equal(snapshot.count(complete({ graphs: { kind: 'some', graphs: half, merged: false } })), 1000);
  assert.equal(snapshot.count(complete({ graphs: { kind: 'some', graphs: half, merged: true } })), 501);
  assert.equal(scan(snapshot, { graphs: { kind: 'some', graphs: half, merged: true }, order: 'OSPG' }).length, 501);
  assert.equal(snapshot.count(complete({ graphs: { kind: 'named', except: half } })), 1000);
}

async function statistics({ engine }: CaseContext): Promise<void> {
  const quads = sampleQuads(6);
  for (let part = 0; part < 3; part++) {
    await load(
      engine,
      quads.filter((_, at) => at % 3 === part),
      { blankNodeScope: 'store' },
    );
  }
  const snapshot = engine.snapshot();
  for (const { name, set, holds } of graphCases(snapshot)) {
    if (isMerged(set)) continue;
    const figures = new Map(snapshot.predicates(set).map((entry) => [entry.predicate, entry]));
    for (const predicate of ['p0', 'p1', 'p2', 'p3'].map(node)) {
      const wanted = expected(quads, { p: (term) => term.value === predicate.value, g: holds });
      const entry = figures.get(idOf(snapshot, predicate));
      assert.equal(entry?.rows ?? 0, wanted.length, `${predicate.value} over ${name}`);
      if (entry === undefined) continue;
      const distinct = (at: number) => new Set(wanted.map((line) => line.split(' ')[at])).size;
      // Of several runs they are estimates.
      for (const [figure, truth] of [
        [entry.distinctSubjects, distinct(0)],
        [entry.distinctObjects, distinct(2)],
      ] as const) {
        assert.ok(2 * figure >= truth && figure <= entry.rows, `${figure} for ${truth} over ${name}`);
      }
    }
  }
}

async function counters({ engine }: CaseContext): Promise<void> {
  const quads = Array.from({ length: 9000 }, (_, at) => quad(node(`s${at}`), node(`p${at % 3}`), node('o')));
  await load(engine, quads);
  const snapshot = engine.snapshot();
  const p = exactly(idOf(snapshot, node('p1')));
  const estimate = snapshot.estimate(complete({ pattern: { p } }));
  assert.ok(snapshot.counters.blocksRead <= 8, 'an estimate reads a few blocks at most');
  assert.ok(estimate.rows >= 3000 / 4 && estimate.rows <= 9000, `an estimate of ${estimate.rows} for 3000`);
  scan(snapshot, {});
  assert.ok(snapshot.counters.rowsScanned >= 9000 && snapshot.counters.blocksRead >= 3);
  const before = snapshot.counters.termsDecoded;
  const id = idOf(snapshot, node('o'));
  assert.equal(snapshot.decode(columnOf([id, id, id]), 3).length, 3);
  assert.ok(snapshot.counters.termsDecoded - before <= 1, 'each distinct id is decoded once');
  snapshot.close();
  const fresh = engine.snapshot();
  scan(fresh, { pattern: { s: exactly(idOf(fresh, node('s77'))) } });
  assert.ok(fresh.counters.rowsScanned <= 4096 * 2, 'a lookup does not read the store');
}

export const PATTERN_CASES: readonly Case[] = [
  { name: 'patterns, orders and graph sets', run: patterns },
  { name: 'patterns over many loads', run: patternsOverManyLoads },
  { name: 'ranges', run: ranges },
  { name: 'seek before reading', run: seeks },
  { name: 'seek while reading', run: seeksWhileReading },
  { name: 'columns', run: columns },
  { name: 'edges of batches', run: batchEdges },
  { name: 'many graphs', run: manyGraphs },
  { name: 'predicate statistics', run: statistics },
  { name: 'counters', run: counters },
];
