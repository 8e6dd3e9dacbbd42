/** Makes runs of the hash index again from the terms of the dictionary. */

import {
  allocatePairs,
  freePairArrays,
  HASH_BIT_LOWEST,
  sortPairArrays,
  writeHashRun,
} from '../dictionary/hash-run.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { HashRunRecord } from '../runs/manifest.js';
import { Findings, unlessDamaged } from '../seam/findings.js';
import { verifyHashRun } from '../verify/verify-dictionary.js';
import type { Rebuilding } from './rebuilding.js';

/** Terms decoded per step. */
const STEP_TERMS = 16384;

export async function rebuildHashes(rebuilding: Rebuilding): Promise<void> {
  const { manifest } = rebuilding;
  const runs = coversAll(rebuilding) ? manifest.hashRuns : [whole(rebuilding)];
  const made: HashRunRecord[] = [];
  const removed: number[] = [];
  await rebuilding.reading(async (transaction) => {
    for (const run of runs) {
      if (await isSound(rebuilding, run, transaction)) {
        made.push(run);
        continue;
      }
      const rebuilt = unlessDamaged(() => rebuild(rebuilding, run, transaction));
      const terms = `terms ${run.firstNumber} to ${run.firstNumber + run.entries - 1}`;
      if (rebuilt === null) rebuilding.lost.push({ what: `some of the ${terms} of the dictionary`, transactions: [] });
      else {
        rebuilding.rebuilt.push(`the hash index of ${terms}`);
        for (let i = 0; i < run.blocks; i++) removed.push(run.firstBlock + i);
      }
      made.push(rebuilt ?? run);
    }
  });
  if (removed.length > 0 || runs !== manifest.hashRuns) rebuilding.save({ ...manifest, hashRuns: made }, [], removed);
}

function coversAll({ manifest }: Rebuilding): boolean {
  let next = 1;
  for (const run of manifest.hashRuns) {
    if (run.firstNumber !== next) return false;
    next += run.entries;
  }
  return next === manifest.nextTermNumber;
}

function whole({ manifest }: Rebuilding): HashRunRecord {
  return { firstNumber: 1, entries: manifest.nextTermNumber - 1, firstBlock: 0, blocks: 0, storedBytes: 0 };
}

async function isSound(rebuilding: Rebuilding, run: HashRunRecord, transaction: ReadTransaction): Promise<boolean> {
  if (run.blocks === 0) return false;
  const findings = new Findings(rebuilding.control);
  await findings.check('hash run', () =>
    verifyHashRun(rebuilding.context, rebuilding.manifest, transaction, run, findings),
  );
  return findings.problems.length === 0;
}

function rebuild(rebuilding: Rebuilding, run: HashRunRecord, transaction: ReadTransaction): HashRunRecord {
  const { context, manifest, sink } = rebuilding;
  const { memory, dictionary } = context;
  const pairs = allocatePairs(memory, run.entries);
  try {
    for (let from = 0; from < run.entries; from += STEP_TERMS) {
      const count = Math.min(STEP_TERMS, run.entries - from);
      const numbers = Array.from({ length: count }, (_, i) => run.firstNumber + from + i);
      dictionary.decodeMany(manifest, transaction, numbers, count, (index, bytes, start, end) => {
        const hash = dictionary.hashOfStored(bytes, start, end);
        memory.bigsAt(pairs.keys + 8 * (from + index), 1)[0] = hash;
        memory.words[(pairs.values >>> 2) + from + index] = from + index;
      });
    }
    sortPairArrays(memory, pairs, run.entries, HASH_BIT_LOWEST);
    return writeHashRun(memory, sink, pairs, run.entries, run.firstNumber);
  } finally {
    freePairArrays(memory, pairs, run.entries);
  }
}
