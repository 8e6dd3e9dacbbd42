/** The actions and results of the SPARQL manifests: which files a case loads, runs and expects. */

import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Term } from '../../../engine/rdf/terms.js';
import type { ManifestGraph } from '../manifest-graph.js';

const QT = 'http://www.w3.org/2001/sw/DataAccess/tests/test-query#';
const UT = 'http://www.w3.org/2009/sparql/tests/test-update#';
const MF = 'http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#';
const SD = 'http://www.w3.org/ns/sparql-service-description#';
const RDFS_LABEL = 'http://www.w3.org/2000/01/rdf-schema#label';
/** Where the suites have their home; relative IRIs of queries and data resolve there. */
const UPSTREAM = 'https://w3c.github.io/rdf-tests/sparql/';

/** A document and the graph that it goes to; null = the default graph. */
export interface DataFile {
  readonly file: string;
  readonly iri: string;
  readonly graph: string | null;
}

export interface ServiceData {
  readonly endpoint: string;
  readonly data: readonly DataFile[];
}

export interface SparqlCase {
  /** The query or the update. */
  readonly text: string;
  readonly iri: string;
  readonly data: readonly DataFile[];
  readonly services: readonly ServiceData[];
  /** The store after an update. */
  readonly expected: readonly DataFile[];
  /** The answer of a query. */
  readonly result: DataFile | null;
  /** Rows may be repeated less often than expected (REDUCED). */
  readonly lax: boolean;
  /** Local names of the entailment regimes under which the answer holds; empty = simple. */
  readonly regimes: readonly string[];
}

export interface SuiteFolder {
  readonly suite: string;
  readonly folder: string;
}

/** Null for cases that are no evaluation of a query or an update. */
export function readSparqlCase(place: SuiteFolder, graph: ManifestGraph, entry: Term): SparqlCase | null {
  const action = graph.one(entry, `${MF}action`);
  if (action === null) return null;
  const text = graph.one(action, `${QT}query`) ?? graph.one(action, `${UT}request`);
  if (text === null || !text.value.startsWith('file:')) return null;
  const result = graph.one(entry, `${MF}result`);
  return {
    text: fileURLToPath(text.value),
    iri: upstreamIri(place, fileURLToPath(text.value)),
    data: dataFiles(place, graph, action),
    services: graph.all(action, `${QT}serviceData`).map((service) => ({
      endpoint: graph.one(service, `${QT}endpoint`)?.value ?? '',
      data: dataFiles(place, graph, service),
    })),
    expected: result?.termType === 'BlankNode' ? dataFiles(place, graph, result) : [],
    result: result?.termType === 'NamedNode' ? dataFile(place, result, null) : null,
    lax: graph.one(entry, `${MF}resultCardinality`)?.value === `${MF}LaxCardinality`,
    regimes: regimesOf(graph, action),
  };
}

function dataFiles(place: SuiteFolder, graph: ManifestGraph, node: Term): DataFile[] {
  const inDefault = [...graph.all(node, `${QT}data`), ...graph.all(node, `${UT}data`)];
  const named = [...graph.all(node, `${QT}graphData`), ...graph.all(node, `${UT}graphData`)];
  return [
    ...inDefault.map((term) => dataFile(place, term, null)),
    ...named.map((term) => {
      const file = graph.one(term, `${QT}graph`) ?? graph.one(term, `${UT}graph`) ?? term;
      const label = graph.one(term, RDFS_LABEL)?.value;
      return dataFile(place, file, label ?? upstreamIri(place, fileURLToPath(file.value)));
    }),
  ];
}

function dataFile(place: SuiteFolder, file: Term, graph: string | null): DataFile {
  const path = fileURLToPath(file.value);
  return { file: path, iri: upstreamIri(place, path), graph };
}

function upstreamIri({ suite, folder }: SuiteFolder, file: string): string {
  return `${UPSTREAM}${suite}/${relative(folder, file)}`;
}

function regimesOf(graph: ManifestGraph, action: Term): string[] {
  const regimes = graph
    .all(action, `${SD}entailmentRegime`)
    .flatMap((value) =>
      graph.one(value, 'http://www.w3.org/1999/02/22-rdf-syntax-ns#first') ? graph.list(value) : [value],
    );
  return regimes.map(({ value }) => value.slice(value.lastIndexOf('/') + 1));
}

/** A file that a query names in FROM, beside its own. */
export function besideQuery({ text, iri }: SparqlCase, name: string): DataFile {
  return { file: join(dirname(text), name), iri: new URL(name, iri).href, graph: new URL(name, iri).href };
}
