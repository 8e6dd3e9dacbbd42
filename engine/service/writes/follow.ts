/** What followers and their primaries write: changes that come from the primary, and which epoch there is. */

import { SvcError } from '../../base/errors.js';
import { foldVectors, isFoldDue } from '../../storage/indexes/vectors/fold-vectors.js';
import { removeOld } from '../../storage/indexes/vectors/put-vectors.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import type { Replication } from '../../storage/seam/replication.js';
import type { WriteCommand } from './command.js';

/** Changes as they cross to the thread that writes: one behind the other. */
export interface SentChanges {
  readonly bytes: Uint8Array;
  readonly lengths: readonly number[];
}

export function sentChanges(changes: readonly Uint8Array[]): SentChanges {
  return { bytes: joined(changes), lengths: changes.map(({ length }) => length) };
}

/** In memory of its own: a part of a larger piece would cross with all of it. */
function joined(changes: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(changes.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const change of changes) {
    bytes.set(change, at);
    at += change.length;
  }
  return bytes;
}

function replicationOf({ replication, path }: StorageEngine): Replication {
  if (replication !== null) return replication;
  throw new SvcError('unsupported', `${path} has no file, so that it can neither follow nor be followed`);
}

/** Judged at the primary already, and complete: neither gates nor maintainers have a part in it. */
export const applyChanges: WriteCommand<SentChanges, object, null> = {
  what: 'the changes of the primary',
  async run({ engine, pipeline, control }, { bytes, lengths }) {
    const changes: Uint8Array[] = [];
    let at = 0;
    for (const length of lengths) {
      changes.push(bytes.subarray(at, at + length));
      at += length;
    }
    await pipeline.apart('the changes of the primary', control, () => replicationOf(engine).apply(changes));
    return null;
  },
};

/** Vectors, cursors, subscriptions: the primary has judged them, too. */
export const applyBeside: WriteCommand<{ readonly bytes: Uint8Array }, object, null> = {
  what: 'what the primary keeps beside transactions',
  async run({ engine, pipeline, control }, { bytes }) {
    let anew = false;
    await pipeline.apart('what the primary keeps beside transactions', control, async () => {
      anew = await replicationOf(engine).applyBeside(bytes);
    });
    if (anew) await removeOld(engine);
    if (isFoldDue(engine)) await foldVectors(engine);
    return null;
  },
};

export const learnEpoch: WriteCommand<{ readonly epoch: number }, object, null> = {
  what: 'the epoch of the primary',
  async run({ engine, pipeline, control }, { epoch }) {
    await pipeline.apart('the epoch of the primary', control, () => replicationOf(engine).learnEpoch(epoch));
    return null;
  },
};
