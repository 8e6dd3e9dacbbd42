/**
 * Freezes as rows of the registry graph: `<urn:svc:freeze:ID> svc:freeze "JSON"`, one for each freeze, whose id is the
 * transaction that began it. A row is never taken away; its history is `building`, `verified`, `frozen`, `thawed`, or
 * `failed` (semantics of graphs, 4.3). Whether a graph is frozen is said by the row of the graph, which names the archive by
 * an alias; the row here says which file that is. The presence of a file decides nothing.
 *
 * A file in the folder of the store, or below it, is kept by its path from there, so that the folder can be moved.
 */

import { ROOT_ID, type TermId, type TxId } from '../../storage/ids/layout.js';
import { decodeIds, exactly } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { GraphSet } from '../../storage/seam/source.js';
import { frozenIds, type GraphRow, idsOf, readRow, SOURCE } from './graph-rows.js';
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

/** The subject of the row of the freeze of a graph; null for a graph that is not frozen. */
export function freezeNodeOf(snapshot: StorageSnapshot, iri: string): TermId | null {
  const row = readRow(snapshot, iri);
  if (row?.lifecycle !== 'frozen' || row.source === null || !row.source.startsWith(ALIAS)) return null;
  return snapshot.encode(FREEZES.nodeOf(row.source.slice(ALIAS.length)));
}

/** The archives of the graphs that are frozen, by graph; kept for a snapshot as long as it shows the same transaction. */
const aliases = new WeakMap<StorageSnapshot, { readonly tx: TxId; readonly of: ReadonlyMap<TermId, string> }>();

function aliasesIn(snapshot: StorageSnapshot): ReadonlyMap<TermId, string> {
  const known = aliases.get(snapshot);
  if (known !== undefined && known.tx === snapshot.tx && !snapshot.staged) return known.of;
  const of = new Map<TermId, string>();
  const source = snapshot.encode(SOURCE, true);
  for (const graph of source === null ? [] : frozenIds(snapshot)) {
    const rows = idsOf(snapshot, { s: exactly(graph), p: exactly(source as TermId) }, ['o']);
    for (const { value } of decodeIds(snapshot, rows.flat())) of.set(graph, value);
  }
  aliases.set(snapshot, { tx: snapshot.tx, of });
  return of;
}

/** Where the rows of a graph are read: the archive of one that is frozen, else the store. */
export function homeOf(snapshot: StorageSnapshot, graph: TermId): GraphSet {
  const one: GraphSet = { kind: 'one', graph };
  const store = graph === ROOT_ID ? undefined : aliasesIn(snapshot).get(graph);
  return store === undefined ? one : { kind: 'store', store, graphs: one };
}

/** Freezes that began and did not come to their end; while none is going on, those of a process that is gone. */
export function unfinishedFreezes(snapshot: StorageSnapshot): FreezeRow[] {
  return FREEZES.all(snapshot).filter(({ state }) => state === 'building' || state === 'verified');
}
