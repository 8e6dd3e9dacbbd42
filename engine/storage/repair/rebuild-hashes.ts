/** Makes runs of the hash index again from the terms of the dictionary. */

import { allocatePairs, freePairArrays, HASH_BIT_LOWEST, sortPairArrays, writeHashRun } from '../bulk/epoch-terms.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { HashRunRecord } from '../runs/manifest.js';
import { Findings } from '../seam/findings.js';
import { verifyHashRun } from '../verify/verify-dictionary.js';
import { type Mending, unlessDamaged } from './rebuilding.js';

/** Terms decoded per step. */
const STEP_TERMS = 16384;

export async function mendHashes(mending: Mending): Promise<void> {
  const { manifest } = mending;
  const runs = coversAll(mending) ? manifest.hashRuns : [whole(mending)];
  const made: HashRunRecord[] = [];
  const removed: number[] = [];
  await mending.reading(async (transaction) => {
    for (const run of runs) {
      if (await isSound(mending, run, transaction)) {
        made.push(run);
        continue;
      }
      const rebuilt = unlessDamaged(() => rebuild(mending, run, transaction));
      const terms = `terms ${run.firstNumber} to ${run.firstNumber + run.entries - 1}`;
      if (rebuilt === null) mending.lost.push({ what: `some of the ${terms} of the dictionary`, transactions: [] });
      else {
        mending.rebuilt.push(`the hash index of ${terms}`);
        for (let i = 0; i < run.blocks; i++) removed.push(run.firstBlock + i);
      }
      made.push(rebuilt ?? run);
    }
  });
  if (removed.length > 0 || runs !== manifest.hashRuns) mending.save({ ...manifest, hashRuns: made }, [], removed);
}

function coversAll({ manifest }: Mending): boolean {
  let next = 1;
  for (const run of manifest.hashRuns) {
    if (run.firstNumber !== next) return false;
    next += run.entries;
  }
  return next === manifest.nextTermNumber;
}

function whole({ manifest }: Mending): HashRunRecord {
  return { firstNumber: 1, entries: manifest.nextTermNumber - 1, firstBlock: 0, blocks: 0, storedBytes: 0 };
}

async function isSound(mending: Mending, run: HashRunRecord, transaction: ReadTransaction): Promise<boolean> {
  if (run.blocks === 0) return false;
  const findings = new Findings(mending.control);
  await findings.check('hash run', () => verifyHashRun(mending.context, mending.manifest, transaction, run, findings));
  return findings.problems.length === 0;
}

function rebuild(mending: Mending, run: HashRunRecord, transaction: ReadTransaction): HashRunRecord {
  const { context, manifest, sink } = mending;
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
