/** Results of algorithms are computed before their write has its turn, and again within it where the graph has changed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANYONE } from '../../../engine/base/principal.js';
import { type Quad, terms } from '../../../engine/rdf/terms.js';
import { Pace } from '../../../engine/reason/graph/pace.js';
import { WritePipeline } from '../../../engine/service/pipeline/pipeline.js';
import type { TransactionReceipt } from '../../../engine/service/pipeline/write-control.js';
import { hasChanged, persistAlgorithm } from '../../../engine/service/writes/persist-algorithm.js';
import { LocalWrites } from '../../../engine/service/writes/writes.js';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import { lookInto, patternOf, ROOT_ONLY, readRows } from '../../../engine/storage/seam/rows.js';
import { CURRENT } from '../../../engine/storage/seam/scan.js';
import { EX, onBothStores, quad, ROOT } from '../../service/time-support.js';
import { contextOf, onlyAda } from '../../service/write-support.js';
import { StoreFolder } from '../../storage/support/store-folder.js';

const folder = new StoreFolder();

function onBothEngines(name: string, work: (engine: StorageEngine) => Promise<void>): void {
  for (const kind of ['memory', 'file']) {
    test(`${name} (${kind})`, async () => {
      const engine =
        kind === 'memory'
          ? openMemoryEngine()
          : await openLmdbEngine(folder.fresh(), { readOnly: false, create: true, baseNamespace: undefined });
      try {
        await work(engine);
      } finally {
        await engine.close();
      }
    });
  }
}

/** Does something else before the next transaction. */
class InterruptedPipeline extends WritePipeline {
  between: (() => Promise<void>) | null = null;

  override async transact<Result>(
    ...args: Parameters<typeof WritePipeline.prototype.transact<Result>>
  ): Promise<TransactionReceipt<Result>> {
    const { between } = this;
    this.between = null;
    await between?.();
    return super.transact(...args);
  }
}

/** How many nodes have a rank in ROOT. */
function ranked(engine: StorageEngine): number {
  return lookInto(engine.snapshot(), (snapshot) => {
    const p = snapshot.encode(terms.namedNode('https://svc.dev/ontology/pageRank'));
    if (p === null) return 0;
    let count = 0;
    const request = { graphs: ROOT_ONLY, pattern: patternOf({ p }), time: CURRENT, columns: ['s'] } as const;
    for (const batch of readRows(snapshot, request)) count += batch.rows;
    return count;
  });
}

onBothStores('other writes go first while an algorithm computes', async (store) => {
  const edges = Array.from({ length: 20_000 }, (_, at) => quad(`n${at % 2000}`, 'p', `n${(at * 7919) % 2000}`));
  await store.load({ quads: edges });
  await store.transact({ assert: [quad('a', 'q', 1)] });
  const persisting = store.persistAlgorithm({ algorithm: 'pagerank' });
  const other = await store.transact({ assert: [quad('x', 'p', 'y')] });
  const persisted = await persisting;
  assert.ok(other.tx < persisted.tx, 'it did not wait');
  // What was written meanwhile has its rank, too.
  const stats = await store.project();
  assert.ok('nodes' in stats);
  assert.equal(persisted.persisted, stats.nodes);
  assert.equal(await store.ask(`ASK { <${EX}x> <https://svc.dev/ontology/pageRank> ?rank }`), true);
});

for (const [graph, isAgain] of [
  [undefined, true],
  ['other', false],
] as const) {
  onBothEngines(`a write to ${graph ?? 'the same'} graph comes between`, async (engine) => {
    const pipeline = new InterruptedPipeline(engine);
    const write = (quads: readonly Quad[]) => pipeline.transact((stage) => stage.assert(quads), { source: 'test' });
    await write([quad('a', 'p', 'b'), quad('a', 'p', 'b', 'other')]);
    const before = lookInto(engine.snapshot(), ({ tx, catalogTx }) => ({ tx, catalogTx }));
    pipeline.between = async () => {
      await write([quad('b', 'p', 'c', graph)]);
      const changed = lookInto(engine.snapshot(), (now) => hasChanged(now, before, ROOT, new Pace({})));
      assert.equal(changed, isAgain);
    };
    const { persisted } = await persistAlgorithm.run(contextOf(engine, pipeline), { algorithm: 'pagerank' }, {});
    assert.equal(pipeline.between, null);
    assert.equal(persisted, isAgain ? 3 : 2);
    assert.equal(ranked(engine), persisted);
  });
}

onBothEngines('a refusal by authority costs no work, and tells nothing of the store', async (engine) => {
  const place = new LocalWrites(engine, { authority: onlyAda });
  const call = {
    name: 'persistAlgorithm',
    what: 'the projection',
    request: { algorithm: 'pagerank', graph: `${EX}unknown` },
    options: {},
    documents: [],
    principal: ANYONE,
    control: {},
  };
  await assert.rejects(place.run(call), { code: 'authority_denied' });
  await place.idle();
});
