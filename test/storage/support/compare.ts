/** Two stores that were given the same writes answer alike, whatever is asked. */

import assert from 'node:assert/strict';
import type { Term } from '../../../engine/rdf/terms.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import { COLUMNS, CURRENT, type GraphSet, type StorageSnapshot } from '../../../engine/storage/seam/scan.js';
import { ALL, columnOf, exactly, ORDERS, scan, show, shown } from '../scan-support.js';

/** Verifies a store and fails with what it reports. */
export async function assertSound(engine: StorageEngine): Promise<void> {
  const report = await engine.verify({});
  assert.deepEqual(report.problems, []);
  assert.ok(report.ok);
}

/** The quads of a store as sorted lines. */
export function linesOf(engine: StorageEngine): string[] {
  const snapshot = engine.snapshot();
  try {
    return shown(snapshot, scan(snapshot));
  } finally {
    snapshot.close();
  }
}

export function assertSame(actual: StorageEngine, oracle: StorageEngine): void {
  const [a, b] = [actual.snapshot(), oracle.snapshot()];
  try {
    assert.equal(a.tx, b.tx);
    assertSameStats(actual, oracle);
    assert.deepEqual(
      actual.transactions().map(({ id, quadsAdded }) => [id, quadsAdded]),
      oracle.transactions().map(({ id, quadsAdded }) => [id, quadsAdded]),
    );
    const graphs = a.graphs().map((id) => termOf(a, id));
    assert.deepEqual(
      graphs.map(show),
      b.graphs().map((id) => show(termOf(b, id))),
      'the graphs',
    );
    for (const set of graphSets(graphs)) assertSameRows(a, b, set);
    assertRoundTrip(a);
    assertSamePoints(a, b);
  } finally {
    a.close();
    b.close();
  }
}

function assertSameStats(actual: StorageEngine, oracle: StorageEngine): void {
  const [a, b] = [actual.stats(), oracle.stats()];
  for (const name of ['factsCurrent', 'quadsCurrent', 'rowsTotal', 'graphs', 'transactions'] as const) {
    assert.equal(a[name], b[name], name);
  }
  assert.ok(a.entities >= b.entities, 'distinct subjects are never underestimated');
}

const termOf = (snapshot: StorageSnapshot, id: bigint): Term => snapshot.decode(columnOf([id]), 1)[0] as Term;

type SetMaker = (snapshot: StorageSnapshot) => GraphSet;

function graphSets(graphs: readonly Term[]): readonly SetMaker[] {
  const ids = (snapshot: StorageSnapshot, some: readonly Term[]): bigint[] =>
    some.map((term) => snapshot.encode(term)).filter((id) => id !== null);
  const sample =
    graphs.length <= 6 ? graphs : [0, 1, 2, 3].map((i) => graphs[Math.floor((i * graphs.length) / 4)] as Term);
  return [
    () => ALL,
    () => ({ kind: 'named', except: [] }),
    (snapshot) => ({ kind: 'named', except: ids(snapshot, sample.slice(1, 3)) }),
    (snapshot) => ({ kind: 'some', graphs: ids(snapshot, sample), merged: false }),
    (snapshot) => ({ kind: 'some', graphs: ids(snapshot, sample), merged: true }),
    ...sample.map(
      (graph): SetMaker =>
        (snapshot) => ({ kind: 'one', graph: snapshot.encode(graph) as bigint }),
    ),
  ];
}

function assertSameRows(a: StorageSnapshot, b: StorageSnapshot, set: SetMaker): void {
  const wanted = shown(b, scan(b, { graphs: set(b) }));
  for (const order of ORDERS) {
    const graphs = set(a);
    assert.deepEqual(shown(a, scan(a, { graphs, order })), wanted, `${order} of ${graphs.kind}`);
  }
  const request = { graphs: set(a), pattern: {}, time: CURRENT };
  assert.equal(a.count(request), wanted.length, 'the count');
  const guess = a.estimate(request);
  if (guess.exact) assert.equal(guess.rows, wanted.length, 'an estimate that says it is exact');
  const times = (snapshot: StorageSnapshot): string[] =>
    scan(snapshot, { graphs: set(snapshot), columns: COLUMNS })
      .map((row) => row.slice(4).join(' '))
      .sort();
  if (request.graphs.kind !== 'some') assert.deepEqual(times(a), times(b), 'the columns of time');
}

/** Every term of the store leads to its id and back. */
function assertRoundTrip(snapshot: StorageSnapshot): void {
  const ids = [...new Set(scan(snapshot).flatMap((row) => row.slice(0, 4)))];
  const decoded = snapshot.decode(columnOf(ids), ids.length);
  assert.equal(new Set(decoded.map(show)).size, ids.length, 'different ids are different terms');
  decoded.forEach((term, at) => {
    assert.equal(snapshot.encode(term), ids[at], `the id of ${show(term)}`);
  });
}

/** Some lookups by one position each. */
function assertSamePoints(a: StorageSnapshot, b: StorageSnapshot): void {
  const rows = scan(b);
  for (let i = 0; i < rows.length; i += Math.max(1, Math.floor(rows.length / 8))) {
    for (const [at, position] of (['s', 'p', 'o'] as const).entries()) {
      const term = termOf(b, rows[i]?.[at] as bigint);
      const ask = (snapshot: StorageSnapshot): string[] => {
        const pattern = { [position]: exactly(snapshot.encode(term) as bigint) };
        const lines = shown(snapshot, scan(snapshot, { pattern }));
        assert.equal(
          snapshot.count({ graphs: ALL, pattern, time: CURRENT }),
          lines.length,
          `the count of ${show(term)}`,
        );
        return lines;
      };
      assert.deepEqual(ask(a), ask(b), `${position} = ${show(term)}`);
    }
  }
}
