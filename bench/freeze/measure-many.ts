/**
 * A store with many frozen graphs, in a process of its own: opening it, listing its graphs, and queries that have nothing to do
 * with them.
 */
import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { invariant } from '../../engine/base/errors.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import type { FreezeFigures } from './case.js';

const BASE = 'http://example.org/bench/small/';
const FACTS = 20;
const ROOT_FACTS = 20_000;
/** Of each query and opening; the least counts. */
const REPEATS = 5;
const ROOT_QUERIES = [
  'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }',
  'SELECT (COUNT(*) AS ?n) { ?s <urn:p:1> ?o ; <urn:p:2> ?other }',
];

export interface FreezeManyTask {
  readonly task: 'freeze-many';
  readonly store: string;
  readonly packs: number;
}

export async function measureFreezeMany({ store: path, packs }: FreezeManyTask): Promise<FreezeFigures> {
  const figures: FreezeFigures = {};
  let store = await openStore(path);
  const root = Array.from({ length: ROOT_FACTS }, (_, i) => `<urn:s:${i >> 2}> <urn:p:${i % 4}> ${i} .`);
  await store.load({ text: root.join('\n'), format: 'turtle' });
  for (let pack = 0; pack < packs; pack++) {
    const facts = Array.from({ length: FACTS }, (_, i) => `<urn:t:${pack}:${i}> <urn:p:${i % 4}> ${pack + i} .`);
    await store.load({ text: facts.join('\n'), format: 'turtle' }, { graph: BASE + pack });
  }
  store = await reopen(store, path, figures, 'before');
  await askRoot(store, figures, 'before');
  const begin = performance.now();
  for (let pack = 0; pack < packs; pack++) await store.freezeGraph(BASE + pack);
  figures.freezeEach = (performance.now() - begin) / packs;
  store = await reopen(store, path, figures, 'after');
  await askRoot(store, figures, 'after');
  const archive = await list(store, path, figures, packs, 0);
  figures.firstUse = await timeOf(() => read(store, `SELECT (COUNT(*) AS ?n) FROM <${BASE}0> { ?s ?p ?o }`));
  renameSync(archive, `${archive}.away`);
  await list(store, path, {}, packs, 1);
  renameSync(`${archive}.away`, archive);
  await store.close();
  return figures;
}

/** Closes and opens it, some times; notes the least time of an opening. */
async function reopen(store: Store, path: string, figures: FreezeFigures, when: string): Promise<Store> {
  const times: number[] = [];
  let open = store;
  for (let repeat = 0; repeat <= REPEATS; repeat++) {
    await open.close();
    const begin = performance.now();
    open = await openStore(path);
    times.push(performance.now() - begin);
  }
  figures[`open.${when}`] = Math.min(...times);
  return open;
}

async function askRoot(store: Store, figures: FreezeFigures, when: string): Promise<void> {
  for (const [number, query] of ROOT_QUERIES.entries()) {
    const times: number[] = [];
    for (let repeat = 0; repeat <= REPEATS; repeat++) times.push(await timeOf(() => read(store, query)));
    figures[`root${number + 1}.${when}`] = Math.min(...times);
  }
}

/** Lists the graphs that are frozen, page by page; so many of their files are missing. Returns the file of one. */
async function list(
  store: Store,
  path: string,
  figures: FreezeFigures,
  packs: number,
  missing: number,
): Promise<string> {
  const begin = performance.now();
  let [frozen, faults] = [0, 0];
  let file = '';
  for (let isMore = true; isMore; ) {
    const page = await store.graphs({ lifecycle: 'frozen', offset: frozen });
    for (const { iri, archive } of page.graphs) {
      frozen++;
      if (archive?.error !== null) faults++;
      if (iri === `${BASE}0`) file = join(dirname(path), archive?.path ?? '');
    }
    isMore = page.truncated;
  }
  figures.list = performance.now() - begin;
  invariant(
    frozen === packs && faults === missing,
    `${packs} graphs are frozen, and of ${missing} the file is missing`,
  );
  return file;
}

async function read(store: Store, query: string): Promise<void> {
  for await (const _ of await store.read(query, { format: 'csv' }));
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
