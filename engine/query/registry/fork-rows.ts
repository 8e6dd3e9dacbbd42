/** Forks of ROOT as rows of the registry graph: `<urn:svc:fork:NAME> svc:fork "JSON"`. A row is never taken away: names are not used again. */

import type { TxId } from '../../storage/ids/layout.js';
import { NamedRows } from './named-rows.js';

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

export function forkGraph(name: string): string {
  return `urn:svc:fork:${name}`;
}

export const FORKS = new NamedRows<ForkRow>('fork', 'fork', (json) => {
  const { name, tx, createdTx, status, createdAt } = json as ForkRow;
  const whole = typeof name === 'string' && typeof tx === 'number' && typeof createdTx === 'number';
  return whole ? { name, tx, createdTx, status, createdAt } : null;
});
