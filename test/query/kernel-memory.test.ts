/** Queries give their kernel memory back: read to the end, left early, refused for want of memory, stopped. */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { threadMemory } from '../../engine/kernels/thread-memory.js';
import { executeQuery } from '../../engine/query/query.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { inFull, type ShortOptions } from './short-options.js';
import { PREFIXES, storeOf } from './support.js';

const QUERIES = [
  'SELECT * { ?a :knows ?b . ?b :knows ?c . ?a :knows ?c }',
  'SELECT * { { SELECT ?a (COUNT(*) AS ?n) { ?a :knows ?b } GROUP BY ?a } { SELECT ?a { ?a :age ?x } } }',
  'SELECT * { ?a :age ?x OPTIONAL { ?a :knows ?b . ?b :age ?y FILTER(?y > ?x) } }',
  'SELECT * { ?a :age ?x MINUS { ?a :knows ?b . ?b :age 3 } }',
  'SELECT * { ?a :age ?x FILTER NOT EXISTS { ?a :knows ?b . ?b :age 3 } }',
  'SELECT DISTINCT ?b ?x { ?a :knows ?b ; :age ?x } ORDER BY ?x ?b',
  'SELECT ?x (SUM(?y) AS ?sum) (MAX(?y) AS ?most) { ?a :age ?x ; :knows ?b . ?b :age ?y } GROUP BY ?x',
  'SELECT * { ?a :age ?x . ?b :age ?y FILTER(?x = ?y + 1) }',
  'SELECT * { ?a :knows+ ?b . ?b :age ?x FILTER(?x IN (1, 2, 3)) }',
  'SELECT * { ?a :age ?x . { SELECT DISTINCT ?a { ?a :knows ?b } } UNION { ?a :knows ?b } }',
];

let snapshot: StorageSnapshot;
before(async () => {
  let text = '';
  for (let at = 0; at < 300; at++) {
    text += `:p${at} :age ${at % 50} ; :knows :p${(7 * at) % 300}, :p${(at + 1) % 300}, :p${(at + 2) % 300} .\n`;
  }
  snapshot = (await storeOf(text)).snapshot();
});

/** Reads so many rows; what the query ends with, if it is an error. */
async function run(query: string, rowsMax: number, options: ShortOptions = {}): Promise<unknown> {
  try {
    const result = await executeQuery(snapshot, PREFIXES + query, inFull(options));
    assert.ok(result.kind === 'select');
    let rows = 0;
    for await (const _ of result.rows()) if (++rows === rowsMax) break;
    result.close();
    return null;
  } catch (error) {
    return error;
  }
}

for (const query of QUERIES) {
  test(query, async () => {
    // The first run takes what the thread keeps.
    assert.equal(await run(query, Number.POSITIVE_INFINITY), null);
    const { liveBytes } = threadMemory();
    const left = (how: string) => assert.equal(threadMemory().liveBytes, liveBytes, how);
    await run(query, Number.POSITIVE_INFINITY);
    left('read to the end');
    await run(query, 1);
    left('left after a row');
    const stopped = await run(query, Number.POSITIVE_INFINITY, { signal: AbortSignal.abort() });
    assert.ok(stopped !== null);
    left('stopped');
    for (const memoryBudgetBytes of [1000, 5000, 20_000, 80_000]) {
      await run(query, Number.POSITIVE_INFINITY, { memoryBudgetBytes });
      left(`with ${memoryBudgetBytes} bytes`);
    }
  });
}
