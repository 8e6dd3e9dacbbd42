/**
 * An agent's afternoon at a running server: episodes, repetitions, corrections, retractions and payloads that are refused;
 * then a question about every past state, by transaction or by instant, and about some of them whole, answered as a plain
 * account has them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Episode } from '../../interfaces/library/index.js';
import type { FactChange } from '../service/episode-facts.js';
import { EpisodeOracle, type OrphanMode } from '../service/episode-oracle.js';
import { json, startTestServer, type TestServer } from './support.js';

const STEPS = 2000;
/** Every so many past states, one is asked for as a whole. */
const WHOLE_EVERY = 40;
const HASH = '<http://svc.local/ontology/contentHash>';

/** Numbers from 0 to 1, the same ones every time (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const HOSTS = ['kota', 'lund', 'my host', 'my_host', 'é', 'ü', '部署', 'rack 7'];
const APPS = Array.from({ length: 12 }, (_, at) => `app ${at}`);
const TYPES = ['Host', 'App', 'skos:Concept'.replace('skos', 'prov')];

class Agent {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = numbersFrom(seed);
  }

  chance(share: number): boolean {
    return this.#next() < share;
  }

  one<Entry>(list: readonly Entry[]): Entry {
    return list[Math.floor(this.#next() * list.length)] as Entry;
  }

  episode(name: string): Episode {
    const names = [...new Set([this.one(HOSTS), this.one(APPS), this.one([...HOSTS, ...APPS])])];
    const nodes = names.map((node) => ({
      name: node,
      ...(this.chance(0.8) ? { type: this.one(TYPES) } : {}),
      ...(this.chance(0.3) ? { description: `seen ${Math.floor(this.#next() * 50)} times` } : {}),
      ...(this.chance(0.5) ? { properties: { port: Math.floor(this.#next() * 9), up: this.chance(0.5) } } : {}),
    }));
    const edges = [
      { source: this.one(names), target: this.one([...HOSTS, ...APPS]), relation: this.one(['runs_on', 'owl:sameAs']) },
    ];
    const more = this.chance(0.4) ? { replaceSnapshot: true } : {};
    return { name, body: `heard at ${Math.floor(this.#next() * 1000)}`, source: 'agent-1', nodes, edges, ...more };
  }
}

const toBody = ({ body, groupId, replaceSnapshot, ...episode }: Episode) => ({
  ...episode,
  episode_body: body,
  group_id: groupId,
  replace_snapshot: replaceSnapshot,
});

const REFUSED: readonly object[] = [
  {},
  { name: 'x', nodes: [{ name: 'kota' }, { name: 'kota' }] },
  { name: 'x', nodes: [{ name: 'kota', type: 'A, B' }] },
  { name: 'x', nodes: [{ name: 'new one', properties: { deep: { a: 1 } } }] },
  { name: 'x', nodes: [{ name: 'new one' }], edges: [{ source: 'new one', target: 'kota', relation: 'ex:runs' }] },
  { name: 'x', nodes: [{ name: 'new one' }], edges: [{ source: 'new one', target: 'kota', relation: 'runs on' }] },
  { name: 'x', nodes: [{ name: 'new one' }], graph: 'http://example.org/unknown' },
  { name: 'x', nodes: [{ name: 'new one' }], timestamp: 'tomorrow' },
];

const WHOLE = '?s ?p ?o';

async function linesAt(server: TestServer, pattern: string, time: object): Promise<string[]> {
  const query = `CONSTRUCT WHERE { ${pattern} }`;
  const response = await server.post(
    '/query',
    { query, inference: false, ...time },
    { Accept: 'application/n-triples' },
  );
  const text = await response.text();
  assert.equal(response.status, 200, text.slice(0, 300));
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.includes(HASH))
    .map((line) => line.replace(/ \.$/, ''))
    .sort();
}

/** The lines of a state, by subject, as changes are played from the first on. */
class PastState {
  readonly #changes: readonly FactChange[];
  readonly #bySubject = new Map<string, Set<string>>();
  #played = 0;

  constructor(changes: readonly FactChange[]) {
    this.#changes = changes;
  }

  playTo(end: number): void {
    for (; this.#played < end; this.#played++) {
      const { line, isAdded } = this.#changes[this.#played] as FactChange;
      if (line.includes(HASH)) continue;
      const subject = line.slice(0, line.indexOf(' '));
      const lines = this.#bySubject.get(subject) ?? new Set();
      this.#bySubject.set(subject, lines);
      if (isAdded) lines.add(line);
      else lines.delete(line);
    }
  }

  /** Those that have lines at this moment, or had some. */
  subjects(): string[] {
    return [...this.#bySubject.keys()];
  }

  linesOf(subject: string): string[] {
    return [...(this.#bySubject.get(subject) ?? [])].sort();
  }

  lines(): string[] {
    return [...this.#bySubject.values()].flatMap((lines) => [...lines]).sort();
  }
}

const timeOf = (step: number): string =>
  new Date(Date.UTC(2026, 0, 1, 12) + step * 60_000).toISOString().replace('.000Z', 'Z');

test("an agent's afternoon: every past state is what a plain account says", async (t) => {
  const server = await startTestServer(t, { search: { max_sparql_rows: 1_000_000 } });
  const oracle = new EpisodeOracle();
  const agent = new Agent(7);
  const written: Episode[] = [];
  const states: { readonly tx: number; readonly at: string; readonly changes: number }[] = [];
  const counts = { created: 0, updated: 0, unchanged: 0, retracted: 0, refused: 0 };
  for (let step = 0; step < STEPS; step++) {
    const timestamp = timeOf(step);
    if (agent.chance(0.08)) {
      const response = await server.post('/episode', { timestamp, ...agent.one(REFUSED) });
      assert.equal(response.status, 400);
      counts.refused++;
      continue;
    }
    const isRetraction = written.length > 0 && agent.chance(0.1);
    const body = isRetraction ? await retract(timestamp) : await write(timestamp);
    const { length: changes } = oracle.facts.changes;
    if ((body.tx_id as number) > 0) states.push({ tx: body.tx_id as number, at: timestamp, changes });
  }
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 3, `${what}: ${count}`);
  assert.equal(new Set(states.map(({ tx }) => tx)).size, states.length);
  assert.deepEqual(await linesAt(server, WHOLE, {}), oracle.lines());
  const past = new PastState(oracle.facts.changes);
  for (const [at, { tx, at: validAt, changes }] of states.entries()) {
    past.playTo(changes);
    const time = at % 2 === 0 ? { tx } : { valid_at: validAt };
    const subject = agent.one(past.subjects());
    assert.deepEqual(
      await linesAt(server, `${subject} ?p ?o`, time),
      past.linesOf(subject),
      `${subject} ${tx} ${validAt}`,
    );
    if (at % WHOLE_EVERY < 2) assert.deepEqual(await linesAt(server, WHOLE, time), past.lines(), `${tx} ${validAt}`);
  }

  async function write(timestamp: string): Promise<Record<string, unknown>> {
    const repeated = written.length > 0 && agent.chance(0.25);
    const again = written.length > 0 && agent.chance(0.5);
    const episode = repeated
      ? agent.one(written)
      : agent.episode(again ? agent.one(written).name : `episode ${written.length}`);
    if (!repeated) written.push(episode);
    const response = await server.post('/episode', { ...toBody(episode), timestamp });
    const answer = await json(response);
    assert.equal(response.status, 200, JSON.stringify(answer));
    const { outcome, count, dangling_nodes: dangling } = answer;
    assert.deepEqual({ outcome, count, dangling }, oracle.write(episode));
    counts[outcome as 'created' | 'updated' | 'unchanged']++;
    return answer;
  }

  async function retract(timestamp: string): Promise<Record<string, unknown>> {
    const { name } = agent.one(written);
    const mode = agent.one<OrphanMode>(['preserve', 'refuse', 'allow']);
    const expected = oracle.retract(name, mode);
    const response = await server.post('/episode/retract', { episode: name, on_orphan: mode, timestamp });
    const answer = await json(response);
    assert.equal(response.status, expected === 'refused' ? 400 : 200, JSON.stringify(answer).slice(0, 300));
    if (expected === 'refused') return { tx_id: 0 };
    assert.deepEqual([answer.retracted, answer.identity_orphans], [expected.retracted, expected.orphans]);
    counts.retracted++;
    return answer;
  }
});
