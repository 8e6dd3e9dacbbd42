/** What depends on an entity (semantics of reasoning, 10.5): EX-10.4, and random graphs against a walk by the letter of the text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Maintainer } from '../../engine/service/pipeline/maintainers.js';
import { Store } from '../../engine/service/store/store.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { lookInto } from '../../engine/storage/seam/rows.js';
import { type Impact, type ImpactOptions, openStore, type Quad, terms } from '../../interfaces/library/index.js';
import { randomNumbers } from '../storage/scan-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { EX, ex, knot, onBothStores, quad, trace } from './time-support.js';

const folder = new StoreFolder();
const local = (iri: string | null): string => (iri ?? '-').replace(EX, '');
const lines = ({ reached }: Impact): string[] =>
  reached.map(({ iri, depth, viaPredicate, viaSubject }) => {
    return `${depth} ${local(iri)} ${local(viaSubject)} ${local(viaPredicate)}`;
  });

onBothStores('EX-10.4', async (store) => {
  await knot(store, 'ex:pkg ex:inst ex:ct . ex:ct ex:runs ex:svc . ex:svc ex:on ex:host .');
  const asked = (options: ImpactOptions = {}) => store.impact(`${EX}pkg`, options);
  const whole = await asked();
  assert.deepEqual(lines(whole), ['0 pkg - -', '1 ct pkg inst', '2 svc ct runs', '3 host svc on']);
  assert.deepEqual(
    { ...whole, reached: [] },
    {
      root: `${EX}pkg`,
      hops: 5,
      edges: 3,
      reachedCount: 3,
      counterfactual: false,
      rankedByPpr: false,
      reached: [],
      truncated: false,
    },
  );
  const near = await asked({ hops: 2 });
  assert.deepEqual([lines(near).length, near.edges, near.hops], [3, 2, 2], 'host is missing');
  const before = await trace(store);
  const gone = await asked({ remove: true });
  assert.deepEqual(lines(gone), ['0 pkg - -']);
  assert.deepEqual([gone.reachedCount, gone.edges, gone.counterfactual], [0, 0, true]);
  assert.deepEqual([gone.lost?.map(local), gone.lostCount], [['ct', 'host', 'svc'], 3]);
  assert.deepEqual(await trace(store), before, 'nothing is written');
  await knot(store, 'ex:ct ex:name "a container" ; ex:size 3 . ex:pkg ex:note "http://example.org/host" .');
  assert.deepEqual(await asked(), whole, 'a literal changes nothing');
  await knot(store, 'ex:host ex:knows ex:pkg , ex:host .');
  const cyclic = await asked({ hops: 50 });
  assert.deepEqual([lines(cyclic), cyclic.edges], [lines(whole), 5], 'a cycle ends, and its edges count');
});

onBothStores('hops, predicates, order, pages, and what is not there', async (store) => {
  await knot(
    store,
    'ex:r ex:q ex:b ; ex:p ex:c , ex:a ; a ex:T . ex:a ex:p ex:z . ex:b ex:p ex:z , ex:y . ex:g { ex:r ex:p ex:other }',
  );
  const asked = (options: ImpactOptions = {}) => store.impact(`${EX}r`, options);
  assert.deepEqual(lines(await asked({ hops: 0 })), ['0 r - -']);
  assert.equal((await asked({ hops: 0 })).edges, 0);
  const order = ['0 r - -', '1 a r p', '1 c r p', '1 b r q', '1 T r http://www.w3.org/1999/02/22-rdf-syntax-ns#type'];
  assert.deepEqual(lines(await asked({ hops: 1 })), order, 'by predicate, then by value');
  const deep = await asked();
  assert.deepEqual(lines(deep).slice(5), ['2 z a p', '2 y b p'], 'by the way that was found first');
  assert.deepEqual(lines(await asked({ predicates: [`${EX}p`] })), ['0 r - -', '1 a r p', '1 c r p', '2 z a p']);
  const both = await asked({ predicates: [`${EX}q`, `${EX}p`, `${EX}q`] });
  assert.deepEqual(lines(both), [...order.slice(0, 4), '2 z a p', '2 y b p']);
  assert.equal(both.edges, 6, 'a predicate that is named twice counts once');
  assert.deepEqual(await asked({ predicates: [] }), deep);
  assert.deepEqual(lines(await asked({ predicates: [`${EX}never`] })), ['0 r - -']);
  const page = await asked({ limit: 2, offset: 1 });
  assert.deepEqual([lines(page), page.truncated, page.reachedCount], [order.slice(1, 3), true, 6]);
  assert.equal((await asked({ limit: 2, offset: 5 })).truncated, false);
  assert.deepEqual(lines(await store.impact(`${EX}z`)), ['0 z - -'], 'an entity that is a value only');
  await store.retract(`${EX}b`, { allowOrphan: true });
  assert.deepEqual(lines(await store.impact(`${EX}b`)), ['0 b - -'], 'one whose facts are gone');
  for (const nobody of [`${EX}nobody`, `${EX}other`, `${EX}g`]) {
    await assert.rejects(store.impact(nobody), { code: 'not_found_in_store', message: `entity not found: ${nobody}` });
    await assert.rejects(store.impact(nobody, { remove: true }), { message: `entity not found: ${nobody}` });
  }
  await assert.rejects(asked({ hops: -1 }), /hops/);
  await assert.rejects(asked({ hops: 1.5 }), /hops/);
  await assert.rejects(asked({ predicates: ['not an iri'] }), /predicate/);
  await assert.rejects(store.impact('relative'), { code: 'invalid_request' });
});

onBothStores('ranked by PageRank from the entity', async (store) => {
  await knot(store, 'ex:a ex:p ex:b . ex:b ex:p ex:c . ex:x ex:p ex:a .');
  const ranked = await store.impact(`${EX}a`, { rankByPpr: true });
  // The figures of EX-10.1 for seeds [a]; x is not reached, and has no rank.
  const shown = ranked.reached.map(({ iri, ppr = 0 }) => [local(iri), ppr.toFixed(4)]);
  assert.deepEqual(shown, [
    ['a', '0.3887'],
    ['b', '0.3304'],
    ['c', '0.2809'],
  ]);
  assert.equal(ranked.rankedByPpr, true);
  await knot(
    store,
    `ex:b <https://svc.dev/ontology/memberOfCommunity> ex:k . ex:c <https://svc.dev/ontology/pageRank> 0.5 .`,
  );
  const persisted = await store.impact(`${EX}a`, { rankByPpr: true });
  assert.deepEqual(
    persisted.reached.map(({ iri, ppr }) => [local(iri), ppr]).at(-1),
    ['k', 0],
    'persisted results are no edges of it',
  );
  assert.deepEqual(persisted.reached.slice(0, 3), ranked.reached);
  const alone = await store.impact(`${EX}c`, { rankByPpr: true });
  assert.deepEqual(
    alone.reached.map(({ ppr }) => ppr),
    [1],
  );
  await knot(store, 'ex:lone ex:q 1 .');
  assert.deepEqual(
    (await store.impact(`${EX}lone`, { rankByPpr: true })).reached.map(({ ppr }) => ppr),
    [0],
    'it is no node',
  );
  await knot(store, 'ex:h ex:p ex:n3 , ex:n1 , ex:n2 .');
  const even = await store.impact(`${EX}h`, { rankByPpr: true });
  assert.deepEqual(
    even.reached.map(({ iri }) => local(iri)),
    ['h', 'n1', 'n2', 'n3'],
    'what is even is by IRI',
  );
});

/** An owner of the dependants of an entity: what depends on it is watched as long as it does. */
const watching: Maintainer = {
  name: 'watching',
  maintain: (context) => {
    const { stage } = context;
    const [opened, closed]: [Quad[], Quad[]] = [[], []];
    lookInto(stage.snapshot(), (names) => {
      for (const { op, rows, columns } of context.changes.rows()) {
        const [p, o] = [names.decode(columns.p, rows), names.decode(columns.o, rows)];
        for (let row = 0; row < rows; row++) {
          if (p[row]?.value !== `${EX}needs`) continue;
          (op === 'assert' ? opened : closed).push(terms.quad(ex('watch'), ex('sees'), o[row] as Quad['object']));
        }
      }
    });
    context.begin({ source: 'rule:watching' });
    stage.retract(closed);
    stage.assert(opened);
  },
};

test('remove includes what maintenance then withdraws, and a store that is open for reading has it', async () => {
  const path = folder.fresh();
  const store = new Store(await openLmdbEngine(path), { maintainers: [watching] });
  await store.transact({ assert: [quad('a', 'needs', 'b'), quad('a', 'calls', 'watch'), quad('b', 'runs', 'c')] });
  assert.deepEqual(lines(await store.impact(`${EX}watch`)), ['0 watch - -', '1 b watch sees', '2 c b runs']);
  const before = await trace(store);
  // What is lost is told of the walk from the entity itself: without its facts nothing is reached.
  const gone = await store.impact(`${EX}a`, { remove: true });
  assert.deepEqual([lines(gone), gone.lost?.map(local)], [['0 a - -'], ['b', 'c', 'watch']]);
  assert.deepEqual(await trace(store), before);
  await store.close();
  for (const options of [{ readOnly: true }, { writerThread: true }]) {
    const reading = await openStore(path, options);
    const log = reading.transactions();
    assert.deepEqual((await reading.impact(`${EX}b`, { remove: true })).lost?.map(local), ['c']);
    assert.deepEqual(reading.transactions(), log);
    await reading.close();
  }
});

onBothStores('it ends when it is cancelled, when its time is over, and when its memory is', async (store) => {
  const chain = Array.from({ length: 400 }, (_, at) => quad(`n${at}`, 'p', `n${at + 1}`));
  await store.transact({ assert: chain });
  const root = `${EX}n0`;
  await assert.rejects(store.impact(root, { hops: 1000, signal: AbortSignal.abort() }), { code: 'aborted' });
  const deadline = { atMs: 0, timeoutMs: 5, setting: 'search.query_timeout_ms' };
  const late = { code: 'query_timeout', message: /5 ms \(search\.query_timeout_ms\)/ };
  await assert.rejects(store.impact(root, { hops: 1000, deadline }), late);
  await assert.rejects(store.impact(root, { hops: 1000, remove: true, deadline }), late);
  const narrow = { code: 'query_complexity', message: /query\.memory_budget_mb/ };
  await assert.rejects(store.impact(root, { hops: 1000, memoryBytes: 50_000 }), narrow);
  await assert.rejects(store.impact(root, { hops: 1, rankByPpr: true, memoryBytes: 5_000 }), narrow);
  // What ranks are computed in counts besides what the walk holds.
  await assert.rejects(store.impact(root, { hops: 1, rankByPpr: true, memoryBytes: 65_000 }), narrow);
  assert.ok(await store.impact(root, { hops: 1, rankByPpr: true, memoryBytes: 80_000 }));
  assert.equal((await store.impact(root, { hops: 1000, limit: 1 })).reachedCount, 400);
});

/** By the letter: a queue, and each entity's edges in the order of predicate and value. */
function naive(
  facts: readonly (readonly [string, string, string])[],
  root: string,
  hops: number,
  predicates: readonly string[],
) {
  const seen = new Map<string, string>([[root, `0 ${root} - -`]]);
  const queue: [string, number][] = [[root, 0]];
  let edges = 0;
  for (const [subject, depth] of queue) {
    if (depth === hops) continue;
    const own = facts.filter(([s, p]) => s === subject && (predicates.length === 0 || predicates.includes(p)));
    for (const [, p, o] of own.sort((a, b) => (a[1] === b[1] ? (a[2] < b[2] ? -1 : 1) : a[1] < b[1] ? -1 : 1))) {
      edges++;
      if (seen.has(o)) continue;
      seen.set(o, `${depth + 1} ${o} ${subject} ${p}`);
      queue.push([o, depth + 1]);
    }
  }
  return { lines: [...seen.values()], reached: [...seen.keys()], edges };
}

/** PageRank by its definition, over the whole graph. */
function naiveRanks(facts: readonly (readonly [string, string, string])[], root: string): Map<string, number> {
  const nodes = [...new Set(facts.flatMap(([s, , o]) => [s, o]))];
  let ranks = new Map(nodes.map((node) => [node, node === root ? 1 : 0]));
  for (let step = 0; step < 500; step++) {
    const next = new Map(nodes.map((node) => [node, 0]));
    for (const node of nodes) {
      const out = facts.filter(([s]) => s === node);
      const rank = ranks.get(node) as number;
      if (out.length === 0) next.set(root, (next.get(root) as number) + 0.85 * rank);
      for (const [, , o] of out) next.set(o, (next.get(o) as number) + (0.85 * rank) / out.length);
    }
    next.set(root, (next.get(root) as number) + 0.15);
    ranks = next;
  }
  return ranks;
}

const RUNS = Math.ceil(Number(process.env.SVC_PROPERTY_RUNS ?? 20));

test('random graphs: the walk, what is lost and the ranks are those of the text', async () => {
  const next = randomNumbers(104);
  for (let run = 0; run < RUNS; run++) {
    const store = await openStore(run % 3 === 0 ? folder.fresh() : ':memory:');
    const size = 2 + next(9);
    const facts = [
      ...new Map(
        Array.from({ length: next(4 * size) }, () => {
          const fact = [`n${next(size)}`, `p${next(3)}`, `n${next(size)}`] as const;
          return [fact.join(' '), fact] as const;
        }),
      ).values(),
    ];
    // In any order, with others that do not count, and some that are gone.
    const passed = [quad('n0', 'p0', 7), quad('n1', 'p1', 'n0', 'g')];
    const once = [quad('n0', 'p2', 'gone'), quad('gone', 'p0', 'n1')];
    const all = facts.map(([s, p, o]) => quad(s, p, o)).sort(() => next(3) - 1);
    await store.transact({ assert: [...all.slice(0, size), ...passed, ...once] });
    await store.transact({ retract: once, assert: all.slice(size) });
    if (next(2) === 0) await store.fold();
    const root = `n${next(2)}`;
    const hops = next(5);
    const predicates = ['p0', 'p1', 'p2'].filter(() => next(3) === 0);
    const asked = { hops, predicates: predicates.map((name) => `${EX}${name}`) };
    const wanted = naive(facts, root, hops, predicates);
    const found = await store.impact(`${EX}${root}`, asked);
    assert.deepEqual([lines(found), found.edges], [wanted.lines, wanted.edges]);
    const without = naive(
      facts.filter(([s]) => s !== root),
      root,
      hops,
      predicates,
    );
    const lost = wanted.reached.filter((one) => !without.reached.includes(one)).sort();
    const gone = await store.impact(`${EX}${root}`, { ...asked, remove: true });
    assert.deepEqual([lines(gone), gone.lost?.map(local)], [without.lines, lost]);
    const some = facts.filter(([, p]) => predicates.length === 0 || predicates.includes(p));
    const isNode = some.some(([s, , o]) => s === root || o === root);
    const ranks = isNode ? naiveRanks(some, root) : new Map<string, number>();
    const ranked = await store.impact(`${EX}${root}`, { ...asked, rankByPpr: true });
    for (const { iri, ppr = -1 } of ranked.reached) {
      assert.ok(Math.abs(ppr - (ranks.get(local(iri)) ?? 0)) < 1e-5, `${iri} ${ppr}`);
    }
    assert.deepEqual(ranked.reached.map(({ iri }) => local(iri)).sort(), wanted.reached.sort());
    const scores = ranked.reached.map(({ ppr = 0 }) => ppr);
    assert.deepEqual(
      scores.map((one) => one.toFixed(9)),
      [...scores].sort((a, b) => b - a).map((one) => one.toFixed(9)),
    );
    await store.close();
  }
});
