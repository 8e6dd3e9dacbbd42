/** Functions that give rows, with a function that a test brings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableFunction, TableFunctions } from '../../engine/query/functions/table-function.js';
import { executeQuery } from '../../engine/query/query.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';

const ROWS = 1_000_000;
const COUNTING: TableFunction = {
  takes: [],
  gives: ['n', 'm'],
  check: () => undefined,
  async run({ results }) {
    const values = Uint32Array.from({ length: ROWS }, (_, row) => row);
    return { rows: ROWS, columns: new Map(results.map((name) => [name, { kind: 'integers', values }])) };
  },
};
const functions: TableFunctions = {
  names: ['urn:svc:test:count'],
  find: (iri) => (iri === 'urn:svc:test:count' ? COUNTING : null),
};

test('rows of a function count towards the memory of the query', async () => {
  const engine = openMemoryEngine();
  const snapshot = engine.snapshot();
  const rowsOf = async (text: string, memoryBytes: number): Promise<number> => {
    const answer = await executeQuery(snapshot, text, { functions, budget: { memoryBytes } });
    assert.ok(answer.kind === 'select');
    let rows = 0;
    for await (const batch of answer.batches) rows += batch.rows;
    return rows;
  };
  const one = 'SELECT ?n { SERVICE <urn:svc:test:count> { [] <urn:svc:test:n> ?n } }';
  const two = 'SELECT ?n { SERVICE <urn:svc:test:count> { [] <urn:svc:test:n> ?n ; <urn:svc:test:m> ?m } }';
  assert.equal(await rowsOf(one, 12 * 2 ** 20), ROWS);
  await assert.rejects(rowsOf(two, 12 * 2 ** 20), { code: 'query_complexity', message: /query\.memory_budget_mb/ });
  assert.equal(await rowsOf(two, 24 * 2 ** 20), ROWS);
  // What one call held is given back before the next one needs it.
  assert.equal(await rowsOf(`SELECT * { { ${two} } UNION { ${two} } }`, 24 * 2 ** 20), 2 * ROWS);
  snapshot.close();
  await engine.close();
});
