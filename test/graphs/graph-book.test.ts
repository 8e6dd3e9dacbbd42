/** The book of the registry: brought up to date it says what one says that is read anew, and it is read again only when it has to be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DATASETS } from '../../engine/query/registry/dataset-rows.js';
import { type GraphBook, GraphBooks } from '../../engine/query/registry/graph-book.js';
import { quadsOfRow, readRow } from '../../engine/query/registry/graph-rows.js';
import { lookInto } from '../../engine/storage/seam/rows.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { openStore, type Store, terms } from '../../interfaces/library/index.js';
import { EX, knot, onBothStores, ROOT } from '../service/time-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import {
  dataset,
  engineOf,
  fork,
  label,
  labelled,
  overlay,
  setLabels,
  setRow,
  writeRegistry,
} from './support/registry-writes.js';

const folder = new StoreFolder();
const NAMES = ['a', 'b', 'c', 'd'].map((name) => EX + name);

/** All that a book says of a few graphs. */
function said(book: GraphBook, snapshot: StorageSnapshot): unknown {
  const named = NAMES.map((iri) => {
    const id = snapshot.encode(terms.namedNode(iri));
    if (id === null) return null;
    const { parentOf, sourceOf, isFrozen, isOverlay, hasRow, labels, isQuarantine } = {
      parentOf: book.parentOf(snapshot, id),
      sourceOf: book.sourceOf(snapshot, id),
      isFrozen: book.isFrozen(snapshot, id),
      isOverlay: book.isOverlay(snapshot, id),
      hasRow: book.hasRow(snapshot, id),
      labels: book.labels(snapshot, id),
      isQuarantine: book.isQuarantine(snapshot, id),
    };
    return [parentOf, sourceOf, isFrozen, isOverlay, hasRow, labels, isQuarantine];
  });
  const lists = [book.frozen(snapshot), book.hidden(snapshot), book.registered(snapshot), book.tombstones(snapshot)];
  const all = [...book.allLabels(snapshot)].sort(([a], [b]) => (a < b ? -1 : 1));
  const members = NAMES.map((name) => book.dataset(snapshot, name)?.ids ?? null);
  return [named, lists, all, members, NAMES.map((_, at) => book.fork(snapshot, `f${at}`)?.status)];
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('label' as const), at: fc.nat(3), freshness: fc.constantFrom('fresh', 'stale') }),
  fc.record({
    kind: fc.constant('dataset' as const),
    at: fc.nat(3),
    members: fc.uniqueArray(fc.nat(3), { minLength: 1 }),
  }),
  fc.record({ kind: fc.constant('undo' as const), at: fc.nat(3) }),
  fc.record({ kind: fc.constant('overlay' as const), at: fc.nat(3) }),
  fc.record({ kind: fc.constant('freeze' as const), at: fc.nat(3), frozen: fc.boolean() }),
  fc.record({ kind: fc.constant('fork' as const), at: fc.nat(3), dropped: fc.boolean() }),
  fc.record({ kind: fc.constant('facts' as const), at: fc.nat(3), count: fc.nat(20) }),
  fc.record({ kind: fc.constant('empty' as const), at: fc.nat(3) }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

async function take(store: Store, one: Step): Promise<void> {
  const iri = NAMES[one.at] as string;
  switch (one.kind) {
    case 'label':
      await label(store, iri, { freshness: one.freshness as 'fresh' });
      return;
    case 'dataset':
      await dataset(
        store,
        iri,
        one.members.map((at) => NAMES[at] as string),
      );
      return;
    case 'undo':
      await writeRegistry(store, (stage, registry) => {
        DATASETS.remove(stage, registry, iri);
        const row = lookInto(stage.snapshot(), (snapshot) => readRow(snapshot, iri));
        if (row !== null) stage.retract(quadsOfRow(row));
      });
      return;
    case 'overlay':
      await overlay(store, iri, ROOT);
      return;
    case 'freeze':
      await writeRegistry(store, (stage) => {
        setRow(stage, iri, { lifecycle: one.frozen ? 'frozen' : null, source: one.frozen ? 'pack' : null });
      });
      return;
    case 'fork':
      await fork(store, `f${one.at}`, one.dropped ? 'dropped' : 'open');
      return;
    case 'facts':
      // More transactions than a book follows, at times.
      for (let at = 0; at < one.count; at++) await store.transact({ assert: [fact(at)] });
      return;
    case 'empty':
      await store.update(`DROP SILENT GRAPH <${EX}plain>; INSERT DATA { GRAPH <${EX}plain> { <${iri}> <${iri}> 1 } }`);
      await store.update(`DELETE WHERE { GRAPH <${EX}plain> { ?s ?p ?o } }`);
      return;
  }
}

const fact = (at: number) => terms.quad(terms.namedNode(`${EX}s${at}`), terms.namedNode(`${EX}p`), terms.literal('x'));

onBothStores('a book that followed the registry says what one says that was read anew', async (store) => {
  // What names stand for does not depend on when their terms came.
  await store.transact({
    assert: NAMES.map((iri) => terms.quad(terms.namedNode(iri), terms.namedNode(iri), terms.namedNode(iri))),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      const books = new GraphBooks();
      const engine = engineOf(store);
      lookInto(engine.snapshot(), (snapshot) => said(books.now(snapshot), snapshot));
      const past: { tx: number; said: unknown }[] = [];
      for (const one of steps) {
        await take(store, one);
        lookInto(engine.snapshot(), (snapshot) => {
          const followed = said(books.now(snapshot), snapshot);
          assert.deepEqual(followed, said(new GraphBooks().now(snapshot), snapshot));
          past.push({ tx: snapshot.tx, said: followed });
        });
      }
      lookInto(engine.snapshot(), (snapshot) => {
        for (const { tx, said: then } of past) {
          const book = books.at(snapshot, { kind: 'asOf', tx });
          assert.deepEqual(JSON.stringify(said(book, snapshot), bigints), JSON.stringify(then, bigints), `as of ${tx}`);
        }
      });
    }),
    { numRuns: 12 },
  );
});

const bigints = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);

onBothStores('only what changes the registry gives it another transaction', async (store) => {
  const catalogTx = () => lookInto(engineOf(store).snapshot(), (snapshot) => snapshot.catalogTx);
  await knot(store, 'ex:s ex:p 1 . ex:g { ex:s ex:p 1 }');
  const before = catalogTx();
  await store.transact({ assert: [fact(1)] });
  await store.update(`INSERT DATA { GRAPH <${EX}h> { <${EX}s> <${EX}p> 2 } }`);
  await knot(store, 'ex:s ex:p 2 .');
  assert.equal(catalogTx(), before);
  const { tx } = await store.update(`DELETE WHERE { GRAPH <${EX}h> { ?s ?p ?o } }`);
  assert.equal(catalogTx(), tx, 'a graph that has lost its last fact has got a row');
  const labelledAt = await label(store, `${EX}g`, { freshness: 'fresh' });
  await store.transact({ assert: [fact(2)] });
  assert.equal(catalogTx(), labelledAt);
  const created = await store.createGraph(`${EX}made`);
  assert.ok(created.created);
  assert.ok(catalogTx() > labelledAt);
});

test('a file keeps it: over another opening, a fold, a load and a large write', async () => {
  const path = folder.fresh();
  let store = await openStore(path);
  await knot(store, 'ex:g { ex:s ex:p 1 }');
  const labelledAt = await label(store, `${EX}g`, { freshness: 'fresh' });
  const catalogTx = () => lookInto(engineOf(store).snapshot(), (snapshot) => snapshot.catalogTx);
  await store.transact({ assert: Array.from({ length: 30_000 }, (_, at) => fact(at)) });
  assert.equal(catalogTx(), labelledAt);
  await store.load({ text: `<${EX}x> <${EX}p> "y" .\n`.repeat(3), format: 'ntriples' });
  await store.fold();
  assert.equal(catalogTx(), labelledAt);
  await store.close();
  store = await openStore(path);
  assert.equal(catalogTx(), labelledAt);
  await store.close();
});

test('graphs that hold facts: the list is the same object while it is the same', async () => {
  const store = await openStore(folder.fresh());
  const listed = () => lookInto(engineOf(store).snapshot(), (snapshot) => snapshot.graphs());
  const names = () =>
    lookInto(engineOf(store).snapshot(), (snapshot) =>
      snapshot
        .graphs()
        .map((id) => snapshot.decode(Uint32Array.from([Number(id & 0xffffffffn), Number(id >> 32n)]), 1)[0]?.value),
    );
  await store.load({ text: `<${EX}b> { <${EX}s> <${EX}p> 1 } <${EX}a> { <${EX}s> <${EX}p> 1 }`, format: 'trig' });
  await store.fold();
  assert.deepEqual(names(), [`${EX}a`, `${EX}b`]);
  const first = listed();
  await store.update(`INSERT DATA { GRAPH <${EX}a> { <${EX}s> <${EX}p> 2 } }`);
  assert.equal(listed(), first);
  await store.update(`INSERT DATA { <${EX}s> <${EX}p> 2 . GRAPH <${EX}aa> { <${EX}s> <${EX}p> 2 } }`);
  assert.deepEqual(names(), [ROOT, `${EX}a`, `${EX}aa`, `${EX}b`]);
  const second = listed();
  await store.update(`INSERT DATA { GRAPH <${EX}b> { <${EX}s> <${EX}p> 3 } }`);
  assert.equal(listed(), second);
  await store.update(`DELETE DATA { GRAPH <${EX}a> { <${EX}s> <${EX}p> 1 . <${EX}s> <${EX}p> 2 } }`);
  assert.deepEqual(
    names().filter((name) => name?.startsWith(EX)),
    [`${EX}aa`, `${EX}b`],
  );
  await store.close();
});

test('books of a stage are those of the stage', async () => {
  const store = await openStore(':memory:');
  const books = new GraphBooks();
  const known = (snapshot: StorageSnapshot) => {
    const id = snapshot.encode(terms.namedNode(`${EX}g`));
    return id === null ? null : books.now(snapshot).labels(snapshot, id);
  };
  lookInto(engineOf(store).snapshot(), (snapshot) => assert.equal(known(snapshot), null));
  await writeRegistry(store, (stage) => {
    setLabels(stage, `${EX}g`, labelled({ freshness: 'fresh' }));
    lookInto(stage.snapshot(), (snapshot) => assert.equal(known(snapshot)?.freshness?.value, 'fresh'));
    lookInto(engineOf(store).snapshot(), (snapshot) => assert.equal(known(snapshot), null));
  });
  lookInto(engineOf(store).snapshot(), (snapshot) => assert.equal(known(snapshot)?.freshness?.value, 'fresh'));
  await store.close();
});
