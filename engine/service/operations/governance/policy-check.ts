/** What a policy, or a claim, says about a node; nothing is written. */

import { iri, Type } from '../../requests/schema.js';
import { validAtField } from '../definition/fields.js';
import { asTheyAre, defineOperation, inWords } from '../definition/operation.js';

export const policyCheck = defineOperation({
  name: 'policy_check',
  summary: 'Ask a policy, or a claim, about an entity; nothing is written',
  access: 'read',
  request: Type.Object({
    policy: Type.Optional(iri({ minLength: 1, description: 'a policy of ROOT, whose claim is asked' })),
    claim: Type.Optional(
      Type.String({ minLength: 1, description: 'an ASK in which $target stands for the entity; goes before policy' }),
    ),
    target: iri({ minLength: 1, description: 'the entity' }),
    predicate_id: Type.Optional(
      Type.String({ minLength: 1, description: 'with claim: what the verdict is about; default policy, then inline' }),
    ),
    evidence_probe: Type.Optional(
      Type.String({ minLength: 1, description: 'an ASK that says whether there is anything to judge by' }),
    ),
    valid_at: Type.Optional(validAtField),
    tx: Type.Optional(Type.Integer({ minimum: 0, description: 'as of this transaction' })),
  }),
  response: Type.Object({
    predicate_id: Type.String(),
    target_ref: Type.String(),
    outcome: Type.String('satisfied, unsatisfied, or unknown where the probe says that there is nothing to judge by'),
    evidence_hash: Type.String(),
    tier: Type.String(),
    verifier: Type.String(),
    verifier_authorized: Type.Boolean('a registration lets the verifier attest the predicate'),
    signed: Type.Boolean(),
    signature: Type.Optional(Type.String()),
    verifier_public_key: Type.Optional(Type.String()),
  }),
  async handler({ store, control }, request) {
    const question = {
      policy: request.policy,
      claim: request.claim,
      target: request.target,
      predicateId: request.predicate_id,
      evidenceProbe: request.evidence_probe,
    };
    const { signal, flag } = control;
    const verdict = await store.checkPolicy(question, { validAt: request.valid_at, tx: request.tx, signal, flag });
    const { signature } = verdict;
    return {
      kind: 'body',
      notes: { policyOutcome: verdict.outcome },
      body: {
        predicate_id: verdict.predicateId,
        target_ref: verdict.target,
        outcome: verdict.outcome,
        evidence_hash: verdict.evidenceHash,
        tier: verdict.tier,
        verifier: verdict.verifier,
        verifier_authorized: verdict.verifierAuthorized,
        signed: signature !== null,
        ...(signature === null ? {} : { signature: signature.signature, verifier_public_key: signature.publicKey }),
      },
    };
  },
  projections: {
    http: [{ method: 'POST', path: '/policy/check', request: 'body' }],
    mcp: {
      tool: 'policy_check',
      description: [
        'Ask whether an entity is as a policy of the store wants it, before you write: satisfied, unsatisfied or unknown. Or send a claim of your own: an ASK in which $target stands for the entity. It refuses nothing and writes nothing.',
      ],
      example: { claim: 'ASK { $target <http://ex.org/owner> ?o }', target: 'http://ex.org/svc1' },
      parameters: {
        ...inWords({
          policy: 'IRI of a policy of the store',
          claim: 'an ASK with $target; goes before policy',
          target: 'IRI of the entity',
          evidence_probe: 'an ASK: is there anything to judge by?',
        }),
        ...asTheyAre('valid_at'),
        predicate_id: { default: 'inline' },
      },
    },
    cli: {
      command: 'policy check',
      positional: [{ field: 'target', name: 'iri', summary: 'the entity' }],
      notes: [
        '--policy names a policy of the store; --claim is an ASK in which $target stands for the entity.',
        'Exit code 1 when the outcome is unsatisfied. Signed where SVC_SIGNING_KEY or signing.key_path names a key.',
      ],
      examples: [
        'svc policy check http://example.org/svc1 --policy http://example.org/policy/has-owner',
        "svc policy check http://example.org/svc1 --claim 'ASK { $target <http://example.org/owner> ?o }'",
      ],
      options: {
        policy: 'iri',
        claim: 'sparql',
        predicate_id: 'name',
        evidence_probe: 'sparql',
        valid_at: 't',
        tx: 'n',
      },
      succeeded: ({ outcome }) => outcome !== 'unsatisfied',
      text: ({ outcome, target_ref, predicate_id, signed, verifier }) =>
        `${outcome}: ${target_ref} by ${predicate_id} (${signed ? `signed by ${verifier}` : 'not signed'})\n`,
    },
  },
});
