/** Precedents of a request for a decision: decided requests about entities near in meaning, by the vectors of the store. */
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { test } from 'node:test';
import { evidenceHash, requestIri } from '../../engine/governance/decisions.js';
import { decisionMessage } from '../../engine/governance/signatures.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { ownProvider } from '../service/embedding/own-provider.js';

const BASE = 'http://svc.local/ontology/';
const POLICY = 'http://ex/has-owner';
const PREFIXES = `@prefix ex: <http://ex/> . @prefix b: <${BASE}> .\n`;
const SEED = '302e020100300506032b657004220420';
const KEY = createPrivateKey({ key: Buffer.from(SEED + '02'.repeat(32), 'hex'), format: 'der', type: 'pkcs8' });
const PUBLIC = createPublicKey(KEY).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
const BY = 'http://ex/ana';

const SERVICES = {
  router: 'reverse proxy edge router',
  proxy: 'reverse proxy edge',
  cache: 'edge cache',
  gateway: 'edge proxy gateway',
  lake: 'mountain lake',
  pond: 'pond',
};

const load = (store: Store, turtle: string) => store.load({ text: PREFIXES + turtle, format: 'turtle' });
const requestAbout = (name: string) => requestIri(BASE, evidenceHash(POLICY, `http://ex/${name}`));

async function holdsBack(store: Store, name: string): Promise<string[]> {
  await assert.rejects(load(store, `ex:${name} ex:port 1 .`), { code: 'policy_denied' });
  const answer = await store.query(`SELECT ?p { <${requestAbout(name)}> <${BASE}precedent> ?p }`);
  assert.equal(answer.kind, 'select');
  const found: string[] = [];
  if (answer.kind === 'select') for await (const [term] of answer.rows()) found.push(term?.value ?? '');
  const names = new Map(Object.keys(SERVICES).map((one) => [requestAbout(one), one]));
  return found.map((iri) => names.get(iri) ?? iri).sort();
}

function decide(store: Store, name: string, outcome: string, forged = false): Promise<unknown> {
  const hash = evidenceHash(POLICY, `http://ex/${name}`);
  const signature = sign(null, Buffer.from(decisionMessage(hash, forged ? 'approve' : outcome, BY)), KEY).toString(
    'hex',
  );
  return load(
    store,
    `ex:on-${name} a b:Decision ; b:evidenceHash "${hash}" ; b:outcome "${outcome}" ; b:by "${BY}" ; b:signature "${signature}" .`,
  );
}

async function governed(embeddings: object): Promise<Store> {
  const store = await openStore(':memory:', { governance: { enforceOnWrite: true }, ...embeddings });
  for (const [name, note] of Object.entries(SERVICES))
    await load(store, `ex:${name} a ex:Service ; ex:note "${note}" .`);
  await load(
    store,
    `<${POLICY}> a b:Policy ; b:targets ex:Service ; b:boundary "action" ; b:effect "escalate" ; b:constraintClass "escalation" ;
       b:reversibilityWindowSeconds 3600 ; b:claim "ASK { $target <http://ex/owner> ?o }" .
     ex:ana-attests a b:VerifierRegistration ; b:verifier "${BY}" ; b:attests "${POLICY}" ; b:publicKey "${PUBLIC}" .`,
  );
  return store;
}

test('the nearest requests that were decided, three at most, whatever the decision was', async (t) => {
  const store = await governed({ embeddings: { provider: ownProvider() } });
  t.after(() => store.close());
  // Nothing has a vector yet.
  assert.deepEqual(await holdsBack(store, 'pond'), []);
  await decide(store, 'pond', 'approve');
  await store.embedBackfill();
  // Nobody else was asked about what is decided.
  assert.deepEqual(await holdsBack(store, 'proxy'), ['pond']);
  assert.deepEqual(await holdsBack(store, 'cache'), ['pond']);
  assert.deepEqual(await holdsBack(store, 'gateway'), ['pond']);
  assert.deepEqual(await holdsBack(store, 'lake'), ['pond']);
  await decide(store, 'proxy', 'approve');
  await decide(store, 'gateway', 'changes');
  await decide(store, 'lake', 'reject');
  // A decision that does not verify is none.
  await decide(store, 'cache', 'reject', true);
  assert.deepEqual(await holdsBack(store, 'router'), ['gateway', 'pond', 'proxy']);
});

test('without vectors, or where they can not be compared, requests are written all the same', async (t) => {
  const bare = await governed({});
  t.after(() => bare.close());
  await holdsBack(bare, 'proxy');
  await decide(bare, 'proxy', 'approve');
  assert.deepEqual(await holdsBack(bare, 'router'), []);
  const answer = await bare.query(
    `ASK { <${requestAbout('router')}> <${BASE}forPolicy> <${POLICY}> ; <${BASE}forTarget> <http://ex/router> }`,
  );
  assert.ok(answer.kind === 'ask' && answer.value, 'policy and target are named by their IRIs');
});
