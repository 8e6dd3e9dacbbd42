/**
 * Thousands of requests to the write side, most of them wrong: bodies that a seed makes from sound ones by exchanging,
 * taking away and adding values. None is a 500, none tells of the inside of the server, and what is refused leaves nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, startTestServer, type TestServer } from './support.js';
import { tellsNothing } from './unharmed.js';

const REQUESTS = 1000;
const SEEDS = [1, 2];
const JSON_TYPE = { 'Content-Type': 'application/json' };

const SHAPES =
  '@prefix sh: <http://www.w3.org/ns/shacl#> . <http://e/S> a sh:NodeShape ; sh:targetClass <http://e/C> ; sh:property [ sh:path <http://e/name> ; sh:minCount 1 ] .';
const CYCLE =
  '@prefix sh: <http://www.w3.org/ns/shacl#> . <http://e/A> a sh:NodeShape ; sh:targetClass <http://e/C> ; sh:node <http://e/B> ; sh:not <http://e/B> . <http://e/B> a sh:NodeShape ; sh:node <http://e/A> .';

const EPISODE = {
  name: 'deploy 42',
  episode_body: 'text',
  source: 'agent',
  group_id: 'g',
  timestamp: '2026-01-01T00:00:00Z',
  nodes: [
    {
      name: 'my app',
      type: 'App',
      description: 'd',
      properties: { port: 1, tags: ['a', true] },
      distinct_from: ['http://e/x'],
    },
    { name: 'kota' },
  ],
  edges: [{ source: 'my app', target: 'kota', relation: 'runs_on', confidence: 0.5 }],
  replace_snapshot: false,
  graph: 'http://e/g',
};

const SOUND: readonly (readonly [path: string, body: object])[] = [
  [
    '/knot',
    { turtle: '<http://e/a> a <http://e/C> ; <http://e/name> "a" .', source: 's', valid_from: '2026-01-01T00:00:00Z' },
  ],
  ['/knot', { turtle: '<http://e/b> a <http://e/C> .', shapes: SHAPES, graph: 'http://e/g' }],
  ['/knot', { turtle: '<http://e/b> <http://e/p> 1 .', snapshot: 'k', replace_snapshot: true }],
  ['/set', { entity: 'http://e/a', predicate: 'http://e/p', value: { iri: 'http://e/b' }, actor: 'me' }],
  ['/retract', { entity: 'http://e/a', predicate: 'http://e/p', value: 'x', allow_orphan: true }],
  ['/retract/source', { source: 's', repair: 'T', apply: true, expect: 0, graph: 'http://e/g' }],
  ['/episode', EPISODE],
  ['/episodes/complete', { name: 'n', episode_body: 't', group_id: 'g', source_description: 's' }],
  ['/episode/retract', { episode: 'deploy 42', on_orphan: 'preserve', timestamp: '2026-01-01' }],
  ['/validate', { shapes: SHAPES, data: '<http://e/a> a <http://e/C> .' }],
  ['/shapes', { action: 'load', name: 's', turtle: SHAPES }],
  ['/shapes', { action: 'list', limit: 2, offset: 0 }],
  ['/shapes', { action: 'remove', name: 's' }],
  ['/resolve', { name: 'my app', properties: { a: 'b' }, top_k: 3, threshold: 0.5 }],
  ['/reconcile', { queries: { q: { query: 'kota', type: 'http://e/C', limit: 2 } } }],
  ['/spotlight', { text: 'my app on kota', confidence: 0.5 }],
  ['/events/commit', { consumer_id: 'c', offset: 1 }],
  [
    '/subscriptions',
    { action: 'create', consumer_id: 'c', webhook_url: 'http://192.0.2.1/x', types: ['edge.added'], since: 0 },
  ],
  ['/subscriptions', { action: 'delete', consumer_id: 'c' }],
];

const PARAMETERS = ['since', 'consumer', 'limit', 'types', 'group', 'follow', 'x'];

/** What may stand in place of any value. */
const ODD: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e300,
  2 ** 53,
  '',
  ' ',
  '\u0000',
  'x',
  'é日💥\u202e',
  '__proto__',
  'constructor',
  '_:b',
  'a\nb',
  'http://e/a',
  'http://e/<>',
  'urn:svc:graph:root',
  'urn:svc:graph:meta',
  'urn:svc:graph:root#inferred',
  'urn:svc:registry',
  'urn:svc:dataset:frozen',
  'http://e/g#inferred',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59Z',
  'x'.repeat(5000),
  [],
  {},
  [[[[]]]],
  ['a', 1, null],
  { iri: '_:x' },
  { str: 'http://e/a' },
  { int: 1 },
  { int: 1e20 },
  { value: 'x', lang: 'en' },
  { value: 'x', datatype: 'x' },
  { iri: 'x', str: 'y' },
  { a: { b: { c: {} } } },
  SHAPES,
  CYCLE,
  '<http://e/a> <http://e/p> "\\uD800" .',
  '<http://e/a> <http://e/p> ',
];

/** Numbers that a seed gives, so that a failure comes again (Marsaglia's xorshift). */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 0x9e3779b1 || 1;
  }

  below(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % limit;
  }

  pick<Entry>(list: readonly Entry[]): Entry {
    return list[this.below(list.length)] as Entry;
  }
}

type Holder = Record<string, unknown>;

/** Every list and object of a value, itself among them. */
function holdersOf(value: unknown): Holder[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Holder, ...Object.values(value).flatMap(holdersOf)];
}

function mutated(dice: Dice, body: object): object {
  const copy = structuredClone(body);
  for (let times = dice.below(4); times > 0; times--) {
    const holder = dice.pick(holdersOf(copy));
    const names = Object.keys(holder);
    const name = names.length === 0 || dice.below(8) === 0 ? String(dice.pick(ODD)) : dice.pick(names);
    const kind = dice.below(10);
    if (kind === 0) delete holder[name];
    else if (kind === 1 && names.length > 0) holder[name] = structuredClone(holder[dice.pick(names)]);
    else if (kind === 2 && Array.isArray(holder)) holder.push(structuredClone(holder[0]));
    else
      Object.defineProperty(holder, name, {
        value: structuredClone(dice.pick(ODD)),
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return copy;
}

/** The text of a body, at times broken or with a part twice. */
function textOf(dice: Dice, body: object): string {
  const text = JSON.stringify(body);
  switch (dice.below(20)) {
    case 0:
      return text.slice(0, dice.below(text.length));
    case 1: {
      const at = dice.below(text.length);
      return text.slice(0, at) + String.fromCharCode(dice.below(256)) + text.slice(at + 1);
    }
    case 2:
      return text.replace('{', `{"name":"first","turtle":"","__proto__":{"name":1},`);
    default:
      return text;
  }
}

/** What a refusal may not change. */
async function stateOf(server: TestServer): Promise<unknown> {
  const { rowsTotal, factsCurrent, terms, transactions } = server.running.store.stats();
  const subscriptions = (await server.running.store.events.subscriptions()).length;
  return {
    rowsTotal,
    factsCurrent,
    terms,
    transactions,
    subscriptions,
    sets: (await server.running.store.shapeSets()).length,
  };
}

for (const seed of SEEDS) {
  test(`requests of seed ${seed}: answered, told in words of the service, and nothing half written`, async (t) => {
    const server = await startTestServer(t, { resolution: { enabled: seed % 2 === 0 } });
    await json(await server.post('/graph/create', { graph: 'http://e/g' }));
    const dice = new Dice(seed);
    let [accepted, refused] = [0, 0];
    let before = await stateOf(server);
    for (let request = 0; request < REQUESTS; request++) {
      const [path, sound] = dice.pick(SOUND);
      const asksEvents = dice.below(12) === 0;
      const text = asksEvents ? '' : textOf(dice, mutated(dice, sound));
      const values = PARAMETERS.filter(() => dice.below(3) === 0).map((name): [string, string] => [
        name,
        String(dice.pick(ODD)).slice(0, 200),
      ]);
      const target = `/events?${new URLSearchParams(values)}`;
      const sent = asksEvents ? `GET ${target}` : `POST ${path} ${text.slice(0, 2000)}`;
      const response = asksEvents ? await server.get(target) : await server.send('POST', path, text, JSON_TYPE);
      const answer = await response.text();
      const told = `${sent}\n${response.status} ${answer.slice(0, 500)}`;
      assert.ok(response.status < 500, told);
      tellsNothing(server, answer);
      const after = await stateOf(server);
      if (response.status < 300) accepted++;
      else {
        refused++;
        const { error, code } = JSON.parse(answer) as { error: unknown; code: unknown };
        assert.ok(typeof error === 'string' && error !== '' && error.length < 4000, told);
        assert.match(String(code), /^[a-z0-9_]+$/, told);
        assert.deepEqual(after, before, told);
      }
      before = after;
    }
    assert.ok(accepted > REQUESTS / 10 && refused > REQUESTS / 10, `${accepted} accepted, ${refused} refused`);
    assert.deepEqual(server.events('request_failed'), []);
    assert.deepEqual((await server.running.store.verify()).problems, []);
  });
}
