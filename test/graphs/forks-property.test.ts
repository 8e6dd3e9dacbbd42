/** Promotion against a naive three-way merge of sets, over random histories of ROOT and of a fork, in memory and in a file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openStore, type Quad, type Store, terms } from '../../interfaces/library/index.js';
import { quad } from '../service/time-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const FORK = terms.namedNode('urn:svc:fork:f');
const TRIPLES = Array.from({ length: 8 }, (_, i) => i);

/** Adds or removes some triples, or turns what was added into runs. */
const step = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({ kind: fc.constantFrom('add', 'remove'), triples: fc.subarray(TRIPLES, { minLength: 1 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fold'), triples: fc.constant<number[]>([]) }) },
);
const before = fc.array(step, { maxLength: 4 });
const after = fc.array(fc.tuple(fc.constantFrom('root', 'fork'), step), { maxLength: 8 });

function quadOf(triple: number, isFork: boolean): Quad {
  const one = quad(`s${triple >> 1}`, 'p', triple & 1);
  return isFork ? terms.quad(one.subject, one.predicate, one.object, FORK) : one;
}

async function take(
  store: Store,
  { kind, triples }: { kind: string; triples: number[] },
  model: Set<number>,
  isFork = false,
) {
  if (kind === 'fold') return store.fold();
  for (const one of triples) kind === 'add' ? model.add(one) : model.delete(one);
  const quads = triples.map((one) => quadOf(one, isFork));
  return store.transact(kind === 'add' ? { assert: quads } : { retract: quads });
}

function held(store: Store, isFork: boolean): number[] {
  const snapshot = store.snapshot();
  const found = TRIPLES.filter((one) => snapshot.has(quadOf(one, isFork)));
  snapshot.close();
  return found;
}

const minus = (some: Iterable<number>, others: ReadonlySet<number>) => [...some].filter((one) => !others.has(one));
const sorted = (some: Iterable<number>) => [...some].sort((a, b) => a - b);

async function compare(
  path: string,
  first: readonly { kind: string; triples: number[] }[],
  then: readonly (readonly [string, { kind: string; triples: number[] }])[],
  pick: number,
) {
  const store = await openStore(path);
  try {
    const root = new Set<number>();
    const states = [new Set<number>()];
    for (const one of first) {
      const latest = store.transactions().length;
      await take(store, one, root);
      if (store.transactions().length > latest) states.push(new Set(root));
    }
    const tx = pick % states.length;
    const base = states[tx] as Set<number>;
    const { facts } = await store.createFork({ tx, name: 'f' });
    assert.equal(facts, base.size);
    const fork = new Set(base);
    for (const [side, one] of then) await take(store, one, side === 'root' ? root : fork, side === 'fork');
    assert.deepEqual(held(store, true), sorted(fork));
    const diff = await store.forkDiff('main', 'f');
    assert.deepEqual([diff.added, diff.removed], [minus(fork, root).length, minus(root, fork).length]);
    const [additions, removals] = [minus(fork, base), minus(base, fork)];
    const told = await store.promoteFork('f');
    assert.deepEqual(
      [told.asserted, told.retracted],
      [minus(additions, root).length, removals.filter((one) => root.has(one)).length],
    );
    for (const one of additions) root.add(one);
    for (const one of removals) root.delete(one);
    assert.deepEqual(held(store, false), sorted(root));
    assert.deepEqual(held(store, true), sorted(fork), 'the fork stays as it was');
    if (path !== ':memory:') assert.deepEqual((await store.verify()).problems, []);
  } finally {
    await store.close();
  }
}

for (const [kind, runs] of [
  ['memory', 120],
  ['file', 30],
] as const) {
  test(`a promotion is a three-way merge (${kind})`, () =>
    fc.assert(
      fc.asyncProperty(before, after, fc.nat(), (first, then, pick) =>
        compare(kind === 'memory' ? ':memory:' : folder.fresh(), first, then, pick),
      ),
      { numRuns: runs },
    ));
}
