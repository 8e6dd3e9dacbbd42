/**
 * Thaws a graph: puts the rows of its pack back into the store (semantics of graphs, 4.5). The pack is read through and
 * compared with what was verified when the graph was frozen, and its transactions with those of the log; then one
 * transaction restores the rows with their times and says that the graph is the store's again, unless something has happened
 * to the file meanwhile. The file stays.
 */

import { SvcError } from '../../base/errors.js';
import { archiveFile } from '../../graphs/archives.js';
import { FREEZES, type FreezeRow } from '../../query/registry/freeze-rows.js';
import { type FileMark, markOf } from '../../storage/lmdb/file-mark.js';
import type { StorageEngine, TransactionOptions } from '../../storage/seam/engine.js';
import { lookInto } from '../../storage/seam/rows.js';
import { showInstant } from '../options/store-options.js';
import { checkThawable } from './freezable.js';
import { type ArchiveOutcome, type ArchiveWork, outcomeOf, stepper } from './freeze.js';
import { assertUntouched } from './untouched.js';

/** Transactions of the log that are compared at a time. */
const TRANSACTIONS_AT_ONCE = 1024;

export async function thawGraph(
  { engine, write, control }: ArchiveWork,
  { graph }: { readonly graph: string },
  given: TransactionOptions,
): Promise<ArchiveOutcome> {
  const step = stepper('thaw', control);
  const freeze = lookInto(engine.snapshot(), (snapshot) => checkThawable(snapshot, graph));
  const { path, mark } = await checkPack(engine, freeze, control);
  step('compared');
  const { tx, timestamp } = await write(
    (stage, registry, events) => {
      events.onlyOwn();
      assertUntouched(path, mark);
      stage.restore(path);
      lookInto(stage.snapshot(), (snapshot) => registry.revise(snapshot, graph, { lifecycle: null, source: null }));
      const row: FreezeRow = { ...freeze, state: 'thawed', thawedAt: showInstant(stage.timestamp), thawTx: stage.tx };
      FREEZES.store(stage, registry, row);
      const { contentHash, facts } = freeze;
      const payload = { graph, tx: stage.tx, content_hash: contentHash, facts };
      events.add({ type: 'graph.thawed', subject: graph, payload });
    },
    { ...given, source: `thaw:${graph}` },
  );
  step('thawed');
  return { ...outcomeOf(engine, freeze), lifecycle: null, tx, timestamp: showInstant(timestamp) };
}

/** The file, when it is what was frozen. */
async function checkPack(
  engine: StorageEngine,
  freeze: FreezeRow,
  control: ArchiveWork['control'],
): Promise<{ readonly path: string; readonly mark: FileMark | null }> {
  const { graph, contentHash } = freeze;
  try {
    const path = archiveFile(engine.path, freeze);
    const mark = markOf(path);
    const { manifest, content } = await engine.packs.read(path, control);
    if (content.contentHash !== contentHash) throw new Error(`${path} has other contents than those that were frozen`);
    if (manifest.graph !== graph) throw new Error(`${path} holds the graph <${manifest.graph}>`);
    if (manifest.store_id !== engine.packs.storeId()) throw new Error(`${path} was written by another store`);
    compareTransactions(engine, path);
    return { path, mark };
  } catch (error) {
    if (error instanceof SvcError && (error.code === 'aborted' || error.code === 'query_timeout')) throw error;
    throw new SvcError('state_conflict', `the graph <${graph}> stays frozen: ${(error as Error).message}`, {
      hint: 'put the archive back from a copy, and thaw again',
      cause: error,
    });
  }
}

function compareTransactions(engine: StorageEngine, path: string): void {
  const packed = engine.packs.transactions(path);
  for (let from = 0; from < packed.length; ) {
    const since = (packed[from] as { readonly id: number }).id - 1;
    const local = new Map(engine.transactions({ since, limit: TRANSACTIONS_AT_ONCE }).map((one) => [one.id, one]));
    const first = from;
    for (let one = packed[from]; one !== undefined; one = packed[++from]) {
      const own = local.get(one.id);
      if (own === undefined && from > first) break;
      const same = own?.timestamp === one.timestamp && own.actor === one.actor && own.source === one.source;
      if (!same) throw new Error(`${path} tells of transaction ${one.id} otherwise than the log of the store`);
    }
  }
}
