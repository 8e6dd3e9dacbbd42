/**
 * Repairs a store file as far as its parts tell of each other. The manifest and LMDB's own pages have
 * no second; a file without them is restored from a backup.
 *
 * 1. The file is verified. A sound one is left as it is.
 * 2. It is copied, value by value, and the copy is rebuilt: the hash index from the terms, orders from other
 *    orders (or from what blocks and log still hold), statistics, the table of graphs and log records from the
 *    rows, log records that are not folded from their copies, the head and the secondary indexes from the log.
 * 3. The copy is verified. When it is better than the original, it takes its name, and the original stays
 *    beside it as `<path>.damaged`; otherwise the copy is dropped.
 *
 * The writer lock is held throughout.
 */

import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, linkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Control, throwIfStopped } from '../../base/control.js';
import { fromSystemError, SvcError } from '../../base/errors.js';
import { rewriteFile } from '../admin/rewrite.js';
import { INDEXES } from '../indexes/index-list.js';
import { databasesOf, type FileIndex } from '../indexes/secondary-index.js';
import { dropDamagedBaseNamespace, readBaseNamespace } from '../lmdb/base-namespace.js';
import { checkHeader, LmdbFile } from '../lmdb/file.js';
import { putSeed, readSeed, SEED_BYTES, type Seed, seedOf } from '../lmdb/seed.js';
import { storePath } from '../lmdb/store-path.js';
import { asideName, checkRoom, removeAside, takeName } from '../lmdb/temporary-sibling.js';
import { WriterLock } from '../lmdb/writer-lock.js';
import { removeOrphans } from '../runs/file-sink.js';
import { decodeManifest } from '../runs/manifest.js';
import type { VerifyProblem } from '../seam/engine.js';
import { unlessDamaged } from '../seam/findings.js';
import { SnapshotContext } from '../snapshot/context.js';
import { verifyStore } from '../verify/verify.js';
import { rebuildCopies } from './rebuild-copies.js';
import { rebuildCounts } from './rebuild-counts.js';
import { rebuildHashes } from './rebuild-hashes.js';
import { rebuildIndexes } from './rebuild-indexes.js';
import { rebuildHead } from './rebuild-log.js';
import { rebuildOrders } from './rebuild-orders.js';
import { rebuildRecords } from './rebuild-records.js';
import { rebuildRoot } from './rebuild-root.js';
import { type Loss, Rebuilding } from './rebuilding.js';
import { touchedTransactions } from './touched.js';

const WHAT = 'the repair';

export interface RepairReport {
  /** True when the store is sound now. */
  readonly ok: boolean;
  /** What was wrong. */
  readonly problemsBefore: readonly VerifyProblem[];
  /** What still is. */
  readonly problems: readonly VerifyProblem[];
  /** Parts that were made again. */
  readonly rebuilt: readonly string[];
  readonly lost: readonly Loss[];
  /** Where the file is kept as it was; null when it was left in its place. */
  readonly kept: string | null;
}

/** `indexes`: besides those of every store. */
export async function repairFile(
  given: string,
  control: Control,
  more: readonly FileIndex[] = [],
): Promise<RepairReport> {
  const indexes = [...INDEXES, ...more];
  const path = storePath(given);
  throwIfStopped(control, WHAT);
  if (!checkHeader(path, databasesOf(indexes))) throw new SvcError('store_missing', `there is no store at ${path}`);
  const lock = WriterLock.take(path);
  const aside = asideName(path, 'repair');
  try {
    const before = await judge(path, path, indexes, control);
    const nothing = { problemsBefore: before.problems, problems: before.problems, rebuilt: [], lost: [], kept: null };
    if (before.problems.length === 0) return { ok: true, ...nothing };
    await copy(path, aside, indexes, control);
    const { rebuilt, lost } = await rebuild(aside, path, indexes, control);
    const after = await judge(aside, path, indexes, control);
    throwIfStopped(control, WHAT);
    if (!isBetter(after, before)) {
      await removeAside(aside);
      return { ok: false, ...nothing, lost };
    }
    const kept = keep(path);
    await takeName(aside, path);
    const { problems } = after;
    return { ok: problems.length === 0, problemsBefore: before.problems, problems, rebuilt, lost, kept };
  } catch (error) {
    await removeAside(aside);
    throw fromSystemError(error, `repairing ${path}`);
  } finally {
    lock.release();
  }
}

interface Judgement {
  readonly problems: readonly VerifyProblem[];
  /** False when damage keeps the store from being opened. */
  readonly opens: boolean;
}

const isBetter = (one: Judgement, other: Judgement): boolean =>
  one.opens && (!other.opens || one.problems.length < other.problems.length);

async function judge(file: string, path: string, indexes: readonly FileIndex[], control: Control): Promise<Judgement> {
  const opened = LmdbFile.open(file, { readOnly: true, more: databasesOf(indexes) });
  try {
    // Without it nothing is known of the file.
    decodeManifest(opened.readCopy('meta', 'manifest'), path);
    try {
      readBaseNamespace(opened);
      const { problems } = await verifyStore(new SnapshotContext(opened, readSeed(opened)), control, indexes);
      return { problems, opens: true };
    } catch (error) {
      if (!(error instanceof SvcError) || error.kind !== 'corrupt') throw error;
      return { problems: [{ where: 'opening', what: error.message }], opens: false };
    }
  } finally {
    await opened.close();
  }
}

async function copy(path: string, aside: string, indexes: readonly FileIndex[], control: Control): Promise<void> {
  const more = databasesOf(indexes);
  const from = LmdbFile.open(path, { readOnly: true, more });
  try {
    checkRoom(dirname(resolve(path)), `the copy of ${path}`, 2 * from.fileBytes());
    const to = LmdbFile.open(aside, { readOnly: false, more });
    try {
      await rewriteFile(from, to, WHAT, control);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function rebuild(
  aside: string,
  path: string,
  indexes: readonly FileIndex[],
  control: Control,
): Promise<Pick<RepairReport, 'rebuilt' | 'lost'>> {
  const file = LmdbFile.open(aside, { readOnly: false, more: databasesOf(indexes) });
  try {
    const manifest = decodeManifest(file.readCopy('meta', 'manifest'), path);
    removeOrphans(file, manifest);
    const { seed, isNew } = seedFor(file);
    const rebuilding = new Rebuilding(file, seed, manifest, control);
    if (isNew) rebuilding.rebuilt.push('the seed of the hashes of terms');
    if (dropDamagedBaseNamespace(file))
      rebuilding.lost.push({ what: 'base_ns, until the next write', transactions: [] });
    const steps = [
      rebuildCopies,
      rebuildHead,
      rebuildHashes,
      rebuildOrders,
      rebuildCounts,
      rebuildRecords,
      rebuildIndexes(indexes),
      rebuildHead,
      rebuildRoot,
    ];
    for (const step of steps) {
      await step(rebuilding);
      throwIfStopped(control, WHAT);
    }
    const withoutRows = await touchedTransactions(rebuilding);
    if (withoutRows.length > 0) {
      rebuilding.lost.push({ what: 'rows that transactions opened or closed', transactions: withoutRows });
    }
    return { rebuilt: [...new Set(rebuilding.rebuilt)], lost: rebuilding.lost };
  } finally {
    await file.close();
  }
}

/** Terms don't depend on the seed, only their hashes do: without it, a new one serves. */
function seedFor(file: LmdbFile): { readonly seed: Seed; readonly isNew: boolean } {
  const known = unlessDamaged(() => readSeed(file));
  if (known !== null) return { seed: known, isNew: false };
  const bytes = randomBytes(SEED_BYTES);
  file.write(() => putSeed(file, bytes));
  return { seed: seedOf(bytes), isNew: true };
}

/** Gives the file a second name, under which it stays when the first goes to the copy. */
function keep(path: string): string {
  let kept = `${path}.damaged`;
  for (let i = 2; existsSync(kept); i++) kept = `${path}.damaged-${i}`;
  try {
    linkSync(path, kept);
  } catch {
    // File systems without links.
    copyFileSync(path, kept);
  }
  return kept;
}
