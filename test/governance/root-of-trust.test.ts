/** Verdicts: what is asked, how it is hashed and signed, and what a signature is worth (semantics of reasoning, 5.7 to 5.9). */
import assert from 'node:assert/strict';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../engine/service/host/open-store.js';
import type { GovernanceSettings } from '../../engine/service/options/store-options.js';
import type { Store } from '../../engine/service/store/store.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const BASE = 'http://svc.local/ontology/';
const VERIFIER = 'http://ex/verifier/svc';
const KEY = '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c';
const POLICY = 'http://ex/policy/has-owner';
const TARGET = 'http://ex/svc1';
const CLAIM = 'ASK { $target <http://ex/owner> ?o }';
const SATISFIED =
  '6e79a8daa659d872d63c9480fbf0cf9ac0ca67c3ae44f0173431b4d3d735eab3c45c5b90c8bdb18f00db81afd0fc165ef32426150618730288e10b9543d28401';
const UNSATISFIED =
  'ca0736afab248cda74d64856760a557d6f4625970328ffdb35c759b6a8137675d5c4efcba3cb48379ea1d27da41a0a769c16649384d6e3ef135bc9b5b4321e0f';

/** The key of the examples: 32 bytes of one. */
const keyPath = join(folder.path, 'signing.key');
writeFileSync(keyPath, Buffer.from(`302e020100300506032b657004220420${'01'.repeat(32)}`, 'hex'), { mode: 0o600 });
const signing = { keyPath, verifier: VERIFIER };

const open = (governance: GovernanceSettings = { signing }) => openStore(':memory:', { governance });
const load = (store: Store, turtle: string, options = {}) =>
  store.load({ text: `@prefix ex: <http://ex/> . @prefix b: <${BASE}> .\n${turtle}`, format: 'turtle' }, options);

test('EX-5.5: the hash tells of what was asked, the signature of what came of it', async (t) => {
  const store = await open();
  t.after(() => store.close());
  await load(store, `<${POLICY}> a b:Policy ; b:claim "${CLAIM}" ; b:effect "warn" .`, {
    timestamp: '2025-01-01T00:00:00Z',
  });
  const missing = await store.checkPolicy({ policy: POLICY, target: TARGET });
  assert.deepEqual(missing, {
    predicateId: POLICY,
    target: TARGET,
    outcome: 'unsatisfied',
    evidenceHash: 'fnv1a:2338f5052321b5f2',
    tier: 'committed',
    verifier: VERIFIER,
    verifierAuthorized: false,
    signature: { signature: UNSATISFIED, publicKey: KEY },
  });
  await load(store, `<${TARGET}> ex:owner ex:ana .`);
  const found = await store.checkPolicy({ policy: POLICY, target: TARGET });
  assert.equal(found.outcome, 'satisfied');
  assert.equal(found.signature?.signature, SATISFIED);
  const validAt = '2026-01-01T00:00:00Z';
  assert.equal(
    (await store.checkPolicy({ policy: POLICY, target: TARGET }, { validAt })).evidenceHash,
    'fnv1a:2e97666526f46d52',
  );
  const inline = await store.checkPolicy({ claim: CLAIM, target: TARGET });
  assert.equal(inline.evidenceHash, 'fnv1a:586e785da8cda46e');
  assert.equal(inline.predicateId, 'inline');
  // Ruling R72: what is said of a claim that comes with a policy is said of the policy, unless the request names something.
  const both = { claim: CLAIM, target: TARGET, policy: 'http://ex/policy/other' };
  assert.equal((await store.checkPolicy(both)).predicateId, 'http://ex/policy/other');
  assert.equal((await store.checkPolicy({ ...both, predicateId: 'own' })).predicateId, 'own');
  const probed = await store.checkPolicy({
    claim: CLAIM,
    target: TARGET,
    evidenceProbe: 'ASK { $target <urn:none> ?o }',
  });
  assert.equal(probed.outcome, 'unknown');
  for (const [question, what] of [
    [{ target: TARGET }, /neither 'policy' nor 'claim'/],
    [{ target: 'a b', claim: CLAIM }, /no bare IRI/],
    [{ target: TARGET, claim: 'SELECT * { $target ?p ?o }' }, /expected ASK/],
    [{ target: TARGET, policy: 'http://ex/none' }, /has no claim in ROOT/],
    [{ target: TARGET, claim: CLAIM, predicateId: 'a|b' }, /can't hold \|/],
  ] as const) {
    await assert.rejects(store.checkPolicy(question), what);
  }
});

test('EX-5.6: what the gate says is kept, of writes that it refuses too, and once', async (t) => {
  const store = await open({ enforceOnWrite: true, signing });
  t.after(() => store.close());
  await load(store, `<${POLICY}> a b:Policy ; b:boundary "action" ; b:targets ex:Service ; b:claim "${CLAIM}" .`);
  const write = (options: object) => load(store, `<${TARGET}> a ex:Service .`, options);
  for (let time = 0; time < 2; time++) {
    await assert.rejects(write({ actor: 'agent-1', principalChain: ['alice', 'bot'] }), /policy denied/);
  }
  await assert.rejects(write({}), /policy denied/);
  const answer = await store.query(
    `PREFIX b: <${BASE}> SELECT ?v ?hash ?writer ?chain { ?v a b:Verdict ; b:evidenceHash ?hash
       OPTIONAL { ?v b:attributedWriter ?writer } OPTIONAL { ?v b:principalChain ?chain } } ORDER BY ?hash`,
  );
  assert.equal(answer.kind, 'select');
  const rows: (string | undefined)[][] = [];
  for await (const row of answer.rows()) rows.push(row.map((term) => term?.value));
  assert.deepEqual(
    rows.map((row) => row.slice(1)),
    [
      ['sha256:1838ec9a6886656af48edfde8983231dd8c09c2653a5e5a69168446286d12b93', undefined, undefined],
      ['sha256:963b603aed47a1cb3cb88fe58791c1792d3859ddf72acef5a0b0a79a99a0a4db', 'agent-1', 'alice,bot'],
    ],
  );
  assert.equal(rows[1]?.[0], `${BASE}verdict_2103dbcaa3d72fca22a5942cd7bc4db9`);
  const transactions = await store.transactions({ limit: 100 });
  assert.deepEqual(
    transactions.filter(({ actor }) => actor === 'svc').map(({ source }) => source),
    ['write-gate verdict', 'write-gate verdict'],
  );
});

test('EX-5.7: trusted is what a registered verifier may attest and has signed', async (t) => {
  const store = await open();
  t.after(() => store.close());
  const verdict = {
    predicate_id: POLICY,
    target_ref: TARGET,
    outcome: 'satisfied',
    evidence_hash: 'fnv1a:2338f5052321b5f2',
    tier: 'committed',
    verifier: VERIFIER,
  };
  const worth = async (outcome = 'satisfied', signature = SATISFIED) => {
    const { signature_valid, verifier_registered, verifier_authorized, trusted } = await store.verifyVerdict(
      { ...verdict, outcome },
      signature,
    );
    return [signature_valid, verifier_registered, verifier_authorized, trusted];
  };
  assert.deepEqual(await worth(), [false, false, false, false]);
  await load(
    store,
    `ex:r a b:VerifierRegistration ; b:verifier "${VERIFIER}" ; b:attests "other" ; b:publicKey "${KEY}" .`,
  );
  assert.deepEqual(await worth(), [true, true, false, false]);
  assert.equal(await store.verifierAuthorized(VERIFIER, POLICY), false);
  await load(store, `ex:r b:attests "${POLICY}" .`);
  assert.deepEqual(await worth(), [true, true, true, true]);
  assert.equal(await store.verifierAuthorized(VERIFIER, POLICY), true);
  assert.deepEqual(await worth('unsatisfied'), [false, true, true, false]);
  for (const signature of ['', 'zz', SATISFIED.slice(2), `${SATISFIED}00`]) {
    assert.deepEqual(await worth('satisfied', signature), [false, true, true, false]);
  }
  await assert.rejects(store.verifierAuthorized('a"b', POLICY), /can't hold a quote/);
});

test('without a key nothing is signed and no verdict is kept; a key that others may read is refused', async (t) => {
  const store = await open({ enforceOnWrite: true });
  t.after(() => store.close());
  await load(store, `<${POLICY}> a b:Policy ; b:boundary "action" ; b:targets ex:Service ; b:claim "${CLAIM}" .`);
  await load(store, `<${TARGET}> a ex:Service ; ex:owner ex:ana .`);
  const verdict = await store.checkPolicy({ policy: POLICY, target: TARGET });
  assert.deepEqual([verdict.signature, verdict.verifier], [null, 'urn:svc:verifier:unsigned']);
  const kept = await store.query(`ASK { ?v a <${BASE}Verdict> }`);
  assert.equal(kept.kind === 'ask' && kept.value, false);
  const fresh = join(folder.path, 'fresh.key');
  const signed = await open({ signing: { keyPath: fresh } });
  t.after(() => signed.close());
  const { signature, verifier } = await signed.checkPolicy({ claim: CLAIM, target: TARGET });
  assert.equal(verifier, `urn:svc:verifier:${signature?.publicKey.slice(0, 16)}`);
  assert.equal(statSync(fresh).mode & 0o777, 0o600);
  chmodSync(fresh, 0o644);
  await assert.rejects(signed.checkPolicy({ claim: CLAIM, target: TARGET }), /others than its owner/);
});
