/** Signing identities, signed messages by the vectors of the specification, registrations, and who is trusted. */
import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { checkShareSignature, signShare } from '../../engine/governance/share-signatures.js';
import { decisionMessage, isSigned, shareMessage, verdictMessage } from '../../engine/governance/signatures.js';
import { openSigningIdentity, SigningIdentity } from '../../engine/governance/signing-identity.js';
import { isAuthorized, trustInVerdict, verifierRegistrations } from '../../engine/governance/verifier-registrations.js';
import { storeOf } from '../share/support.js';

/** PKCS#8 of an ed25519 key, up to its seed. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const keyOf = (byte: number) => Buffer.concat([PKCS8, Buffer.alloc(32, byte)]);

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-signing-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function identityOf(byte: number, verifier?: string): SigningIdentity {
  return new SigningIdentity(createPrivateKey({ key: keyOf(byte), format: 'der', type: 'pkcs8' }), verifier);
}

const VERDICT = {
  predicate_id: 'http://ex/policy/has-owner',
  target_ref: 'http://ex/svc1',
  outcome: 'satisfied',
  evidence_hash: 'fnv1a:2338f5052321b5f2',
  tier: 'committed',
  verifier: 'http://ex/verifier/svc',
};
const SIGNED =
  '6e79a8daa659d872d63c9480fbf0cf9ac0ca67c3ae44f0173431b4d3d735eab3c45c5b90c8bdb18f00db81afd0fc165ef32426150618730288e10b9543d28401';

test('EX-5.5: the key, its verifier, and the signatures of both outcomes', () => {
  const identity = identityOf(1, VERDICT.verifier);
  assert.equal(identity.publicKey, '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c');
  assert.equal(identityOf(1).verifier, 'urn:svc:verifier:8a88e3dd7409f195');
  assert.equal(identity.sign(verdictMessage(VERDICT)), SIGNED);
  assert.equal(
    identity.sign(verdictMessage({ ...VERDICT, outcome: 'unsatisfied' })),
    'ca0736afab248cda74d64856760a557d6f4625970328ffdb35c759b6a8137675d5c4efcba3cb48379ea1d27da41a0a769c16649384d6e3ef135bc9b5b4321e0f',
  );
});

test('EX-5.4: the decision of a person, by the key of a person', () => {
  const evidence = 'sha256:b627b6ae53042185a59e41b9dd23965538dd7a1ee7f621250f183795b9b9610f';
  const identity = identityOf(2);
  assert.equal(identity.publicKey, '8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394');
  const message = decisionMessage(evidence, 'approve', 'http://ex/person/ana');
  const signature =
    '1ab90ce8b7b6f9033299886c13283d44147b208c1a2602a6333376f1a2cdf13366158f252e4da9acf4010b600011e7f4f3a5b407548dea112a6ee2a4f5cce80f';
  assert.equal(identity.sign(message), signature);
  assert.ok(isSigned(message, signature, identity.publicKey));
});

test('a field that holds | has no signed bytes', () => {
  assert.throws(() => verdictMessage({ ...VERDICT, target_ref: 'a|b' }), {
    code: 'invalid_request',
    message: /'target_ref'/,
  });
  assert.throws(() => shareMessage('sha256:0', 'urn:a|b'), { code: 'invalid_request', message: /'verifier'/ });
});

test('what is no signature, no key, or of another message is not signed, and no error', () => {
  const message = verdictMessage(VERDICT);
  const { publicKey } = identityOf(1);
  for (const [signature, key] of [
    ['', publicKey],
    ['zz', publicKey],
    [SIGNED.slice(2), publicKey],
    [SIGNED, 'ff'.repeat(32)],
    [SIGNED, ''],
    [SIGNED, identityOf(2).publicKey],
    [`00${SIGNED.slice(2)}`, publicKey],
  ] as const) {
    assert.equal(isSigned(message, signature, key), false, signature);
  }
  assert.ok(isSigned(message, SIGNED.toUpperCase(), publicKey.toUpperCase()));
});

test('a key that is not there is made for its owner alone, once, and found again', (t) => {
  const folder = folderOf(t);
  const keyPath = join(folder, 'signing.key');
  assert.equal(openSigningIdentity({}), null);
  const made = openSigningIdentity({ keyPath });
  assert.ok(made !== null);
  assert.equal(statSync(keyPath).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ['signing.key']);
  assert.match(readFileSync(keyPath, 'utf8'), /^-----BEGIN PRIVATE KEY-----/);
  assert.equal(openSigningIdentity({ keyPath })?.publicKey, made.publicKey);
  assert.ok(!JSON.stringify(made).includes('PRIVATE'));
});

test('keys are read as PEM and DER; what is none, of another kind, or open to others is refused without being told', (t) => {
  const folder = folderOf(t);
  const write = (name: string, content: string | Buffer, mode = 0o600): string => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode });
    chmodSync(path, mode);
    return path;
  };
  const open = (keyPath: string) => openSigningIdentity({ keyPath });
  assert.equal(open(write('der', keyOf(1)))?.publicKey, identityOf(1).publicKey);
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  mkdirSync(join(folder, 'folder'), { mode: 0o700 });
  for (const [path, message] of [
    [write('text', 'a secret word'), /holds no private key/],
    [write('curve', other.export({ type: 'pkcs8', format: 'der' })), /not of ed25519/],
    [write('group', keyOf(1), 0o640), /others than its owner/],
    [write('world', keyOf(1), 0o604), /others than its owner/],
    [write('large', Buffer.alloc(10_000)), /larger than 4096 bytes/],
    [join(folder, 'folder'), /is no file/],
    [join(folder, 'absent', 'key'), /can't be made/],
  ] as const) {
    assert.throws(
      () => open(path),
      (error: { code: string; message: string }) => {
        assert.equal(error.code, 'configuration');
        assert.match(error.message, message);
        assert.ok(!error.message.includes('secret'));
        return true;
      },
    );
  }
});

test('EX-5.7: who is registered, for what, and whose verdict is trusted', async (t) => {
  const store = await storeOf(t, '');
  const base = store.baseNamespace;
  const read = () => {
    const snapshot = store.snapshot();
    try {
      return verifierRegistrations(snapshot.storage, base);
    } finally {
      snapshot.close();
    }
  };
  const trust = (verdict = VERDICT) => Object.values(trustInVerdict(read(), verdict, SIGNED));
  assert.deepEqual(trust(), [false, false, false, false]);
  const register = (name: string, attests: string) => {
    const key = identityOf(1).publicKey;
    const facts = `<http://ex/${name}> a b:VerifierRegistration ; b:verifier "${VERDICT.verifier}" ; b:attests "${attests}" ; b:publicKey "${key}" .`;
    return store.load({ text: `@prefix b: <${base}> . ${facts}`, format: 'turtle' });
  };
  await register('r1', 'http://ex/policy/other');
  assert.deepEqual(trust(), [true, true, false, false]);
  await register('r2', VERDICT.predicate_id);
  assert.deepEqual(trust(), [true, true, true, true]);
  assert.deepEqual(trust({ ...VERDICT, outcome: 'unsatisfied' }), [false, true, true, false]);
  assert.equal(isAuthorized(read(), VERDICT.verifier, 'http://ex/policy/other'), true);
  assert.equal(isAuthorized(read(), 'http://ex/nobody', VERDICT.predicate_id), false);
  assert.throws(() => isAuthorized(read(), 'a"b', 'x'), { code: 'invalid_request', message: /'verifier'/ });
});

test('the signature of a share: valid by itself, trusted by a registration of that key that attests share', () => {
  const identity = identityOf(1);
  const id = `sha256:${'a'.repeat(64)}`;
  const signature = signShare(identity, id);
  const registration = (attests: string, key = identity.publicKey) => ({
    verifiers: [identity.verifier],
    attests: [attests],
    publicKeys: [key],
  });
  const check = (...registrations: ReturnType<typeof registration>[]) =>
    Object.values(checkShareSignature(id, signature, registrations));
  assert.deepEqual(check(), [true, false, false]);
  assert.deepEqual(check(registration('verdicts')), [true, true, false]);
  assert.deepEqual(check(registration('share', identityOf(2).publicKey)), [true, false, false]);
  assert.deepEqual(check(registration('share')), [true, true, true]);
  const other = checkShareSignature(`sha256:${'b'.repeat(64)}`, signature, [registration('share')]);
  assert.deepEqual(Object.values(other), [false, true, false]);
  const claimed = checkShareSignature(id, { ...signature, verifier: 'urn:other' }, [registration('share')]);
  assert.deepEqual(Object.values(claimed), [false, false, false]);
});
