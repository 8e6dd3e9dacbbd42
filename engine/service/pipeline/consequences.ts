/**
 * What gates want written once a write is through: each in a transaction of its own, in their sequence, in the turn of the
 * write that they are about. Where one can't be written, the outcome of that write stays what it was.
 */

import type { TransactionOptions } from '../../storage/seam/engine.js';
import type { Consequence } from '../gates/gates.js';
import type { StageChange } from './write-control.js';

/** `write`: writes a transaction that no gate judges. Settles when all that could be written is on the disk. */
export async function writeConsequences(
  consequences: readonly Consequence[],
  write: (change: StageChange<void>, options: TransactionOptions) => Promise<{ readonly durable: Promise<unknown> }>,
): Promise<void> {
  const flushing: Promise<unknown>[] = [];
  for (const { actor, source, retract, assert } of consequences) {
    const change: StageChange<void> = (stage) => {
      stage.retract(retract);
      stage.assert(assert);
    };
    try {
      const { durable } = await write(change, { actor, source });
      flushing.push(durable);
    } catch {
      // Not to be told in place of the outcome.
    }
  }
  await Promise.allSettled(flushing);
}
