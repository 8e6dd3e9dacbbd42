/** The kept list of graphs is what a list made anew says, whatever came and went, and reads only the names that are new. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GraphList } from '../../engine/graphs/list-graphs.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { openStore } from '../../interfaces/library/index.js';
import { EX, onBothStores } from '../service/time-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const EVERYTHING = { from: 0, to: Number.POSITIVE_INFINITY, now: 0 };

onBothStores('after every write the kept list is the list made anew; older snapshots see theirs', async (store) => {
  const kept = new GraphList();
  const graph = (n: number): string => `<${EX}g${n}>`;
  const writes = [
    `INSERT DATA { GRAPH ${graph(5)} { <a:s> <a:p> 1 } GRAPH ${graph(3)} { <a:s> <a:p> 1 } }`,
    'INSERT DATA { <a:s> <a:p> 1 }',
    `CREATE GRAPH ${graph(4)} ; CREATE GRAPH ${graph(9)}`,
    `DROP GRAPH ${graph(3)} ; INSERT DATA { GRAPH ${graph(1)} { <a:s> <a:p> 1 } }`,
    `DELETE DATA { GRAPH ${graph(5)} { <a:s> <a:p> 1 } }`,
    `MOVE ${graph(1)} TO ${graph(7)}`,
    `CREATE GRAPH ${graph(3)}`,
    'DROP NAMED',
    `CREATE GRAPH ${graph(9)}`,
  ];
  const first = store.snapshot();
  const sizes: number[] = [];
  for (const write of writes) {
    await store.update(write);
    const snapshot = store.snapshot();
    const page = kept.page(snapshot.storage, EVERYTHING);
    assert.deepEqual(page, new GraphList().page(snapshot.storage, EVERYTHING), write);
    sizes.push(page.graphs.length - 2);
    assert.equal(kept.page(first.storage, EVERYTHING).graphs.length, 2);
    snapshot.close();
  }
  first.close();
  assert.deepEqual(sizes, [2, 2, 4, 4, 4, 4, 5, 0, 1]);
});

/** Counts the ids that are decoded. */
function counting(snapshot: StorageSnapshot, counted: { ids: number }): StorageSnapshot {
  return new Proxy(snapshot, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'decode') return value.bind(target);
      return (ids: Uint32Array, rows: number) => {
        counted.ids += rows;
        return target.decode(ids, rows);
      };
    },
  });
}

test('a write among thousands of graphs costs the names that it brought', async () => {
  const store = await openStore(folder.fresh());
  const text = Array.from({ length: 3000 }, (_, n) => `<a:s> <a:p> "${n}" <${EX}g${n}> .\n`).join('');
  await store.load({ text: `${text}<a:s> <a:p> <a:o> .`, format: 'nquads' });
  const list = new GraphList();
  const page = () => {
    const snapshot = store.snapshot();
    const counted = { ids: 0 };
    const { graphs } = list.page(counting(snapshot.storage, counted), { from: 0, to: 5, now: 0 });
    snapshot.close();
    return { ids: counted.ids, names: graphs.map(({ iri }) => iri.replace(EX, '')) };
  };
  assert.ok(page().ids >= 3000);
  await store.update('INSERT DATA { <a:s> <a:p> 1 }');
  assert.deepEqual(page(), { ids: 0, names: ['g0', 'g1', 'g10', 'g100', 'g1000'] });
  await store.update(
    `INSERT DATA { GRAPH <${EX}g00> { <a:s> <a:p> 1 } } ; DELETE DATA { GRAPH <${EX}g1> { <a:s> <a:p> "1" } }`,
  );
  await store.update(`DROP GRAPH <${EX}g1>`);
  const { ids, names } = page();
  assert.deepEqual(names, ['g0', 'g00', 'g10', 'g100', 'g1000']);
  assert.ok(ids <= 5, `${ids} names were read`);
  await store.close();
});
