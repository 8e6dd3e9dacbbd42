/**
 * Events while writers write: whoever pages through them or has them pushed gets every one, once and in
 * order, of every kind (derived from rows, stored with a write, of refused writes), wherever a page ends.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { EventItem } from '../../engine/service/events/event-item.js';
import { openStore } from '../../interfaces/library/index.js';
import { json, startTestServer, type TestServer } from './support.js';

const EX = 'http://ex.org/';
/** Writes of each writer. */
const WRITES = 24;
/** Statements of the larger graphs: their events take so long to derive that other writes end meanwhile. */
const LARGE = 150;
const SHAPES = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <${EX}> .
  ex:S a sh:NodeShape ; sh:targetClass ex:Refused ; sh:property [ sh:path ex:name ; sh:minCount 1 ] .`;

const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 10));

type Fields = Record<string, unknown>;

/** Of one writer, by its number: new graphs large and small, episodes, refused writes, in turn or of one kind. */
type Writer = (server: TestServer, at: number) => Promise<number>;

async function putGraph(server: TestServer, name: string, statements: number): Promise<number> {
  const lines = Array.from({ length: statements }, (_, at) => `<${EX}${name}-${at}> <${EX}in> <${EX}${name}> .`);
  const path = `/rdf-graph-store?graph=${encodeURIComponent(`${EX}graph/${name}`)}`;
  return (await server.send('PUT', path, lines.join('\n'), { 'Content-Type': 'text/turtle' })).status;
}

const WRITERS: readonly Writer[] = [
  (server, at) => putGraph(server, `a${at}`, 1),
  (server, at) => putGraph(server, `b${at}`, at % 8 === 0 ? LARGE : 2),
  async (server, at) => {
    const refused = await server.post('/knot', { turtle: `<${EX}r${at}> a <${EX}Refused> .` });
    assert.equal(refused.status, 400);
    const edges = [{ source: `n${at}`, target: 'hub', relation: 'part_of' }];
    const nodes = [
      { name: `n${at}`, type: 'Thing' },
      { name: 'hub', type: 'Thing' },
    ];
    return (await server.post('/episode', { name: `e${at}`, nodes, edges, group_id: 'g' })).status;
  },
];

/** Pages through the events of a filter from an offset on, until `isOver` and nothing more comes. */
async function page(server: TestServer, query: string, since: number, isOver: () => boolean): Promise<EventItem[]> {
  const found: EventItem[] = [];
  for (let at = since; ; ) {
    const wasOver = isOver();
    const answer = await json(await server.get(`/events?${query}&since=${at}`));
    const events = answer.events as EventItem[];
    found.push(...events);
    if (events.length === 0 && wasOver) return found;
    assert.equal(answer.next_offset, events.at(-1)?.offset ?? at);
    at = answer.next_offset as number;
    if (events.length === 0) await pause();
  }
}

/** The same by the library, in pages of a size, as a command follows the log of a store that a server has open. */
async function follow(server: TestServer, limit: number, isOver: () => boolean): Promise<EventItem[]> {
  const store = await openStore(join(server.folder, 'store.svc'), { readOnly: true });
  const found: EventItem[] = [];
  for (let since = 0; ; ) {
    const wasOver = isOver();
    const page = await store.events.read({ since, limit });
    found.push(...page.events);
    since = page.nextOffset;
    if (page.events.length > 0) continue;
    if (wasOver) break;
    await pause();
  }
  await store.close();
  return found;
}

async function receiver(t: TestContext) {
  const pushed: EventItem[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    pushed.push(...(JSON.parse(body) as { events: EventItem[] }).events);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { pushed, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

test('with several writers, no page and no push leaves an event out', async (t) => {
  const { pushed, url } = await receiver(t);
  const server = await startTestServer(t, { subscriptions: { allow_private_targets: true } });
  await server.post('/shapes', { action: 'load', name: 's', turtle: SHAPES });
  await server.post('/subscriptions', { action: 'create', consumer_id: 'all', webhook_url: url, since: 0 });

  let isOver = false;
  const queries = ['limit=20', 'limit=100', 'limit=10000', 'limit=20&types=graph.created,edge.added,write.refused'];
  const reads = queries.map((query, at) => page(server, query, 5 * at, () => isOver));
  const followed = follow(server, 50, () => isOver);
  await Promise.all(
    WRITERS.map(async (write) => {
      for (let at = 0; at < WRITES; at++) assert.ok((await write(server, at)) < 300);
    }),
  );
  assert.equal(await putGraph(server, 'end', 1), 201);
  isOver = true;

  const all = await page(server, 'limit=10000', 0, () => true);
  assert.deepEqual(
    all.map(({ offset }) => offset),
    all.map((_, at) => at + 1),
  );
  const count = (type: string): number => all.filter((event) => event.type === type).length;
  assert.deepEqual(['graph.created', 'write.refused', 'episode.ingested'].map(count), [2 * WRITES + 1, WRITES, WRITES]);
  const types = ['graph.created', 'edge.added', 'write.refused'];
  for (const [at, events] of (await Promise.all(reads)).entries()) {
    const wanted = all.filter(({ offset, type }) => offset > 5 * at && (at < 3 || types.includes(type)));
    assert.deepEqual(events, wanted, `the events of ${queries[at]}`);
  }
  assert.deepEqual(await followed, all, 'by the library');
  while (pushed.length < all.length && (await lagOf(server)) > 0) await pause();
  assert.deepEqual(pushed, all, 'pushed');
});

/** Events that the subscription has before it. */
async function lagOf(server: TestServer): Promise<number> {
  const [subscription] = (await json(await server.post('/subscriptions', {}))).subscriptions as Fields[];
  const { lag } = await json(await server.get(`/events?limit=1&since=${subscription?.committed_offset}`));
  return lag as number;
}
