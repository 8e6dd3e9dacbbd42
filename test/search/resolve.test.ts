/** Names compared with labels: the worked examples, the bounds against plain comparison, labels followed over transactions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BestLabels } from '../../engine/search/labels/best-labels.js';
import { LabelTable } from '../../engine/search/labels/label-table.js';
import { Labels } from '../../engine/search/labels/labels.js';
import { type ResolveQuery, resolveNames } from '../../engine/search/resolve.js';
import { codePoints, jaroWinkler } from '../../engine/search/text/jaro-winkler.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { type Quad, type Store, terms } from '../../interfaces/library/index.js';
import { knot, LABEL, onBothStores } from '../service/time-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const node = (at: number) => terms.namedNode(`http://example.org/${at}`);

const AT_DEFAULT = { topK: 3, threshold: 0.85 };

onBothStores('EX-8.1: traefic means Traefik; duane means dwayne from 0.8 on', async (store) => {
  await knot(store, 'ex:traefik rdfs:label "Traefik" . ex:dwayne rdfs:label "dwayne" .');
  assert.deepEqual(await store.resolve('traefic', AT_DEFAULT), [
    { iri: 'http://example.org/traefik', score: 0.942857, matchedOn: 'canonical_name:jaro_winkler:0.94' },
  ]);
  assert.deepEqual(await store.resolve('duane', AT_DEFAULT), []);
  const [found, ...others] = await store.resolve('duane', { topK: 3, threshold: 0.8 });
  assert.deepEqual([found?.iri, found?.score, others.length], ['http://example.org/dwayne', 0.84, 0]);
  const exact = await store.resolve('TRAEFIK', AT_DEFAULT);
  assert.deepEqual([exact[0]?.score, exact[0]?.matchedOn], [1, 'canonical_name:jaro_winkler:1.00']);
});

onBothStores(
  'one entry per IRI, the best; ties by IRI; blank nodes, other graphs and labels that ended do not count',
  async (store) => {
    await knot(
      store,
      `ex:b rdfs:label "kota", "Kota"@fi, "kotas" . ex:a rdfs:label "KOTA" . _:x rdfs:label "kota" .
     ex:g { ex:h rdfs:label "kota" } ex:gone rdfs:label "kota" . ex:c rdfs:label "kotae" .`,
    );
    await store.retract('http://example.org/gone');
    const found = await store.resolve('kota', { topK: 9, threshold: 0.85 });
    assert.deepEqual(
      found.map(({ iri, score }) => [iri.slice(19), score]),
      [
        ['a', 1],
        ['b', 1],
        ['c', 0.96],
      ],
    );
    assert.deepEqual(
      (await store.resolve('kota', { topK: 1, threshold: 0 })).map(({ iri }) => iri.slice(19)),
      ['a'],
    );
    for (const bad of [
      { topK: 0, threshold: 0.5 },
      { topK: 1, threshold: 2 },
      { topK: 1, threshold: Number.NaN },
    ]) {
      await assert.rejects(store.resolve('kota', bad), { code: 'invalid_request' });
    }
  },
);

async function twins(store: Store): Promise<void> {
  await knot(store, `<http://svc.local/ontology/my_app> rdfs:label "my app" . ex:traefik rdfs:label "traefik" .`);
}

onBothStores(
  'hints and contentions of an episode; what is distinct is no candidate, by its list or by what is stored',
  async (store) => {
    await twins(store);
    const resolution = AT_DEFAULT;
    const nodes = [{ name: 'my-app' }, { name: 'traefic' }, { name: 'traefikk' }, { name: 'my app' }];
    const { hints, contentions } = await store.writeEpisode({ name: 'e', nodes }, { resolution });
    assert.deepEqual(
      hints.map(({ node, candidates }) => [node, ...candidates.map(({ iri }) => iri)]),
      [
        ['my-app', 'http://svc.local/ontology/my_app'],
        ['traefic', 'http://example.org/traefik'],
        ['traefikk', 'http://example.org/traefik'],
      ],
    );
    assert.deepEqual(contentions, [
      {
        iri: 'http://example.org/traefik',
        claimants: [
          { node: 'traefic', score: 0.942857 },
          { node: 'traefikk', score: 0.975 },
        ],
      },
    ]);
    assert.deepEqual((await store.writeEpisode({ name: 'f', nodes })).hints, [], 'not without being asked');
    const distinct = { name: 'g', nodes: [{ name: 'traefick', distinctFrom: ['http://example.org/traefik'] }] };
    const told = (await store.writeEpisode(distinct, { resolution: { topK: 9, threshold: 0.9 } })).hints;
    assert.ok(told.every(({ candidates }) => candidates.every(({ iri }) => iri !== 'http://example.org/traefik')));
    await store.writeEpisode({ name: 'g', body: 'again', nodes: [{ name: 'traefick' }] });
    const later = await store.writeEpisode(
      { name: 'h', nodes: [{ name: 'traefick' }] },
      { resolution: { topK: 9, threshold: 0.9 } },
    );
    assert.ok(
      later.hints.every(({ candidates }) => candidates.every(({ iri }) => iri !== 'http://example.org/traefik')),
    );
  },
);

onBothStores('strict mode refuses a node that may be another entity, and nothing is written', async (store) => {
  await twins(store);
  const resolution = { ...AT_DEFAULT, strict: true };
  const before = store.transactions().length;
  await assert.rejects(store.writeEpisode({ name: 'e', nodes: [{ name: 'traefic' }] }, { resolution }), {
    code: 'invalid_request',
    message: /"traefic" may be <http:\/\/example\.org\/traefik> \(score 0\.942857\)/,
  });
  assert.equal(store.transactions().length, before);
  const said = { name: 'traefic', distinctFrom: ['http://example.org/traefik'] };
  assert.equal((await store.writeEpisode({ name: 'e', nodes: [said] }, { resolution })).outcome, 'created');
  assert.equal(
    (await store.writeEpisode({ name: 'f', nodes: [{ name: 'my app' }] }, { resolution })).outcome,
    'created',
  );
  assert.equal((await store.writeEpisode({ name: 'e', body: 'x', nodes: [said] }, { resolution })).outcome, 'updated');
});

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '😀', 'x', 'A'), maxLength: 9 });

/** The scores of the labels at the threshold or above, the best first, and the label of each. */
function plainScores(labels: readonly string[], name: string, threshold: number): [score: number, row: number][] {
  return labels
    .map((label, row): [number, number] => [jaroWinkler(name.toLowerCase(), label.toLowerCase()), row])
    .filter(([score]) => score >= threshold - 1e-9)
    .sort(([a, first], [b, second]) => b - a || first - second);
}

function tableOf(labels: readonly string[]): LabelTable {
  const table = new LabelTable();
  for (const [at, label] of labels.entries()) table.add([at, 0, at, 1], label);
  return table;
}

function bestOf(table: LabelTable, name: string, threshold: number, most: number): [score: number, row: number][] {
  const best = new BestLabels(threshold, most);
  table.search(codePoints(name.toLowerCase()), best);
  return best
    .sorted()
    .map(({ score, ids }): [number, number] => [score, ids[0] as number])
    .sort(([a, first], [b, second]) => b - a || first - second);
}

test('what the bounds pass over scores less than the threshold', () => {
  const thresholds = fc.constantFrom(0, 0.5, 0.7, 0.85, 0.95, 1);
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), word, thresholds, (labels, name, threshold) => {
      const found = bestOf(tableOf(labels), name, threshold, Number.POSITIVE_INFINITY);
      assert.deepEqual(found, plainScores(labels, name, threshold));
    }),
    { numRuns: 500 },
  );
});

test('the best of many labels are those of a plain comparison, with all that score as the last of them', () => {
  const part = fc.constantFrom(
    'ka',
    'ri',
    'to',
    'men',
    'ber',
    'an',
    '4',
    '12',
    '00',
    '-',
    ' ',
    'é',
    'Straße',
    '😀',
    '日本',
  );
  const name = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(
      fc.array(name, { minLength: 2300, maxLength: 2500 }),
      fc.array(name, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(0, 0.6, 0.85, 0.95),
      fc.constantFrom(1, 3, 20, Number.POSITIVE_INFINITY),
      (labels, names, threshold, most) => {
        const table = tableOf(labels.slice(0, 2200));
        for (const one of names) bestOf(table, one, threshold, most);
        // These stand behind the blocks.
        for (const [at, label] of labels.slice(2200).entries()) table.add([2200 + at, 0, at, 1], label);
        for (const one of [...names, labels[0] as string]) {
          const all = plainScores(labels, one, threshold);
          const last = all[most - 1]?.[0] ?? 0;
          const expected = all.filter(([score]) => score >= last - 1e-9);
          assert.deepEqual(bestOf(table, one, threshold, most), expected);
        }
      },
    ),
    { numRuns: 12 },
  );
});

test('few of many labels are looked at, and fewer are scored', () => {
  const numbered = tableOf(Array.from({ length: 50_000 }, (_, at) => `entity ${String(at).padStart(6, '0')}`));
  const found = bestOf(numbered, 'entity 012345', 0.85, 19);
  assert.deepEqual(found[0], [1, 12_345]);
  assert.ok(found.length >= 19);
  assert.ok(numbered.compared < 15_000, `${numbered.compared} looked at`);
  assert.ok(numbered.scored < 3000, `${numbered.scored} scored`);
  const named = tableOf(
    Array.from({ length: 50_000 }, (_, at) => `service ${(at * 7919) % 50_000} of team ${at % 97}`),
  );
  assert.deepEqual(bestOf(named, 'database in munich', 0.85, 19), []);
  assert.deepEqual([named.compared < 500, named.scored], [true, 0]);
});

test('labels beyond the bound of memory are compared all the same, and are not kept', async () => {
  const engine = await openLmdbEngine(new StoreFolder().fresh(), { create: true });
  const count = 12_000;
  const stage = engine.stage({ timestamp: 1 });
  const names = Array.from({ length: count }, (_, at) => `label number ${at} of the long list`);
  stage.assert(names.map((name, at) => terms.quad(node(at), terms.namedNode(LABEL), terms.literal(name))));
  await stage.commit().durable;
  const snapshot = engine.snapshot();
  const limits = { topK: 3, threshold: 0.9 };
  const queries = [5, 1234, 2999].map((at) => ({ name: names[at] as string }));
  const kept = new Labels();
  const small = new Labels(undefined, 100_000);
  const expected = await resolveNames(snapshot, kept, queries, limits, {});
  assert.deepEqual(
    expected.map(([first]) => first?.iri),
    [5, 1234, 2999].map((at) => node(at).value),
  );
  assert.deepEqual(await resolveNames(snapshot, small, queries, limits, {}), expected);
  assert.deepEqual(await resolveNames(snapshot, small, queries, limits, {}), expected);
  const tables = async (labels: Labels): Promise<number> => {
    let found = 0;
    for await (const _ of labels.tables(snapshot, {})) found++;
    return found;
  };
  await assert.rejects(resolveNames(snapshot, kept, queries, { ...limits, comparisonsMax: 32_000 }, {}), {
    code: 'invalid_request',
    message: /3 names beside 12000 labels/,
  });
  const alone = await resolveNames(snapshot, kept, queries.slice(0, 1), { ...limits, comparisonsMax: 8 }, {});
  assert.deepEqual(alone, expected.slice(0, 1));
  assert.equal(await tables(kept), 1);
  assert.ok((await tables(small)) > 1);
  snapshot.close();
  await engine.close();
});

test('an entity whose best labels do not count has its next ones looked at', async () => {
  const engine = await openLmdbEngine(new StoreFolder().fresh(), { create: true });
  const stage = engine.stage({ timestamp: 1 });
  const label = (at: number, text: string) => terms.quad(node(at), terms.namedNode(LABEL), terms.literal(text));
  stage.assert([
    ...Array.from({ length: 60 }, (_, at) => label(0, `kota${'!'.repeat(at)}`)),
    ...Array.from({ length: 60 }, (_, at) => label(1 + at, `kota x${at}`)),
  ]);
  await stage.commit().durable;
  const snapshot = engine.snapshot();
  const excluded = new Set([node(0).value]);
  const isWanted = (iri: string): boolean => iri === node(0).value || iri === node(60).value;
  const limits = { topK: 2, threshold: 0.7 };
  const names = (query: ResolveQuery) => resolveNames(snapshot, new Labels(), [query], limits, {});
  assert.deepEqual(
    (await names({ name: 'kota', isWanted }))[0]?.map(({ iri }) => iri),
    [node(0).value, node(60).value],
  );
  assert.equal((await names({ name: 'kota', excluded }))[0]?.length, 2);
  snapshot.close();
  await engine.close();
});

test('labels that are followed are those that are made anew', async () => {
  const folder = new StoreFolder();
  const subject = fc.integer({ min: 0, max: 5 });
  const step = fc.record({ assert: fc.boolean(), subject, label: word });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 8 }), async (writes) => {
      const engine = await openLmdbEngine(folder.fresh(), { create: true });
      const labels = new Labels();
      try {
        for (const [at, steps] of writes.entries()) {
          const stage = engine.stage({ timestamp: at });
          for (const one of steps) {
            const quad: Quad = terms.quad(
              terms.namedNode(`http://example.org/${one.subject}`),
              terms.namedNode(LABEL),
              terms.literal(one.label),
            );
            if (one.assert) stage.assert([quad]);
            else stage.retract([quad]);
          }
          await stage.commit().durable;
          if (at % 5 === 3) await engine.fold({}, true);
          const snapshot = engine.snapshot();
          const queries = ['aab', 'x', ''].map((name) => ({ name }));
          const limits = { topK: 50, threshold: 0.5 };
          assert.deepEqual(
            await resolveNames(snapshot, labels, queries, limits, {}),
            await resolveNames(snapshot, new Labels(), queries, limits, {}),
          );
          snapshot.close();
        }
      } finally {
        await engine.close();
      }
    }),
    { numRuns: 30 },
  );
});
