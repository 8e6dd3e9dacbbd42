/** Golden paths and co-occurring work items (semantics of reasoning, 11). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { inFolder, svcHere } from '../cli/svc.js';
import { json, sharedTestServer } from '../http/support.js';
import { onBothStores, trace } from '../service/time-support.js';

const V = 'http://ex/v/';
const EX = 'http://ex/';
const PREFIXES = `@prefix v: <${V}> . @prefix ex: <${EX}> . @prefix b: <http://svc.local/ontology/> .\n`;
const VIA = [`${V}produces`, `${V}consumedBy`];
const base = { baseNs: V };

const TRAJECTORY = `
ex:s1 v:stepOf ex:traj ; v:stepOrder 1 ; v:actionKind "edit" ; v:produces ex:a1 .
ex:s2 v:stepOf ex:traj ; v:stepOrder "2" ; v:actionKind "edit" ; v:produces ex:a2 .
ex:s3 v:stepOf ex:traj ; v:stepOrder 3 ; v:actionKind "run" ; v:produces ex:r1 .
ex:s4 v:stepOf ex:traj ; v:stepOrder 4 ; v:actionKind "verify" ; v:verifiedBy ex:v .
ex:s5 v:stepOf ex:traj ; v:stepOrder 5 ; v:actionKind "mail" .
ex:a1 v:consumedBy ex:s3 . ex:r1 v:consumedBy ex:s4 .
`;
const FALSIFIER = 'ex:v v:falsifier "non-200" .';

const put = (store: Store, turtle: string, timestamp?: string) =>
  store.load({ text: PREFIXES + turtle, format: 'turtle' }, { timestamp });

async function verdicts(store: Store, options: Parameters<Store['pathCone']>[1]): Promise<string> {
  const { steps } = await store.pathCone(`${EX}traj`, { ...base, ...options });
  return steps.map(({ iri, verdict }) => `${iri.slice(EX.length)} ${verdict}`).join(', ');
}

onBothStores('EX-11.1: the cone of a trajectory', async (store) => {
  await put(store, TRAJECTORY);
  await assert.rejects(store.pathCone(`${EX}traj`, base), {
    code: 'invalid_request',
    message: 'trajectory has no falsifier-gated verification: http://ex/traj',
  });
  await put(store, FALSIFIER);
  const cone = await store.pathCone(`${EX}traj`, { ...base, via: VIA });
  assert.deepEqual(cone, {
    trajectory: `${EX}traj`,
    hops: 8,
    verifications: [`${EX}v`],
    derivationPredicates: [...VIA, `${V}verifiedBy`],
    steps: [
      { iri: `${EX}s1`, order: 1, verdict: 'InCone', reason: `reaches ${EX}v at depth 5` },
      { iri: `${EX}s2`, order: 2, verdict: 'OutOfCone', reason: 'reaches no verification within 8 hops' },
      { iri: `${EX}s3`, order: 3, verdict: 'InCone', reason: `reaches ${EX}v at depth 3` },
      { iri: `${EX}s4`, order: 4, verdict: 'InCone', reason: `reaches ${EX}v at depth 1` },
      {
        iri: `${EX}s5`,
        order: 5,
        verdict: 'CannotEvaluate',
        reason: `has no fact whose value is an IRI of <${V}produces>, <${V}consumedBy>, <${V}verifiedBy>`,
      },
    ],
  });
  const none = 'CannotEvaluate';
  assert.equal(await verdicts(store, {}), `s1 ${none}, s2 ${none}, s3 ${none}, s4 InCone, s5 ${none}`);
  const near = await verdicts(store, { via: VIA, hops: 3 });
  assert.equal(near, `s1 OutOfCone, s2 OutOfCone, s3 InCone, s4 InCone, s5 ${none}`);
  await put(store, 'ex:s2 v:verifiedBy ex:v2 .');
  const more = await store.pathCone(`${EX}traj`, { ...base, via: VIA });
  assert.deepEqual(more.verifications, [`${EX}v`]);
  assert.equal(more.steps[1]?.verdict, 'OutOfCone');
});

onBothStores(
  'a cone in a circle ends, unordered steps come last, and the nearest verification is named',
  async (store) => {
    await put(
      store,
      `ex:z v:stepOf ex:t ; v:next ex:y . ex:y v:stepOf ex:t ; v:next ex:z ; v:verifiedBy ex:v2, ex:v1 .
     ex:x v:stepOf ex:t ; v:stepOrder 7 ; v:next ex:z . ex:v1 v:falsifier 1 . ex:v2 v:falsifier 2 .`,
    );
    const { steps, verifications } = await store.pathCone(`${EX}t`, { ...base, via: [`${V}next`] });
    assert.deepEqual(
      steps.map(({ iri, order, reason }) => [iri.slice(EX.length), order, reason]),
      [
        ['x', 7, `reaches ${EX}v1 at depth 3`],
        ['y', null, `reaches ${EX}v1 at depth 1`],
        ['z', null, `reaches ${EX}v1 at depth 2`],
      ],
    );
    assert.deepEqual(verifications, [`${EX}v1`, `${EX}v2`]);
  },
);

const FOLLOWERS = `
ex:traj v:trajectoryOf ex:w0 . ex:w0 v:about "deploy" ; v:outcome "done" .
ex:f1a v:stepOf ex:f1 ; v:stepOrder 1 ; v:actionKind "edit" . ex:f1b v:stepOf ex:f1 ; v:stepOrder 2 ; v:actionKind "run" .
ex:f1c v:stepOf ex:f1 ; v:stepOrder 3 ; v:actionKind "verify" . ex:f1 v:trajectoryOf ex:w1 . ex:w1 v:about "deploy" ; v:outcome "done" .
ex:f2a v:stepOf ex:f2 ; v:stepOrder 1 ; v:actionKind "edit" . ex:f2b v:stepOf ex:f2 ; v:stepOrder 2 ; v:actionKind "verify" .
ex:f2 v:trajectoryOf ex:w2 . ex:w2 v:about "deploy" ; v:outcome "failed" .
ex:f3a v:stepOf ex:f3 . ex:f3 v:trajectoryOf ex:w3 . ex:w3 v:about "deploy" ; v:outcome "done" .
ex:f4a v:stepOf ex:f4 ; v:actionKind "edit" . ex:f4 v:trajectoryOf ex:w4 . ex:w4 v:about "other" .
`;

onBothStores('EX-11.2: others that went the same way', async (store) => {
  await put(store, TRAJECTORY + FALSIFIER + FOLLOWERS);
  const found = await store.pathBacktest(`${EX}traj`, { ...base, omit: [`${EX}s2`, `${EX}s5`] });
  const row = (n: number, outcome: string, result: unknown, unevaluatedSteps: number) => {
    return { trajectory: `${EX}f${n}`, workitem: `${EX}w${n}`, outcome, result, unevaluatedSteps };
  };
  assert.deepEqual(found, {
    grammar: 'gp-grammar/1',
    exemplar: `${EX}traj`,
    pattern: ['edit', 'run', 'verify'].map((actionKind) => ({ actionKind, targetClass: 'none' })),
    topics: ['deploy'],
    rows: [
      row(1, 'done', 'Conforms', 0),
      row(2, 'failed', { DeviatesAt: { pattern_index: 1 } }, 0),
      row(3, 'done', 'CannotEvaluate', 1),
    ],
    conformersDone: 1,
    conformersTotal: 1,
    deviatorsDone: 0,
    deviatorsTotal: 1,
    cannotEvaluate: 1,
  });
});

test('signatures: an IRI wins over a literal, the least type counts, kinds are case-sensitive', async (t) => {
  const store = await openStore(':memory:');
  t.after(() => store.close());
  await put(
    store,
    `ex:e1 v:stepOf ex:e ; v:stepOrder 1 ; v:actionKind "edit" ; v:actionTarget "text", ex:file . ex:file a ex:B, ex:A .
     ex:e2 v:stepOf ex:e ; v:stepOrder 2 ; v:actionKind "edit" ; v:actionTarget "text" .
     ex:e3 v:stepOf ex:e ; v:stepOrder 3 ; v:actionKind "edit" ; v:actionTarget ex:plain .
     ex:e v:trajectoryOf ex:w . ex:w v:about ex:topic .
     ex:o1 v:stepOf ex:o ; v:actionKind "Edit" ; v:actionTarget ex:file . ex:o v:trajectoryOf ex:w .`,
  );
  const { pattern, topics, rows } = await store.pathBacktest(`${EX}e`, base);
  assert.deepEqual(
    pattern.map(({ targetClass }) => targetClass),
    [`${EX}A`, 'literal', 'untyped'],
  );
  assert.deepEqual(topics, [`${EX}topic`]);
  assert.deepEqual(
    rows.map(({ trajectory, outcome, result }) => [trajectory, outcome, result]),
    [[`${EX}o`, null, { DeviatesAt: { pattern_index: 0 } }]],
  );
});

test('refusals name what is wrong, and what to do', async (t) => {
  const store = await openStore(':memory:');
  t.after(() => store.close());
  await put(store, TRAJECTORY);
  await put(store, 'ex:n1 v:stepOf ex:n ; v:stepOrder 1 . ex:lonely v:about "x" .');
  const traj = `${EX}traj`;
  const backtest = (exemplar: string, omit: string[] = []) => store.pathBacktest(exemplar, { ...base, omit });
  await assert.rejects(store.pathCone(`${EX}none`, base), { message: `entity not found: ${EX}none` });
  await assert.rejects(store.pathCone(`${EX}lonely`, base), { message: `trajectory has no steps: ${EX}lonely` });
  await assert.rejects(store.pathCone('traj', base), /trajectory: <traj>/);
  await assert.rejects(store.pathCone(`${EX}a b`, base), /trajectory: </);
  await assert.rejects(store.pathCone(traj, { ...base, hops: -1 }), /hops is -1/);
  await assert.rejects(store.pathCone(traj, { baseNs: 'x y' }), /base_ns/);
  await assert.rejects(store.pathCone(traj), { message: `trajectory has no steps: ${traj}` });
  await assert.rejects(backtest(`${EX}none`), { message: `entity not found: ${EX}none` });
  await assert.rejects(backtest(`${EX}lonely`), { message: `trajectory has no steps: ${EX}lonely` });
  await assert.rejects(backtest(`${EX}n`), /steps of the exemplar have no actionKind: <http:\/\/ex\/n1>/);
  await assert.rejects(backtest(traj, [`${EX}n1`]), /omit: <http:\/\/ex\/n1> is no step/);
  await assert.rejects(
    backtest(
      traj,
      [1, 2, 3, 4, 5].map((n) => `${EX}s${n}`),
    ),
    /the pattern is empty/,
  );
  await assert.rejects(backtest(traj), /the work item of the exemplar has no topic/);
  const draft = (more: object) => store.draftPath(traj, { name: 'x', label: 'x', ...more }, base);
  await assert.rejects(draft({ name: 'a b' }), /'name' is "a b"/);
  await assert.rejects(draft({ omit: [`${EX}s2`] }), /1 steps are omitted by 0 decisions/);
  await assert.rejects(draft({ omit: [`${EX}x`], by: [`${EX}d`] }), /is no step/);
  const aborted = AbortSignal.abort();
  await assert.rejects(store.pathCone(traj, { ...base, signal: aborted }), { code: 'aborted' });
  await put(store, FALSIFIER);
  await assert.rejects(store.pathCone(traj, { ...base, via: VIA, memoryBytes: 10 }), { code: 'query_complexity' });
});

test('a draft is Turtle that can be loaded; nothing is written meanwhile', async () => {
  await inFolder(async (cwd) => {
    const run = (input: string, ...words: string[]) => svcHere(words, { cwd, input });
    await run(PREFIXES + TRAJECTORY + FALSIFIER, 'knot', '-');
    const omission = ['--omit', `${EX}s2`, '--by', `${EX}d1`, '--dead-end', `${EX}s5`, '--via', `${V}produces`];
    const words = [
      'path',
      'draft',
      `${EX}traj`,
      '--name',
      'deploy',
      '--label',
      'Say "go"',
      '--base-ns',
      V,
      ...omission,
    ];
    const { out, code } = await run('', ...words);
    assert.equal(code, 0);
    const store = await openStore(':memory:');
    await store.load({ text: out, format: 'turtle' });
    const answer = await store.query(
      `PREFIX v: <${V}> PREFIX ex: <${EX}> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> ASK {
        v:golden_path_deploy a v:GoldenPath ; rdfs:label 'Say "go"' ; v:exemplar ex:traj ; v:grammar "gp-grammar/1" ;
          v:via v:produces ; v:deadEnd ex:s5 ; v:hasOmission [ a v:PathOmission ; v:prunedFrom ex:traj ;
          v:omitsStep ex:s2 ; v:omissionAuthority ex:d1 ] }`,
    );
    assert.equal(answer.value, true);
    await store.close();
    const cone = await run('', 'path', 'cone', `${EX}traj`, '--base-ns', V, '--via', VIA[0] as string);
    const [head, verified, first] = cone.out.split('\n');
    assert.equal(head, `cone of ${EX}traj (hops: 8)`);
    assert.equal(verified, `verified against: ${EX}v`);
    assert.equal(first, `  [1] OUT-OF-CONE ${EX}s1 — reaches no verification within 8 hops`);
    const unpaired = await run('', ...words, '--by', `${EX}d2`);
    assert.equal(unpaired.code, 1);
  });
});

const COMMITS = `
ex:c1 b:implements ex:w1 ; b:modifies ex:e1, ex:e2 .
ex:c2 b:implements ex:w2 ; b:modifies ex:e1, ex:e2 .
ex:c3 b:implements ex:w3 ; b:modifies ex:e2 .
`;

onBothStores('EX-11.3: items that touch the same entities', async (store) => {
  await put(store, COMMITS, '2026-01-01');
  // A commit of both, and two commits of one item that touch one entity, which counts once.
  await put(store, 'ex:c4 b:implements ex:w3 ; b:modifies ex:e2 .', '2026-02-01');
  const of = async (item: string, options = {}) => {
    const { cooccurring } = await store.cooccurrence(EX + item, options);
    return cooccurring.map(({ workItem, sharedEntities }) => `${workItem.slice(EX.length)} ${sharedEntities}`).join();
  };
  assert.equal(await of('w1'), 'w2 2,w3 1');
  assert.equal(await of('none'), '');
  assert.equal(await of('e1'), '');
  await put(store, 'ex:c5 b:implements ex:w4, ex:w1 ; b:modifies ex:e9 .', '2026-03-01');
  assert.equal(await of('w4'), 'w1 1');
  assert.equal(await of('w1', { tx: 1 }), 'w2 2,w3 1');
  assert.equal(await of('w1', { validAt: '2026-02-15' }), 'w2 2,w3 1');
  assert.equal(await of('w1', { validAt: '2025-01-01' }), '');
  assert.equal(await of('w1', { limit: 1, offset: 1 }), 'w3 1');
  const page = await store.cooccurrence(`${EX}w1`, { limit: 2 });
  assert.equal(page.truncated, true);
  await assert.rejects(store.cooccurrence(`${EX}a b`), /work_item: </);
  await assert.rejects(store.cooccurrence(`${EX}w1`, { tx: 99 }), /99/);
  const before = await trace(store);
  await of('w1');
  assert.deepEqual(await trace(store), before);
});

const served = sharedTestServer();

test('over HTTP: bodies in their shape', async () => {
  const server = await served();
  await server.post('/knot', { turtle: PREFIXES + TRAJECTORY + FALSIFIER + FOLLOWERS + COMMITS });
  const cone = await json(await server.post('/path/cone', { trajectory: `${EX}traj`, via: VIA, base_ns: V, hops: 3 }));
  assert.deepEqual(Object.keys(cone), ['trajectory', 'hops', 'verifications', 'derivation_predicates', 'steps']);
  assert.deepEqual((cone.steps as object[])[0], {
    iri: `${EX}s1`,
    order: 1,
    verdict: 'OutOfCone',
    reason: 'reaches no verification within 3 hops',
  });
  const backtest = await json(await server.post('/path/backtest', { exemplar: `${EX}traj`, base_ns: V }));
  assert.deepEqual(Object.keys(backtest), [
    'grammar',
    'exemplar',
    'pattern',
    'topics',
    'rows',
    'conformers_done',
    'conformers_total',
    'deviators_done',
    'deviators_total',
    'cannot_evaluate',
  ]);
  assert.deepEqual((backtest.rows as object[])[1], {
    trajectory: `${EX}f2`,
    workitem: `${EX}w2`,
    outcome: 'failed',
    result: { DeviatesAt: { pattern_index: 1 } },
    unevaluated_steps: 0,
  });
  assert.deepEqual(await json(await server.post('/cooccurrence', { work_item: `${EX}w1` })), {
    work_item: `${EX}w1`,
    cooccurring: [
      { work_item: `${EX}w2`, shared_entities: 2 },
      { work_item: `${EX}w3`, shared_entities: 1 },
    ],
    count: 2,
    truncated: false,
  });
  const cases: readonly (readonly [string, object, RegExp])[] = [
    ['/path/cone', {}, /missing 'trajectory' parameter/],
    ['/path/cone', { trajectory: `${EX}traj`, hops: 1.5 }, /hops/],
    ['/path/cone', { trajectory: `${EX}none` }, /^entity not found: http:\/\/ex\/none$/],
    ['/path/backtest', { exemplar: `${EX}none` }, /^entity not found/],
    ['/cooccurrence', {}, /missing 'work_item' parameter/],
    ['/cooccurrence', { work_item: 'a"b' }, /work_item/],
    ['/cooccurrence', { work_item: `${EX}w1`, tx: 9999 }, /9999/],
  ];
  for (const [path, body, message] of cases) {
    const answer = await server.post(path, body);
    assert.equal(answer.status, 400, path + JSON.stringify(body));
    assert.match(String((await json(answer)).error), message);
  }
});
