/** What a case of the SHACL suite is: two documents, and the report that they must give. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Term } from '../../../engine/rdf/terms.js';
import type { ManifestGraph } from '../manifest-graph.js';

const MF = 'http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#';
const SHT = 'http://www.w3.org/ns/shacl-test#';

export interface ShaclCase {
  readonly dataFile: string;
  readonly shapesFile: string;
  /** The manifest, which holds the expected report. */
  readonly file: string;
  readonly entry: Term;
  /** The shapes can not be evaluated, and that must be told. */
  readonly mustFail: boolean;
}

export function readShaclCase(graph: ManifestGraph, entry: Term, kind: string, file: string): ShaclCase | null {
  if (kind !== 'Validate') return null;
  const action = graph.one(entry, `${MF}action`);
  const [data, shapes] = ['dataGraph', 'shapesGraph'].map((name) => action && graph.one(action, SHT + name));
  if (data == null || shapes == null) return null;
  const [dataFile, shapesFile] = [data, shapes].map(({ value }) => fileOf(value, file)) as [string, string];
  const mustFail = graph.one(entry, `${MF}result`)?.value === `${SHT}Failure`;
  return { dataFile, shapesFile, file, entry, mustFail };
}

/** Some manifests say `<>` where the file is meant. */
function fileOf(iri: string, manifest: string): string {
  const path = iri.startsWith('file:') ? fileURLToPath(iri) : manifest;
  return existsSync(path) ? path : manifest;
}
