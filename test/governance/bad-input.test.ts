/** What bad input gets from governance, through HTTP where it is a route: an error that says what is wrong, and nothing written. */
import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openStore } from '../../engine/service/host/open-store.js';
import { json, sharedTestServer, type TestServer } from '../http/support.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-key-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const GATE_MS = 400;
const served = sharedTestServer({
  governance: { enforce_on_write: true, enforce_authority: true },
  shacl: { timeout_ms: GATE_MS },
  signing: { key_path: join(folder, 'key.pem') },
});

const BASE = 'http://svc.local/ontology/';
const PREFIXES = `@prefix ex: <http://ex/> . @prefix b: <${BASE}> .\n`;
const knot = (server: TestServer, turtle: string, headers = {}) =>
  server.post('/knot', { turtle: PREFIXES + turtle }, headers);
const update = (server: TestServer, text: string) =>
  server.send('POST', '/update', `PREFIX ex: <http://ex/> PREFIX b: <${BASE}> ${text}`, {
    'content-type': 'application/sparql-update',
  });

const TURTLE = { 'content-type': 'text/turtle' };

async function written(answer: Response): Promise<void> {
  assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
}

async function refused(answer: Response, status: number, message: RegExp): Promise<Record<string, unknown>> {
  const body = (await json(answer)) as Record<string, unknown>;
  assert.equal(answer.status, status, JSON.stringify(body));
  assert.match(String(body.error), message);
  return body;
}

async function holds(server: TestServer, pattern: string): Promise<boolean> {
  const query = `PREFIX ex: <http://ex/> PREFIX b: <${BASE}> ASK { ${pattern} }`;
  const answer = await json(await server.post('/query', { query }));
  return (answer as { readonly boolean?: boolean; readonly results?: boolean }).boolean === true;
}

const policy = (name: string, claim: string, more = '') =>
  `ex:${name} a b:Policy ; b:targets "http://ex/${name}" ; b:boundary "action" ; b:claim """${claim}""" ${more} .`;

const OWNER = 'ASK { $target <http://ex/owner> ?o }';

test('a claim that never ends refuses the write by its deadline, and says so', async () => {
  const server = await served();
  const many = Array.from({ length: 400 }, (_, at) => `ex:n${at} ex:p ex:n${at + 1} .`).join('\n');
  await written(await knot(server, many));
  const endless =
    'ASK { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(CONCAT(STR(?a), STR(?d), STR(?g)) = CONCAT(STR($target), "no")) }';
  await written(await knot(server, policy('Endless', endless)));
  const message =
    /^the write was refused, and nothing of it is there: the claim of the policy <http:\/\/ex\/Endless>: .*400 ms \(shacl\.timeout_ms\)/;
  await refused(await knot(server, 'ex:e1 a ex:Endless .'), 408, message);
  assert.equal(await holds(server, 'ex:e1 ?p ?o'), false);
  await written(await update(server, 'DELETE WHERE { ex:Endless ?p ?o }'));
  await written(await knot(server, 'ex:e1 a ex:Endless .'));
});

test('a claim that writes, or is no ASK, is refused with every write that it would judge, and by a check', async () => {
  const server = await served();
  for (const [name, claim] of [
    ['Writes', 'INSERT DATA { <http://ex/x> <http://ex/y> 1 }'],
    ['Deletes', 'DELETE WHERE { $target ?p ?o }'],
    ['Selects', 'SELECT * { $target ?p ?o }'],
    ['Leaves', 'ASK { SERVICE <http://127.0.0.1:9/query> { $target ?p ?o } }'],
  ] as const) {
    await written(await knot(server, policy(name, claim)));
    const about = new RegExp(name === 'Leaves' ? 'SERVICE <http://127' : `the claim of the policy <http://ex/${name}>`);
    await refused(await knot(server, `ex:w1 a ex:${name} .`), 400, about);
    assert.equal(await holds(server, 'ex:w1 ?p ?o'), false);
    const asked = await server.post('/policy/check', { target: 'http://ex/n1', claim });
    await refused(asked, 400, name === 'Leaves' ? /SERVICE/ : /the claim of the policy <inline>/);
  }
  assert.equal(await holds(server, 'ex:x ex:y 1'), false);
});

test('a policy can forbid that it is changed, and never that all of it is taken away in one write', async () => {
  const server = await served();
  const nothing = 'ASK { FILTER(1 = 2) }';
  await written(await knot(server, `${policy('Lock', nothing)} ex:Lock b:targets "${BASE}Policy" .`));
  await refused(await knot(server, policy('Another', OWNER)), 403, /blocked by policy 'http:\/\/ex\/Lock'/);
  await refused(await update(server, 'DELETE WHERE { ex:Lock b:claim ?c }'), 403, /blocked by policy/);
  await refused(await update(server, 'INSERT DATA { ex:Lock b:effect "warn" }'), 403, /blocked by policy/);
  await written(await update(server, 'DELETE WHERE { ex:Lock ?p ?o }'));
  await written(await knot(server, policy('Another', OWNER)));
});

test('a chain of 1,000 principals is refused, one of 100 judged as any other', async () => {
  const server = await served();
  const names = Array.from({ length: 1000 }, (_, at) => `p${at}`);
  const chain = (count: number) => ({ 'x-svc-principal-chain': names.slice(0, count).join(',') });
  await refused(await knot(server, 'ex:c1 ex:p 1 .', chain(1000)), 400, /names 1000 principals; at most 100/);
  const declared = names.map((name) => `ex:${name} a b:Principal ; b:principalId "${name}" ; b:authorityOver "*" .`);
  await written(await knot(server, declared.slice(1).join('\n')));
  await refused(await knot(server, 'ex:c1 ex:p 1 .', chain(100)), 403, /may not write the graph .*holds nothing/);
  assert.equal(await holds(server, 'ex:c1 ?p ?o'), false);
  await written(await knot(server, declared[0] as string));
  await written(await knot(server, 'ex:c1 ex:p 1 .', chain(100)));
  const store = await openStore(':memory:', { governance: { enforceAuthority: true } });
  try {
    const write = (count: number) =>
      store.update('INSERT DATA { <urn:s> <urn:p> 1 }', { principalChain: names.slice(0, count) });
    await assert.rejects(write(1000), { code: 'invalid_request', message: /names 1000 principals; at most 100/ });
    await assert.rejects(write(100), { code: 'authority_denied' });
    await store.load({ text: PREFIXES + declared.join('\n'), format: 'turtle' });
    await write(100);
  } finally {
    await store.close();
  }
});

test('what changes rows of the service alone needs authority over ROOT, or over the graph that it is about', async () => {
  const server = await served();
  await written(await knot(server, 'ex:bot a b:Principal ; b:principalId "bot" ; b:authorityOver "urn:g1" .'));
  const bot = { 'x-svc-principal-chain': 'bot' };
  const timestamp = '2026-01-01T00:00:00Z';
  const shapes = '@prefix sh: <http://www.w3.org/ns/shacl#> . <urn:shape> a sh:NodeShape ; sh:targetClass <urn:C> .';
  await refused(await server.post('/shapes', { action: 'load', name: 'x', turtle: shapes }, bot), 403, /may not write/);
  await refused(await server.post('/graph/create', { graph: 'urn:g3' }, bot), 403, /may not write the graph <urn:g3>/);
  await written(await server.post('/graph/create', { graph: 'urn:g1' }, bot));
  await refused(
    await server.post('/overlay/create', { overlay: 'urn:o1', timestamp }, bot),
    403,
    /may not write the graph <urn:o1>/,
  );
  await written(await server.send('PUT', '/rdf-graph-store?graph=urn:g2', '<urn:a> <urn:b> 1 .', TURTLE));
  await refused(
    await server.post('/graph/freeze', { graph: 'urn:g2', timestamp }, bot),
    403,
    /may not write the graph <urn:g2>/,
  );
  const proposal = { kind: 'shape', target: 'x', diff: shapes, proposer: 'bot' };
  await refused(await server.post('/propose', proposal, bot), 403, /may not write/);
});

test('a node that no query can name is refused where a policy is about it', async () => {
  const server = await served();
  await written(await knot(server, policy('Named', OWNER)));
  await refused(
    await knot(server, '<http://ex/a\u00a0b> a ex:Named .'),
    400,
    /can't be asked about: it is no bare IRI/,
  );
  await written(await knot(server, '<http://ex/a\u00a0b> a ex:Unnamed .'));
});

const evidence = (policyIri: string, target: string) =>
  `sha256:${createHash('sha256').update(`${policyIri}|${target}`, 'utf8').digest('hex')}`;
const hexOf = (key: KeyObject) =>
  Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x as string, 'base64url').toString('hex');
const { privateKey: ANA } = generateKeyPairSync('ed25519');
const { privateKey: BOB } = generateKeyPairSync('ed25519');

function decision(name: string, by: string, key: KeyObject, outcome: string, hash: string): string {
  const signature = sign(null, Buffer.from(`decision-v1|${hash}|${outcome}|http://ex/${by}`, 'utf8'), key).toString(
    'hex',
  );
  return decisionOf(name, by, outcome, hash, signature);
}
const decisionOf = (name: string, by: string, outcome: string, hash: string, signature: string) =>
  `ex:${name} a b:Decision ; b:by "http://ex/${by}" ; b:outcome "${outcome}" ; b:evidenceHash "${hash}" ; b:signature "${signature}" .`;
const registration = (name: string, by: string, attests: string, key: string) =>
  `ex:${name} a b:VerifierRegistration ; b:verifier "http://ex/${by}" ; b:attests "${attests}" ; b:publicKey "${key}" .`;

test('signatures of a wrong length, and keys of other kinds, sign nothing', async () => {
  const server = await served();
  const iri = 'http://ex/Signed';
  const hash = evidence(iri, 'http://ex/t1');
  await written(
    await knot(server, policy('Signed', OWNER, '; b:effect "escalate" ; b:reversibilityWindowSeconds 3600')),
  );
  await refused(await knot(server, 'ex:t1 a ex:Signed .'), 403, /people have to decide/);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const exchange = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }).x as string;
  const keys = [
    '',
    'ab',
    `${hexOf(ANA)}00`,
    hexOf(ANA).slice(2),
    'f'.repeat(64),
    Buffer.from(exchange, 'base64url').toString('hex'),
    String(rsa.publicKey.export({ type: 'spki', format: 'pem' })).replaceAll('\n', ' '),
  ];
  await written(await knot(server, keys.map((key, at) => registration(`r${at}`, 'ana', iri, key)).join('\n')));
  const right = sign(null, Buffer.from(`decision-v1|${hash}|approve|http://ex/ana`, 'utf8'), ANA).toString('hex');
  const wrong = ['ab', right.slice(2), `${right}00`, 'z'.repeat(128), right];
  await written(
    await knot(server, wrong.map((one, at) => decisionOf(`d${at}`, 'ana', 'approve', hash, one)).join('\n')),
  );
  await refused(await knot(server, 'ex:t1 a ex:Signed .'), 403, /people have to decide/);
  const fields = {
    predicate_id: iri,
    target_ref: 'http://ex/t1',
    outcome: 'satisfied',
    evidence_hash: hash,
    tier: 'committed',
  };
  for (const signature of wrong) {
    const verdict = await json(
      await server.post('/verdict/verify', { ...fields, verifier: 'http://ex/ana', signature }),
    );
    assert.equal((verdict as { readonly signature_valid: boolean }).signature_valid, false);
  }
  // The right key makes the same decision count.
  await written(await knot(server, registration('good', 'ana', iri, hexOf(ANA).toUpperCase())));
  await written(await knot(server, 'ex:t1 a ex:Signed .'));
  // It was about that node alone: copied for another one it is none.
  await refused(await knot(server, 'ex:t2 a ex:Signed .'), 403, /people have to decide/);
  await written(await knot(server, decisionOf('replayed', 'ana', 'approve', evidence(iri, 'http://ex/t2'), right)));
  await refused(await knot(server, 'ex:t2 a ex:Signed .'), 403, /people have to decide/);
});

test('a verdict that is sent for another target, outcome or policy is not valid', async () => {
  const server = await served();
  const asked = { target: 'http://ex/n1', claim: 'ASK { $target ?p ?o }', predicate_id: 'http://ex/seen' };
  const verdict = (await json(await server.post('/policy/check', asked))) as Record<string, unknown>;
  assert.equal(verdict.signed, true);
  const key = String(verdict.verifier_public_key);
  const verifier = String(verdict.verifier);
  await written(
    await knot(
      server,
      `ex:own a b:VerifierRegistration ; b:verifier "${verifier}" ; b:attests "http://ex/seen" ; b:publicKey "${key}" .`,
    ),
  );
  const verify = async (changed: object) => json(await server.post('/verdict/verify', { ...verdict, ...changed }));
  assert.equal((await verify({})).trusted, true);
  for (const changed of [
    { target_ref: 'http://ex/n2' },
    { outcome: 'unsatisfied' },
    { predicate_id: 'http://ex/other' },
  ]) {
    const { signature_valid, trusted } = await verify(changed);
    assert.deepEqual({ signature_valid, trusted }, { signature_valid: false, trusted: false });
  }
});

test('of two deciders at once one who is against it rules, whoever comes first', async () => {
  const server = await served();
  const iri = 'http://ex/Both';
  await written(
    await knot(server, policy('Both', OWNER, '; b:effect "require-approval" ; b:reversibilityWindowSeconds 60')),
  );
  await written(
    await knot(server, registration('rb', 'bob', iri, hexOf(BOB)) + registration('ra', 'ana', iri, hexOf(ANA))),
  );
  for (const [at, outcomes, status] of [
    [0, ['approve', 'approve'], 200],
    [1, ['approve', 'reject'], 403],
    [2, ['changes', 'approve'], 403],
  ] as const) {
    const target = `http://ex/both${at}`;
    await refused(await knot(server, `<${target}> a ex:Both .`), 403, /people have to decide/);
    const decided = await Promise.all([
      knot(server, decision(`a${at}`, 'ana', ANA, outcomes[0], evidence(iri, target))),
      knot(server, decision(`b${at}`, 'bob', BOB, outcomes[1], evidence(iri, target))),
    ]);
    for (const answer of decided) await written(answer);
    const answer = await knot(server, `<${target}> a ex:Both .`);
    assert.equal(answer.status, status);
    await answer.arrayBuffer();
  }
});

test('clocks that jump between a refusal, a decision and the next attempt open nothing', async () => {
  let now = 1_000_000;
  const store = await openStore(':memory:', { governance: { enforceOnWrite: true }, now: () => now });
  const load = (turtle: string) => store.load({ text: PREFIXES + turtle, format: 'turtle' });
  const denied = (message: RegExp) => assert.rejects(load('ex:t a ex:Timed .'), { code: 'policy_denied', message });
  try {
    const iri = 'http://ex/Timed';
    await load(policy('Timed', OWNER, '; b:effect "escalate" ; b:reversibilityWindowSeconds 100'));
    await denied(/people have to decide.* open until 1000100 /);
    now = 10;
    await denied(/open until 1000100 /);
    now = 2_000_000;
    await denied(/asked again.* open until 2000100 /);
    now = 1_000_050;
    await denied(/people have to decide.* open until 2000100 /);
    await load('ex:any ex:p 1 .');
    // Times that no calendar has, and words that are no times.
    const request = `<${BASE}decision_request_${evidence(iri, 'http://ex/t').slice(7, 39)}>`;
    await load(`${request} b:expiresAt "soon", 1e300, -5 .`);
    await denied(/people have to decide.* open until 1e\+300 \(beyond the calendar\)/);
    await load(
      registration('r', 'ana', iri, hexOf(ANA)) + decision('d', 'ana', ANA, 'approve', evidence(iri, 'http://ex/t')),
    );
    now = 0;
    await load('ex:t a ex:Timed .');
  } finally {
    await store.close();
  }
});

test('windows that are no time are none, and one without end ends in a time that can be shown', async () => {
  const store = await openStore(':memory:', { governance: { enforceOnWrite: true }, now: () => 1000 });
  const load = (turtle: string) => store.load({ text: PREFIXES + turtle, format: 'turtle' });
  try {
    for (const [name, window, until] of [
      ['Fraction', '0.9', '1000 '],
      ['Backward', '-50', '1000 '],
      ['Word', '"soon"', '1000 '],
      ['Endless', '1e300', '100000001000 '],
    ] as const) {
      await load(policy(name, OWNER, `; b:effect "escalate" ; b:reversibilityWindowSeconds ${window}`));
      await assert.rejects(load(`ex:of${name} a ex:${name} .`), {
        code: 'policy_denied',
        message: new RegExp(`open until ${until}`),
      });
    }
  } finally {
    await store.close();
  }
});
