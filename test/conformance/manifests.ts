/** Reads manifests: the Turtle ones of the W3C (with their includes) and the JSON ones of JSON-LD. */

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { RDF_NS, type Term } from '../../engine/rdf/terms.js';
import type { JsonLdOption, TestCase } from './cases.js';
import { readHttpCase } from './http/case.js';
import { ManifestGraph } from './manifest-graph.js';
import { libraryReader } from './readers.js';
import { readShaclCase } from './shacl/case.js';
import { readSparqlCase } from './sparql/case.js';

const MF = 'http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#';
const RDFC = 'https://w3c.github.io/rdf-canon/tests/vocab#';

export interface ManifestSource {
  readonly suite: string;
  /** The manifest file. */
  readonly file: string;
  /** Manifests outside this folder are not followed; null follows all. */
  readonly folder: string | null;
}

/** The cases of a Turtle manifest and of those it includes, in order. */
export async function readTurtleManifest(source: ManifestSource): Promise<TestCase[]> {
  const cases: TestCase[] = [];
  const seen = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    const outside = source.folder !== null && relative(source.folder, file).startsWith('..');
    if (seen.has(file) || outside || !existsSync(file)) return;
    seen.add(file);
    const iri = pathToFileURL(file).href;
    const graph = new ManifestGraph(await libraryReader.parse(readFileSync(file), 'turtle', iri));
    for (const manifest of graph.subjectsOfType.get(`${MF}Manifest`) ?? []) {
      for (const included of graph.all(manifest, `${MF}include`).flatMap((one) => graph.members(one))) {
        await visit(fileURLToPath(included.value));
      }
      for (const entry of graph.list(graph.one(manifest, `${MF}entries`))) {
        const made = makeCase(source, file, graph, manifest, entry);
        if (made !== null) cases.push(made);
      }
    }
  };
  await visit(source.file);
  return cases;
}

function makeCase(
  source: ManifestSource,
  file: string,
  graph: ManifestGraph,
  manifest: Term,
  entry: Term,
): TestCase | null {
  const type = graph.one(entry, `${RDF_NS}type`)?.value ?? '';
  const action = graph.one(entry, `${MF}action`);
  const kind = type.slice(Math.max(type.lastIndexOf('#'), type.lastIndexOf('/')) + 1);
  const http = readHttpCase(graph, entry, kind);
  if (action === null && http === null) return null;
  const result = graph.one(entry, `${MF}result`);
  const folder = dirname(file);
  const group = source.folder === null ? basename(folder) : relative(source.folder, folder) || source.suite;
  const actionFile =
    action?.termType === 'NamedNode' && action.value.startsWith('file:') ? fileURLToPath(action.value) : '';
  const base = graph.one(manifest, `${MF}assumedTestBase`)?.value;
  const id = entry.value.slice(Math.max(entry.value.lastIndexOf('#'), entry.value.lastIndexOf('/')) + 1);
  return {
    suite: source.suite,
    group,
    id: `${source.suite}/${group}#${id}`,
    name: graph.one(entry, `${MF}name`)?.value ?? id,
    kind,
    action: actionFile,
    result: result?.value.startsWith('file:') ? fileURLToPath(result.value) : null,
    baseIri: base === undefined ? (action?.value ?? '') : base + relative(folder, actionFile),
    hash: graph.one(entry, `${RDFC}hashAlgorithm`)?.value === 'SHA384' ? 'SHA-384' : 'SHA-256',
    jsonLd: null,
    sparql: readSparqlCase({ suite: source.suite, folder: source.folder ?? folder }, graph, entry),
    http,
    shacl: readShaclCase(graph, entry, kind, file),
  };
}

interface JsonLdEntry {
  readonly '@id': string;
  readonly '@type': readonly string[];
  readonly name: string;
  readonly input: string;
  readonly expect?: string;
  readonly expectErrorCode?: string;
  readonly option?: JsonLdOption;
}

export function readJsonLdManifest(suite: string, group: string, file: string): TestCase[] {
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { baseIri: string; sequence: JsonLdEntry[] };
  if (!Array.isArray(manifest.sequence))
    throw new Error(`${file} is no manifest of the JSON-LD suites; use its Turtle form`);
  const folder = dirname(file);
  return manifest.sequence.map((entry) => ({
    suite,
    group,
    id: `${suite}/${group}${entry['@id']}`,
    name: entry.name,
    kind: entry['@type'].includes('jld:FromRDFTest') ? 'FromRDFTest' : 'ToRDFTest',
    action: `${folder}/${entry.input}`,
    result: entry.expect === undefined ? null : `${folder}/${entry.expect}`,
    baseIri: entry.option?.base ?? manifest.baseIri + entry.input,
    hash: 'SHA-256',
    sparql: null,
    http: null,
    shacl: null,
    jsonLd: {
      folder,
      folderIri: manifest.baseIri,
      errorCode: entry.expectErrorCode ?? null,
      positiveSyntax: entry['@type'].includes('jld:PositiveSyntaxTest'),
      option: entry.option ?? {},
    },
  }));
}
