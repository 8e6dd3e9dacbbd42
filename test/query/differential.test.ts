/**
 * The engine against the naive evaluator on random data and random queries, and against itself with
 * rewrites and planner choices switched off.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SvcError } from '../../engine/base/errors.js';
import { parseQuery } from '../../engine/query/parse/parse.js';
import { PLAN_CHOICES, REWRITES } from '../../engine/query/query.js';
import type { Quad, Term } from '../../engine/rdf/terms.js';
import { ROOT_GRAPH_IRI, terms } from '../../engine/rdf/terms.js';
import { ROOT_ID } from '../../engine/storage/ids/layout.js';
import { CURRENT, type StorageSnapshot } from '../../engine/storage/scan.js';
import { evaluate, NaiveStore } from './naive.js';
import { documents, queries } from './random-queries.js';
import { answer, PREFIXES, show, storeOf } from './support.js';

const RUNS = Number(process.env.SVC_PROPERTY_RUNS ?? 300);

/** The quads of a snapshot, through the seam; ROOT is the default graph. */
function quadsOf(snapshot: StorageSnapshot): Quad[] {
  const cursor = snapshot.scan({ graphs: { kind: 'all' }, pattern: {}, time: CURRENT, columns: ['s', 'p', 'o', 'g'] });
  const quads: Quad[] = [];
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
    const { rows, columns } = batch;
    const [s, p, o, g] = [columns.s, columns.p, columns.o, columns.g].map((column) =>
      snapshot.decode(column as Uint32Array, rows),
    ) as [Term[], Term[], Term[], Term[]];
    for (let row = 0; row < rows; row++) {
      const graph = (g[row] as Term).value === ROOT_GRAPH_IRI ? terms.defaultGraph() : g[row];
      quads.push(terms.quad(s[row] as never, p[row] as never, o[row] as never, graph as never));
    }
  }
  assert.notEqual(ROOT_ID, 0n);
  return quads;
}

/** Texts that no engine takes: BIND to a variable in use. */
function isRefused(error: unknown): boolean {
  return error instanceof SvcError && error.code === 'parse_error';
}

function naiveRows(text: string, store: NaiveStore): string[] {
  const parsed = parseQuery(PREFIXES + text);
  const rows = evaluate(parsed.algebra, store);
  if (parsed.form === 'ask') return [String(rows.length > 0)];
  return rows.map((row) => parsed.variables.map((name) => show(row.get(name))).join(' '));
}

function withoutSlice(text: string): string {
  return text.replace(/(LIMIT \d+)? *(OFFSET \d+)? *$/, '');
}

/** A slice of an unordered answer: as many rows, each of them of the whole answer. */
function assertSlice(actual: readonly string[], sliced: readonly string[], whole: readonly string[]): void {
  assert.equal(actual.length, sliced.length);
  const left = [...whole];
  for (const row of actual) {
    const at = left.indexOf(row);
    assert.ok(at >= 0, `${row} is no row of the answer`);
    left.splice(at, 1);
  }
}

test('random queries have the answers of the naive evaluator', async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(documents, queries, async (document, { text, limited }) => {
      const engine = await storeOf(document);
      const snapshot = engine.snapshot();
      const store = new NaiveStore(quadsOf(snapshot));
      let expected: string[];
      try {
        expected = naiveRows(text, store);
      } catch (error) {
        if (isRefused(error)) return;
        throw error;
      }
      const actual = await answer(snapshot, text);
      compared++;
      if (limited) assertSlice(actual, expected, naiveRows(withoutSlice(text), store));
      else assert.deepEqual([...actual].sort(), [...expected].sort());
    }),
    { numRuns: RUNS },
  );
  assert.ok(compared > RUNS / 2, `only ${compared} queries were compared`);
});

test('no answer depends on a rewrite or a choice of the planner', async () => {
  const names = [...REWRITES.map((rewrite) => rewrite.name), ...PLAN_CHOICES];
  await fc.assert(
    fc.asyncProperty(documents, queries, fc.subarray(names), async (document, { text, limited }, disabledRewrites) => {
      const snapshot = (await storeOf(document)).snapshot();
      try {
        parseQuery(PREFIXES + text);
      } catch (error) {
        if (isRefused(error)) return;
        throw error;
      }
      const optimised = await answer(snapshot, text);
      for (const disabled of [disabledRewrites, names]) {
        const plain = await answer(snapshot, text, { disabledRewrites: disabled });
        if (limited)
          assertSlice(optimised, plain, await answer(snapshot, withoutSlice(text), { disabledRewrites: names }));
        else assert.deepEqual([...optimised].sort(), [...plain].sort());
      }
    }),
    { numRuns: RUNS },
  );
});
