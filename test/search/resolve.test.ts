/** Names compared with labels: the worked examples, the bounds against plain comparison, labels followed over transactions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codePoints, jaroWinkler } from '../../engine/search/jaro-winkler.js';
import { LabelTable, type ScoredRow } from '../../engine/search/label-table.js';
import { Labels } from '../../engine/search/labels.js';
import { resolveName } from '../../engine/search/resolve.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { type Quad, type Store, terms } from '../../interfaces/library/index.js';
import { knot, LABEL, onBothStores } from '../service/time-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

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

test('what the bounds pass over scores less than the threshold', () => {
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 40 }),
      word,
      fc.constantFrom(0, 0.5, 0.7, 0.85, 0.95, 1),
      (labels, name, threshold) => {
        const table = new LabelTable();
        for (const [at, label] of labels.entries()) table.add([at, 0, at, 1], label);
        const found: ScoredRow[] = [];
        table.scores(codePoints(name.toLowerCase()), threshold, 0, table.rows, found);
        const expected = labels
          .map((label, row) => ({ row, score: jaroWinkler(name.toLowerCase(), label.toLowerCase()) }))
          .filter(({ score }) => score >= threshold - 1e-9);
        assert.deepEqual(found, expected);
      },
    ),
    { numRuns: 500 },
  );
});

test('the bounds leave few labels to be scored', () => {
  const table = new LabelTable();
  for (let at = 0; at < 20_000; at++) table.add([at, 0, at, 1], `service ${(at * 7919) % 20_000} of team ${at % 97}`);
  let scored = 0;
  const counting = codePoints('database in munich');
  const found: ScoredRow[] = [];
  table.scores(counting, 0.85, 0, table.rows, found);
  scored += found.length;
  assert.equal(scored, 0);
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
          const followed = await labels.at(snapshot, {});
          const fresh = await new Labels().at(snapshot, {});
          for (const name of ['aab', 'x', '']) {
            const query = { name, topK: 50, threshold: 0.5 };
            assert.deepEqual(
              await resolveName(snapshot, followed, query, {}),
              await resolveName(snapshot, fresh, query, {}),
            );
          }
          snapshot.close();
        }
      } finally {
        await engine.close();
      }
    }),
    { numRuns: 30 },
  );
});
