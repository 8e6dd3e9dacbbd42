/** A live server on a free port over a store of its own, its log lines, and requests to it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { type Configuration, withDefaults } from '../../engine/service/configuration/keys.js';
import { type RunningServer, type ServeOptions, startServer } from '../../interfaces/http/serve.js';

type Keys = Parameters<typeof withDefaults>[0];

export interface TestServer {
  readonly base: string;
  readonly running: RunningServer;
  readonly configuration: Configuration;
  readonly folder: string;
  /** Every line that the server wrote. */
  readonly lines: string[];
  /** Log lines of an event. */
  events(name: string): Record<string, unknown>[];
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  send(method: string, path: string, body?: string | Uint8Array, headers?: Record<string, string>): Promise<Response>;
}

/** `keys`: of the configuration, under `[svc]`. */
export async function startTestServer(
  t: Pick<TestContext, 'after'>,
  keys: Keys = {},
  more: Partial<Omit<ServeOptions, 'configuration'>> = {},
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-http-'));
  const server = { bind: '127.0.0.1:0', read_pool_size: 1, ...((keys.server as object) ?? {}) };
  const configuration = withDefaults({ ...keys, server });
  const lines: string[] = [];
  const running = await startServer({
    path: join(folder, 'store.svc'),
    configuration,
    insecure: false,
    write: (text) => lines.push(...text.split(/(?<=\n)/)),
    ...more,
  });
  await running.ready;
  const base = `http://127.0.0.1:${running.address.port}`;
  t.after(async () => {
    await running.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const send: TestServer['send'] = (method, path, body, headers = {}) =>
    fetch(base + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
    });
  return {
    base,
    running,
    configuration,
    folder,
    lines,
    events: (name) =>
      lines
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ event }) => event === name),
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers = {}) =>
      send('POST', path, JSON.stringify(body), { 'Content-Type': 'application/json', ...headers }),
    send,
  };
}

/**
 * One server for the tests of a file that see nothing of each other: a server needs a second of the processor to start.
 * To be called outside of tests; it starts when it is first asked for, and is closed after the last test of the file.
 */
export function sharedTestServer(keys: Keys = {}): () => Promise<TestServer> {
  const closing: (() => unknown)[] = [];
  const last = { after: (close: () => unknown) => closing.push(close) } as unknown as Pick<TestContext, 'after'>;
  after(async () => {
    for (const close of closing) await close();
  });
  let started: Promise<TestServer> | undefined;
  return () => {
    started ??= startTestServer(last, keys);
    return started;
  };
}

export async function json(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>;
}

/** The answer of a raw request, for what `fetch` would not send. */
export async function raw(server: TestServer, text: string): Promise<string> {
  const { connect } = await import('node:net');
  return new Promise((resolve, reject) => {
    const socket = connect(server.running.address.port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
    socket.setTimeout(5_000, () => {
      socket.destroy();
      resolve(answer);
    });
  });
}
