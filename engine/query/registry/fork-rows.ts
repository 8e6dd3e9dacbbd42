/** Forks of ROOT as rows of the registry graph: `<urn:svc:fork:NAME> svc:fork "JSON"`. A row is never taken away: names are not used again. */

import { SvcError } from '../../base/errors.js';
import type { TxId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { NamedRows } from './named-rows.js';
import { checkNewGraph, newGraphFault } from './system-graphs.js';

export type ForkStatus = 'open' | 'dropped' | 'promoted';

export interface ForkRow {
  readonly name: string;
  /** The transaction whose ROOT it copied. */
  readonly tx: TxId;
  /** The transaction that wrote the copy; its rows of the graph are the base of a promotion. */
  readonly createdTx: TxId;
  readonly status: ForkStatus;
  readonly createdAt: string;
}

const GRAPHS = 'urn:svc:fork:';

export function forkGraph(name: string): string {
  return GRAPHS + name;
}

export const FORKS = new NamedRows<ForkRow>('fork', 'fork', (json) => {
  const { name, tx, createdTx, status, createdAt } = json as ForkRow;
  const whole = typeof name === 'string' && typeof tx === 'number' && typeof createdTx === 'number';
  return whole ? { name, tx, createdTx, status, createdAt } : null;
});

/** Refuses the graph of a fork that has ended: only an open one is written. */
export function checkForkOpen(snapshot: StorageSnapshot, iri: string): void {
  if (!iri.startsWith(GRAPHS)) return;
  const fork = FORKS.one(snapshot, iri.slice(GRAPHS.length));
  if (fork === null || fork.status === 'open') return;
  throw new SvcError('state_conflict', `the graph <${iri}> can not be written: the fork was ${fork.status}`, {
    hint: 'write into ROOT, or make another fork',
  });
}

/** Why a graph that there is not can't be made under a name by those who write, or null. One of an open fork may come back. */
export function newNameFault(snapshot: StorageSnapshot, iri: string): string | null {
  return isOfOpenFork(snapshot, iri) ? null : newGraphFault(iri);
}

export function checkNewName(snapshot: StorageSnapshot, iri: string): void {
  if (!isOfOpenFork(snapshot, iri)) checkNewGraph(iri);
}

function isOfOpenFork(snapshot: StorageSnapshot, iri: string): boolean {
  return iri.startsWith(GRAPHS) && FORKS.one(snapshot, iri.slice(GRAPHS.length))?.status === 'open';
}
