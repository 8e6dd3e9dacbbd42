/** A server over a store of its own on a free port, and requests to it that go out exactly as they are given. */

import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request as openRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDefaults } from '../../../engine/service/configuration/keys.js';
import { startServer } from '../../../interfaces/http/serve.js';
import { Failure } from '../cases.js';

export interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | null;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface LiveServer {
  readonly origin: string;
  send(sent: Sent): Promise<Received>;
  /** Leaves nothing in the store but its history. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function startLiveServer(): Promise<LiveServer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-http-'));
  // Types are asked for as the suites do: those that are asserted.
  const configuration = withDefaults({
    server: { bind: '127.0.0.1:0', read_pool_size: 1 },
    query: { subclass_inference: false },
  });
  const running = await startServer({
    path: join(folder, 'store.svc'),
    configuration,
    insecure: false,
    quiet: true,
    write: () => undefined,
  });
  const { port } = running.address;
  const send = (sent: Sent): Promise<Received> => exchange(port, sent);
  return {
    origin: `http://127.0.0.1:${port}`,
    send,
    async clear() {
      const headers = { 'content-type': 'application/sparql-update' };
      const { status } = await send({ method: 'POST', target: '/update', headers, body: Buffer.from('DROP ALL') });
      if (status !== 200) throw new Failure(`the store can't be cleared: ${status}`);
    },
    async close() {
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function exchange(port: number, { method, target, headers, body }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const length = body ? { 'content-length': String(body.length) } : {};
    const options = { host: '127.0.0.1', port, method, path: target, headers: { ...headers, ...length } };
    const sent = openRequest(options, (message) => {
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('error', reject);
      message.on('end', () => {
        resolve({ status: message.statusCode ?? 0, headers: message.headers, body: Buffer.concat(chunks) });
      });
    });
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}
