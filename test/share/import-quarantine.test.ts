/** What is set aside of a share, and what becomes of it (semantics of graphs, 6.8 F to I, ruling R50). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { bundleOf, EX, PREFIXES } from './bundle-support.js';

const SHAPES = `${PREFIXES} ex:HostShape a sh:NodeShape ; sh:targetClass ex:Host ;
  sh:property [ sh:path ex:port ; sh:datatype xsd:integer ] , [ sh:path ( ex:in [ sh:inversePath ex:of ] ) ] .`;

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(':memory:');
  await store.loadShapes('hosts', SHAPES);
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

async function subjectsIn(store: Store, graph: string | null): Promise<string[]> {
  const answer = await store.select(`SELECT DISTINCT ?s { GRAPH <${graph}> { ?s ?p ?o } }`);
  const found: string[] = [];
  for await (const [term] of answer.rows()) {
    found.push((term?.value ?? '').replace(EX, '').replace(/^imp-[0-9a-f]{16}-/, '_:'));
  }
  return found.sort();
}

test('a violation sets its subject aside, warnings and shapes that only observe do not', () =>
  withStore(async (store) => {
    await store.loadShapes(
      'mild',
      `${PREFIXES} ex:Warns a sh:NodeShape ; sh:targetClass ex:Host ; sh:property [ sh:path ex:in ; sh:minCount 1 ; sh:severity sh:Warning ] .
       ex:Watches a sh:NodeShape ; <https://svc.dev/ontology/onViolation> "emit" ; sh:targetClass ex:Host ; sh:property [ sh:path ex:of ; sh:minCount 1 ] .`,
    );
    const found = await store.importShare(
      await bundleOf('ex:good a ex:Host ; ex:port 80 . ex:bad a ex:Host ; ex:port "eighty" .'),
      { source: 'peer' },
    );
    assert.deepEqual([found.outcome, found.accepted, found.quarantined], ['quarantined', 2, 2]);
    assert.deepEqual(
      found.blockers.map(({ kind, subject, term }) => [kind, subject, term]),
      [['violation', `${EX}bad`, `${EX}port`]],
    );
    assert.equal(found.shacl.conforms, false);
    assert.equal(found.shacl.warnings.length, 4, 'two of a warning, two of a shape that observes');
    assert.deepEqual(await subjectsIn(store, found.quarantineGraph), ['bad']);
    const labels = await store.select(
      `SELECT ?g ?k { GRAPH <urn:svc:graph:meta> { ?g <https://svc.dev/ontology/dataKind> ?k } }`,
    );
    const kinds: string[] = [];
    for await (const [graph, kind] of labels.rows()) kinds.push(`${graph?.value.slice(0, 14)} ${kind?.value}`);
    assert.deepEqual(kinds.sort(), ['urn:svc:quaran quarantine', 'urn:svc:share: staging']);
    const { events } = await store.events.read({ since: 0, limit: 100 });
    const own = events.filter(({ tx_id: tx }) => tx >= found.tx);
    assert.deepEqual(
      own.map(({ type, tx_id: tx }) => [type, tx]),
      [['import.quarantined', found.quarantineTx]],
    );
    const sources = store
      .transactions()
      .slice(-2)
      .map(({ source }) => source);
    assert.deepEqual(sources, [`import:${found.shareId}`, `import:${found.shareId}`]);
  }));

test('blank nodes go with what refers to them, and what refers to a blank node at fault goes with it', () =>
  withStore(async (store) => {
    const share = await bundleOf(`
      ex:a ex:in [ ex:of [ ex:nowhere 1 ] ] ; ex:port 1 .
      ex:b ex:zzz 1 ; ex:in [ ex:of [ ex:in 2 ] ] .
      ex:c ex:in [ ex:of ex:d ] . ex:d ex:port 2 .`);
    const found = await store.importShare(share, { source: 'peer' });
    const aside = await subjectsIn(store, found.quarantineGraph);
    assert.deepEqual(
      aside.filter((name) => !name.startsWith('_:')),
      ['a', 'b'],
    );
    assert.equal(aside.filter((name) => name.startsWith('_:')).length, 4);
    const kept = await subjectsIn(store, stagingOf(found.shareId));
    assert.deepEqual(
      kept.filter((name) => !name.startsWith('_:')),
      ['c', 'd'],
    );
    assert.equal(kept.filter((name) => name.startsWith('_:')).length, 1);
  }));

const stagingOf = (shareId: string): string => shareId.replace('sha256:', 'urn:svc:share:');

test('words within complex paths are in the vocabulary, those of the shapes of the bundle are not', () =>
  withStore(async (store) => {
    const good = await store.importShare(await bundleOf('ex:a a ex:Host ; ex:in ex:b . ex:b ex:of ex:c .'), {
      source: 'peer',
    });
    assert.equal(good.outcome, 'staged');
    const strange = await store.importShare(await bundleOf('ex:a a ex:Other .'), { source: 'peer' });
    assert.deepEqual(
      strange.blockers.map(({ subject, term }) => [subject, term]),
      [[`${EX}a`, `${EX}Other`]],
    );
  }));

test('a recheck after shapes were loaded moves a share to staged, and an import alone does not', () =>
  withStore(async (store) => {
    const share = await bundleOf('ex:a a ex:Host ; ex:extra 1 . ex:b ex:port 2 .');
    const first = await store.importShare(share, { source: 'peer' });
    assert.deepEqual([first.outcome, first.accepted, first.quarantined], ['quarantined', 1, 2]);
    const same = await store.importShare(share, { source: 'peer', recheck: true });
    assert.deepEqual([same.outcome, same.tx, same.accepted, same.quarantined], ['quarantined', 0, 1, 2]);
    await store.loadShapes('more', `${PREFIXES} ex:More a sh:NodeShape ; sh:property [ sh:path ex:extra ] .`);
    const again = await store.importShare(share, { source: 'peer' });
    assert.deepEqual([again.outcome, again.graph], ['unchanged', first.quarantineGraph]);
    assert.equal(again.blockers.length, 1, 'it tells what the import has told');
    const better = await store.importShare(share, { source: 'peer', recheck: true });
    assert.deepEqual(
      [better.outcome, better.accepted, better.quarantined, better.quarantineGraph],
      ['staged', 3, 0, null],
    );
    assert.deepEqual(await subjectsIn(store, better.graph), ['a', 'b']);
    assert.deepEqual(await subjectsIn(store, first.quarantineGraph), []);
    const promoted = await store.promoteShare(first.shareId);
    assert.deepEqual([promoted.outcome, promoted.triples], ['promoted', 3]);
    const after = await store.importShare(share, { source: 'peer', recheck: true });
    assert.deepEqual([after.outcome, after.graph], ['unchanged', better.graph]);
  }));

test('a promotion that a shape refuses writes nothing, and the share stays staged', () =>
  withStore(async (store) => {
    const share = await bundleOf('ex:a a ex:Host ; ex:port 80 .');
    await store.importShare(share, { source: 'peer' });
    await store.loadShapes(
      'strict',
      `${PREFIXES} ex:Strict a sh:NodeShape ; sh:targetClass ex:Host ; sh:property [ sh:path ex:in ; sh:minCount 1 ] .`,
    );
    const before = store.transactions().length;
    await assert.rejects(store.promoteShare(share.manifest.share_id), { code: 'refused_shacl' });
    assert.equal(store.transactions().length, before);
    const { events } = await store.events.read({ since: 0, limit: 100, types: ['write.refused'] });
    assert.deepEqual(
      events.map(({ payload }) => (payload as { source: string }).source),
      [`promote:${share.manifest.share_id}`],
    );
    await store.removeShapes('strict');
    const promoted = await store.promoteShare(share.manifest.share_id);
    assert.equal(promoted.outcome, 'promoted');
    const { events: told } = await store.events.read({ since: 0, limit: 100, types: ['import.promoted'] });
    assert.deepEqual(
      told.map(({ payload }) => payload),
      [{ share_id: share.manifest.share_id, triples: 2, suppressed_retractions: 0 }],
    );
  }));

test('graphs of imports are written by nothing else', () =>
  withStore(async (store) => {
    const { graph } = await store.importShare(await bundleOf('ex:a ex:port 80 .'), { source: 'peer' });
    await assert.rejects(
      store.update(`INSERT DATA { GRAPH <${graph}> { <${EX}x> <${EX}p> 1 } }`),
      /only imports write/,
    );
    await assert.rejects(
      store.load({ text: `<${EX}x> <${EX}p> 1 .`, format: 'turtle' }, { graph }),
      /only imports write/,
    );
  }));
