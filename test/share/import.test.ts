/** Import of shares: what is staged, what is set aside, what is rewritten (semantics of graphs, 6.8 and 6.9). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { bundleOf, EX, PREFIXES } from './bundle-support.js';

const ROOT = 'urn:svc:graph:root';

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(':memory:');
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

const load = (store: Store, turtle: string, more = {}) =>
  store.load({ text: PREFIXES + turtle, format: 'turtle' }, more);

async function linesOf(store: Store, graph: string): Promise<string[]> {
  let text = '';
  for await (const chunk of store.export('ntriples', { graph })) text += Buffer.from(chunk).toString();
  return text
    .replaceAll(EX, 'ex:')
    .replaceAll('http://www.w3.org/1999/02/22-rdf-syntax-ns#type', 'a')
    .replaceAll('http://www.w3.org/2000/01/rdf-schema#', 'rdfs:')
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

const peer = { source: 'peer a' };

test('IM-1: a share is staged, its exact name rewritten, and ROOT stays as it is', () =>
  withStore(async (store) => {
    await load(store, 'ex:b2 rdfs:label "alpha" .');
    const before = await linesOf(store, ROOT);
    const bundle = await bundleOf('ex:a a ex:Host ; rdfs:label "alpha" .');
    const hex = bundle.manifest.share_id.slice(7);
    const first = await store.importShare(bundle, peer);
    const { timestamp: _t, validFrom: _v, asserted: _a, retracted: _r, findings: _f, ...told } = first;
    assert.deepEqual(told, {
      outcome: 'staged',
      shareId: bundle.manifest.share_id,
      import: `urn:svc:import:${hex}`,
      graph: `urn:svc:share:${hex}`,
      quarantineGraph: null,
      accepted: 2,
      quarantined: 0,
      rewritten: [{ from: `${EX}a`, to: `${EX}b2`, name: 'alpha' }],
      resolutionCandidates: [],
      namesLeftOut: 0,
      shacl: { conforms: true, violations: [], warnings: [], infos: [] },
      blockers: [],
      truncated: false,
      parentKnown: false,
      tx: 2,
      quarantineTx: null,
      signature: null,
    });
    assert.deepEqual(await linesOf(store, first.graph), ['<ex:b2> <a> <ex:Host> .', '<ex:b2> <rdfs:label> "alpha" .']);
    assert.deepEqual(await linesOf(store, ROOT), before);
    const again = await store.importShare(bundle, peer);
    assert.deepEqual([again.outcome, again.tx, again.graph, again.accepted], ['unchanged', 0, first.graph, 2]);
    const { events } = await store.events.read({ since: 0, limit: 100 });
    assert.deepEqual(
      events.filter(({ tx_id: tx }) => tx === 2).map(({ type, subject, payload }) => [type, subject, payload]),
      [
        [
          'import.staged',
          `urn:svc:import:${hex}`,
          { share_id: bundle.manifest.share_id, graph: first.graph, accepted: 2, quarantined: 0 },
        ],
      ],
    );
    assert.equal(store.transactions().at(-1)?.source, `import:${bundle.manifest.share_id}`);
    const row = await store.graph(first.graph);
    assert.deepEqual([row?.class, row?.source], ['committed', 'import']);
  }));

test('IM-3: what is off the vocabulary is set aside, and the share can not be promoted', () =>
  withStore(async (store) => {
    await store.loadShapes(
      'host',
      `${PREFIXES} ex:HostShape a sh:NodeShape ; sh:targetClass ex:Host ; sh:property [ sh:path rdfs:label ; sh:minCount 1 ] .`,
    );
    const bundle = await bundleOf('ex:a ex:zzz 1 . ex:b a ex:Host ; rdfs:label "beta" .');
    const found = await store.importShare(bundle, peer);
    assert.deepEqual([found.outcome, found.accepted, found.quarantined], ['quarantined', 2, 1]);
    assert.deepEqual(found.blockers, [
      {
        kind: 'off_vocabulary',
        subject: `${EX}a`,
        term: `${EX}zzz`,
        message: `<${EX}zzz> is not in the vocabulary of the loaded shapes`,
      },
    ]);
    assert.equal(found.graph, found.quarantineGraph);
    assert.deepEqual(await linesOf(store, found.graph), [
      '<ex:a> <ex:zzz> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .',
    ]);
    assert.equal(found.quarantineTx, found.tx + 1);
    await assert.rejects(store.promoteShare(bundle.manifest.share_id), { code: 'state_conflict' });
  }));

test('IM-4: two local entities of one name: nothing is rewritten, and both are candidates', () =>
  withStore(async (store) => {
    await load(store, 'ex:b2 rdfs:label "alpha" . ex:b3 rdfs:label "alpha"@en .');
    const found = await store.importShare(await bundleOf('ex:a a ex:Host ; rdfs:label "alpha" .'), peer);
    assert.deepEqual(found.rewritten, []);
    const [{ entity, candidates } = { entity: '', candidates: [] }] = found.resolutionCandidates;
    assert.equal(entity, `${EX}a`);
    assert.deepEqual(
      candidates.map(({ iri, score }) => [iri, score]),
      [
        [`${EX}b2`, 1],
        [`${EX}b3`, 1],
      ],
    );
  }));

test('PR-1 and PR-2: what ROOT has lost stays lost until it is asserted here again', () =>
  withStore(async (store) => {
    await load(store, 'ex:x ex:p 1 . ex:y ex:p 1 .');
    await store.retract(`${EX}y`);
    const bundle = await bundleOf('ex:x ex:p 1 . ex:y ex:p 1 . ex:z ex:p 1 .');
    await store.importShare(bundle, peer);
    const promoted = await store.promoteShare(bundle.manifest.share_id, { actor: 'ana' });
    assert.deepEqual([promoted.outcome, promoted.triples, promoted.suppressed, promoted.added], ['promoted', 2, 1, 1]);
    assert.deepEqual(
      promoted.sample.map(({ subject }) => subject.value),
      [`${EX}y`],
    );
    assert.deepEqual(
      (await linesOf(store, ROOT)).map((line) => line.slice(0, 6)),
      ['<ex:x>', '<ex:z>'],
    );
    assert.equal((await linesOf(store, promoted.graph)).length, 3, 'the staging graph stays');
    const again = await store.promoteShare(bundle.manifest.share_id);
    assert.deepEqual([again.outcome, again.tx], ['unchanged', 0]);
    await load(store, 'ex:y ex:p 1 .');
    const later = await bundleOf('ex:y ex:p 1 .');
    await store.importShare(later, peer);
    const second = await store.promoteShare(later.manifest.share_id);
    assert.deepEqual([second.triples, second.suppressed, second.added], [1, 0, 0]);
  }));
