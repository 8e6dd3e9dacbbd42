/**
 * Shares that came in, as rows of the registry graph: `<urn:svc:import:ID> svc:importedShare "JSON"`, by the 64 hex digits of
 * the share id. A row is never taken away: a share that was imported once is known. What came with the share and is
 * evidence only, the manifest, the shapes and what the import found, stands in a row beside it, `svc:importEvidence`.
 */

import { NamedRows } from '../query/registry/named-rows.js';
import { terms } from '../rdf/terms.js';
import type { TxId } from '../storage/ids/layout.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import type { GraphSet } from '../storage/seam/source.js';
import { rowNameOf } from './exported-shares.js';

export const IMPORT_STATES = ['staged', 'quarantined', 'promoted'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

export interface ImportedShare {
  /** The digits of the share id. */
  readonly name: string;
  readonly state: ImportState;
  /** What the operator calls who it came from. */
  readonly source: string;
  /** The store that made it, as it says. */
  readonly store: string;
  readonly parent: string | null;
  /** Triples in the staging graph and in the quarantine graph. */
  readonly accepted: number;
  readonly quarantined: number;
  /** The transaction that filled the staging graph, and that of the quarantine graph: null = there is none. */
  readonly tx: TxId;
  readonly quarantineTx: TxId | null;
  readonly importedAt: string;
}

export const IMPORTED_SHARES = new NamedRows<ImportedShare>('import', 'importedShare', (json) => {
  const row = json as ImportedShare;
  const { name, state, source, store, parent, accepted, quarantined, tx, quarantineTx, importedAt } = row;
  const whole =
    [name, source, store, importedAt].every((text) => typeof text === 'string') &&
    IMPORT_STATES.includes(state) &&
    [accepted, quarantined, tx].every(Number.isSafeInteger) &&
    (quarantineTx === null || Number.isSafeInteger(quarantineTx)) &&
    (parent === null || typeof parent === 'string');
  return whole ? { name, state, source, store, parent, accepted, quarantined, tx, quarantineTx, importedAt } : null;
});

export interface ImportEvidence {
  readonly name: string;
  /** Canonical JSON. */
  readonly manifest: string;
  /** The shapes that came along; never loaded. */
  readonly shapes: string;
  /** What the import answered, as JSON. */
  readonly report: string;
}

export const IMPORT_EVIDENCE = new NamedRows<ImportEvidence>('import', 'importEvidence', (json) => {
  const { name, manifest, shapes, report } = json as ImportEvidence;
  const whole = [name, manifest, shapes, report].every((text) => typeof text === 'string');
  return whole ? { name, manifest, shapes, report } : null;
});

/** The record of an import. */
export function importIri(shareId: string): string {
  return `urn:svc:import:${rowNameOf(shareId)}`;
}

export function stagingGraph(shareId: string): string {
  return `urn:svc:share:${rowNameOf(shareId)}`;
}

export function quarantineGraph(shareId: string): string {
  return `urn:svc:quarantine:${rowNameOf(shareId)}`;
}

/** Null when it was never imported. */
export function importedShare(snapshot: StorageSnapshot, shareId: string): ImportedShare | null {
  return IMPORTED_SHARES.one(snapshot, rowNameOf(shareId));
}

/** All triples of an imported share, as they were staged: those of its two graphs as of the import. */
export function importedTriples(snapshot: StorageSnapshot, { name, tx, quarantineTx }: ImportedShare): GraphSet {
  const graphs = [stagingGraph(name), quarantineGraph(name)].flatMap((iri) => {
    const id = snapshot.encode(terms.namedNode(iri));
    return id === null ? [] : [id];
  });
  const some: GraphSet = { kind: 'some', graphs, merged: true };
  return { kind: 'timed', graphs: some, time: { kind: 'asOf', tx: quarantineTx ?? tx } };
}
