/** Answers that are left, dropped or too old give up their snapshot and their kernel memory. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadMemoryFigures } from '../../engine/kernels/thread-memory.js';
import { openStore, type SelectAnswer, type Store, SvcError } from '../../interfaces/library/index.js';

const EX = 'http://example.org/';
const ROWS = 6000;
/** Its operators hold a table while it is read. */
const QUERY = `SELECT DISTINCT ?s ?o { ?s <${EX}p> ?o . ?s <${EX}q> ?q } ORDER BY ?o`;

const collect = () => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
};

let store: Store;
let text = '';
before(async () => {
  for (let row = 0; row < ROWS; row++) text += `<${EX}s${row}> <${EX}p> ${row} ; <${EX}q> "${row}" .\n`;
  store = await openStore(':memory:');
  await store.load({ text, format: 'turtle' });
});
after(() => store.close());

async function select(from = store): Promise<SelectAnswer> {
  const answer = await from.query(QUERY);
  assert.ok(answer.kind === 'select');
  return answer;
}

function isFree(from = store): boolean {
  const { liveBytes, keptBytes } = threadMemoryFigures();
  return liveBytes === keptBytes && from.stats().snapshots.open === 0;
}

async function freed(how: string, again: () => void = () => undefined, from = store): Promise<void> {
  for (let round = 0; round < 1000 && !isFree(from); round++) {
    again();
    await sleep(5);
  }
  assert.ok(isFree(from), how);
}

const READERS: Readonly<Record<string, (answer: SelectAnswer) => AsyncIterable<unknown>>> = {
  rows: (answer) => answer.rows(),
  bindings: (answer) => answer.bindings(),
  json: (answer) => answer.encode('json'),
  csv: (answer) => answer.encode('csv'),
  arrow: (answer) => answer.encode('arrow'),
};

for (const [name, read] of Object.entries(READERS)) {
  test(`${name}: left in the loop, returned, closed, or never read`, async () => {
    for await (const _ of read(await select())) break;
    await freed('break');
    const items = read(await select())[Symbol.asyncIterator]();
    await items.next();
    assert.ok(!isFree());
    await items.return?.();
    await freed('return');
    const unread = read(await select())[Symbol.asyncIterator]();
    await unread.return?.();
    const half = await select();
    const left = read(half)[Symbol.asyncIterator]();
    await left.next();
    half.close();
    await freed('close');
    (await select()).close();
    read(await select());
    await freed('not one of them was read', collect);
  });

  test(`${name}: dropped half read`, async () => {
    const begin = async () => {
      const items = read(await select())[Symbol.asyncIterator]();
      await items.next();
    };
    await begin();
    await begin();
    await freed('dropped', collect);
  });

  test(`${name}: of a dropped answer what reads from it goes on`, async () => {
    const items = read(await select())[Symbol.asyncIterator]();
    await items.next();
    for (let round = 0; round < 3; round++) {
      collect();
      await sleep(5);
    }
    let count = 1;
    while (!(await items.next()).done) count++;
    assert.ok(count > 1);
    if (name === 'rows') assert.equal(count, ROWS);
    await freed('read');
  });
}

test('an answer that is older than allowed is given up at once, and says so when it is read on', async (t) => {
  let clockMs = 0;
  t.mock.method(performance, 'now', () => clockMs);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const aged = await openStore(':memory:', { readerAgeMaxMs: 1500 });
  try {
    await aged.load({ text, format: 'turtle' });
    const all: AsyncIterator<unknown>[] = [];
    for (const read of Object.values(READERS)) {
      const items = read(await select(aged))[Symbol.asyncIterator]();
      await items.next();
      all.push(items);
    }
    assert.ok(!isFree());
    clockMs = 1501;
    t.mock.timers.tick(1501);
    await freed('too old', undefined, aged);
    for (const items of all) {
      const readOn = async () => {
        while (!(await items.next()).done);
      };
      await assert.rejects(readOn(), (error) => error instanceof SvcError && error.code === 'snapshot_expired');
    }
  } finally {
    await aged.close();
  }
});
