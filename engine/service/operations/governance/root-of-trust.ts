/** Who may attest what, and what a signed verdict is worth (semantics of reasoning, 5.9). */

import { throwIfStopped } from '../../../base/control.js';
import { oneOf, Type } from '../../requests/schema.js';
import { defineOperation, inWords } from '../definition/operation.js';

const text = (description: string) => Type.String({ minLength: 1, description });

export const verifierAuthorized = defineOperation({
  name: 'verifier_authorized',
  summary: 'Tell whether a verifier is registered to attest a predicate',
  access: 'read',
  request: Type.Object({
    verifier: text('the verifier, as registrations name it'),
    predicate: text('what it attests: id of a predicate'),
  }),
  response: Type.Object({ authorized: Type.Boolean() }),
  async handler({ store, control }, { verifier, predicate }) {
    throwIfStopped(control, 'the question');
    return { kind: 'body', body: { authorized: await store.verifierAuthorized(verifier, predicate) } };
  },
  projections: {
    http: [{ method: 'POST', path: '/verifier/authorized', request: 'body' }],
    mcp: {
      tool: 'verifier_authorized',
      description: [
        'Tell whether a verifier is registered to attest a predicate. It says nothing about a signature; svc_verdict_verify does.',
      ],
      example: { verifier: 'http://ex.org/verifier', predicate: 'has-owner' },
      parameters: { ...inWords({ verifier: 'as registrations name it', predicate: 'what it attests' }) },
    },
  },
});

export const verdictVerify = defineOperation({
  name: 'verdict_verify',
  summary: 'Tell what a signed verdict is worth by the registrations of the store',
  access: 'read',
  request: Type.Object({
    predicate_id: text('what the verdict is about'),
    target_ref: text('the entity, as the verdict names it'),
    outcome: oneOf(['satisfied', 'unsatisfied', 'unknown'], 'satisfied, unsatisfied or unknown'),
    evidence_hash: text('as the verdict has it'),
    tier: Type.Optional(Type.String({ minLength: 1, description: 'of the verdict; default committed' })),
    verifier: text('who has signed, as the verdict names it'),
    signature: Type.String('hexadecimal digits'),
  }),
  response: Type.Object({
    signature_valid: Type.Boolean('a registered key of the verifier has signed exactly this'),
    verifier_registered: Type.Boolean('a key of the verifier is registered'),
    verifier_authorized: Type.Boolean('it may attest this predicate'),
    trusted: Type.Boolean('the signature is valid and the verifier authorized'),
  }),
  async handler({ store, control }, { signature, tier = 'committed', ...verdict }) {
    throwIfStopped(control, 'the question');
    return { kind: 'body', body: await store.verifyVerdict({ ...verdict, tier }, signature) };
  },
  projections: {
    http: [{ method: 'POST', path: '/verdict/verify', request: 'body' }],
    mcp: {
      tool: 'verdict_verify',
      description: [
        'Tell what a signed verdict is worth before you rely on it. Go by trusted alone: the signature is valid, and the verifier may attest that predicate.',
        'To judge an entity anew use svc_policy_check.',
      ],
      example: {
        predicate_id: 'has-owner',
        target_ref: 'http://ex.org/s',
        outcome: 'satisfied',
        evidence_hash: 'sha256:00',
        verifier: 'http://ex.org/verifier',
        signature: '00',
      },
      parameters: {
        ...inWords({
          predicate_id: 'what it is about',
          target_ref: 'the entity',
          outcome: 'what it says',
          evidence_hash: 'as it has it',
          verifier: 'who has signed',
          signature: 'in hexadecimal digits',
        }),
        tier: { default: 'committed' },
      },
    },
    cli: {
      command: 'verdict verify',
      notes: ['Exit code 1 unless the verdict is trusted.'],
      examples: [
        'svc verdict verify --predicate-id has-owner --target-ref http://example.org/svc1 --outcome satisfied --evidence-hash sha256:00 --verifier http://example.org/v --signature 00',
      ],
      options: {
        predicate_id: 'name',
        target_ref: 'iri',
        outcome: 'word',
        evidence_hash: 'hash',
        tier: 'word',
        verifier: 'iri',
        signature: 'hex',
      },
      succeeded: ({ trusted }) => trusted,
      text: ({ trusted, signature_valid, verifier_registered, verifier_authorized }) =>
        [
          trusted ? 'trusted' : 'not trusted',
          `  signature valid: ${signature_valid}`,
          `  verifier registered: ${verifier_registered}`,
          `  verifier authorized: ${verifier_authorized}`,
          '',
        ].join('\n'),
    },
  },
});
