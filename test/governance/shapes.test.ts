/** The shapes of governance records that the service brings (ruling R53): right records pass, wrong ones are named. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { builtinShapes } from '../../engine/governance/shapes.js';
import { openStore } from '../../interfaces/library/index.js';
import { inFolder, svcHere } from '../cli/svc.js';

const BASE = 'http://svc.local/ontology/';
const PREFIXES = `@prefix b: <${BASE}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .`;

const RIGHT = [
  'a b:Policy ; b:targets "urn:A" ; b:claim "ASK {}" ; b:boundary "action" ; b:effect "escalate" ; b:constraintClass "escalation" ; b:verificationPoint "PAG" ; b:hostedAtLayer "tool" ; b:onTimeout "deny" ; b:reversibilityWindowSeconds 60 ; b:inheritedByDelegates true',
  'a b:Policy ; b:targets <urn:A> ; b:claim "ASK {}"',
  'a b:OperatingPoint ; b:kind "threshold" ; b:threshold 0.5 ; b:falsePositiveTolerance 0',
  'a b:Predicate ; b:name "n" ; b:evidenceSource "e" ; b:tier "tree-sitter+graph" ; b:matchType "must-ground"',
  'a b:Selector ; b:name "n" ; b:evidenceSource "e"',
  'a b:Verdict ; b:predicateId "p" ; b:targetRef "t" ; b:outcome "unknown" ; b:evidenceHash "h" ; b:verifier "v" ; b:signature "s"',
  'a b:VerifierRegistration ; b:verifier "v" ; b:attests "p", "q"',
  'a b:DecisionRequest ; b:forPolicy "p" ; b:forTarget "t" ; b:evidenceHash "h" ; b:expiresAt 1',
  'a b:Decision ; b:outcome "changes" ; b:by "ana" ; b:evidenceHash "h"',
  'a b:OperatorGroup ; rdfs:label "g" ; b:operatorCount 2 ; b:meanServiceSeconds 30 ; b:afterHours "deny"',
  'a b:Principal ; b:principalId "p" ; b:authorityOver "*"',
  'a b:ToolClass ; rdfs:label "t" ; b:dispatchedBy "shell" ; b:executable true',
];

const WRONG: readonly (readonly [record: string, property: string])[] = [
  ['a b:Policy ; b:claim "ASK {}"', 'targets'],
  ['a b:Policy ; b:targets "urn:A"', 'claim'],
  ['a b:Policy ; b:targets "urn:A" ; b:claim "ASK {}" ; b:effect "block"', 'effect'],
  ['a b:Policy ; b:targets "urn:A" ; b:claim "ASK {}" ; b:onTimeout "allow"', 'onTimeout'],
  [
    'a b:Policy ; b:targets "urn:A" ; b:claim "ASK {}" ; b:reversibilityWindowSeconds "soon"',
    'reversibilityWindowSeconds',
  ],
  ['a b:OperatingPoint', 'kind'],
  ['a b:OperatingPoint ; b:kind "threshold" ; b:threshold "much"', 'threshold'],
  ['a b:Predicate ; b:name "n" ; b:evidenceSource "e" ; b:tier "guess"', 'tier'],
  ['a b:Selector ; b:name "n"', 'evidenceSource'],
  [
    'a b:Verdict ; b:predicateId "p" ; b:targetRef "t" ; b:outcome "maybe" ; b:evidenceHash "h" ; b:verifier "v" ; b:signature "s"',
    'outcome',
  ],
  ['a b:VerifierRegistration ; b:verifier "v"', 'attests'],
  ['a b:DecisionRequest ; b:forPolicy "p" ; b:forTarget "t" ; b:evidenceHash "h" ; b:expiresAt "later"', 'expiresAt'],
  ['a b:Decision ; b:outcome "approve" ; b:evidenceHash "h"', 'by'],
  ['a b:OperatorGroup ; b:operatorCount 2 ; b:meanServiceSeconds 30', 'label'],
  ['a b:Principal', 'principalId'],
  ['a b:ToolClass ; rdfs:label "t" ; b:dispatchedBy "shell" ; b:executable "yes"', 'executable'],
];

test('the shapes of governance judge records by what they need and which words there are', async () => {
  const store = await openStore(':memory:');
  try {
    await store.loadShapes('governance', builtinShapes('builtin:governance', BASE));
    for (const [at, record] of RIGHT.entries()) {
      await store.load({ text: `${PREFIXES} <urn:right${at}> ${record} .`, format: 'turtle' });
    }
    for (const [record, property] of WRONG) {
      await assert.rejects(store.load({ text: `${PREFIXES} <urn:wrong> ${record} .`, format: 'turtle' }), (error) => {
        const { findings } = error as { readonly findings: readonly { readonly path?: string | null }[] };
        assert.deepEqual(
          findings.map(({ path }) => path?.replace(/^.*[#/]/, '')),
          [property],
          record,
        );
        return true;
      });
    }
  } finally {
    await store.close();
  }
});

test(
  'svc shapes load governance builtin:governance: in the namespace of the store; other names are refused',
  inFolder(async (cwd) => {
    const run = (...words: string[]) => svcHere(words, { cwd });
    const loaded = await run('shapes', 'load', 'governance', 'builtin:governance');
    assert.equal(loaded.out, 'loaded shape graph "governance" from builtin:governance\n');
    assert.match((await run('shapes', 'get', 'governance')).out, /sh:targetClass base:Policy/);
    writeFileSync(join(cwd, 'p.ttl'), `<urn:p> a <${BASE}Principal> .`);
    assert.equal((await run('knot', 'p.ttl')).code, 1);
    const unknown = await run('shapes', 'load', 'other', 'builtin:other');
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /brings no shapes 'builtin:other'[\s\S]*there are builtin:governance/);
  }),
);
