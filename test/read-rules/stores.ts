/** Stores with histories of `histories.ts`: two that differ in what is hidden, and one that holds nothing else. */

import { type OpenOptions, openStore, type Quad, type Store, terms } from '../../interfaces/library/index.js';
import {
  EX,
  type Hidden,
  hideMore,
  newest,
  RULES_OF_REASON,
  random,
  reach,
  sharedTerms,
  useEveryKind,
  V,
  visibleSteps,
} from './histories.js';

/** Transactions of graphs that may be read. */
const STEPS = 8;

export const RULES = {
  'by name': [{ principal: 'anonymous', graphs: [V.one, V.two, V.over, V.cover] }],
  'ROOT as well': [
    { principal: 'everyone', graphs: ['ROOT'] },
    { principal: 'anonymous', graphs: [V.one, V.two, V.over, V.cover] },
  ],
  'by pattern': [{ principal: 'everyone', graphs: [`${EX}open/*`] }],
  'but for some': [{ principal: 'everyone', graphs: ['*'], except: [`${EX}aa*`, `${EX}bb*`, 'ROOT'] }],
} as const;

async function writeOverlay(store: Store, timestamp: string): Promise<void> {
  await store.createOverlay(V.over, { parent: V.one, timestamp });
  const triple = { subject: `${EX}n1`, predicate: `${EX}p0`, object: 'over' };
  await store.writeOverlay(V.over, { op: 'assert', ...triple }, { timestamp });
}

/** Two stores that look alike to who may not read what is hidden. */
export async function pair(
  seed: number,
  root: boolean,
  paths: readonly [string, string],
  options: OpenOptions = {},
): Promise<[Store, Store]> {
  const steps = visibleSteps(random(seed), STEPS, root);
  const stores = [await openStore(paths[0], options), await openStore(paths[1], options)] as const;
  const hidden: readonly Hidden[] = ['aa', 'bb'].map((word, at) => ({
    word,
    pick: random(seed * 31 + at),
    root: !root,
  }));
  const both = async (work: (store: Store) => Promise<unknown>): Promise<void> => {
    for (const store of stores) await work(store);
  };
  const hide = async (): Promise<void> => {
    for (const [at, store] of stores.entries()) await hideMore(store, hidden[at] as Hidden);
    const most = Math.max(...stores.map(newest));
    for (const [at, store] of stores.entries()) await reach(store, most, hidden[at] as Hidden);
  };
  const timestamp = '2020-06-01T00:00:00Z';
  await both((store) => store.transact({ assert: sharedTerms() }, { timestamp }));
  await both((store) => useEveryKind(store, timestamp));
  for (const [at, store] of stores.entries()) await reach(store, 2, hidden[at] as Hidden);
  // An overlay over what may be read, and one over what may not.
  await both((store) => store.transact({ assert: steps[0]?.assert ?? [] }, { timestamp }));
  await hide();
  await both((store) => writeOverlay(store, timestamp));
  for (const [at, store] of stores.entries()) {
    const word = (hidden[at] as Hidden).word;
    await store.createGraph(`${EX}${word}/base`, { timestamp });
    await store.createOverlay(V.cover, { parent: `${EX}${word}/base`, timestamp });
    await store.writeOverlay(
      V.cover,
      { op: 'assert', subject: `${EX}n1`, predicate: `${EX}p0`, object: word },
      { timestamp },
    );
  }
  for (const { assert: asserted, retract, timestamp: at } of steps) {
    await both((store) =>
      store.transact({ assert: asserted, retract }, { timestamp: at, actor: 'me', source: 'test' }),
    );
    await hide();
  }
  await both((store) => reasonOver(store, timestamp));
  if (paths[0] !== ':memory:') {
    // In one of them a graph that is hidden lies in a file of its own, which reads as of a transaction mind.
    await stores[0].transact({ assert: steps[0]?.assert.map((quad) => inGraph(quad, `${EX}aa/frozen`)) ?? [] });
    await stores[0].freezeGraph(`${EX}aa/frozen`);
  }
  const most = Math.max(...stores.map(newest));
  for (const [at, store] of stores.entries()) await reach(store, most, hidden[at] as Hidden);
  return [...stores];
}

async function reasonOver(store: Store, timestamp: string): Promise<void> {
  await store.reason({ rules: RULES_OF_REASON, prefix: EX, graph: V.one }, { timestamp });
}

function inGraph({ subject, predicate, object }: Quad, graph: string): Quad {
  return terms.quad(subject, predicate, object, terms.namedNode(graph));
}

/** The same without what is hidden. */
export async function alone(seed: number, root: boolean, path: string, options: OpenOptions = {}): Promise<Store> {
  const store = await openStore(path, options);
  const timestamp = '2020-06-01T00:00:00Z';
  const steps = visibleSteps(random(seed), STEPS, root);
  for (const iri of [V.one, V.two]) await store.createGraph(iri, { timestamp });
  await store.transact({ assert: steps[0]?.assert ?? [] }, { timestamp });
  await writeOverlay(store, timestamp);
  for (const { assert: asserted, retract, timestamp: at } of steps) {
    await store.transact({ assert: asserted, retract }, { timestamp: at, actor: 'me', source: 'test' });
  }
  await reasonOver(store, timestamp);
  return store;
}

/** Where two texts part. */
export function difference(one: string, other: string): string {
  const parting = [...one].findIndex((letter, at) => letter !== other[at]);
  const around = (text: string) => text.slice(Math.max(0, parting - 150), parting + 150);
  return `${around(one)} <> ${around(other)}`;
}

/** What differs from one store to the next: their ids, hashes with the time of an export in them, and when an event was told. */
export function steady(text: string): string {
  return (
    text
      .replaceAll(/(?:sha256|v1):[0-9a-f]{64}|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '#')
      .replaceAll(/"(?:created|created_at|exported_at)":"[^"]*"/g, '#')
      .replaceAll(/"ts":"[^"]*"/g, '"ts":"#"')
      // Places in the event log, which has the events of hidden graphs, too.
      .replaceAll(/"(offset|next_offset|lag)":\d+/g, '"$1":0')
  );
}
