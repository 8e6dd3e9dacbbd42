/** Servers that the rows share, each started when a row first asks for it, and what a refusal has to be. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { bundleOfLines } from '../../share/bundle-support.js';
import { json, startTestServer, type TestServer } from '../support.js';
import { tellsNothing } from '../unharmed.js';
import { fillSearched } from './searched-store.js';

export const TOKEN = 'the-token-of-the-guarded-server';
export const BEARER = { Authorization: `Bearer ${TOKEN}` };
export const JSON_TYPE = { 'Content-Type': 'application/json' };
export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
export const QUERY = { 'Content-Type': 'application/sparql-query' };
export const UPDATE = { 'Content-Type': 'application/sparql-update' };
export const TURTLE = { 'Content-Type': 'text/turtle' };

const FACTS = `
@prefix ex: <http://ex.org/> .
ex:alice a ex:Person ; ex:name "Alice" ; ex:age 30 ; ex:knows ex:bob .
ex:bob a ex:Person ; ex:name "Bob" ; ex:knows ex:alice .
`;

type Keys = Parameters<typeof startTestServer>[1];

/** A query that no deadline of these tests lets end. */
export const ENDLESS = (() => {
  const values = Array.from({ length: 600 }, (_, at) => at).join(' ');
  return `SELECT (COUNT(*) AS ?n) { VALUES ?a { ${values} } VALUES ?b { ${values} } VALUES ?c { ${values} } FILTER(?a * ?b + ?c = -1) }`;
})();

export class Servers {
  readonly #t: TestContext;
  readonly #started = new Map<string, Promise<TestServer>>();

  /** They are closed after `t`. */
  constructor(t: TestContext) {
    this.#t = t;
  }

  #get(name: string, start: () => Promise<TestServer>): Promise<TestServer> {
    const known = this.#started.get(name);
    if (known !== undefined) return known;
    const started = start();
    this.#started.set(name, started);
    return started;
  }

  async #filled(keys: Keys, headers: Record<string, string> = {}): Promise<TestServer> {
    const server = await startTestServer(this.#t, keys);
    assert.equal((await server.post('/knot', { turtle: FACTS, source: 'people' }, headers)).status, 200);
    return server;
  }

  /** With two people in it, and the limits that a server has unless it is told otherwise. */
  plain(): Promise<TestServer> {
    return this.#get('plain', () => this.#filled({}));
  }

  /** Writes need `BEARER`. */
  guarded(): Promise<TestServer> {
    return this.#get('guarded', () => this.#filled({ server: { auth_token: TOKEN } }, BEARER));
  }

  /** With what the rows of searches look for. */
  searched(): Promise<TestServer> {
    return this.#get('searched', async () => {
      const first = await startTestServer(this.#t, {});
      await first.running.close();
      const path = join(first.folder, 'store.svc');
      await fillSearched(path);
      return startTestServer(this.#t, {}, { path });
    });
  }

  /** Takes no write, whoever asks. */
  readOnly(): Promise<TestServer> {
    return this.#get('read only', async () => {
      const first = await this.#filled({});
      await first.running.close();
      const path = join(first.folder, 'store.svc');
      return startTestServer(this.#t, { server: { auth_token: TOKEN, read_only: true } }, { path });
    });
  }

  /** Bodies and answers may be small. */
  narrow(): Promise<TestServer> {
    return this.#get('narrow', () =>
      this.#filled({ server: { max_body_bytes: 20_000 }, search: { max_sparql_rows: 3 } }),
    );
  }

  /** Queries have so little time that on a slow machine any query may run out of it. */
  hurried(): Promise<TestServer> {
    return this.#get('hurried', () => this.#filled({ search: { query_timeout_ms: 500 } }));
  }

  /** Queries get the least memory there is. */
  cramped(): Promise<TestServer> {
    return this.#get('cramped', () => this.#filled({ query: { memory_budget_mb: 1, spill_max_mb: 1 } }));
  }
}

/** What stands for a row of a table. */
export type RowTest = (servers: Servers, t: TestContext) => Promise<void>;

export interface Refused {
  readonly status: number;
  readonly code: string;
  readonly error: RegExp;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of the body besides. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

function transactionsOf(server: TestServer): string {
  return JSON.stringify(server.running.store.transactions());
}

/** That the answer is the refusal that is expected, tells nothing of the inside, and that nothing was written. */
export async function refuses(server: TestServer, send: () => Promise<Response>, expected: Refused): Promise<void> {
  const before = transactionsOf(server);
  const response = await send();
  const text = await response.clone().text();
  assert.equal(response.status, expected.status, text.slice(0, 500));
  assert.equal(response.headers.get('content-type'), 'application/json');
  const body = await json(response);
  assert.equal(body.code, expected.code, text.slice(0, 500));
  assert.match(String(body.error), expected.error);
  for (const [name, value] of Object.entries(expected.headers ?? {})) assert.equal(response.headers.get(name), value);
  for (const [name, value] of Object.entries(expected.fields ?? {})) assert.deepEqual(body[name], value, name);
  tellsNothing(server, text);
  assert.equal(transactionsOf(server), before, 'nothing was written');
}

/** Of an overlay that somebody has made. */
export const OVERLAY_WRITE = {
  overlay: 'http://ex.org/over',
  op: 'assert',
  subject: 'http://ex.org/alice',
  predicate: 'http://ex.org/age',
  object: { int: 31 },
};

const SHARE = bundleOfLines('<http://ex.org/z> <http://ex.org/p> "x" .\n');

/** A body that is right for each route that writes, by `METHOD /path`. */
export const WRITES: Readonly<
  Record<string, () => readonly [path: string, body: string | undefined, headers: Record<string, string>]>
> = {
  'POST /knot': () => ['/knot', JSON.stringify({ turtle: '<http://ex.org/z> <http://ex.org/p> 1 .' }), JSON_TYPE],
  'POST /set': () => [
    '/set',
    JSON.stringify({ entity: 'http://ex.org/alice', predicate: 'http://ex.org/age', value: { int: 31 } }),
    JSON_TYPE,
  ],
  'POST /episode': () => ['/episode', JSON.stringify({ name: 'e', nodes: [{ name: 'z' }] }), JSON_TYPE],
  'POST /episodes/complete': () => ['/episodes/complete', JSON.stringify({ name: 'e' }), JSON_TYPE],
  'POST /episode/retract': () => ['/episode/retract', JSON.stringify({ episode: 'e' }), JSON_TYPE],
  'POST /retract': () => ['/retract', JSON.stringify({ entity: 'http://ex.org/bob' }), JSON_TYPE],
  'POST /retract/source': () => ['/retract/source', JSON.stringify({ source: 'people', repair: 'T-1' }), JSON_TYPE],
  'POST /update': () => ['/update', 'INSERT DATA { <http://ex.org/z> <http://ex.org/p> 1 }', UPDATE],
  'POST /embed_backfill': () => ['/embed_backfill', '{}', JSON_TYPE],
  'POST /reason': () => ['/reason', JSON.stringify({ rules: '' }), JSON_TYPE],
  'POST /ontology': () => [
    '/ontology',
    JSON.stringify({ action: 'load', name: 'o', turtle: '<http://ex.org/A> <http://ex.org/p> 1 .' }),
    JSON_TYPE,
  ],
  'POST /project': () => ['/project', JSON.stringify({ algorithm: 'louvain', persist: true }), JSON_TYPE],
  'POST /graph/create': () => ['/graph/create', JSON.stringify({ graph: 'http://ex.org/new' }), JSON_TYPE],
  'POST /graph/freeze': () => [
    '/graph/freeze',
    JSON.stringify({ graph: 'http://ex.org/g', timestamp: '2026-01-01' }),
    JSON_TYPE,
  ],
  'POST /graph/thaw': () => [
    '/graph/thaw',
    JSON.stringify({ graph: 'http://ex.org/g', timestamp: '2026-01-01' }),
    JSON_TYPE,
  ],
  'POST /graph/label': () => [
    '/graph/label',
    JSON.stringify({ graph: 'urn:svc:graph:root', timestamp: '2026-01-01', kind: 'operational' }),
    JSON_TYPE,
  ],
  'POST /import': () => [
    '/import',
    JSON.stringify({
      manifest: SHARE.manifest,
      export_ntriples: SHARE.exportNTriples,
      shapes_turtle: '',
      source: 'peer',
    }),
    JSON_TYPE,
  ],
  'POST /import/promote': () => ['/import/promote', JSON.stringify({ share_id: SHARE.manifest.share_id }), JSON_TYPE],
  'POST /overlay/create': () => ['/overlay/create', JSON.stringify({ overlay: 'http://ex.org/over' }), JSON_TYPE],
  'POST /overlay/write': () => ['/overlay/write', JSON.stringify(OVERLAY_WRITE), JSON_TYPE],
  'POST /align/apply': () => [
    '/align/apply',
    JSON.stringify({ left: 'urn:svc:graph:root', right: 'http://ex.org/g', expected_version: 'v1:0', decided: [] }),
    JSON_TYPE,
  ],
  'POST /propose': () => [
    '/propose',
    JSON.stringify({ kind: 'class', target: 't', diff: 'd', proposer: 'p' }),
    JSON_TYPE,
  ],
  'POST /proposal/accept': () => ['/proposal/accept', JSON.stringify({ id: 1 }), JSON_TYPE],
  'POST /proposal/reject': () => ['/proposal/reject', JSON.stringify({ id: 1, note: 'no' }), JSON_TYPE],
  'POST /queries/cancel': () => ['/queries/cancel', JSON.stringify({ id: 1 }), JSON_TYPE],
  'POST /datasets': () => ['/datasets', JSON.stringify({ action: 'list' }), JSON_TYPE],
  'POST /queries': () => ['/queries', JSON.stringify({ action: 'list' }), JSON_TYPE],
  'POST /subscriptions': () => ['/subscriptions', JSON.stringify({ action: 'list' }), JSON_TYPE],
  'POST /events/commit': () => ['/events/commit', JSON.stringify({ consumer_id: 'c', offset: 1 }), JSON_TYPE],
  'POST /shapes': () => ['/shapes', JSON.stringify({ action: 'list' }), JSON_TYPE],
  'PUT /rdf-graph-store': () => ['/rdf-graph-store?default', '<http://ex.org/z> <http://ex.org/p> 1 .', TURTLE],
  'POST /rdf-graph-store': () => ['/rdf-graph-store?default', '<http://ex.org/z> <http://ex.org/p> 1 .', TURTLE],
  'DELETE /rdf-graph-store': () => ['/rdf-graph-store?default', undefined, {}],
};
