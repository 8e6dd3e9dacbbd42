/** Triple terms in updates, in memory and in a store file: data, templates, the same new node everywhere. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { quadsOf, update } from '../service/update-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();

async function inBoth(work: (store: Store) => Promise<void>): Promise<void> {
  for (const path of [':memory:', folder.fresh()]) {
    const store = await openStore(path);
    try {
      await work(store);
    } finally {
      await store.close();
    }
  }
}

test('triple terms in data and in patterns', () =>
  inBoth(async (store) => {
    await update(store, 'INSERT DATA { :r :states <<( :a :p 1 )>> . :b :p 2 {| :source :s |} }');
    assert.deepEqual(
      quadsOf(store).map((line) => line.replace(/_:d[0-9a-f]{16}/, '_:d').replace(/http:\S+#/, 'rdf:')),
      [':b :p 2', ':r :states <<( :a :p 1 )>>', '_:da0 :source :s', '_:da0 rdf:reifies <<( :b :p 2 )>>'],
    );
    await update(
      store,
      'DELETE { ?r :states ?t } INSERT { ?s ?p ?o } WHERE { ?r :states ?t . ?r :states <<( ?s ?p ?o )>> }',
    );
    assert.ok(quadsOf(store).includes(':a :p 1'));
    assert.ok(!quadsOf(store).some((line) => / :states /.test(line)));
  }));

test('a template makes triple terms of variables, and new nodes inside them', () =>
  inBoth(async (store) => {
    await update(store, 'INSERT DATA { :a :n 1 . :b :n 2 }');
    await update(
      store,
      'INSERT { ?s :about <<( ?s :saw _:x )>> . _:x :seenBy ?s . ?s :direct _:x } WHERE { ?s :n ?v }',
    );
    const lines = quadsOf(store);
    for (const name of [':a', ':b']) {
      const node = lines.find((line) => line.startsWith(`${name} :direct `))?.split(' ')[2] as string;
      assert.match(node, /^_:d[0-9a-f]{16}a\d+$/);
      assert.ok(lines.includes(`${node} :seenBy ${name}`));
      const about = lines.find((line) => line.startsWith(`${name} :about `)) as string;
      assert.ok(about.includes(node), about);
    }
    assert.equal(new Set(lines.flatMap((line) => line.match(/_:\S+/g) ?? [])).size, 2);
    // Stored nodes inside a triple term stay what they are.
    await update(store, 'INSERT { ?s :again <<( ?s :saw ?x )>> } WHERE { ?s :direct ?x }');
    const [before, after] = [' :about ', ' :again '].map((predicate) =>
      quadsOf(store).flatMap((line) => (line.includes(predicate) ? [line.slice(line.indexOf('<<'))] : [])),
    );
    assert.deepEqual(after, before);
  }));
