/** The address of the log from where a copy stands. */

import type { ReplicationState } from '../storage/seam/replication.js';
import { LOG_VERSION } from './frames.js';

/** `epoch`: the newest that the follower knows, or that it is to have. */
export async function logPath(
  store: { hashAt(tx: number): Promise<string> },
  { lineage, numbering, tx, terms }: ReplicationState,
  epoch: number,
): Promise<string> {
  const hash = await store.hashAt(tx);
  const asked = { version: LOG_VERSION, lineage, numbering, epoch, after: tx, terms, hash };
  return `/log?${new URLSearchParams(Object.entries(asked).map(([name, value]): [string, string] => [name, `${value}`]))}`;
}
