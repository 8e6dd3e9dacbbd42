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

test('without a base both sets are united, and what is ours stays', () =>
  withStore(async (store) => {
    await load(store, 'ex:a ex:p 1 ; ex:q 2 .');
    const theirs = await bundleOf('ex:a ex:p 1 ; ex:r 3 .', lineage(null));
    const status = await store.shareStatus(theirs);
    assert.deepEqual([status.relation, status.base, status.would], ['unrelated', null, { assert: 1, retract: 0 }]);
    assert.deepEqual(figures(merged(await store.mergeShare(theirs))), [1, 0, 0]);
    assert.deepEqual(await linesOf(store), ['ex:a ex:p 1', 'ex:a ex:q 2', 'ex:a ex:r 3']);
  }));

test('what was removed here stays removed, and comes with no later share either', () =>
  withStore(async (store) => {
    const base = await withBase(store, 'ex:a ex:p 1, 2 .');
    await retract(store, 'ex:a ex:p 1');
    const next = await bundleOf('ex:a ex:p 1, 2, 3 .', lineage(base));
    assert.deepEqual(figures(merged(await store.mergeShare(next))), [1, 0, 0]);
    assert.deepEqual(await linesOf(store), ['ex:a ex:p 2', 'ex:a ex:p 3']);
    const last = await bundleOf('ex:a ex:p 1, 3, 4 .', lineage(next));
    assert.equal((await store.shareStatus(last)).base, next.manifest.share_id);
    assert.deepEqual(figures(merged(await store.mergeShare(last))), [1, 1, 0]);
    assert.deepEqual(await linesOf(store), ['ex:a ex:p 3', 'ex:a ex:p 4']);
  }));

test('the base is found through a share that was imported and not promoted, two parents up', () =>
  withStore(async (store) => {
    const first = await withBase(store, 'ex:a ex:p 1 .');
    const second = await bundleOf('ex:a ex:p 1, 2 .', lineage(first));
    await store.importShare(second, peer);
    const third = await bundleOf('ex:a ex:p 2, 3 .', lineage(second));
    const status = await store.shareStatus(third);
    assert.deepEqual([status.base, status.relation], [first.manifest.share_id, 'behind']);
    assert.deepEqual(figures(merged(await store.mergeShare(third))), [2, 1, 0]);
    assert.deepEqual(await linesOf(store), ['ex:a ex:p 2', 'ex:a ex:p 3']);
    // One that nobody here knows ends the search.
    const unknown = await bundleOf('ex:a ex:p 9 .', lineage(null));
    const stray = await bundleOf('ex:a ex:p 4 .', lineage(unknown));
    assert.equal((await store.shareStatus(stray)).base, null);
  }));

test('a chain of merges longer than differences are put together', () =>
  withStore(async (store) => {
    let last = await bundleOf('ex:a ex:n 0 ; ex:has [ ex:v 0 ] .', lineage(null));
    await store.mergeShare(last);
    for (let n = 1; n <= 20; n++) {
      const next = await bundleOf(`ex:a ex:n ${n} ; ex:has [ ex:v ${n} ] .`, lineage(last));
      assert.deepEqual(figures(merged(await store.mergeShare(next))), [2, 2, 0]);
      last = next;
    }
    assert.equal((await linesOf(store)).length, 3);
    assert.equal((await store.shareStatus(last)).relation, 'identical');
  }));

test('language tags that differ in case are one', () =>
  withStore(async (store) => {
    await load(store, 'ex:a ex:p "x"@EN .');
    const status = await store.shareStatus(await bundleOf('ex:a ex:p "x"@en .', lineage(null)));
    assert.equal(status.relation, 'identical');
  }));

test('the same change on both sides is no conflict, and neither is what was too much before', () =>
  withStore(async (store) => {
    const base = await withBase(store, 'ex:a ex:p 1 .');
    await retract(store, 'ex:a ex:p 1');
    await load(store, 'ex:a ex:p 3 .');
    await store.loadShapes('one', MAX_ONE);
    const same = await bundleOf('ex:a ex:p 3 .', lineage(base));
    assert.equal((await store.shareStatus(same)).relation, 'identical');
    assert.deepEqual(figures(merged(await store.mergeShare(same))), [0, 0, 0]);
    await store.removeShapes('one');
    await load(store, 'ex:a ex:p 4 .');
    await store.loadShapes('one', MAX_ONE);
    const more = await bundleOf('ex:a ex:p 3, 5 .', lineage(same));
    assert.deepEqual((await store.shareStatus(more)).conflicts, []);
  }));

async function conflict(work: (store: Store, theirs: MadeBundle, decide: Decide) => Promise<void>): Promise<void> {
  await withStore(async (store) => {
    const base = await withBase(store, 'ex:a ex:p 1 .');
    await retract(store, 'ex:a ex:p 1');
    await load(store, 'ex:a ex:p 2 .');
    await store.loadShapes('one', MAX_ONE);
    const theirs = await bundleOf('ex:a ex:p 3 ; ex:q 4 .', lineage(base));
    const { decisions } = undecided(await store.mergeShare(theirs));
    await work(store, theirs, (resolution, more = {}) => {
      const decided = { ...decisions, decisions: decisions.decisions.map((one) => ({ ...one, resolution })), ...more };
      return store.mergeShare(theirs, { decisions: JSON.stringify(decided) });
    });
  });
}
type Decide = (resolution: unknown, more?: object) => Promise<MergeShareResult>;

test('decisions: ours, base, values', async () => {
  const integer = '^^<http://www.w3.org/2001/XMLSchema#integer>';
  const cases: readonly [unknown, string[]][] = [
    ['ours', ['ex:a ex:p 2', 'ex:a ex:q 4']],
    ['theirs', ['ex:a ex:p 3', 'ex:a ex:q 4']],
    ['base', ['ex:a ex:p 1', 'ex:a ex:q 4']],
    [{ values: [`"7"${integer}`] }, ['ex:a ex:p 7', 'ex:a ex:q 4']],
    [{ values: [] }, ['ex:a ex:q 4']],
  ];
  for (const [resolution, expected] of cases) {
    await conflict(async (store, theirs, decide) => {
      assert.equal(merged(await decide(resolution)).conflictsResolved, 1);
      assert.deepEqual(await linesOf(store), expected);
      assert.deepEqual((await store.shareStatus(theirs)).would, { assert: 0, retract: 0 });
    });
  }
});

test('decisions that can not be taken are refused, and nothing is written', () =>
  conflict(async (store, theirs, decide) => {
    const before = [await linesOf(store), store.transactions().length];
    const refused = async (what: RegExp, given: Promise<MergeShareResult>) => {
      await assert.rejects(given, (error: { readonly code: string; readonly message: string }) => {
        assert.equal(error.code, 'usage');
        assert.match(error.message, what);
        return true;
      });
      assert.deepEqual([await linesOf(store), store.transactions().length], before);
    };
    const other = `sha256:${'1'.repeat(64)}`;
    await refused(/decisions\[0\] is not decided/, decide(null));
    await refused(/resolution is "mine"; expected "ours"/, decide('mine'));
    await refused(/has 2 values; at most 1/, decide({ values: ['"1"', '"2"'] }));
    await refused(/is not a canonical N-Triples term/, decide({ values: ['seven'] }));
    await refused(/the blank node _:x is no value/, decide({ values: ['_:x'] }));
    await refused(/they are for the share "sha256:1111/, decide('ours', { share_id: other }));
    await refused(/is not decided/, decide('ours', { decisions: [] }));
    await refused(/there is no conflict 0123/, decide('ours', { decisions: [{ id: '0123', resolution: 'ours' }] }));
    await refused(/'decisions' is/, decide('ours', { decisions: 1 }));
    await assert.rejects(store.mergeShare(theirs, { decisions: '{' }), /decisions/);
  }));

test('a gate that refuses the merge leaves nothing of it', () =>
  withStore(async (store) => {
    const base = await withBase(store, 'ex:a ex:p 1 .');
    await store.loadShapes(
      'kind',
      `${PREFIXES} ex:Shape a sh:NodeShape ; sh:targetNode ex:a ; sh:property [ sh:path ex:q ; sh:datatype xsd:string ] .`,
    );
    const theirs = await bundleOf('ex:a ex:p 1 ; ex:q 4 .', lineage(base));
    const before = [await linesOf(store), store.transactions().length];
    await assert.rejects(store.mergeShare(theirs), { code: 'refused_shacl' });
    assert.deepEqual([await linesOf(store), store.transactions().length], before);
    assert.equal((await store.shareStatus(theirs)).base, base.manifest.share_id);
  }));

test('a bundle that is not what it says is neither compared nor merged', () =>
  withStore(async (store) => {
    const good = await bundleOf('ex:a ex:p 1 .', lineage(null));
    const bad = { ...good, exportNTriples: good.exportNTriples.replace('"1"', '"2"') };
    await assert.rejects(store.shareStatus(bad), { code: 'invalid_request' });
    await assert.rejects(store.mergeShare(bad), { code: 'invalid_request' });
    assert.equal(store.transactions().length, 0);
  }));

test('what merges keep is no graph that anybody sees', () =>
  withStore(async (store) => {
    const first = await bundleOf('ex:a ex:p 1 .', lineage(null));
    await store.mergeShare(first);
    const graphs = (await store.graphs()).graphs.map(({ iri }) => iri);
    assert.deepEqual(
      graphs.filter((iri) => iri.includes('kept')),
      [],
    );
    const { events } = await store.events.read({ since: 0, limit: 100 });
    assert.ok(!JSON.stringify(events).includes('urn:svc:graph:kept'));
    const kept = `urn:svc:graph:kept:share:${first.manifest.share_id.slice(7)}:added`;
    await assert.rejects(store.load({ text: `<${EX}x> <${EX}y> 1 .`, format: 'turtle' }, { graph: kept }));
    await assert.rejects(store.update(`INSERT DATA { GRAPH <${kept}> { <${EX}x> <${EX}y> 1 } }`));
  }));
