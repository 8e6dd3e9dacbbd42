/** Servers over stores of their own that ask each other, and remotes that are no such servers. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { startTestServer, type TestServer } from '../http/support.js';

export interface Provider {
  readonly name: string;
  readonly ok: boolean;
  readonly rows: number;
  readonly error: string | null;
  readonly label: unknown;
}

export interface Federated {
  readonly variables: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly count: number;
  readonly providers: readonly Provider[];
  readonly complete: boolean;
  readonly truncated: boolean;
  readonly labels: unknown;
  readonly [key: string]: unknown;
}

type Closing = Pick<TestContext, 'after'>;

/** A server over these facts. */
export async function serverOf(t: Closing, turtle: string, keys: Parameters<typeof startTestServer>[1] = {}) {
  const server = await startTestServer(t, keys);
  if (turtle !== '') await server.post('/knot', { turtle });
  return server;
}

export async function updated(server: TestServer, text: string): Promise<void> {
  const headers = { 'content-type': 'application/sparql-update' };
  const response = await fetch(`${server.base}/update`, { method: 'POST', headers, body: text });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
}

export async function federated(server: TestServer, query: string, more: object = {}): Promise<Federated> {
  const response = await server.post('/query', { query, federated: true, ...more });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as Federated;
}

export interface PlainRemote {
  readonly url: string;
  readonly requests: { readonly body: string; readonly headers: IncomingMessage['headers']; readonly path: string }[];
  connections: number;
  /** Answers whose client went away before their end. */
  left: number;
}

/** A server that answers with what it is told to. */
export async function remoteThat(
  t: Closing,
  answer: (response: ServerResponse, body: string, path: string) => void | Promise<void>,
): Promise<PlainRemote> {
  const remote: PlainRemote = { url: '', requests: [], connections: 0, left: 0 };
  const server = createServer(async (incoming, response) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    remote.requests.push({ body, headers: incoming.headers, path: incoming.url ?? '' });
    response.on('close', () => {
      if (!response.writableFinished) remote.left++;
    });
    await answer(response, body, incoming.url ?? '');
  });
  server.on('connection', () => remote.connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return Object.assign(remote, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

export function sendJson(response: ServerResponse, body: unknown): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}
