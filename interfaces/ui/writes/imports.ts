/** What the registry of the store keeps of imports: which shares came in, and what stands against them. */

import type { Operations } from '../../../clients/typescript/src/index.js';
import type { Server } from '../wire/server.js';

export interface ImportRecord {
  /** sha256: and 64 hex digits. */
  readonly shareId: string;
  readonly state: 'staged' | 'quarantined' | 'promoted';
  readonly source: string;
  readonly accepted: number;
  readonly quarantined: number;
  readonly importedAt: string;
}

export type Blocker = Operations['import_share']['response']['promotion_blockers'][number];

export interface ImportPage {
  readonly records: readonly ImportRecord[];
  readonly hasMore: boolean;
}

export const IMPORTS_PAGE = 50;
const REGISTRY = 'urn:svc:graph:registry';
const SVC = 'https://svc.dev/ontology/';

export const stagingGraph = (shareId: string): string => `urn:svc:share:${digits(shareId)}`;
export const quarantineGraph = (shareId: string): string => `urn:svc:quarantine:${digits(shareId)}`;
const digits = (shareId: string): string => shareId.replace(/^sha256:/, '');

/** The newest first. */
export async function importRecords(server: Server, offset: number, signal: AbortSignal): Promise<ImportPage> {
  const query = `SELECT ?json WHERE { GRAPH <${REGISTRY}> { ?import <${SVC}importedShare> ?json } BIND(REPLACE(STR(?json), '^.*"importedAt":"([^"]*)".*$', "$1", "s") AS ?at) } ORDER BY DESC(?at) ?import LIMIT ${IMPORTS_PAGE + 1} OFFSET ${offset}`;
  const records: ImportRecord[] = [];
  for await (const { json } of server.client.rows(query, {}, { signal })) {
    if (json?.type !== 'literal') continue;
    const { name, ...row } = JSON.parse(json.value) as ImportRecord & { readonly name: string };
    records.push({ ...row, shareId: `sha256:${name}` });
  }
  return { records: records.slice(0, IMPORTS_PAGE), hasMore: records.length > IMPORTS_PAGE };
}

/** What an import found that keeps its share from ROOT. */
export async function blockersOf(server: Server, shareId: string, signal: AbortSignal): Promise<readonly Blocker[]> {
  if (!/^sha256:[0-9a-f]{64}$/.test(shareId)) throw new TypeError(`${shareId.slice(0, 100)} is no id of a share`);
  const query = `SELECT ?json WHERE { GRAPH <${REGISTRY}> { <urn:svc:import:${digits(shareId)}> <${SVC}importEvidence> ?json } }`;
  for await (const { json } of server.client.rows(query, {}, { signal })) {
    if (json?.type !== 'literal') continue;
    const { report } = JSON.parse(json.value) as { readonly report: string };
    return (JSON.parse(report) as { readonly blockers?: readonly Blocker[] }).blockers ?? [];
  }
  return [];
}
