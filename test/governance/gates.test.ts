/** Governance at the write gate (semantics of reasoning, 5.3 to 5.6): policies, placement, authority, and people who decide. */
import assert from 'node:assert/strict';
import { createPrivateKey, sign } from 'node:crypto';
import { test } from 'node:test';
import { GateRefusal } from '../../engine/service/gates/gates.js';
import { openStore } from '../../engine/service/host/open-store.js';
import type { GovernanceSettings } from '../../engine/service/options/store-options.js';
import type { Store } from '../../engine/service/store/store.js';

const BASE = 'http://svc.local/ontology/';
const PREFIXES = `@prefix ex: <http://ex/> . @prefix b: <${BASE}> .\n`;
const OWNED = `ex:owned a b:Policy ; b:targets "http://ex/Service" ; b:boundary "action" ; b:claim "ASK { $target <http://ex/owner> ?o }"`;

async function governed(governance: GovernanceSettings, now?: () => number): Promise<Store> {
  return openStore(':memory:', { governance, ...(now && { now }) });
}

const load = (store: Store, turtle: string, options = {}) =>
  store.load({ text: PREFIXES + turtle, format: 'turtle' }, options);

async function refused(work: Promise<unknown>): Promise<GateRefusal> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof GateRefusal, String(error));
    return error;
  }
  throw new Error('it was accepted');
}

async function holds(store: Store, ask: string): Promise<boolean> {
  const answer = await store.query(`PREFIX ex: <http://ex/> PREFIX b: <${BASE}> ASK { ${ask} }` as string);
  assert.equal(answer.kind, 'ask');
  return answer.kind === 'ask' && answer.value;
}

test('EX-5.1: a claim that does not hold refuses, whatever makes it so', async (t) => {
  const store = await governed({ enforceOnWrite: true });
  t.after(() => store.close());
  await load(store, `${OWNED} .`);
  const error = await refused(load(store, 'ex:s1 a ex:Service .'));
  assert.equal(error.gate, 'policy');
  assert.equal(error.httpStatus, 403);
  assert.equal(
    error.message,
    "policy denied: 'http://ex/s1' blocked by policy 'http://ex/owned' (effect 'deny', target type 'http://ex/Service'): claim unsatisfied.",
  );
  assert.equal(await holds(store, 'ex:s1 ?p ?o'), false);
  const { events: refusals } = await store.events.read({ types: ['write.refused'] });
  assert.deepEqual(
    refusals.map(({ payload }) => (payload as { gate: string }).gate),
    ['policy'],
  );
  await load(store, 'ex:s1 a ex:Service ; ex:owner ex:ana .');
  const retraction = store.update('DELETE DATA { <http://ex/s1> <http://ex/owner> <http://ex/ana> }');
  assert.equal((await refused(retraction)).gate, 'policy');
  assert.ok(await holds(store, 'ex:s1 ex:owner ex:ana'));
  await load(store, 'ex:x a ex:Other .');
});

for (const [what, more] of [
  ['effect warn', 'b:effect "warn"'],
  ['class soft', 'b:constraintClass "soft"'],
] as const) {
  test(`EX-5.1: with ${what} everything is accepted`, async (t) => {
    const store = await governed({ enforceOnWrite: true });
    t.after(() => store.close());
    await load(store, `${OWNED} ; ${more} .`);
    await load(store, 'ex:s1 a ex:Service .');
    assert.ok(await holds(store, 'ex:s1 a ex:Service'));
  });
}

test('EX-5.2: a policy stands where its class can be verified', async (t) => {
  const store = await governed({ validatePlacement: true });
  t.after(() => store.close());
  const policy = (more: string) => load(store, `ex:p a b:Policy ; b:boundary "action" ; ${more} .`);
  const hard = 'b:constraintClass "hard"';
  const escalation = 'b:constraintClass "escalation" ; b:verificationPoint "PAG" ; b:effect "escalate"';
  assert.equal((await refused(policy(`${hard} ; b:verificationPoint "PAA"`))).code, 'refused_placement');
  assert.match(
    (await refused(policy(`${escalation} ; b:onTimeout "deny"`))).message,
    /needs reversibilityWindowSeconds/,
  );
  assert.match(
    (await refused(policy(`${hard} ; b:verificationPoint "PAG" ; b:effect "escalate"`))).message,
    /constraintClass is escalation/,
  );
  await policy(`${hard} ; b:verificationPoint "PAG"`);
  await load(
    store,
    `ex:q a b:Policy ; b:boundary "action" ; ${escalation} ; b:reversibilityWindowSeconds 3600 ; b:onTimeout "deny" .`,
  );
  // One more value of a field that has one; the class that makes it a policy was there before.
  assert.match((await refused(load(store, 'ex:p b:effect "deny", "warn" .'))).message, /effect has 2 values/);
  assert.match(
    (await refused(load(store, 'ex:g a b:Predicate ; b:matchType "must-ground" .'))).message,
    /groundingQuery/,
  );
});

test('EX-5.3: a chain may write what each of its links may', async (t) => {
  const store = await governed({ enforceAuthority: true });
  t.after(() => store.close());
  await load(
    store,
    `ex:alice a b:Principal ; b:principalId "alice" ; b:authorityOver "*" .
     ex:bot a b:Principal ; b:principalId "bot" ; b:authorityOver "urn:g1" .
     ex:carl a b:Principal ; b:principalId "carl" ; b:authorityOver "urn:g2" .`,
  );
  let number = 0;
  const insert = (principalChain: readonly string[] | undefined, graph?: string) => {
    number++;
    const triple = `<urn:s> <urn:p> ${number}`;
    const pattern = graph === undefined ? triple : `GRAPH <${graph}> { ${triple} }`;
    return store.update(`INSERT DATA { ${pattern} }`, { principalChain });
  };
  await insert(['alice', 'bot'], 'urn:g1');
  const root = await refused(insert(['alice', 'bot']));
  assert.equal(root.gate, 'authority');
  assert.equal(root.message, 'the chain alice, bot may not write the graph <urn:svc:graph:root>; it holds <urn:g1>');
  assert.match((await refused(insert(['bot', 'carl'], 'urn:g1'))).message, /it holds nothing/);
  assert.match((await refused(insert(['alice', 'nobody'], 'urn:g1'))).message, /it holds nothing/);
  assert.equal((await refused(load(store, 'ex:a ex:b 1 .', { principalChain: ['bot'] }))).gate, 'authority');
  await load(store, 'ex:a ex:b 1 .', { principalChain: ['bot'], graph: 'urn:g1' });
  await insert(undefined);
  await insert([], 'urn:g3');
});

const SEED_PREFIX = '302e020100300506032b657004220420';
const DECIDER = createPrivateKey({
  key: Buffer.from(SEED_PREFIX + '02'.repeat(32), 'hex'),
  format: 'der',
  type: 'pkcs8',
});
const DECIDER_KEY = '8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394';
const HASH = 'sha256:b627b6ae53042185a59e41b9dd23965538dd7a1ee7f621250f183795b9b9610f';
const REQUEST = `${BASE}decision_request_b627b6ae53042185a59e41b9dd239655`;
const APPROVED =
  '1ab90ce8b7b6f9033299886c13283d44147b208c1a2602a6333376f1a2cdf13366158f252e4da9acf4010b600011e7f4f3a5b407548dea112a6ee2a4f5cce80f';
const signedBy = (outcome: string): string =>
  sign(null, Buffer.from(`decision-v1|${HASH}|${outcome}|http://ex/person/ana`), DECIDER).toString('hex');

test('EX-5.4: what escalates waits for a signed decision, which outlives its window; a rejection outranks it', async (t) => {
  let now = 1_700_000_000;
  const store = await governed({ enforceOnWrite: true }, () => now);
  t.after(() => store.close());
  await load(
    store,
    `<http://ex/policy/has-owner> a b:Policy ; b:targets ex:Service ; b:boundary "action" ; b:effect "escalate" ;
       b:constraintClass "escalation" ; b:reversibilityWindowSeconds 3600 ; b:claim "ASK { $target <http://ex/owner> ?o }" .`,
  );
  const write = () => load(store, 'ex:svc1 a ex:Service .');
  const first = await refused(write());
  assert.deepEqual(first.details, {
    policy: 'http://ex/policy/has-owner',
    entity: 'http://ex/svc1',
    effect: 'escalate',
    decision_request: REQUEST,
    evidence_hash: HASH,
    expires_at: now + 3600,
  });
  assert.ok(
    await holds(store, `<${REQUEST}> a b:DecisionRequest ; b:expiresAt ${now + 3600} ; b:evidenceHash "${HASH}"`),
  );
  now += 10;
  assert.equal((await refused(write())).details.expires_at, now - 10 + 3600);
  now += 4000;
  assert.match((await refused(write())).message, /nobody decided in time; it was asked again/);
  assert.ok(await holds(store, `<${REQUEST}> b:expiresAt ${now + 3600}`));
  assert.equal(await holds(store, `<${REQUEST}> b:expiresAt ${1_700_000_000 + 3600}`), false);

  assert.equal(signedBy('approve'), APPROVED);
  const decision = (name: string, outcome: string, more: string) =>
    load(
      store,
      `ex:${name} a b:Decision ; b:evidenceHash "${HASH}" ; b:outcome "${outcome}" ; b:by "http://ex/person/ana" ${more} .`,
    );
  await decision('unsigned', 'approve', '');
  await refused(write());
  await decision('signed', 'approve', `; b:signature "${APPROVED}"`);
  // Nobody has registered the key yet.
  await refused(write());
  await load(
    store,
    `ex:registration a b:VerifierRegistration ; b:verifier "http://ex/person/ana" ; b:attests "http://ex/policy/other" ;
       b:publicKey "${DECIDER_KEY}" .`,
  );
  await refused(write());
  await load(store, 'ex:registration b:attests "http://ex/policy/has-owner" .');
  now += 10_000;
  await write();
  assert.ok(await holds(store, 'ex:svc1 a ex:Service'));
  await decision('no', 'reject', `; b:signature "${signedBy('reject')}"`);
  const last = await refused(load(store, 'ex:svc1 ex:note "again" .'));
  assert.match(last.message, /turned it down/);
  assert.equal(await holds(store, 'ex:svc1 ex:note "again"'), false);
});

test('a claim that is no ASK, does not parse or asks elsewhere fails the write and names the policy', async (t) => {
  for (const [claim, what] of [
    ['SELECT * { $target ?p ?o }', /form SELECT; expected ASK/],
    ['ASK { $target', /is no query/],
    ['ASK { SERVICE <http://127.0.0.1:1/sparql> { $target ?p ?o } }', /SERVICE/],
    ['INSERT DATA { $target <urn:p> 1 }', /is no query/],
  ] as const) {
    const store = await governed({ enforceOnWrite: true });
    t.after(() => store.close());
    await load(store, `ex:p a b:Policy ; b:targets ex:Service ; b:boundary "action" ; b:claim "${claim}" .`);
    await assert.rejects(load(store, 'ex:s a ex:Service .'), what);
    assert.equal(await holds(store, 'ex:s ?p ?o'), false);
  }
});

test('a write is judged by the policies before it, in the graph that it is for together with ROOT', async (t) => {
  const store = await governed({ enforceOnWrite: true });
  t.after(() => store.close());
  await load(store, `${OWNED} . ex:free a ex:Service .`);
  await refused(load(store, 'ex:s2 a ex:Service .', { graph: 'urn:g' }));
  await load(store, 'ex:s2 a ex:Service ; ex:owner ex:ana .', { graph: 'urn:g' });
  // Its class stands in ROOT, its owner nowhere.
  await refused(load(store, 'ex:free ex:note "x" .', { graph: 'urn:g' }));
  await store.update('DELETE WHERE { <http://ex/owned> ?p ?o }');
  await load(store, 'ex:s3 a ex:Service .');
});
