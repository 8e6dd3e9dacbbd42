/**
 * The releases of schema.org in order, each as the new state of a graph from its release date on: every
 * state is found again by date and by transaction, and any two differ as their files do.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { type NamedNode, openStore, type Store, type TimeOptions, terms } from '../../interfaces/library/index.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import { ROOT, show } from './scan-support.js';
import { StoreFolder } from './support/store-folder.js';

const shared = sharedFolder();
const skip = shared === null ? SHARED_ABSENT : false;
const folder = new StoreFolder();
const VERSIONS = '9 10 11 12 13 14 15 16 18 20 22 24 26 27 28 28.1 29 29.4 30'.split(' ');
const DAY = 86_400_000;

interface Release {
  readonly path: string;
  readonly date: string;
  readonly triples: ReadonlySet<string>;
}

/** Read by rules of its own: lines of IRIs and literals, whose escapes are undone. */
function triplesOf(path: string): ReadonlySet<string> {
  const line = /^<([^>]*)> <([^>]*)> (?:<([^>]*)>|"((?:[^"\\]|\\.)*)"(?:@([A-Za-z-]+)|\^\^<([^>]*)>)?) \.$/;
  const triples = new Set<string>();
  for (const text of gunzipSync(readFileSync(path)).toString().split('\n')) {
    if (text.trim() === '') continue;
    const match = line.exec(text);
    assert.ok(match, `a line of another form: ${text}`);
    const [s, p, o, lexical, language, datatype] = match.slice(1);
    const named = datatype === undefined ? undefined : terms.namedNode(datatype);
    const object =
      lexical === undefined ? terms.namedNode(o as string) : terms.literal(unescaped(lexical), language ?? named);
    triples.add([terms.namedNode(s as string), terms.namedNode(p as string), object].map(show).join(' '));
  }
  return triples;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

function unescaped(lexical: string): string {
  return lexical.replace(/\\(?:u([0-9A-F]{4})|U([0-9A-F]{8})|(.))/gi, (_, short, long, one) =>
    one === undefined ? String.fromCodePoint(Number.parseInt(short ?? long, 16)) : (ESCAPES[one] ?? one),
  );
}

function releases(): Release[] {
  const data = join(shared as string, 'data', 'schemaorg');
  const text = readFileSync(join(data, 'versions.json'), 'utf8');
  const { releaseLog } = JSON.parse(text) as { releaseLog: Record<string, string> };
  return VERSIONS.map((name) => {
    const version = name.includes('.') ? name : `${name}.0`;
    const path = join(data, `schemaorg-all-https-${version}.nt.gz`);
    return { path, date: `${releaseLog[version]}T00:00:00Z`, triples: triplesOf(path) };
  });
}

const ALL = skip ? [] : releases();

async function stateAt(store: Store, graph: NamedNode, time: TimeOptions): Promise<Set<string>> {
  const snapshot = store.snapshot(time);
  try {
    const state = new Set<string>();
    for await (const batch of snapshot.quads({ graph })) {
      for (const { subject, predicate, object } of batch) state.add([subject, predicate, object].map(show).join(' '));
    }
    return state;
  } finally {
    snapshot.close();
  }
}

const minus = (a: ReadonlySet<string>, b: ReadonlySet<string>): string[] => [...a].filter((one) => !b.has(one)).sort();

function assertSameState(found: ReadonlySet<string>, wanted: ReadonlySet<string>, what: string): void {
  assert.deepEqual([minus(found, wanted), minus(wanted, found)], [[], []], what);
}

async function fold(path: string): Promise<void> {
  const engine = await openLmdbEngine(path);
  const { rowsFolded } = await engine.fold({});
  assert.ok(rowsFolded > 0);
  await engine.close();
}

/** Every release replaces the one before, in one transaction each; the store is folded and reopened at times. */
async function loadAll(path: string, graph: NamedNode): Promise<Store> {
  let store = await openStore(path);
  for (const [i, { path: file, date, triples }] of ALL.entries()) {
    const before = ALL[i - 1]?.triples ?? new Set();
    const options = { graph: graph.value, snapshotKey: 'schema.org', replaceSnapshot: true, timestamp: date };
    const result = await store.load(file, options);
    assert.equal(result.tx, i + 1);
    assert.equal(result.quadsRead, triples.size);
    assert.equal(result.quadsAdded, minus(triples, before).length, `what ${date} brings`);
    assert.equal(result.quadsRetracted, minus(before, triples).length, `what ${date} takes`);
    if (i % 4 !== 2) continue;
    await store.close();
    if (i % 8 === 6) await fold(path);
    store = await openStore(path);
  }
  return store;
}

async function assertStates(store: Store, graph: NamedNode): Promise<ReadonlySet<string>[]> {
  const states: ReadonlySet<string>[] = [];
  for (const [i, { date, triples }] of ALL.entries()) {
    const state = await stateAt(store, graph, { tx: i + 1 });
    assertSameState(state, triples, `transaction ${i + 1}`);
    assertSameState(await stateAt(store, graph, { validAt: date }), triples, `valid at ${date}`);
    states.push(state);
  }
  const [first, last] = [ALL[0] as Release, ALL[ALL.length - 1] as Release];
  const eve = new Date(Date.parse(first.date) - 1000).toISOString().replace('.000', '');
  assert.equal((await stateAt(store, graph, { validAt: eve })).size, 0, 'before the first release');
  assert.equal((await stateAt(store, graph, { tx: 0 })).size, 0);
  assertSameState(await stateAt(store, graph, {}), last.triples, 'now');
  return states;
}

function assertDifferences(states: readonly ReadonlySet<string>[]): void {
  for (const [i, newer] of ALL.entries()) {
    for (const [j, older] of ALL.entries()) {
      const found = minus(states[i] as ReadonlySet<string>, states[j] as ReadonlySet<string>);
      assert.deepEqual(found, minus(newer.triples, older.triples), `${newer.date} without ${older.date}`);
    }
  }
}

/** What was known of an instant at a transaction: the release of the earlier of both, believed to go on. */
async function assertBeliefs(store: Store, graph: NamedNode): Promise<void> {
  for (let i = 0; i < ALL.length; i += 3) {
    for (let j = 1; j < ALL.length; j += 4) {
      const validAt = new Date(Date.parse((ALL[j] as Release).date) + DAY);
      const state = await stateAt(store, graph, { tx: i + 1, validAt });
      assertSameState(
        state,
        (ALL[Math.min(i, j)] as Release).triples,
        `tx ${i + 1}, valid at ${validAt.toISOString()}`,
      );
    }
  }
}

for (const graph of [ROOT, terms.namedNode('https://schema.org/')]) {
  test(`releases of schema.org in ${graph.value}`, { skip, timeout: 300_000 }, async () => {
    const path = folder.fresh();
    let store = await loadAll(path, graph);
    await assertStates(store, graph);
    await store.close();
    await fold(path);
    store = await openStore(path, { readOnly: true });
    assertDifferences(await assertStates(store, graph));
    await assertBeliefs(store, graph);
    const report = await store.verify();
    assert.deepEqual(report.problems, []);
    await store.close();
  });
}
