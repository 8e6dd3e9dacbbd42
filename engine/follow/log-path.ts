/** The address of the log from where a copy stands. */

import type { BesidePlace, ReplicationState } from '../storage/seam/replication.js';
import { LOG_VERSION } from './frames.js';

/** `epoch`: the newest that the follower knows, or that it is to have. */
export async function logPath(
  store: { hashAt(tx: number): Promise<string>; besidePlace(): BesidePlace },
  { lineage, numbering, tx, terms }: ReplicationState,
  epoch: number,
): Promise<string> {
  const hash = await store.hashAt(tx);
  const asked = { version: LOG_VERSION, lineage, numbering, epoch, after: tx, terms, hash };
  const beside = JSON.stringify(store.besidePlace());
  return `/log?${new URLSearchParams(Object.entries({ ...asked, beside }).map(([name, value]): [string, string] => [name, `${value}`]))}`;
}
