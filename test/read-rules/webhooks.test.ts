/** Webhooks of a reader who may read some graphs, through a server with a receiver behind it: what is delivered, and after a restart. */
import assert from 'node:assert/strict';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { startTestServer, type TestServer } from '../http/support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const EX = 'http://example.org/';
const SHARED = randomBytes(32).toString('base64url');
const ANA = randomBytes(32).toString('base64url');
const SECRET = 'of the receiver';
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const folder = new StoreFolder();

interface Delivered {
  readonly offset: number;
  readonly graph: string;
}

/** Takes events, or leaves requests without an answer. */
async function receiver(t: TestContext) {
  const taken: Delivered[] = [];
  const state = { answers: true, held: 0 };
  const take = (request: IncomingMessage, body: Buffer): void => {
    const expected = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
    assert.equal(request.headers['x-svc-signature'], expected);
    const { events } = JSON.parse(body.toString()) as { events: { offset: number; payload: { graph: string } }[] };
    taken.push(...events.map(({ offset, payload }) => ({ offset, graph: payload.graph })));
  };
  const failures: unknown[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (!state.answers) {
        state.held++;
        return;
      }
      try {
        take(request, Buffer.concat(chunks));
      } catch (error) {
        failures.push(error);
      }
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { taken, state, failures, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function write(server: TestServer, graph: string, name: string): Promise<void> {
  const turtle = `<${EX}${name}> a <${EX}Thing> .`;
  const path = `/rdf-graph-store?graph=${encodeURIComponent(EX + graph)}`;
  const answer = await server.send('POST', path, turtle, { ...bearer(SHARED), 'Content-Type': 'text/turtle' });
  assert.ok(answer.ok, await answer.text());
}

test('a webhook gets the events that its owner may read when they are delivered, over a restart with other rules', async (t) => {
  const { taken, state, failures, url } = await receiver(t);
  const registry = folder.fresh('.json');
  const token_sha256 = createHash('sha256').update(ANA).digest('hex');
  const ana = { credential_id: 'ana', principal: `${EX}ana`, audience: 'svc', token_sha256 };
  writeFileSync(registry, JSON.stringify({ version: 1, credentials: [ana] }));
  const path = folder.fresh();
  const start = (graphs: readonly string[]) =>
    startTestServer(
      t,
      {
        server: { auth_token: SHARED, crew_credentials_file: registry },
        subscriptions: { allow_private_targets: true },
        governance: {
          read_rules: [
            { principal: `${EX}ana`, graphs: graphs.map((name) => EX + name) },
            { principal: 'shared', graphs: ['*'] },
          ],
        },
      },
      { path },
    );
  const graphsTaken = (): string[] => [...new Set(taken.map(({ graph }) => graph))].sort();

  const first = await start(['open', 'team']);
  const asked = { action: 'create', consumer_id: 'hook', webhook_url: url, secret: SECRET, mode: 'realtime' };
  const created = await first.post('/subscriptions', asked, bearer(ANA));
  assert.ok(created.ok, await created.text());
  await write(first, 'hidden', 'h1');
  await write(first, 'team', 't1');
  await write(first, 'open', 'o1');
  await until(() => graphsTaken().length === 2);
  assert.deepEqual(graphsTaken(), [`${EX}open`, `${EX}team`]);

  // Nobody answers: what is on its way is not delivered.
  state.answers = false;
  await write(first, 'team', 't2');
  await until(() => state.held > 0);
  await write(first, 'hidden', 'h2');
  await write(first, 'open', 'o2');
  const before = taken.length;
  await first.running.close();
  state.answers = true;

  const second = await start(['open', 'later']);
  await write(second, 'team', 't3');
  await write(second, 'later', 'l1');
  await write(second, 'open', 'o3');
  await until(() => graphsTaken().includes(`${EX}later`) && taken.at(-1)?.graph === `${EX}open`);
  assert.deepEqual([...new Set(taken.slice(before).map(({ graph }) => graph))].sort(), [`${EX}later`, `${EX}open`]);

  // Nothing comes twice or out of its sequence, nothing of the owner's feed is lost, and what the new rules hide came before them.
  const offsets = taken.map(({ offset }) => offset);
  assert.deepEqual(
    offsets,
    [...new Set(offsets)].sort((one, other) => one - other),
  );
  const feed = (await (await second.get('/events?limit=1000', bearer(ANA))).json()) as { events: Delivered[] };
  const hidden = taken.slice(0, before).filter(({ graph }) => graph === `${EX}team`);
  const expected = [...feed.events, ...hidden].map(({ offset }) => offset).sort((one, other) => one - other);
  assert.deepEqual(offsets, expected);
  assert.deepEqual(failures, []);
});
