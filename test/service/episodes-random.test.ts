/** Random episodes against a plain account of the specification. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Episode, openStore, type Store } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { EpisodeOracle, linesOf, type OrphanMode } from './episode-oracle.js';

const name = fc.constantFrom('a', 'b', 'my app', 'my_app', 'é', 'ü', 'kota', 'episode_x', 'x');
const node = fc.record(
  {
    name,
    type: fc.constantFrom('Host', 'App', 'skos:Concept'.replace('skos', 'prov')),
    description: fc.constantFrom('', 'd'),
    properties: fc.dictionary(fc.constantFrom('p', 'q r'), fc.constantFrom(1, 2.5, 'x', true, null, ['x', 'y']), {
      maxKeys: 2,
    }),
  },
  { requiredKeys: ['name'] },
);
const episode = fc.record(
  {
    name: fc.constantFrom('x', 'é', 'ü', 'kota'),
    body: fc.constantFrom('one', 'two'),
    source: fc.constantFrom('me', 'you'),
    nodes: fc.uniqueArray(node, { selector: (one) => one.name, maxLength: 4 }),
    edges: fc.array(fc.record({ source: name, target: name, relation: fc.constantFrom('runs_on', 'owl:sameAs') }), {
      maxLength: 3,
    }),
    replaceSnapshot: fc.boolean(),
  },
  { requiredKeys: ['name'] },
);

const retraction = fc.record({
  retract: fc.constantFrom('x', 'é', 'ü', 'kota', 'nobody'),
  mode: fc.constantFrom<OrphanMode>('preserve', 'refuse', 'allow'),
});

type Step = Episode | { readonly retract: string; readonly mode: OrphanMode };

/** Takes the step in both; gives the transaction. */
async function take(store: Store, oracle: EpisodeOracle, step: Step): Promise<number> {
  if (!('retract' in step)) {
    const { outcome, count, danglingNodes, tx } = await store.writeEpisode(step);
    assert.deepEqual({ outcome, count, dangling: danglingNodes }, oracle.write(step));
    return tx;
  }
  const { retract, mode } = step;
  const expected = oracle.retract(retract, mode);
  if (expected === 'refused') {
    await assert.rejects(store.retractEpisode(retract, { onOrphan: mode }), /nothing was changed/);
    return 0;
  }
  const { tx, retracted, statements, orphanCount, orphans, preserved, preservedCount } = await store.retractEpisode(
    retract,
    {
      onOrphan: mode,
    },
  );
  assert.deepEqual({ retracted, orphans: orphanCount }, expected);
  assert.deepEqual([statements.length, orphans.length, preserved.length], [retracted, orphanCount, preservedCount]);
  assert.equal(tx > 0, retracted > 0);
  return tx;
}

test('random episodes leave what a plain account of the specification leaves, at every transaction', async () => {
  const folder = new StoreFolder();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ arbitrary: episode, weight: 3 }, retraction), { minLength: 1, maxLength: 10 }),
      async (steps) => {
        const store = await openStore(folder.fresh());
        try {
          const oracle = new EpisodeOracle();
          const states: [tx: number, lines: string[]][] = [];
          for (const step of steps) {
            const tx = await take(store, oracle, step as Step);
            assert.deepEqual(linesOf(store), oracle.lines());
            if (tx > 0) states.push([tx, oracle.lines()]);
          }
          for (const [tx, lines] of states) assert.deepEqual(linesOf(store, { tx }), lines);
        } finally {
          await store.close();
        }
      },
    ),
    { numRuns: 60 },
  );
});
