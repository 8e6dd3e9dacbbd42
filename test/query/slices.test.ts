/**
 * Queries at points in time, over a store of which nine tenths are history: the same answers as a store of just the
 * visible rows gives, from the first time on, and after some times for the same blocks.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openStore, type Store, type TimeOptions } from '../../interfaces/library/index.js';

const THINGS = 3000;
const STATES = 10;
/** The state that is asked about is that of its transaction, on its day. */
const ASKED = 5;
const day = (state: number): Date => new Date(Date.UTC(2026, 0, state));
const TIMES: readonly (readonly [string, TimeOptions])[] = [
  ['valid_at', { validAt: day(ASKED + 0.5) }],
  ['tx', { tx: ASKED }],
  ['both', { tx: ASKED, validAt: day(ASKED + 0.5) }],
];
const EX = 'PREFIX : <http://example.org/>\n';
const QUERIES: readonly (readonly [string, string])[] = [
  ['a point lookup', 'SELECT ?p ?o { :t77 ?p ?o } ORDER BY ?p ?o'],
  ['a range', 'SELECT ?s ?v { ?s :size ?v FILTER(?v >= 100 && ?v < 140) } ORDER BY ?s ?v'],
  ['a star', 'SELECT ?s ?v ?k { ?s :kind :k3 ; :size ?v ; :next ?n . ?s :kind ?k } ORDER BY ?s ?v'],
  ['a chain', 'SELECT (COUNT(*) AS ?n) { ?a :next ?b . ?b :next ?c . ?c :kind :k1 }'],
  ['groups', 'SELECT ?k (COUNT(?s) AS ?n) (SUM(?v) AS ?sum) { ?s :kind ?k ; :size ?v } GROUP BY ?k ORDER BY ?k'],
];

/** All facts of a state: most of them change from state to state, and some come again. */
function stateOf(state: number): string {
  const lines: string[] = [];
  const ex = (name: string): string => `<http://example.org/${name}>`;
  for (let at = 0; at < THINGS; at++) {
    const size = (at * 7 + (at % 10 === 0 ? 0 : state * 13)) % 1000;
    lines.push(`${ex(`t${at}`)} ${ex('size')} "${size}"^^<http://www.w3.org/2001/XMLSchema#integer> .`);
    lines.push(`${ex(`t${at}`)} ${ex('kind')} ${ex(`k${(at + state * (at % 4)) % 5}`)} .`);
    lines.push(`${ex(`t${at}`)} ${ex('next')} ${ex(`t${(at * 3 + (at % 8) * state) % THINGS}`)} .`);
  }
  return lines.join('\n');
}

const folder = mkdtempSync(join(tmpdir(), 'svc-slices-'));
let store: Store;
let plain: Store;
before(async () => {
  store = await openStore(join(folder, 'history.svc'));
  for (let state = 1; state <= STATES; state++) {
    const options = { snapshotKey: 'state', replaceSnapshot: true, timestamp: day(state) };
    await store.load({ text: stateOf(state), format: 'ntriples' }, options);
  }
  await store.fold();
  plain = await openStore(join(folder, 'plain.svc'));
  await plain.load({ text: stateOf(ASKED), format: 'ntriples' });
});
after(async () => {
  await store.close();
  await plain.close();
  rmSync(folder, { recursive: true, force: true });
});

async function answer(from: Store, text: string, time: TimeOptions): Promise<string> {
  const result = await from.query(EX + text, { ...time, inference: false });
  let json = '';
  for await (const part of result.encode('json')) json += Buffer.from(part).toString();
  return json;
}

async function blocksOf(from: Store, text: string, time: TimeOptions): Promise<number> {
  return (await from.explain(EX + text, { ...time, analyze: true, inference: false })).blocksRead ?? Number.NaN;
}

for (const [when, time] of TIMES) {
  test(`queries at ${when} answer alike, and read alike once the time is known`, async () => {
    for (const [what, text] of QUERIES) {
      const wanted = await answer(plain, text, {});
      assert.ok(wanted.length > 100, wanted);
      assert.equal(await answer(store, text, time), wanted, `${what}, the first time`);
    }
    // Every order that the queries use is read through some times, and gathered by those who come then.
    for (let times = 0; times < 25; times++) for (const [, text] of QUERIES) await answer(store, text, time);
    for (const [what, text] of QUERIES) {
      assert.equal(await answer(store, text, time), await answer(plain, text, {}), `${what}, many times later`);
      const [blocks, fewest] = [await blocksOf(store, text, time), await blocksOf(plain, text, {})];
      assert.ok(blocks <= 1.5 * fewest, `${what}: ${blocks} blocks where the plain store reads ${fewest}`);
    }
  });
}
