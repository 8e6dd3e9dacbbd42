/**
 * Merges whose base is a share that this store gave away: the graph as of its transaction. A share of another store that goes
 * back to one of a named graph belongs to that graph.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { differencesOf, mergeKeys, relationOf } from '../../engine/share/three-way.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { bundleOf, EX, PEER, PREFIXES } from './bundle-support.js';

const RUNS = Number(process.env.SVC_MERGE_RUNS ?? 20);
const GRAPH = `${EX}inventory`;
const folder = mkdtempSync(join(tmpdir(), 'svc-base-'));
const policy = join(folder, 'policy.json');
writeFileSync(
  policy,
  '{"version":1,"entries":[{"id":"x","tier":"block","match":"literal","pattern":"never to be told"}]}',
);
after(() => rmSync(folder, { recursive: true, force: true }));

let shares = 0;
async function given(store: Store, graph: string | undefined): Promise<string> {
  const path = join(folder, String(shares++));
  return (await store.shareTo(path, { graph, identifierPolicy: policy, noShapes: true })).shareId;
}

const lineage = (parent: string) => ({ lineage: { store: PEER, anchor_tx: 1, parent_share: parent } });

type Facts = readonly string[];
const name = fc.constantFrom('a', 'b', 'c');
const value = fc.constantFrom('1', '2', '"x y"', '"\\\\u2028"', 'ex:a', '[ ex:v 1 ]');
const fact = fc.tuple(name, fc.constantFrom('p', 'q'), value).map(([s, p, o]) => `ex:${s} ex:${p} ${o} .`);
const facts: fc.Arbitrary<Facts> = fc.uniqueArray(fact, { maxLength: 9 });
const isGround = (one: string) => !one.includes('[');

test('counts and triples are those of plain sets, with blank nodes and without, in ROOT and in a graph', async () => {
  await fc.assert(
    fc.asyncProperty(facts, facts, facts, fc.boolean(), fc.boolean(), async (base, ours, theirs, blank, named) => {
      const of = (some: Facts) => (blank ? some : some.filter(isGround));
      const store = await openStore(':memory:');
      const graph = named ? GRAPH : undefined;
      const load = (some: Facts) =>
        store.load({ text: PREFIXES + of(some).join('\n'), format: 'turtle' }, graph === undefined ? {} : { graph });
      try {
        await store.createGraph(GRAPH).catch(() => undefined);
        await load(base);
        const parent = await given(store, graph);
        // Some facts go and come back: they are those of the base, and of now.
        await store.update(named ? `DELETE WHERE { GRAPH <${GRAPH}> { ?s ?p ?o } }` : 'DELETE WHERE { ?s ?p ?o }');
        await load(ours);
        const share = await bundleOf(of(theirs).join('\n'), lineage(parent));
        const status = await store.shareStatus(share);
        assert.equal(status.base, parent);
        assert.equal(status.graph, named ? GRAPH : 'urn:svc:graph:root');
        const sets = [base, ours, theirs].map((some) => new Set(some.filter(isGround))) as [
          Set<string>,
          Set<string>,
          Set<string>,
        ];
        if (![base, ours, theirs].some((some) => of(some).some((one) => !isGround(one)))) {
          const { counts } = mergeKeys(...sets);
          assert.deepEqual({ ours: status.ours, theirs: status.theirs, would: status.would }, differencesOf(counts));
          assert.equal(status.relation, relationOf(counts, true));
        }
        const merged = await store.mergeShare(share);
        assert.equal(merged.outcome, 'merged');
        if (merged.outcome === 'merged') {
          assert.deepEqual([merged.asserted, merged.retracted], [status.would.assert, status.would.retract]);
        }
        const after = await store.shareStatus(share);
        assert.deepEqual([after.base, after.would], [share.manifest.share_id, { assert: 0, retract: 0 }]);
        assert.equal(after.graph, status.graph, 'what follows a merged share belongs where that went');
      } finally {
        await store.close();
      }
    }),
    { numRuns: 3 * RUNS },
  );
});

test('a share that goes back to one of a named graph is merged into that graph, and leaves ROOT alone', async (t) => {
  const store = await openStore(':memory:');
  t.after(() => store.close());
  await store.load({ text: `${PREFIXES} ex:a ex:p 1, 2 .`, format: 'turtle' }, { graph: GRAPH });
  await store.load({ text: `${PREFIXES} ex:root ex:p 1 .`, format: 'turtle' });
  const first = await given(store, GRAPH);
  const second = await bundleOf('ex:a ex:p 2, 3 .', lineage(first));
  const merged = await store.mergeShare(second);
  assert.deepEqual([merged.outcome, merged.graph], ['merged', GRAPH]);
  const third = await bundleOf('ex:a ex:p 3, 4 .', lineage(second.manifest.share_id));
  const next = await store.mergeShare(third);
  assert.deepEqual([next.base, next.graph], [second.manifest.share_id, GRAPH]);
  const text = async (graph: string) => {
    let all = '';
    for await (const chunk of store.export('ntriples', { graph })) all += Buffer.from(chunk).toString();
    return all.match(/"\d"/g)?.join(' ');
  };
  assert.deepEqual([await text(GRAPH), await text('urn:svc:graph:root')], ['"3" "4"', '"1"']);
});
