/** Exchanges over HTTP, as the manifests of the protocols write them: requests in sequence, and what each must get. */

import { fileURLToPath } from 'node:url';
import type { Term } from '../../../engine/rdf/terms.js';
import type { ManifestGraph } from '../manifest-graph.js';
import type { Exchange, Expected } from './exchange.js';
import { readProse } from './prose.js';

const MF = 'http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#';
const HT = 'http://www.w3.org/2011/http#';
const CNT = 'http://www.w3.org/2011/content#';
const UT = 'http://www.w3.org/2009/sparql/tests/test-update#';
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';

export interface HttpCase {
  /** Optional features that a service needs for the case. */
  readonly requires: readonly string[];
  /** Files that are put into named graphs first. */
  readonly data: readonly { readonly file: string; readonly graph: string }[];
  /** Requests that bring the service into the state of the case; their answers are not looked at. */
  readonly preparation: readonly Exchange[];
  readonly exchanges: readonly Exchange[];
}

const EMPTY: HttpCase = { requires: [], data: [], preparation: [], exchanges: [] };

/** Null for cases that are no exchange over HTTP. */
export function readHttpCase(graph: ManifestGraph, entry: Term, kind: string): HttpCase | null {
  if (kind === 'ServiceDescriptionTest') return EMPTY;
  if (kind !== 'ProtocolTest' && kind !== 'GraphStoreProtocolTest') return null;
  const connection = graph.one(entry, `${MF}action`);
  if (connection === null) return readCommented(graph, entry);
  return {
    requires: graph.all(entry, `${MF}requires`).map(({ value }) => localName(value)),
    data: graph.all(entry, `${UT}graphData`).map((node) => ({
      file: fileURLToPath(textOf(graph, node, `${UT}graph`)),
      graph: textOf(graph, node, `${RDFS}label`),
    })),
    preparation: [],
    exchanges: graph.list(graph.one(connection, `${HT}requests`)).map((request) => readExchange(graph, request)),
  };
}

function readExchange(graph: ManifestGraph, request: Term): Exchange {
  const response = graph.one(request, `${HT}resp`) as Term;
  const boolean = graph.one(response, `${MF}expectedBoolean`);
  const format = graph.one(response, `${MF}expectedFormat`)?.value ?? null;
  return {
    method: textOf(graph, request, `${HT}methodName`),
    target: textOf(graph, request, `${HT}absolutePath`),
    headers: headersOf(graph, request),
    body: bodyOf(graph, request),
    expected: {
      statuses: graph.all(response, `${MF}expectedStatus`).map(({ value }) => localName(value)),
      boolean: boolean === null ? null : boolean.value === 'true',
      format: format as Expected['format'],
      headers: headersOf(graph, response),
      body: bodyOf(graph, response)?.toString() ?? null,
    },
  };
}

function headersOf(graph: ManifestGraph, message: Term): Record<string, string> {
  const headers = graph.list(graph.one(message, `${HT}headers`));
  return Object.fromEntries(
    headers.map((header) => [
      textOf(graph, header, `${HT}fieldName`).toLowerCase(),
      textOf(graph, header, `${HT}fieldValue`),
    ]),
  );
}

function bodyOf(graph: ManifestGraph, message: Term): Buffer | null {
  const content = graph.one(message, `${HT}body`);
  if (content === null) return null;
  const characters = textOf(graph, content, `${CNT}chars`);
  const encoding = textOf(graph, content, `${CNT}characterEncoding`);
  if (encoding === 'UTF-16') return Buffer.from(`\ufeff${characters}`, 'utf16le');
  if (encoding !== 'UTF-8') throw new Error(`no such encoding of a body: ${encoding}`);
  return Buffer.from(characters);
}

/** Each case of the older manifest relies on the writes of those before it. */
function readCommented(graph: ManifestGraph, entry: Term): HttpCase {
  const manifest = graph.subjectsOfType.get(`${MF}Manifest`)?.[0] as Term;
  const entries = graph.list(graph.one(manifest, `${MF}entries`));
  const before = entries.slice(
    0,
    entries.findIndex((one) => one.equals(entry)),
  );
  const exchangeOf = (one: Term): Exchange =>
    readProse(graph.all(one, `${RDFS}comment`).map(({ value }) => value.trim()));
  return {
    ...EMPTY,
    preparation: before.map(exchangeOf).filter(({ method }) => method !== 'GET' && method !== 'HEAD'),
    exchanges: [exchangeOf(entry)],
  };
}

function textOf(graph: ManifestGraph, subject: Term, predicate: string): string {
  const term = graph.one(subject, predicate);
  if (term === null) throw new Error(`the manifest has no ${predicate} here`);
  return term.value;
}

function localName(iri: string): string {
  return iri.slice(iri.lastIndexOf('#') + 1);
}
