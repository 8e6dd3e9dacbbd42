/**
 * Freezes as rows of the registry graph: `<urn:svc:freeze:ID> svc:freeze "JSON"`, one for each freeze, whose id is the
 * transaction that began it. A row is never taken away; its history is `building`, `verified`, `frozen`, `thawed`, or
 * `failed` (semantics of graphs, 4.3). Whether a graph is frozen is said by the row of the graph, which names the archive by
 * an alias; the row here says which file that is. The presence of a file decides nothing.
 *
 * A file in the folder of the store, or below it, is kept by its path from there, so that the folder can be moved.
 */

import { terms } from '../../rdf/terms.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { GraphSet } from '../../storage/seam/source.js';
import { type GraphRow, readRow } from './graph-rows.js';
import { NamedRows } from './named-rows.js';

const STATES = ['building', 'verified', 'frozen', 'thawed', 'failed'] as const;
export type FreezeState = (typeof STATES)[number];

export interface FreezeRow {
  /** The transaction that began it, as text. */
  readonly name: string;
  readonly graph: string;
  readonly state: FreezeState;
  /** Of the pack, and of the file that it is until it is verified; from the folder of the store, or absolute. */
  readonly path: string;
  readonly temporary: string;
  /** The file was there before, and an unfinished freeze leaves it there. */
  readonly found: boolean;
  /** The store that began it: a copy of the store leaves the files of its original alone. */
  readonly store: string;
  readonly contentHash: string;
  /** 0 until the file is written. */
  readonly bytes: number;
  /** Lines of facts of the content hash. */
  readonly facts: number;
  readonly open: number;
  readonly transactions: number;
  readonly frozenAt: string | null;
  readonly freezeTx: TxId | null;
  readonly thawedAt: string | null;
  readonly thawTx: TxId | null;
  readonly actor: string | null;
  readonly error: string | null;
}

export const FREEZES = new NamedRows<FreezeRow>('freeze', 'freeze', (json) => {
  const row = json as FreezeRow;
  const texts = [row.name, row.graph, row.path, row.temporary, row.store, row.contentHash];
  const counts = [row.bytes, row.facts, row.open, row.transactions];
  const whole =
    STATES.includes(row.state) &&
    texts.every((text) => typeof text === 'string') &&
    counts.every((count) => Number.isSafeInteger(count));
  return whole ? row : null;
});

const ALIAS = 'archive:';

/** What the row of a frozen graph calls its archive. */
export function archiveAlias(freeze: string): string {
  return ALIAS + freeze;
}

/** The freeze behind an alias; null when there is none. */
export function freezeOfAlias(snapshot: StorageSnapshot, alias: string): FreezeRow | null {
  return alias.startsWith(ALIAS) ? FREEZES.one(snapshot, alias.slice(ALIAS.length)) : null;
}

/** The freeze of a graph that is frozen; null for any other. */
export function freezeOf(snapshot: StorageSnapshot, { lifecycle, source }: GraphRow): FreezeRow | null {
  return lifecycle === 'frozen' && source !== null ? freezeOfAlias(snapshot, source) : null;
}

/** Where the rows of a graph are read: the archive of one that is frozen, else the store. */
export function homeOf(snapshot: StorageSnapshot, iri: string): GraphSet | null {
  const graph: TermId | null = snapshot.encode(terms.namedNode(iri));
  if (graph === null) return null;
  const row = readRow(snapshot, iri);
  const one: GraphSet = { kind: 'one', graph };
  if (row?.lifecycle !== 'frozen' || row.source === null) return one;
  return { kind: 'store', store: row.source, graphs: one };
}

/** Freezes that began and did not come to their end; while none is going on, those of a process that is gone. */
export function unfinishedFreezes(snapshot: StorageSnapshot): FreezeRow[] {
  return FREEZES.all(snapshot).filter(({ state }) => state === 'building' || state === 'verified');
}
