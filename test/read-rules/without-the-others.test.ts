/**
 * Who may read some graphs sees a store without the others: whatever stands in these, and whatever they are called, each
 * operation answers by the same bytes. Two stores differ in nothing but what is hidden, and are asked the same.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ANYONE } from '../../engine/base/principal.js';
import { ReadRules } from '../../engine/governance/read-rules.js';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { openStore } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { answersOf, GOOD, REQUESTS, SEEN } from './answers.js';
import { EX } from './histories.js';
import { alone, difference, pair, RULES, steady } from './stores.js';

const configuration = parseConfiguration('[svc.features]\nowl = true\n', 'none');
const folder = new StoreFolder();

test('every operation has a place in the table, and the table names no other', () => {
  const names = OPERATIONS.map(({ name }) => name).sort();
  assert.deepEqual(Object.keys(SEEN).sort(), names);
  const asked = Object.keys(REQUESTS).sort();
  assert.deepEqual(
    asked,
    names.filter((name) => SEEN[name] === 'without'),
  );
  for (const { name, access, forSomeGraphs } of OPERATIONS) {
    if (access !== 'read') assert.equal(SEEN[name] === 'refused', forSomeGraphs === 'refused', name);
  }
});

/** Of two files of one name. */
function twoPaths(): [string, string] {
  const [one, other] = [folder.fresh(), folder.fresh()];
  for (const path of [one, other]) mkdirSync(`${path}.d`);
  return [join(`${one}.d`, 'kg.db'), join(`${other}.d`, 'kg.db')];
}

for (const [kind, seeds] of Object.entries({ memory: [1], file: [4] })) {
  for (const [name, rules] of Object.entries(RULES)) {
    // Files differ in how graphs are scanned, which names and patterns of rules share.
    if (kind === 'file' && name !== 'ROOT as well') continue;
    test(`the answers of two stores that differ in what is hidden are the same: ${name}, ${kind}`, async (t) => {
      const principal = new ReadRules(rules).principal(null);
      const root = name === 'ROOT as well';
      // Of a file the sequence of rows without ORDER BY follows the runs, which a freeze and what is hidden change.
      const seen = (text: string): string =>
        kind === 'file' ? JSON.stringify(said(steady(text), /^$a/)) : steady(text);
      /** By operation: one for each says enough. */
      const failed = new Map<string, string>();
      for (const seed of seeds) {
        const [one, other] = await pair(seed, root, kind === 'memory' ? [':memory:', ':memory:'] : twoPaths());
        t.after(async () => {
          await one.close();
          await other.close();
        });
        if (seed % 2 === 0 && kind === 'file') for (const store of [one, other]) await store.fold();
        let told = 0;
        for (const operation of OPERATIONS) {
          for (const request of REQUESTS[operation.name] ?? []) {
            const asked = { operation, request, principal };
            const here = (await answersOf(one, configuration, asked)).map(seen);
            const there = (await answersOf(other, configuration, asked)).map(seen);
            const at = here.findIndex((text, form) => text !== there[form]);
            if (at >= 0 && !failed.has(operation.name)) {
              const what = `${operation.name} ${JSON.stringify(request)} (seed ${seed})`;
              failed.set(operation.name, `${what}: ${difference(here[at] as string, there[at] ?? '')}`);
            }
            if (here.some((text) => text.includes(`${EX}n1`))) told++;
          }
        }
        assert.ok(told > 20, `${told} answers told of something`);
      }
      assert.deepEqual([...failed.values()], []);
    });
  }
}

/** Numbers of transactions, and who wrote them, which a reader of some graphs is not told. */
const TOLD =
  /^(tx|tx_\w+|\w+_tx|watermark|source|actor|next|cursor|since|transactions|terms|storage|last_transaction|store)$/;

/** What a text says, whatever the sequence of its parts. */
function said(text: string, untold: RegExp = TOLD): unknown {
  const [form = '', ...rest] = text.split(' ');
  const content = rest.join(' ');
  if (form !== 'body' || !content.startsWith('{')) {
    const lines = content.split(/,?[\r\n]+/);
    return untold === TOLD ? lines.map((line) => line.replaceAll(/"tx(_id)?":\d+/g, '#')).sort() : lines.sort();
  }
  return JSON.parse(content, function (this: unknown, key, value: unknown) {
    if (untold.test(key)) return undefined;
    if (Array.isArray(value)) return value.map((one) => JSON.stringify(one)).sort();
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  }) as unknown;
}

/** Asked of states by their transactions, of which the stores have others, or with parts of answers whose sequence is not said. */
const NOT_COMPARED = new Set([
  'unravel',
  'changes',
  'timeline',
  'transactions',
  'share',
  'stats',
  'graph_counts',
  'version',
]);

for (const [name, rules] of Object.entries(RULES)) {
  test(`the answers are those of a store that holds nothing else: ${name}`, async (t) => {
    const principal = new ReadRules(rules).principal(null);
    const root = name === 'ROOT as well';
    const failed = new Map<string, string>();
    for (const seed of [5]) {
      const [full, other] = await pair(seed, root, [':memory:', ':memory:']);
      const only = await alone(seed, root, ':memory:');
      t.after(() => Promise.all([full, other, only].map((store) => store.close())));
      for (const operation of OPERATIONS) {
        if (NOT_COMPARED.has(operation.name)) continue;
        for (const request of REQUESTS[operation.name] ?? []) {
          // The registry has rows about rules that ran and other things, too, which are nobody's but who may read all of it.
          if ('query' in request && String(request.query).includes('graph:registry')) continue;
          // First uses, and events of what belongs to no graph, are for who may read every graph.
          if (operation.name === 'events' && !JSON.stringify(request).includes('entity.added')) continue;
          // What it would leave depends on every graph, and is refused.
          if ('tx' in request || 'remove' in request || failed.has(operation.name)) continue;
          const narrowed = (await answersOf(full, configuration, { operation, request, principal })).map(steady);
          const whole = await answersOf(only, configuration, { operation, request, principal: ANYONE });
          for (const [at, text] of whole.map(steady).entries()) {
            const [here, there] = [said(narrowed[at] as string), said(text)].map((one) => JSON.stringify(one));
            if (here === there) continue;
            failed.set(
              operation.name,
              `${operation.name} ${JSON.stringify(request)} (seed ${seed}): ${difference(here as string, there as string)}`,
            );
          }
        }
      }
    }
    assert.deepEqual([...failed.values()], []);
  });
}

test('what tells of every graph at once is refused in the same words, whatever is asked', async (t) => {
  const store = await openStore(':memory:');
  t.after(() => store.close());
  const principal = new ReadRules(RULES['by name']).principal(null);
  for (const operation of OPERATIONS) {
    if (SEEN[operation.name] !== 'refused' || operation.opens === 'file') continue;
    const request = GOOD[operation.name] ?? {};
    const [text = ''] = await answersOf(store, configuration, { operation, request, principal });
    assert.match(text, /error authority_denied: .*some graphs only/, operation.name);
  }
});
