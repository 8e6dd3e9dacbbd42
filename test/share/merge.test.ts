/** Status and merge of shares (semantics of graphs, 6.10): the worked examples, all rows of the table, decisions and refusals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type MergedShare,
  type MergeShareResult,
  openStore,
  type Store,
  type UndecidedMerge,
} from '../../interfaces/library/index.js';
import { bundleOf, EX, type MadeBundle, PREFIXES } from './bundle-support.js';

const ROOT = 'urn:svc:graph:root';
const peer = { source: 'peer a' };

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(':memory:');
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

const load = (store: Store, turtle: string) => store.load({ text: PREFIXES + turtle, format: 'turtle' });

async function retract(store: Store, turtle: string): Promise<void> {
  await store.update(`PREFIX ex: <${EX}> DELETE DATA { ${turtle} }`);
}

async function linesOf(store: Store, graph = ROOT): Promise<string[]> {
  let text = '';
  for await (const chunk of store.export('ntriples', { graph })) text += Buffer.from(chunk).toString();
  return text
    .replaceAll(`<${EX}`, 'ex:')
    .replaceAll('^^<http://www.w3.org/2001/XMLSchema#integer>', '')
    .replaceAll(/[>"]/g, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(0, -2))
    .sort();
}

/** The base, as a share that was promoted here. */
async function withBase(store: Store, turtle: string): Promise<MadeBundle> {
  const bundle = await bundleOf(turtle);
  await store.importShare(bundle, peer);
  await store.promoteShare(bundle.manifest.share_id);
  return bundle;
}

const lineage = (parent: MadeBundle | null) => {
  const store = 'urn:svc:store:00000000-0000-4000-8000-00000000000a';
  return { lineage: { store, anchor_tx: 2, parent_share: parent?.manifest.share_id ?? null } };
};

function merged(result: MergeShareResult): MergedShare {
  assert.equal(result.outcome, 'merged');
  return result as MergedShare;
}

function undecided(result: MergeShareResult): UndecidedMerge {
  assert.equal(result.outcome, 'conflicts');
  return result as UndecidedMerge;
}

const figures = ({ asserted, retracted, conflictsResolved }: MergedShare) => [asserted, retracted, conflictsResolved];

const MAX_ONE = `${PREFIXES} ex:Shape a sh:NodeShape ; sh:targetNode ex:a ; sh:property [ sh:path ex:p ; sh:maxCount 1 ] .`;

test('MG-1: what both sides added is united', () =>
  withStore(async (store) => {
    const base = await withBase(store, 'ex:a ex:p 1 .');
    await load(store, 'ex:a ex:q 2 .');
    const theirs = await bundleOf('ex:a ex:p 1 ; ex:r 3 .', lineage(base));
    const status = await store.shareStatus(theirs);
    const { shareId, base: baseId, relation, ours, theirs: changed, would, conflicts, changes } = status;
    assert.deepEqual([shareId, baseId], [theirs.manifest.share_id, base.manifest.share_id]);
    assert.deepEqual(
      [relation, ours, changed, would],
      ['diverged', { added: 1, removed: 0 }, { added: 1, removed: 0 }, { assert: 1, retract: 0 }],
    );
    assert.deepEqual(conflicts, []);
    const integer = 'http://www.w3.org/2001/XMLSchema#integer';
    assert.deepEqual(changes, [{ op: 'assert', triple: `<${EX}a> <${EX}r> "3"^^<${integer}>` }]);
    const before = store.transactions().length;
    const result = merged(await store.mergeShare(theirs, { actor: 'me' }));
    assert.deepEqual(figures(result), [1, 0, 0]);
    assert.deepEqual(await linesOf(store), ['ex:a ex:p 1', 'ex:a ex:q 2', 'ex:a ex:r 3']);
    const transactions = store.transactions();
    assert.equal(transactions.length, before + 1);
    const { id, source, actor } = transactions.at(-1) as (typeof transactions)[number];
    assert.deepEqual([id, source, actor], [result.tx, `merge:${theirs.manifest.share_id}`, 'me']);
    const { events } = await store.events.read({ since: 0, limit: 100, types: ['import.merged'] });
    assert.deepEqual(
      events.map(({ subject, payload }) => [subject, payload]),
      [
        [
          `urn:svc:import:${theirs.manifest.share_id.slice(7)}`,
          {
            share_id: theirs.manifest.share_id,
            base: base.manifest.share_id,
            graph: ROOT,
            asserted: 1,
            retracted: 0,
            conflicts_resolved: 0,
          },
        ],
      ],
    );
  }));

test('MG-2: one value of both sides is a conflict, which is decided', () =>
  withStore(async (store) => {
    const base = await withBase(store, 'ex:a ex:p 1 .');
    await retract(store, 'ex:a ex:p 1');
    await load(store, 'ex:a ex:p 2 .');
    await store.loadShapes('one', MAX_ONE);
    const theirs = await bundleOf('ex:a ex:p 3 .', lineage(base));
    const before = [await linesOf(store), store.transactions().length];
    const { decisions } = undecided(await store.mergeShare(theirs));
    assert.deepEqual([await linesOf(store), store.transactions().length], before);
    const value = (n: number) => `"${n}"^^<http://www.w3.org/2001/XMLSchema#integer>`;
    assert.equal(decisions.share_id, theirs.manifest.share_id);
    assert.equal(decisions.base, base.manifest.share_id);
    assert.deepEqual(
      decisions.decisions.map(({ id: _, ...rest }) => rest),
      [
        {
          subject: `<${EX}a>`,
          predicate: `<${EX}p>`,
          max_count: 1,
          base: [value(1)],
          ours: [value(2)],
          theirs: [value(3)],
          resolution: null,
        },
      ],
    );
    const decided = { ...decisions, decisions: decisions.decisions.map((one) => ({ ...one, resolution: 'theirs' })) };
    const result = merged(await store.mergeShare(theirs, { decisions: JSON.stringify(decided) }));
    assert.deepEqual(figures(result), [1, 1, 1]);
    assert.deepEqual(await linesOf(store), ['ex:a ex:p 3']);
  }));

test('MG-3: what they removed is retracted, and kept where no base is known', async () => {
  await withStore(async (store) => {
    const base = await withBase(store, 'ex:a ex:p 1 .');
    const theirs = await bundleOf('', lineage(base));
    const status = await store.shareStatus(theirs);
    assert.deepEqual([status.relation, status.would], ['behind', { assert: 0, retract: 1 }]);
    assert.deepEqual(
      status.changes.map(({ op }) => op),
      ['retract'],
    );
    assert.deepEqual(figures(merged(await store.mergeShare(theirs))), [0, 1, 0]);
    assert.deepEqual(await linesOf(store), []);
  });
  await withStore(async (store) => {
    await load(store, 'ex:a ex:p 1 .');
    const theirs = await bundleOf('', lineage(null));
    const status = await store.shareStatus(theirs);
    assert.deepEqual([status.base, status.relation, status.would], [null, 'unrelated', { assert: 0, retract: 0 }]);
    const result = merged(await store.mergeShare(theirs));
    assert.deepEqual([result.tx, ...figures(result)], [0, 0, 0, 0]);
    assert.deepEqual(await linesOf(store), ['ex:a ex:p 1']);
  });
});
