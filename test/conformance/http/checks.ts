/** What an exchange must get: status, headers, kind of answer, boolean, and the graph of the body. */

import { readFileSync } from 'node:fs';
import type { Format } from '../../../engine/rdf/formats/registry.js';
import type { Quad } from '../../../engine/rdf/terms.js';
import { sameDataset } from '../../rdf/isomorphism.js';
import { Failure, type TestCase } from '../cases.js';
import { libraryReader } from '../readers.js';
import type { Answer } from '../sparql/answer.js';
import { showQuads } from '../sparql/compare.js';
import { parseCsv, parseJson, parseTsv, parseXml } from '../sparql/result-formats.js';
import type { HttpCase } from './case.js';
import type { Exchange, Expected } from './exchange.js';
import type { LiveServer, Received, Sent } from './live-server.js';
import { checkServiceDescription } from './service-description.js';

type Check = (test: TestCase, server: LiveServer) => Promise<void>;

export const HTTP_CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['ProtocolTest', checkConnection],
  ['GraphStoreProtocolTest', checkConnection],
  ['ServiceDescriptionTest', checkServiceDescription],
]);

const STATUS_CODES: Readonly<Record<string, number>> = { OK: 200, Created: 201, NoContent: 204, NotFound: 404 };
const SUITE_BASE = 'http://www.example/gsp/';

const GRAPH_FORMATS: Readonly<Record<string, Format>> = {
  'text/turtle': 'turtle',
  'application/n-triples': 'ntriples',
  'application/rdf+xml': 'rdfxml',
};
const RESULT_READERS: Readonly<Record<string, (text: string) => Answer>> = {
  'application/sparql-results+json': parseJson,
  'application/sparql-results+xml': parseXml,
  'text/csv': parseCsv,
  'text/tab-separated-values': parseTsv,
};
/** The standard types in which each kind of answer has to be had. */
const TYPES_OF: Readonly<Record<NonNullable<Expected['format']>, readonly string[]>> = {
  boolean: Object.keys(RESULT_READERS).slice(0, 2),
  tabular: Object.keys(RESULT_READERS),
  RDF: Object.keys(GRAPH_FORMATS),
};
/** The member of our JSON extension that each kind of answer has. */
const MEMBERS = { boolean: 'result', tabular: 'rows', RDF: 'triples' } as const;

async function checkConnection(test: TestCase, server: LiveServer): Promise<void> {
  const { data, preparation, exchanges } = test.http as HttpCase;
  if (exchanges.length === 0) throw new Failure('the case has no request');
  await server.clear();
  for (const { file, graph } of data) {
    const headers = { 'content-type': 'application/n-triples' };
    const target = `/rdf-graph-store?graph=${encodeURIComponent(graph)}`;
    const { status } = await server.send({ method: 'PUT', target, headers, body: readFileSync(file) });
    if (status !== 201) throw new Failure(`the data of the case can't be put: ${status}`);
  }
  for (const exchange of preparation) await server.send(ours(test, exchange));
  for (const [at, exchange] of exchanges.entries()) {
    const sent = ours(test, exchange);
    try {
      await checkExchange(exchange, sent, server);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw new Failure(`request ${at + 1}, ${sent.method} ${sent.target}: ${error.message}`);
    }
  }
}

/** The request on our paths. */
function ours(test: TestCase, { method, target, headers, body }: Exchange): Sent {
  const path = target.startsWith('/gsp') ? '/rdf-graph-store' : sparqlPath(test, { target, headers, body });
  return { method, target: target.replace(/^[^?]*/, path), headers, body };
}

/** By what the request says that it is; where it says nothing, by what the case is about. */
function sparqlPath(test: TestCase, { target, headers, body }: Pick<Exchange, 'target' | 'headers' | 'body'>): string {
  const said = `${headers['content-type'] ?? ''} ${target} ${body?.toString('latin1') ?? ''}`;
  if (/application\/sparql-query|[?&\s]query=/.test(said)) return '/query';
  if (/application\/sparql-update|[?&\s]update=/.test(said)) return '/update';
  return /#(bad_)?update_/.test(test.id) ? '/update' : '/query';
}

async function checkExchange({ expected }: Exchange, sent: Sent, server: LiveServer): Promise<void> {
  const received = await server.send(sent);
  checkStatus(expected, received);
  checkHeaders(expected, received);
  if (sent.method === 'HEAD' && received.body.length > 0) throw new Failure('the answer of a HEAD has a body');
  if (expected.body !== null) await checkGraph(expected, received);
  if (expected.format === null) return;
  checkExtension(expected, received);
  for (const accept of TYPES_OF[expected.format]) {
    const again = await server.send({ ...sent, headers: { ...sent.headers, accept } });
    checkStatus(expected, again);
    await checkStandard(expected, again, accept);
  }
}

function checkStatus({ statuses }: Expected, { status, body }: Received): void {
  const fits = (wanted: string) => {
    const hundreds = /^StatusCode(\d)xx$/.exec(wanted)?.[1];
    return hundreds === undefined ? STATUS_CODES[wanted] === status : Math.floor(status / 100) === Number(hundreds);
  };
  if (!statuses.some(fits)) throw new Failure(`status ${status}, expected ${statuses.join(' or ')}: ${body}`);
}

function typeOf(header: string | undefined): string {
  return (header ?? '').toLowerCase().replaceAll(' ', '');
}

function checkHeaders(expected: Expected, { headers }: Received): void {
  for (const [name, value] of Object.entries(expected.headers)) {
    const given = headers[name];
    if (typeOf(given as string | undefined) !== typeOf(value)) {
      throw new Failure(`the header ${name} is ${given}, expected ${value}`);
    }
  }
}

function parseGraph(bytes: Uint8Array, contentType: string | undefined): Promise<Quad[]> {
  const format = GRAPH_FORMATS[typeOf(contentType).split(';', 1)[0] as string];
  if (format === undefined) throw new Failure(`the answer is no graph but ${contentType}`);
  return libraryReader.parse(bytes, format, SUITE_BASE);
}

async function checkGraph({ headers, body }: Expected, received: Received): Promise<void> {
  const wanted = await parseGraph(Buffer.from(body ?? ''), headers['content-type']);
  const actual = await parseGraph(received.body, received.headers['content-type']);
  if (!(await sameDataset(actual, wanted))) {
    throw new Failure(`expected ${showQuads(wanted)}\ngot ${showQuads(actual)}`);
  }
}

/** Without `Accept` an answer is the JSON extension. */
function checkExtension({ format, boolean }: Expected, { headers, body }: Received): void {
  if (typeOf(headers['content-type']) !== 'application/json') {
    throw new Failure(`the answer is ${headers['content-type']}, expected the JSON extension`);
  }
  const answer = JSON.parse(body.toString()) as Record<string, unknown>;
  const value = format === null ? undefined : answer[MEMBERS[format]];
  if (value === undefined || (boolean !== null && value !== boolean)) {
    throw new Failure(`the answer is ${body}, expected ${format} ${boolean ?? ''}`);
  }
}

async function checkStandard({ format, boolean }: Expected, { headers, body }: Received, type: string): Promise<void> {
  const given = typeOf(headers['content-type']).split(';', 1)[0];
  if (given !== type) throw new Failure(`the answer is ${headers['content-type']}, expected ${type}`);
  if (format === 'RDF') {
    await parseGraph(body, headers['content-type']);
    return;
  }
  const answer = RESULT_READERS[type]?.(body.toString());
  const kind = format === 'boolean' ? 'boolean' : 'rows';
  if (answer?.kind !== kind) throw new Failure(`${body} holds no ${kind}`);
  if (answer.kind === 'boolean' && boolean !== null && answer.value !== boolean) {
    throw new Failure(`the answer in ${type} is ${answer.value}, expected ${boolean}`);
  }
}
