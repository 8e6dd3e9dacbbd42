/** What holds for every writer judges those who may read some graphs only, too, by what they can read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../interfaces/library/index.js';

const EX = 'http://example.org/';
const PREFIXES = `@prefix ex: <${EX}> . @prefix b: <http://svc.local/ontology/> . @prefix sh: <http://www.w3.org/ns/shacl#> .\n`;
const OWNED = 'ex:owned a b:Policy ; b:targets "http://example.org/Service" ; b:boundary "action" ;';
const turtle = (text: string) => ({ text: PREFIXES + text, format: 'turtle' }) as const;
const rules = (...graphs: readonly string[]) => [{ principal: 'anonymous', graphs }];
const inA = { graph: `${EX}a` };

test('shapes judge by readable graphs, and a refusal tells of no other', async (t) => {
  const store = await openStore(':memory:', { governance: { readRules: rules(`${EX}a`) } });
  t.after(() => store.close());
  await store.loadShapes(
    'law',
    `${PREFIXES} ex:Shape a sh:NodeShape ; sh:targetSubjectsOf ex:boss ; sh:property [ sh:path ex:boss ; sh:maxCount 1 ; sh:class ex:Person ] .`,
  );
  await store.load(turtle('ex:ben a ex:Person . ex:eve a ex:Person . ex:ann ex:boss ex:eve .'));
  const write = (text: string) => store.readAs('anonymous').load(turtle(text), inA);
  await assert.rejects(write('ex:ann ex:boss ex:ben .'), (error: Error) => {
    assert.match(error.message, /SHACL.*ben|SHACL.*ann/);
    assert.doesNotMatch(error.message, /eve/);
    return true;
  });
  await write('ex:ben a ex:Person . ex:ann ex:boss ex:ben .');
  // Who reads ROOT is judged with it, as everybody was: there she has another boss.
  await assert.rejects(store.load(turtle('ex:ann ex:boss ex:ben .')), { code: 'refused_shacl' });
});

test('where policies judge, who may not read ROOT writes nothing; who may is judged as everybody', async (t) => {
  const governance = {
    enforceOnWrite: true,
    readRules: [...rules(`${EX}a`), { principal: 'shared', graphs: ['ROOT', `${EX}a`] }],
  };
  const store = await openStore(':memory:', { governance });
  t.after(() => store.close());
  await store.load(turtle(`${OWNED} b:claim "ASK { $target ex:owner ?o }" .`.replace('ex:owner', `<${EX}owner>`)));
  await store.load(turtle('ex:root-owned ex:owner ex:ann .'));
  const refused = await errorOf(store.readAs('anonymous').load(turtle('ex:s a ex:Other .'), inA));
  assert.match(refused, /^authority_denied: writes are judged by policies of ROOT/);
  assert.equal(
    refused,
    await errorOf(store.readAs('anonymous').update(`INSERT DATA { GRAPH <${EX}b> { <${EX}s> a 1 } }`)),
  );
  const shared = store.readAs('shared');
  assert.match(await errorOf(shared.load(turtle('ex:s a ex:Service .'), inA)), /^policy_denied: .*owned/);
  await shared.load(turtle('ex:root-owned a ex:Service .'), inA);
});

test('authority refuses without a word of what else a chain holds', async (t) => {
  const governance = { enforceAuthority: true, readRules: rules(`${EX}a`, `${EX}c`) };
  const store = await openStore(':memory:', { governance });
  t.after(() => store.close());
  await store.load(turtle(`ex:bot a b:Principal ; b:principalId "bot" ; b:authorityOver "${EX}a", "${EX}secret" .`));
  const view = store.readAs('anonymous');
  const refused = await errorOf(view.load(turtle('ex:s ex:p 1 .'), { graph: `${EX}c`, principalChain: ['bot'] }));
  assert.equal(refused, `authority_denied: the chain bot may not write the graph <${EX}c>`);
  await view.load(turtle('ex:s ex:p 1 .'), { ...inA, principalChain: ['bot'] });
});

async function errorOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
  return 'none';
}
