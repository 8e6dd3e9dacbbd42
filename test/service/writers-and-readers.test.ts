/**
 * Ten writers and twenty readers at once, over HTTP: no acknowledged write is lost, no read is torn or goes back, and the
 * events are complete and in order. Some seconds here; `SVC_SOAK_SECONDS=600` for a long run.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, startTestServer, type TestServer } from '../http/support.js';

const WRITERS = 10;
const READERS = 20;
const SECONDS = Number(process.env.SVC_SOAK_SECONDS ?? 6);
const EX = 'http://ex.org/';

/** What a writer was told that it wrote; `pair` is the number that both of its values have. */
interface Acknowledged {
  pair: number;
  episodes: number;
}

/** One statement in two places, always changed together. */
function pairUpdate(writer: number, number: number): string {
  const node = `<${EX}w${writer}>`;
  return `PREFIX ex: <${EX}> DELETE { ${node} ex:a ?a ; ex:b ?b } INSERT { ${node} ex:a ${number} ; ex:b ${number} }
    WHERE { OPTIONAL { ${node} ex:a ?a ; ex:b ?b } }`;
}

async function write(server: TestServer, writer: number, acknowledged: Acknowledged, until: number): Promise<void> {
  for (let number = 1; performance.now() < until; number++) {
    const update = await fetch(`${server.base}/update`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/sparql-update' },
      body: pairUpdate(writer, number),
    });
    assert.equal(update.status, 200, await update.text());
    acknowledged.pair = number;
    const episode = await server.post('/episode', {
      name: `e-${writer}-${number}`,
      nodes: [{ name: `n-${writer}-${number}`, type: 'Thing', properties: { number } }],
      edges: [{ source: `n-${writer}-${number}`, target: `hub-${writer}`, relation: 'part_of' }],
    });
    assert.equal((await json(episode)).outcome, 'created');
    acknowledged.episodes = number;
  }
}

const PAIRS = `PREFIX ex: <${EX}> SELECT ?w ?a ?b { ?w ex:a ?a . ?w ex:b ?b }`;

interface Binding {
  readonly w: { readonly value: string };
  readonly a: { readonly value: string };
  readonly b: { readonly value: string };
}

async function read(server: TestServer, acknowledged: readonly Acknowledged[], until: number): Promise<number> {
  const last = new Map<string, number>();
  let reads = 0;
  while (performance.now() < until) {
    const before = acknowledged.map(({ pair }) => pair);
    const response = await fetch(`${server.base}/query?query=${encodeURIComponent(PAIRS)}`, {
      headers: { Accept: 'application/sparql-results+json' },
    });
    assert.equal(response.status, 200);
    const { results } = (await response.json()) as { results: { bindings: Binding[] } };
    const seen = new Map<string, number>();
    for (const { w, a, b } of results.bindings) {
      assert.equal(a.value, b.value, 'a read that is not torn');
      assert.ok(!seen.has(w.value), 'one pair of each writer');
      seen.set(w.value, Number(a.value));
    }
    for (const [writer, pair] of before.entries()) {
      const now = seen.get(`${EX}w${writer}`) ?? 0;
      assert.ok(now >= pair, `writer ${writer}: ${pair} was acknowledged before the read began, which shows ${now}`);
      assert.ok(now >= (last.get(`${EX}w${writer}`) ?? 0), 'reads of one client never go back');
      last.set(`${EX}w${writer}`, now);
    }
    reads++;
  }
  return reads;
}

interface Event {
  readonly offset: number;
  readonly type: string;
  readonly tx_id: number;
  readonly payload: { readonly name?: string };
}

async function allEvents(server: TestServer): Promise<Event[]> {
  const all: Event[] = [];
  for (let since = 0; ; ) {
    const page = await json(await server.get(`/events?limit=5000&since=${since}`));
    const events = page.events as Event[];
    if (events.length === 0) {
      assert.equal(page.lag, 0);
      return all;
    }
    all.push(...events);
    since = page.next_offset as number;
  }
}

test('ten writers and twenty readers: nothing lost, nothing torn, events complete and in order', async (t) => {
  const server = await startTestServer(t, {});
  const acknowledged = Array.from({ length: WRITERS }, (): Acknowledged => ({ pair: 0, episodes: 0 }));
  const until = performance.now() + SECONDS * 1000;
  const writing = acknowledged.map((one, writer) => write(server, writer, one, until));
  const reading = Array.from({ length: READERS }, () => read(server, acknowledged, until));
  await Promise.all(writing);
  const reads = (await Promise.all(reading)).reduce((sum, one) => sum + one, 0);
  const episodes = acknowledged.reduce((sum, one) => sum + one.episodes, 0);
  assert.ok(episodes >= WRITERS && reads >= READERS, `${episodes} episodes and ${reads} reads`);
  t.diagnostic(`${episodes} episodes, ${reads} reads in ${SECONDS} s`);

  const events = await allEvents(server);
  const transactions = (await json(await server.get('/transactions'))).transactions as { id: number; source: string }[];
  assert.deepEqual(
    events.map(({ offset }) => offset),
    events.map((_, at) => at + 1),
    'offsets without gaps',
  );
  for (const [at, { tx_id: tx }] of events.entries())
    assert.ok(tx >= (events[at - 1]?.tx_id ?? 0), 'in the order of commits');
  const ingested = events.filter(({ type }) => type === 'episode.ingested');
  const named = transactions.flatMap(({ id, source }) =>
    source.startsWith('episode:') ? [[id, source.slice(8)]] : [],
  );
  assert.deepEqual(
    ingested.map(({ tx_id: tx, payload }) => [tx, payload.name]),
    named,
    'an event for each episode, at its transaction',
  );
  assert.equal(named.length, episodes);
  assert.equal(transactions.length, episodes + acknowledged.reduce((sum, one) => sum + one.pair, 0));
  const count = await fetch(
    `${server.base}/query?query=${encodeURIComponent('SELECT (COUNT(*) AS ?n) { ?s a <http://svc.local/ontology/Thing> }')}`,
    { headers: { Accept: 'text/csv' } },
  );
  assert.equal(Number((await count.text()).split(/\r?\n/)[1]), episodes);
});
