/** The event log against a plain derivation from the rows: random writes of every kind, and transactions of many rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Quad, type Store, terms } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { byTransaction, grouped } from './events-grouped.js';
import { DERIVED, naiveEvents } from './events-naive.js';
import { allEvents } from './events-support.js';
import { EX, ex, knot, quad } from './time-support.js';

const folder = new StoreFolder();
const TYPE = terms.namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type');

function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomQuad(random: (below: number) => number): Quad {
  const graph = ['', '', 'g', 'h'][random(4)] as string;
  const name = (): string => `n${random(8)}`;
  const kind = random(4);
  const [s, g] = [ex(name()), graph === '' ? terms.defaultGraph() : ex(graph)];
  if (kind === 0) return terms.quad(s, TYPE, ex(`C${random(4)}`), g);
  if (kind === 1) return quad(name(), `p${random(3)}`, random(3), graph === '' ? undefined : graph);
  const object = random(5) === 0 ? terms.blankNode(`b${random(3)}`) : ex(name());
  return terms.quad(s, ex(`r${random(3)}`), object, g);
}

async function randomWrite(store: Store, random: (below: number) => number): Promise<void> {
  const quads = (most: number): Quad[] => Array.from({ length: random(most) }, () => randomQuad(random));
  const turtle = () => `ex:n${random(8)} ex:r${random(3)} ex:n${random(8)} ; a ex:C${random(5)} .`;
  switch (random(7)) {
    case 0:
      await knot(store, `${turtle()} ${turtle()}`);
      return;
    case 1:
      await knot(store, turtle(), { snapshotKey: `k${random(2)}`, replaceSnapshot: true });
      return;
    case 2:
      await store.update(
        `DELETE { ?s ?p ?o } INSERT { GRAPH <${EX}u> { ?s ?p ?o } } WHERE { ?s ?p ?o . FILTER(?s = <${EX}n${random(8)}>) }`,
      );
      return;
    case 3:
      await store.update(`CLEAR SILENT GRAPH <${EX}${['g', 'h', 'u'][random(3)]}>`);
      return;
    case 4:
      await store.load({ quads: quads(12) });
      return;
    default:
      await store.transact({ assert: quads(12), retract: quads(8) }, { recordEmpty: random(5) === 0 });
  }
}

for (const kind of ['memory', 'file']) {
  test(`events of random writes are those of the rows (${kind})`, async () => {
    for (let run = 0; run < 6; run++) {
      const seed = Date.now() + run;
      const random = randomNumbers(seed);
      const path = kind === 'memory' ? ':memory:' : folder.fresh();
      let store = await openStore(path);
      for (let step = 0; step < 30; step++) {
        await randomWrite(store, random);
        if (kind === 'file' && random(10) === 0) await store.fold();
        if (kind === 'file' && random(12) === 0) {
          await store.close();
          store = await openStore(path);
        }
      }
      const events = await allEvents(store);
      assert.deepEqual(byTransaction(grouped(events)), byTransaction(naiveEvents(store)), `seed ${seed}`);
      assert.deepEqual(await allEvents(store, 1 + random(9)), events, `pages, seed ${seed}`);
      const type = DERIVED[random(DERIVED.length)] as string;
      const some = events.filter((event) => event.type === type);
      assert.deepEqual(await allEvents(store, 1 + random(9), [type]), some, `${type}, seed ${seed}`);
      assert.deepEqual((await store.verify()).problems, []);
      await store.close();
    }
  });
}

test('a load, and an update, of more rows than are read as a whole: events in pages, from anywhere', async () => {
  const store = await openStore(folder.fresh());
  const count = 23_000;
  const quads = function* (): Generator<Quad> {
    for (let at = 0; at < count; at++) {
      const s = ex(`n${at}`);
      const graph = at % 7 === 0 ? ex('g') : terms.defaultGraph();
      yield terms.quad(s, TYPE, ex(`C${at % 300}`), graph);
      yield terms.quad(s, ex(`r${at % 3}`), ex(`n${(at * 31) % count}`), graph);
      yield quad(`n${at}`, 'p', at);
    }
  };
  await store.transact({ assert: [quad('n5', 'r1', 'n7'), terms.quad(ex('n1'), TYPE, ex('C7'))] });
  await store.load({ quads: quads() });
  await store.update(`DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }`);
  const events = await allEvents(store);
  assert.ok(events.length > 4 * count);
  assert.deepEqual(byTransaction(grouped(events)), byTransaction(naiveEvents(store)));
  assert.deepEqual(await allEvents(store, 997), events);
  const added = events.filter(({ type }) => type === 'entity.added');
  assert.deepEqual(await allEvents(store, 3001, ['entity.added']), added);
  for (const since of [count, 3 * count, 2 * count]) {
    assert.deepEqual((await store.events.read({ since, limit: 20 })).events, events.slice(since, since + 20));
  }
  await store.close();
});
