/** Language tags are kept as they were first written in the store, and compared without regard to case. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const DOCUMENT = `<http://e/a> <http://e/p> "colour"@en-GB, "colour"@EN-gb, "Farbe"@DE ;
  <http://e/q> "colour"@en-gb ; <http://e/r> "x"@ar--rtl .`;

async function exported(store: Store): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.export('nquads')) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

async function* streamed(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

async function counted(store: Store, pattern: string): Promise<number> {
  const answer = await store.query(`SELECT * { ${pattern} }`);
  assert.ok(answer.kind === 'select');
  let count = 0;
  for await (const _ of answer.rows()) count++;
  return count;
}

/** How the first document comes in: as a transaction, through the loader, or as an update. */
const WAYS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  small: (store) => store.load({ text: DOCUMENT, format: 'turtle' }),
  bulk: (store) => store.load({ kind: 'bytes', bytes: streamed(DOCUMENT), name: 'doc', format: 'turtle' }),
  update: (store) => store.update(`INSERT DATA { ${DOCUMENT} }`),
};

for (const [way, fill] of Object.entries(WAYS)) {
  for (const kind of ['memory', 'file']) {
    test(`${kind}, ${way}: the first form stays, and all forms are one term`, async () => {
      const store = await openStore(kind === 'memory' ? ':memory:' : folder.fresh());
      try {
        await fill(store);
        const before = await exported(store);
        assert.deepEqual(before.match(/"[^"]*"@[A-Za-z-]+/g)?.sort(), [
          '"Farbe"@DE',
          '"colour"@en-GB',
          '"colour"@en-GB',
          '"x"@ar--rtl',
        ]);
        // What is written later changes nothing, whatever the way.
        await store.load({ text: '<http://e/a> <http://e/p> "colour"@en-gb, "Farbe"@De .', format: 'turtle' });
        await store.update('INSERT DATA { <http://e/a> <http://e/p> "colour"@EN-GB, "Farbe"@dE }');
        assert.equal(await exported(store), before);
        assert.equal(await counted(store, '?s <http://e/q> "colour"@EN-gb'), 1);
        assert.equal(await counted(store, '?s <http://e/p> ?o . ?s <http://e/q> ?o'), 1);
        assert.equal(await counted(store, '?s ?p ?o FILTER(LANG(?o) = "DE")'), 1);
        assert.equal(await counted(store, '?s ?p ?o FILTER(LANG(?o) = "de")'), 0);
        assert.equal(await counted(store, '?s <http://e/p> ?o FILTER LANGMATCHES(LANG(?o), "EN")'), 1);
        assert.equal(await counted(store, '?s <http://e/p> ?o FILTER SAMETERM(?o, "Farbe"@de)'), 1);
        assert.equal(await counted(store, '?s <http://e/p> ?o FILTER(?o = STRLANG("Farbe", "dE"))'), 1);
        const again = await openStore(':memory:');
        await again.load({ text: before, format: 'nquads' });
        assert.equal(await exported(again), before);
        await again.close();
        await store.update('DELETE DATA { <http://e/a> <http://e/p> "Farbe"@de }');
        assert.equal(await counted(store, '?s <http://e/p> ?o'), 1);
      } finally {
        await store.close();
      }
    });
  }
}
