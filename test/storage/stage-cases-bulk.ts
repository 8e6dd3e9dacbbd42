/** Staged transactions: many ids at once, terms by themselves, net changes by graph. */

import assert from 'node:assert/strict';
import { ROOT_GRAPH_IRI, terms } from '../../engine/rdf/terms.js';
import { highOf, lowOf } from '../../engine/storage/ids/halves.js';
import { ROOT_ID, type TermId } from '../../engine/storage/ids/layout.js';
import type { QuadColumns, Stage } from '../../engine/storage/seam/engine.js';
import type { Case, CaseContext } from './scan-case.js';
import { columnOf, idOf, node, quad, show, typed } from './scan-support.js';
import { committed, write } from './stage-support.js';

/** Objects below this number are integers that are open before. */
const OPEN_BEFORE = 9000;
const GRAPHS = ['g0', 'g1', 'g2'];

const statement = (value: number) =>
  quad(node(`s${value % 100}`), node('p'), typed(String(value), 'integer'), node(GRAPHS[value % 3] as string));

/** Quads `statement(value)` by id, in the sequence of the values. */
function columnsOf(stage: Stage, values: readonly number[]): QuadColumns {
  const columns = [0, 1, 2, 3].map(() => new Uint32Array(2 * values.length));
  const known = new Map<string, TermId>();
  values.forEach((value, row) => {
    const { subject, predicate, object, graph } = statement(value);
    [subject, predicate, object, graph].forEach((term, at) => {
      const key = show(term);
      const id = known.get(key) ?? stage.intern(term);
      known.set(key, id);
      const column = columns[at] as Uint32Array;
      column[2 * row] = lowOf(id);
      column[2 * row + 1] = highOf(id);
    });
  });
  const [s, p, o, g] = columns as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  return { rows: values.length, s, p, o, g };
}

/** The numbers `[from, to)`, shuffled, each as often as said. */
function shuffled(from: number, to: number, times = 1): number[] {
  const values = Array.from({ length: (to - from) * times }, (_, at) => from + (at % (to - from)));
  let seed = 7;
  for (let at = values.length - 1; at > 0; at--) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    const other = seed % (at + 1);
    [values[at], values[other]] = [values[other] as number, values[at] as number];
  }
  return values;
}

/** How many of the values fall on each graph. */
function byGraph(values: readonly number[]): number[] {
  return GRAPHS.map((_, graph) => values.filter((value) => value % 3 === graph).length);
}

function changesOf(stage: Stage): [name: string, asserted: number, retracted: number][] {
  const snapshot = stage.snapshot();
  const changes = stage.changes().graphs.map(({ graph, asserted, retracted }) => {
    const [term] = snapshot.decode(columnOf([graph]), 1);
    return [term?.value.replace(/^.*\//, '') ?? '', asserted, retracted] as [string, number, number];
  });
  snapshot.close();
  return changes.sort(([a], [b]) => (a < b ? -1 : 1));
}

async function manyAtOnce({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: shuffled(0, OPEN_BEFORE).map(statement) });
  const stage = engine.stage({});
  // Closed, then more closed with repetitions, then some of both opened again together with new ones.
  assert.equal(stage.retractIds(columnsOf(stage, shuffled(0, 3000))), 3000);
  assert.equal(stage.retractIds(columnsOf(stage, shuffled(2000, 8000, 2))), 5000);
  assert.equal(stage.assertIds(columnsOf(stage, shuffled(7000, 20_000, 3))), 1000 + 11_000);
  assert.equal(stage.retractIds(columnsOf(stage, shuffled(15_000, 30_000))), 5000);
  assert.equal(stage.assertIds(columnsOf(stage, shuffled(18_000, 19_000))), 1000);
  const opened = [...shuffled(9000, 15_000), ...shuffled(18_000, 19_000)];
  const closed = shuffled(0, 7000);
  assert.deepEqual(stage.counts, { asserted: opened.length, retracted: closed.length });
  const [made, gone] = [byGraph(opened), byGraph(closed)];
  assert.deepEqual(
    changesOf(stage),
    GRAPHS.map((name, at) => [name, made[at], gone[at]]),
  );
  assert.equal(await committed(stage.commit()), 2);
  const snapshot = engine.snapshot();
  const all = { graphs: { kind: 'all' }, pattern: {}, time: { kind: 'current' } } as const;
  assert.equal(snapshot.count(all), 2000 + opened.length);
  for (const [value, there] of [
    [6999, 0],
    [7000, 1],
    [14_999, 1],
    [15_000, 0],
    [18_500, 1],
  ] as const) {
    const { object } = statement(value);
    assert.equal(
      snapshot.count({ ...all, pattern: { o: { kind: 'id', id: idOf(snapshot, object) } } }),
      there,
      String(value),
    );
  }
  snapshot.close();
  assert.ok((await engine.verify({})).ok);
}

async function singleTerms({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [statement(1)] });
  const stage = engine.stage({});
  const known = stage.intern(node('s1'));
  const before = engine.snapshot();
  assert.equal(before.encode(node('s1')), known);
  const fresh = [node('new'), terms.blankNode('b'), terms.literal('text'), terms.literal('x', 'en')];
  const ids = fresh.map((term) => stage.intern(term));
  assert.deepEqual(
    fresh.map((term) => stage.intern(term)),
    ids,
  );
  assert.equal(stage.intern(terms.namedNode(ROOT_GRAPH_IRI)), ROOT_ID);
  assert.throws(() => stage.intern(terms.namedNode('no iri')), { code: 'invalid_request' });
  assert.throws(() => stage.intern(terms.variable?.('v') as never), { code: 'invalid_request' });
  const within = stage.snapshot();
  assert.deepEqual(within.decode(columnOf(ids), ids.length).map(show), fresh.map(show));
  within.close();
  assert.deepEqual(stage.counts, { asserted: 0, retracted: 0 });
  assert.deepEqual(stage.changes().graphs, []);
  stage.discard();
  assert.equal(engine.snapshot().encode(node('new')), null);
}

export const STAGE_BULK_CASES: readonly Case[] = [
  { name: 'many ids at once, repeated and in any sequence, are netted as one by one', run: manyAtOnce },
  { name: 'a term by itself has the id that it has in quads', run: singleTerms },
];
