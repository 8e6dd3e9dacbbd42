/**
 * Input of unusual size: huge literals and statements, very many nodes, prefixes, predicates and graphs.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RDF_NS, ROOT_GRAPH_IRI, type Term, terms } from '../../engine/rdf/terms.js';
import { CURRENT, type GraphSet, type StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { ALL, columnOf, exactly, found, idOf, load, ORDERS, scan } from './scan-support.js';
import { assertSound, linesOf } from './support/compare.js';
import { assertRefused, bytes, folder, LINE, withStore } from './support/loading.js';

/** Blank nodes of their test; ten million take some minutes, verification included. */
const BLANK_NODES = Number(process.env.SVC_BLANK_NODES ?? 300_000);

function countOf(snapshot: StorageSnapshot, graphs: GraphSet = ALL): number {
  return snapshot.count({ graphs, pattern: {}, time: CURRENT });
}

test('a literal of 50 MB comes back equal', { timeout: 120_000 }, async () => {
  await withStore(async (engine) => {
    const piece = 'fifty megabytes of é and "quotes"\n';
    const value = piece.repeat(Math.ceil((50 * 1024 * 1024) / Buffer.byteLength(piece)));
    const escaped = JSON.stringify(value).slice(1, -1);
    await load(engine, [bytes(`<http://e/s> <http://e/p> "${escaped}" .\n${LINE}\n`, 'ntriples')]);
    const snapshot = engine.snapshot();
    const rows = scan(snapshot, { pattern: { p: exactly(idOf(snapshot, terms.namedNode('http://e/p'))) } });
    const [term] = snapshot.decode(columnOf([rows[0]?.[2] as bigint]), 1) as [Term];
    assert.ok(term.value === value, 'the literal is as it was');
    assert.equal(snapshot.encode(terms.literal(value)), rows[0]?.[2]);
    snapshot.close();
    await assertSound(engine);
    await assertRefused(
      engine,
      [bytes(`<http://e/s> <http://e/q> "${escaped}" .`, 'turtle')],
      'limit_exceeded',
      {},
      { statementBytesMax: 1_000_000 },
    );
  });
});

test('very many blank nodes, written and anonymous', { timeout: 600_000 }, async () => {
  await withStore(async (engine) => {
    const parts: string[] = [];
    for (let i = 0; i < BLANK_NODES; i++)
      parts.push(i % 2 === 0 ? `_:b${i} <http://e/p> _:b${i + 1} .\n` : '[] <http://e/q> [] .\n');
    const path = folder.file(parts.join(''), '.ttl');
    const bounds = { epochRowsMax: Math.ceil(BLANK_NODES / 5) };
    const { summary } = await load(engine, [{ kind: 'file', path }], { threads: 2, bounds });
    assert.equal(summary.quadsAdded, BLANK_NODES);
    // Half of the statements have two written nodes, half two anonymous ones; and the two predicates and ROOT.
    assert.equal(engine.stats().terms, 2 * BLANK_NODES + 3);
    assert.equal(engine.stats().runs, 3, 'the epochs end as one run of each order');
    assert.equal((await load(engine, [{ kind: 'file', path }])).summary.quadsAdded, 0, 'the same nodes again');
    await assertSound(engine);
    await load(engine, [bytes(LINE, 'ntriples')]);
    assert.equal(engine.stats().runs, 6, 'a load leaves what stood before it');
  });
});

test('a file of several slots and epochs goes through two threads', { timeout: 120_000 }, async () => {
  await withStore(async (engine) => {
    const lines = Array.from(
      { length: 120_000 },
      (_, i) =>
        `<http://example.org/subject/${i % 9973}> <http://example.org/p${i % 11}> "value number ${i} of the file" .\n`,
    );
    const path = folder.file(lines.join(''), '.nt');
    const bounds = { epochRowsMax: 15_000, helperInputBytesMin: 0 };
    const { summary } = await load(engine, [{ kind: 'file', path }], { threads: 2, bounds });
    assert.equal(summary.quadsAdded, lines.length);
    assert.equal((await load(engine, [{ kind: 'file', path }], { threads: 1 })).summary.quadsAdded, 0);
    await assertSound(engine);
  });
});

test('huge statements of Turtle', { timeout: 120_000 }, async () => {
  await withStore(async (engine) => {
    const objects = Array.from({ length: 300_000 }, (_, i) => `<http://e/o${i}>`);
    await load(engine, [bytes(`<http://e/s> <http://e/many> ${objects.join(',')} .`, 'turtle')]);
    const collection = Array.from({ length: 100_000 }, (_, i) => String(i));
    await load(engine, [bytes(`<http://e/s> <http://e/list> (${collection.join(' ')}) .`, 'turtle')], {
      bounds: { epochRowsMax: 30_000 },
    });
    const nested = `${'[ <http://e/in> '.repeat(500)}1${' ]'.repeat(500)}`;
    await load(engine, [bytes(`<http://e/s> <http://e/nested> ${nested} .`, 'turtle')]);
    const snapshot = engine.snapshot();
    const withPredicate = (iri: string): number =>
      snapshot.count({ graphs: ALL, pattern: { p: exactly(idOf(snapshot, terms.namedNode(iri))) }, time: CURRENT });
    assert.equal(withPredicate('http://e/many'), 300_000);
    assert.equal(withPredicate(`${RDF_NS}first`), 100_000);
    assert.equal(withPredicate(`${RDF_NS}rest`), 100_000);
    assert.equal(withPredicate('http://e/in'), 500);
    snapshot.close();
    await assertSound(engine);
    const small = { statementBytesMax: 1_000_000 };
    await assertRefused(
      engine,
      [bytes(`<http://e/s> <http://e/x> ${objects.join(',')} .`, 'turtle')],
      'limit_exceeded',
      {},
      small,
    );
    await assertRefused(
      engine,
      [bytes(`<http://e/s> <http://e/x> "${'x'.repeat(3_000_000)}" .`, 'nquads')],
      'limit_exceeded',
      {},
      small,
    );
  });
});

test('thousands of prefixes, redefined on the way', async () => {
  await withStore(async (engine) => {
    const parts: string[] = [];
    for (let i = 0; i < 4000; i++)
      parts.push(`@prefix p${i}: <http://long.example.org/a/rather/long/namespace/${i}/> .\n`);
    for (let i = 0; i < 4000; i++) parts.push(`p${i}:s p${(i * 7) % 4000}:p p${(i * 13) % 4000}:o .\n`);
    parts.push('PREFIX p1: <http://other/>\np1:s p1:p p1:o .\n');
    await load(engine, [bytes(parts.join(''), 'turtle')]);
    assert.equal(engine.stats().quadsCurrent, 4001);
    const tooMany = Array.from({ length: 5000 }, (_, i) => `@prefix q${i}: <http://q/${i}/> .\n`).join('');
    await assertRefused(engine, [bytes(tooMany, 'turtle')], 'limit_exceeded', { source: 'input' });
    const snapshot = engine.snapshot();
    assert.deepEqual(found(snapshot, { pattern: { s: exactly(idOf(snapshot, terms.namedNode('http://other/s'))) } }), [
      `<http://other/s> <http://other/p> <http://other/o> <${ROOT_GRAPH_IRI}>`,
    ]);
    snapshot.close();
    await assertSound(engine);
  });
});

test('keys of more than 64 bits: rows are taken in slices', { timeout: 300_000 }, async () => {
  // 2^19 and more distinct subjects, predicates and objects over 256 graphs need 20 bits, three times, and 8.
  const rows = 530_000;
  const parts: string[] = [];
  for (let i = 0; i < rows; i++)
    parts.push(`<http://s/${i}> <http://p/${i}> <http://o/${(i * 7) % rows}> <http://g/${i % 256}> .\n`);
  const path = folder.file(parts.join(''), '.nq');
  await withStore(async (engine) => {
    assert.equal((await load(engine, [{ kind: 'file', path }])).summary.quadsAdded, rows);
    assert.equal(engine.stats().quadsCurrent, rows);
    const snapshot = engine.snapshot();
    for (const i of [0, 65_535, 65_536, rows - 1]) {
      const row = `<http://s/${i}> <http://p/${i}> <http://o/${(i * 7) % rows}> <http://g/${i % 256}>`;
      for (const order of ORDERS) {
        const pattern = { p: exactly(idOf(snapshot, terms.namedNode(`http://p/${i}`))) };
        assert.deepEqual(found(snapshot, { pattern, order }), [row]);
      }
    }
    snapshot.close();
    assert.equal((await load(engine, [{ kind: 'file', path }])).summary.quadsAdded, 0);
    await assertSound(engine);
  });
});

test('ten thousand small graphs in one partition', { timeout: 120_000 }, async () => {
  await withStore(async (engine) => {
    const parts: string[] = [];
    for (let i = 0; i < 50_000; i++)
      parts.push(`<http://e/s${i % 3000}> <http://e/p${i % 7}> "${i}" <http://g/${i % 10_000}> .\n`);
    parts.push(`${LINE}\n`);
    await load(engine, [bytes(parts.join(''), 'nquads')]);
    assert.deepEqual([engine.stats().graphs, engine.stats().factsCurrent], [10_001, 1]);
    // One of them grows out of the shared partition, and keeps its first rows there.
    const more = Array.from(
      { length: 300 },
      (_, i) => `<http://e/s${i}> <http://e/more> "${i}" <http://g/77> .\n`,
    ).join('');
    await load(engine, [bytes(more, 'nquads')], { bounds: { ownPartitionRows: 200 } });
    assert.equal((await load(engine, [bytes(more + parts.join(''), 'nquads')])).summary.quadsAdded, 0);
    const snapshot = engine.snapshot();
    assert.equal(snapshot.graphs().length, 10_001);
    for (const [graph, rows] of [
      ['http://g/0', 5],
      ['http://g/77', 305],
      ['http://g/9999', 5],
      [ROOT_GRAPH_IRI, 1],
    ] as const) {
      const one: GraphSet = { kind: 'one', graph: idOf(snapshot, terms.namedNode(graph)) };
      assert.equal(countOf(snapshot, one), rows);
      for (const order of ORDERS)
        assert.equal(scan(snapshot, { graphs: one, order }).length, rows, `${order} of ${graph}`);
    }
    snapshot.close();
    await assertSound(engine);
  });
});

test('more large graphs than partitions of their own', { timeout: 120_000 }, async () => {
  await withStore(async (engine) => {
    const lines = (graphs: number): string =>
      Array.from(
        { length: 3 * graphs },
        (_, i) => `<http://e/s${i}> <http://e/p> "${i}" <http://g/${i % graphs}> .\n`,
      ).join('');
    const bounds = { ownPartitionRows: 3 };
    for (const graphs of [200, 300]) {
      await load(engine, [bytes(`${lines(graphs)}${LINE}\n`, 'nquads')], { bounds });
      assert.equal((await load(engine, [bytes(lines(graphs), 'nquads')], { bounds })).summary.quadsAdded, 0);
    }
    await assertSound(engine);
    const before = linesOf(engine);
    assert.equal(new Set(before).size, engine.stats().quadsCurrent);
  });
});
