/** Packs: the content hash of the semantics text, and graphs that leave a store and come back, in both engines. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { formatInstant } from '../../engine/base/instant.js';
import { sortByCodePoint, termKey } from '../../engine/rdf/canonical/lines.js';
import { type Quad, type Term, terms } from '../../engine/rdf/terms.js';
import { columnToInstant, OPEN } from '../../engine/storage/ids/layout.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { COLUMNS, type GraphSet, type TimeSlice } from '../../engine/storage/seam/scan.js';
import {
  columnOf,
  complete,
  exactly,
  found,
  idOf,
  load,
  node,
  ORDERS,
  quad,
  sampleQuads,
  scan,
  shown,
  toldOf,
  typed,
} from './scan-support.js';
import { fact, month, rowsOf, write } from './stage-support.js';
import { assertSound } from './support/compare.js';
import { freeze, iriOf, thaw } from './support/packing.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const ENGINES: readonly (readonly [string, () => Promise<StorageEngine>])[] = [
  ['a file', () => openLmdbEngine(folder.fresh())],
  ['memory', async () => openMemoryEngine()],
];
const GRAPH = 'frozen';

const VECTOR = 'sha256:841fe6e7b1f4a83f5b9b13c3470140fa1f13366dcfbebd549cee09e50c5eecd0';

for (const [name, open] of ENGINES) {
  test(`FZ hash vector (4.2) in ${name}`, async () => {
    const engine = await open();
    const at = (value: number): Quad => quad(node('a'), node('p'), typed(`${value}`, 'integer'), node(GRAPH));
    await write(engine, { assert: [at(1), at(2)], timestamp: month(1), actor: 'ann', source: 'load' });
    await write(engine, { retract: [at(2)], timestamp: month(3), source: 'sparql-update' });
    const content = await engine.packs.contentOf(iriOf(GRAPH), {});
    assert.deepEqual(content, {
      contentHash: VECTOR,
      counts: { facts: 3, open: 1, transactions: 2, terms: 4 },
      minTx: 1,
      maxTx: 2,
    });
    const path = folder.fresh('.qpack.db');
    await freeze(engine, GRAPH, path);
    assert.equal((await engine.packs.read(path, {})).content.contentHash, VECTOR);
    await engine.close();
  });
}

/** The hash as the semantics text says it: all lines, sorted. */
function plainHash(engine: StorageEngine, graph: string): string {
  const snapshot = engine.snapshot();
  const set: GraphSet = { kind: 'one', graph: idOf(snapshot, node(graph)) };
  const rows = scan(snapshot, { graphs: set, time: { kind: 'all' }, columns: COLUMNS });
  const columns = [0, 1, 2].map((at) => snapshot.decode(columnOf(rows.map((row) => row[at] as bigint)), rows.length));
  const lines: string[] = [];
  const named = new Set<number>();
  const instant = (value: bigint): string => formatInstant(columnToInstant(value));
  for (const [at, row] of rows.entries()) {
    const [s, p, o] = columns.map((column) => termKey(column[at] as Term));
    const [txFrom, txTo, validFrom, validTo] = row.slice(4) as [bigint, bigint, bigint, bigint];
    named.add(Number(txFrom));
    const isOpen = txTo === OPEN;
    const ends = isOpen ? [null, 'assert', null] : [instant(validTo), 'assert', Number(txTo)];
    lines.push(`${JSON.stringify(['f', s, p, o, Number(txFrom), instant(validFrom), ...ends])}\n`);
    if (isOpen) continue;
    named.add(Number(txTo));
    lines.push(`${JSON.stringify(['f', s, p, o, Number(txTo), instant(validFrom), null, 'retract', null])}\n`);
  }
  for (const { id, timestamp, actor, source, authenticated } of engine.transactions()) {
    if (!named.has(id)) continue;
    lines.push(`${JSON.stringify(['t', id, formatInstant(timestamp), actor, source, authenticated ?? null])}\n`);
  }
  snapshot.close();
  return `sha256:${createHash('sha256').update(sortByCodePoint(lines).join('')).digest('hex')}`;
}

const STRANGE: readonly Term[] = [
  terms.literal('a "quote", a \\ and a\nline\tand \u0001 and \u007f'),
  terms.literal('\uffff beside \u{1f600} and \ufffe and \uffee'),
  terms.literal('\u{1f600}'),
  terms.literal('Zürich', 'de-CH'),
  terms.literal('Zürich', 'DE'),
  terms.literal('ar', { language: 'AR', direction: 'rtl' }),
  terms.literal(''),
  terms.blankNode('b-1'),
  terms.blankNode('b'),
  node('ä/ö'),
  node('a'),
  node('ab'),
  typed('01', 'integer'),
  typed('1', 'integer'),
  typed('10', 'integer'),
  typed('2026-01-01', 'date'),
  typed('text', 'token'),
  terms.quad(node('s'), node('p'), terms.literal('x', 'EN-us')) as unknown as Term,
];

for (const [name, open] of ENGINES) {
  test(`the hash of strange terms over a dozen transactions is that of the sorted lines, in ${name}`, async () => {
    const engine = await open();
    const of = (o: Term, at: number): Quad => quad(node(`s${at % 3}`), node(`p${at % 2}`), o, node(GRAPH));
    const authenticated = { kind: 'bearer', name: 'b"ob' } as unknown as NonNullable<
      Parameters<StorageEngine['stage']>[0]['authenticated']
    >;
    for (let tx = 1; tx <= 12; tx++) {
      const some = STRANGE.filter((_, at) => (at + tx) % 4 === 0).map((o) => of(o, tx));
      await write(engine, { assert: some, timestamp: month(1 + (tx % 3)), actor: `a${tx}"`, authenticated });
      await write(engine, { retract: some.filter((_, at) => at % 2 === 0), timestamp: month(4), source: 'é\u0001' });
    }
    const { contentHash } = await engine.packs.contentOf(iriOf(GRAPH), {});
    assert.equal(contentHash, plainHash(engine, GRAPH));
    await engine.close();
  });
}

const TIMES: readonly TimeSlice[] = [
  { kind: 'current' },
  ...[1, 2, 3, 4].map((tx): TimeSlice => ({ kind: 'asOf', tx })),
  ...[1, 2, 3].map((at): TimeSlice => ({ kind: 'validAt', validAt: month(at) + 1 })),
  { kind: 'asOfValidAt', tx: 2, validAt: month(1) + 1 },
  { kind: 'all' },
];

/** What a graph set answers, in every order and at every time. */
function answers(engine: StorageEngine, set: (graph: bigint) => GraphSet): unknown {
  const snapshot = engine.snapshot();
  const graphs = set(idOf(snapshot, node(GRAPH)));
  const patterns = [{}, { s: exactly(idOf(snapshot, node('s1'))) }, { p: exactly(idOf(snapshot, node('p3'))) }];
  const seen = TIMES.flatMap((time) =>
    patterns.flatMap((pattern) => [
      ...ORDERS.map((order) => scan(snapshot, { graphs, pattern, time, order, columns: COLUMNS })),
      snapshot.count(complete({ graphs, pattern, time })),
    ]),
  );
  // Figures for plans are estimates where rows were closed since they were made.
  const figures = snapshot.predicates(graphs).map(({ predicate }) => predicate);
  snapshot.close();
  return [seen, figures.sort()];
}

const here = (graph: bigint): GraphSet => ({ kind: 'one', graph });
const packed = (graph: bigint): GraphSet => ({ kind: 'store', store: 'pack', graphs: { kind: 'one', graph } });

/** What is told of everything but the graph. */
function others(engine: StorageEngine): unknown {
  const snapshot = engine.snapshot();
  const graph = idOf(snapshot, node(GRAPH));
  const rest: GraphSet = { kind: 'all', except: [graph] };
  const seen = TIMES.map((time) => found(snapshot, { graphs: rest, time }));
  const { factsCurrent, predicates, entities } = engine.stats();
  snapshot.close();
  return [seen, { factsCurrent, predicates, entities }];
}

function changesOf(engine: StorageEngine, tx: number): string[] {
  const snapshot = engine.snapshot();
  const lines: string[] = [];
  for (const { op, rows, columns } of snapshot.changes(tx)) {
    const ids = Array.from({ length: rows }, (_, at) =>
      [columns.s, columns.p, columns.o, columns.g].map(
        (column) => (BigInt(column[2 * at + 1] as number) << 32n) | BigInt(column[2 * at] as number),
      ),
    );
    lines.push(...shown(snapshot, ids).map((line) => `${op} ${line}`));
  }
  snapshot.close();
  return lines.sort();
}

const graphQuads = sampleQuads(7, 600).map((it) => quad(it.subject, it.predicate, it.object, node(GRAPH)));

/** A store whose graph has a past: some of it in runs, some in the delta. */
async function withPast(engine: StorageEngine, bulk: boolean): Promise<void> {
  const rest = sampleQuads(8, 300);
  const options = { timestamp: month(1), blankNodeScope: 'store' as const, bounds: { ownPartitionRows: 100 } };
  if (bulk) await load(engine, [...rest, ...graphQuads.slice(0, 400)], options);
  else await write(engine, { assert: [...rest, ...graphQuads.slice(0, 400)], timestamp: month(1) });
  await write(engine, { retract: graphQuads.filter((_, at) => at % 3 === 0), timestamp: month(2) });
  await engine.fold({});
  const again = { assert: graphQuads.slice(300), retract: [...rest.slice(0, 20), ...graphQuads.slice(0, 50)] };
  await write(engine, { ...again, timestamp: month(3), actor: 'bob' });
  await write(engine, { assert: [fact(1), fact(2, 'g1')], timestamp: month(3) });
}

for (const [name, open] of ENGINES) {
  for (const bulk of [true, false]) {
    test(`a graph leaves ${name} and comes back as it was (${bulk ? 'a partition of its own' : 'shared'})`, async () => {
      const engine = await open();
      await withPast(engine, bulk);
      const [wanted, rest, told] = [answers(engine, here), others(engine), toldOf(engine)];
      const changes = [1, 2, 3, 4].map((tx) => changesOf(engine, tx));
      const rows = engine.stats().rowsTotal;
      const frozen = await freeze(engine, GRAPH, folder.fresh('.qpack.db'), { timestamp: month(5), actor: 'ann' });
      assert.equal(frozen.tx, 5);
      await assertSound(engine);
      const snapshot = engine.snapshot();
      assert.equal(snapshot.count(complete({ graphs: here(idOf(snapshot, node(GRAPH))), time: { kind: 'all' } })), 0);
      assert.ok(!snapshot.graphs().includes(idOf(snapshot, node(GRAPH))));
      snapshot.close();
      assert.deepEqual(others(engine), rest);
      assert.deepEqual(toldOf(engine).slice(0, 4), told);
      assert.deepEqual(
        [1, 2, 3, 4].map((tx) => changesOf(engine, tx)),
        changes.map((lines) => lines.filter((line) => !line.endsWith(`/${GRAPH}>`))),
      );
      engine.packs.useArchives((alias) => (alias === 'pack' ? frozen.path : null));
      assert.deepEqual(answers(engine, packed), wanted);
      // Other writes go on, and folds and merges.
      await write(engine, { assert: sampleQuads(9, 200), timestamp: month(6) });
      await engine.fold({}, true);
      await assertSound(engine);
      const thawed = await thaw(engine, frozen, { timestamp: month(7) });
      assert.equal(thawed, 7);
      engine.packs.useArchives(() => null);
      await assertSound(engine);
      assert.deepEqual(answers(engine, here), wanted);
      assert.deepEqual(
        [1, 2, 3, 4].map((tx) => changesOf(engine, tx)),
        changes,
      );
      assert.deepEqual(await engine.packs.contentOf(iriOf(GRAPH), {}), frozen.content);
      await engine.fold({}, true);
      await assertSound(engine);
      assert.deepEqual(answers(engine, here), wanted);
      assert.ok(engine.stats().rowsTotal > rows);
      // It can be written to, and leave again.
      await write(engine, { assert: [fact(77, GRAPH)], retract: graphQuads.slice(0, 9), timestamp: month(8) });
      const again = await freeze(engine, GRAPH, folder.fresh('.qpack.db'));
      assert.notEqual(again.content.contentHash, frozen.content.contentHash);
      await assertSound(engine);
      await thaw(engine, again);
      await assertSound(engine);
      const last = engine.snapshot();
      assert.ok(rowsOf(last).some((line) => line.startsWith('77@')));
      last.close();
      await engine.close();
    });
  }
}
