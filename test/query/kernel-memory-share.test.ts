/** The kernel memory of a thread is given up after a large query, and the queries after it answer as before. */

import assert from 'node:assert/strict';
import { before, beforeEach, mock, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ThreadMemory } from '../../engine/kernels/memory.js';
import { threadMemory, threadMemoryFigures } from '../../engine/kernels/thread-memory.js';
import { executeQuery } from '../../engine/query/query.js';
import { encodeResult } from '../../engine/query/results/encode.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { isLarge, MEBIBYTE, needMuch, PEOPLE, QUERIES, SMALL } from './kernel-memory-support.js';
import { answer, PREFIXES, storeOf } from './support.js';

let snapshot: StorageSnapshot;
before(async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  snapshot = (await storeOf(PEOPLE)).snapshot();
});

const ask = (query: string) => answer(snapshot, query);

async function encoded(query: string): Promise<string> {
  const result = await executeQuery(snapshot, PREFIXES + query);
  const chunks: (string | Uint8Array)[] = [];
  for await (const chunk of encodeResult(result, 'json')) chunks.push(chunk);
  return chunks.map((chunk) => Buffer.from(chunk).toString()).join('');
}

function nothingIsLeft(): void {
  const { liveBytes, keptBytes } = threadMemoryFigures();
  assert.equal(liveBytes, keptBytes);
}

// Each test begins with a small memory.
beforeEach(async () => {
  needMuch();
  await ask(SMALL);
  assert.ok(!isLarge());
});

test('a large query leaves a large memory, which is given up after a small one', async () => {
  const rows = await ask(
    'SELECT (COUNT(*) AS ?n) { SELECT DISTINCT ?a ?b ?c ?x ?z { ?a :knows ?x . ?b :knows ?y . ?c :age ?z FILTER(?z < 4) } }',
  );
  assert.deepEqual(rows, ['1280000^integer']);
  assert.ok(isLarge(), 'the next large one finds it');
  await ask(SMALL);
  assert.ok(!isLarge());
  nothingIsLeft();
});

for (const query of QUERIES) {
  test(query, async () => {
    const [rows, text] = [await ask(query), await encoded(query)];
    for (let cycle = 0; cycle < 2; cycle++) {
      needMuch();
      const old = threadMemory();
      await ask(SMALL);
      assert.notEqual(threadMemory(), old);
      assert.deepEqual(await ask(query), rows);
      assert.equal(await encoded(query), text);
      nothingIsLeft();
    }
  });
}

test('queries as large as each other share one memory', async () => {
  needMuch();
  const memory = threadMemory();
  for (let cycle = 0; cycle < 3; cycle++) needMuch();
  assert.equal(threadMemory(), memory);
});

test('while an answer is open, nothing is given up', async () => {
  const result = await executeQuery(snapshot, PREFIXES + QUERIES[0]);
  assert.ok(result.kind === 'select');
  const rows = result.rows()[Symbol.asyncIterator]();
  await rows.next();
  needMuch();
  const memory = threadMemory();
  await ask(SMALL);
  assert.equal(threadMemory(), memory);
  let count = 1;
  while (!(await rows.next()).done) count++;
  assert.equal(count, (await ask(QUERIES[0] as string)).length);
  await ask(SMALL);
  assert.notEqual(threadMemory(), memory);
});

test('a memory that nobody uses is given up after a while', () => {
  needMuch();
  assert.ok(isLarge());
  mock.timers.tick(10_000);
  assert.ok(!isLarge());
});

test('many cycles leave no growth, and nothing holds a memory that was given up', async () => {
  const collected = new Set<number>();
  const registry = new FinalizationRegistry<number>((cycle) => collected.add(cycle));
  const watch = (memory: ThreadMemory, cycle: number) => {
    registry.register(memory, cycle);
    registry.register(memory.memory, 1000 + cycle);
  };
  const sizes = new Set<number>();
  for (let cycle = 0; cycle < 20; cycle++) {
    needMuch();
    watch(threadMemory(), cycle);
    for (const query of QUERIES) await ask(query);
    needMuch(1000);
    sizes.add(threadMemoryFigures().grownBytes);
  }
  assert.ok(Math.max(...sizes) <= 64 * MEBIBYTE);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 10 && collected.size < 40; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  // The one before the last may still stand in a register.
  assert.ok(collected.size >= 38, `${collected.size} of 40 are gone`);
});
