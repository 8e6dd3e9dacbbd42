/**
 * Checks the index from sources to transactions against the log: it lists every folded transaction that
 * names a source, under that source, once, and nothing else.
 */

import type { ReadTransaction } from '../lmdb/file.js';
import { LogReader } from '../log/log-reader.js';
import type { Manifest } from '../runs/manifest.js';
import type { Findings } from '../seam/findings.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { decodeSource, hasSourceIndex, sourceKey } from './source-index.js';

/** Keys that are listed at once. */
const KEYS_READ = 1024;

export async function verifySources(
  context: SnapshotContext,
  manifest: Manifest,
  transaction: ReadTransaction,
  expected: number,
  findings: Findings,
): Promise<void> {
  // Files of format 1 answer from the log itself.
  if (!hasSourceIndex(manifest)) return;
  const where = 'index of sources';
  const seen = new Uint8Array(Math.ceil((manifest.foldedTx + 1) / 8));
  let listed = 0;
  const log = new LogReader(context.file);
  for (const key of keysOf(context, transaction)) {
    const { source, txs } = decodeSource(context.file.readCopy('sources', key, transaction));
    if (key !== sourceKey(source, txs[0] ?? 0)) findings.add(where, `its entry ${key} is that of another source`);
    for (const tx of txs) {
      const bit = 1 << (tx & 7);
      if (!(tx >= 1 && tx <= manifest.foldedTx) || log.entry(tx, transaction).record.source !== source) {
        findings.add(where, `it lists transaction ${tx} for a source that is not its own: ${source}`);
        continue;
      }
      if (((seen[tx >>> 3] as number) & bit) !== 0) findings.add(where, `it lists transaction ${tx} twice`);
      seen[tx >>> 3] = (seen[tx >>> 3] as number) | bit;
      listed++;
    }
    await findings.turn('verify sources');
  }
  if (listed !== expected) findings.add(where, `it lists ${listed} transactions, ${expected} have a source`);
}

function* keysOf(context: SnapshotContext, transaction: ReadTransaction): Generator<string> {
  let keys = context.file.keysAfter('sources', null, KEYS_READ, transaction);
  while (keys.length > 0) {
    yield* keys as string[];
    keys = context.file.keysAfter('sources', keys[keys.length - 1] as string, KEYS_READ, transaction);
  }
}
