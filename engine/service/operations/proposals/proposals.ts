/** Proposals to change the schema: made by whoever works with it, decided by whoever answers for it. */

import { type Control, throwIfStopped } from '../../../base/control.js';
import { SvcError, showValue } from '../../../base/errors.js';
import {
  PROPOSAL_KINDS,
  PROPOSAL_STATUSES,
  type Proposal,
  type ProposalKind,
} from '../../../graphs/proposals/proposal.js';
import { nullable, oneOf, type Static, Type, textOrNull } from '../../requests/schema.js';
import { clampLimit, pageFields, timestampField, writtenBy } from '../definition/fields.js';
import { asTheyAre, defineOperation, inWords } from '../definition/operation.js';
import { moreText } from '../definition/text.js';

const kindField = oneOf(PROPOSAL_KINDS, 'shape, ontology, class or property');
const statusField = oneOf(PROPOSAL_STATUSES, 'pending, accepted or rejected; absent: all');
const idField = Type.Union([Type.Integer(), Type.String()], 'number of the proposal');
const idParameter = { schema: Type.Integer('number of the proposal') };
const timestamp = Type.Optional(timestampField);

const decisionFields = {
  decided_by: Type.Optional(
    Type.String({ minLength: 1, description: 'who decides; absent: the principal of the token, if it names one' }),
  ),
  timestamp,
};

const record = Type.Object({
  id: Type.Integer(),
  kind: kindField,
  target: Type.String(),
  diff: Type.String(),
  rationale: textOrNull,
  proposer: Type.String(),
  trigger_ref: textOrNull,
  status: oneOf(PROPOSAL_STATUSES),
  decided_by: textOrNull,
  decided_at: textOrNull,
  decision_note: nullable(Type.String(), 'what who decided said of it'),
  created_at: Type.String(),
});

function toRecord(proposal: Proposal): Static<typeof record> {
  const { id, kind, target, diff, rationale, proposer, triggerRef, status } = proposal;
  const { decidedBy, decidedAt, decisionNote, createdAt } = proposal;
  const said = { id, kind, target, diff, rationale, proposer, trigger_ref: triggerRef, status };
  return { ...said, decided_by: decidedBy, decided_at: decidedAt, decision_note: decisionNote, created_at: createdAt };
}

/** Who decides is the actor of the decision. */
function decidedBy(
  control: Control,
  { decided_by, timestamp: when }: { readonly decided_by?: string; readonly timestamp?: string },
) {
  const { actor: _, ...written } = writtenBy(control, when === undefined ? {} : { timestamp: when });
  return { ...written, decidedBy: decided_by };
}

function idOf(id: number | string): number {
  const number = typeof id === 'number' ? id : /^\d+$/.test(id) ? Number(id) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new SvcError('invalid_request', `'id' is ${showValue(id)}; expected the number of a proposal`);
}

/** `shape` as people read it. */
function shownKind(kind: ProposalKind): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}

const id = { field: 'id', name: 'id', summary: 'number of the proposal' } as const;

export const propose = defineOperation({
  name: 'propose',
  summary: 'Propose a change of the schema, to be accepted or rejected by somebody else',
  access: 'write',
  request: Type.Object({
    kind: kindField,
    target: Type.String({ minLength: 1, description: 'what is to change; of a shape the name of the set' }),
    diff: Type.String({ minLength: 1, description: 'the change, in Turtle; read when it is accepted' }),
    proposer: Type.String({ minLength: 1, description: 'who proposes' }),
    rationale: Type.Optional(Type.String('why')),
    trigger_ref: Type.Optional(Type.String('what gave rise to it, such as a ticket')),
    timestamp,
  }),
  response: Type.Object({ proposal_id: Type.Integer(), status: oneOf(['pending']) }),
  async handler({ store, control }, { kind, target, diff, proposer, rationale, trigger_ref: triggerRef, ...more }) {
    const proposal = { kind, target, diff, proposer, rationale, triggerRef };
    const { actor: _, ...written } = writtenBy(control, more);
    const { id: made, tx } = await store.propose(proposal, written);
    return { kind: 'body', body: { proposal_id: made, status: 'pending' as const }, notes: { tx } };
  },
  projections: {
    http: [{ method: 'POST', path: '/propose', request: 'body' }],
    mcp: {
      tool: 'propose_schema_change',
      description: [
        'Propose a change of the schema where data does not fit, in place of bending the data; others decide. Look at svc_list_proposals first.',
        'An accepted shape replaces the stored set named target; the other kinds are recorded, and an operator applies them.',
      ],
      example: {
        kind: 'class',
        target: 'http://ex.org/Robot',
        diff: '<http://ex.org/Robot> a <http://www.w3.org/2002/07/owl#Class> .',
        proposer: 'agent-1',
      },
      parameters: {
        ...inWords({
          kind: 'of the change',
          target: 'what is to change; of a shape the name of its set',
          diff: 'the change, in Turtle',
          proposer: 'who proposes',
          rationale: 'why',
          trigger_ref: 'what gave rise to it, as a ticket',
        }),
        ...asTheyAre('timestamp'),
      },
      destructive: false,
      idempotent: false,
    },
    cli: {
      command: 'propose submit',
      positional: [
        { field: 'kind', name: 'kind', summary: 'shape, ontology, class or property' },
        { field: 'target', name: 'target', summary: 'what is to change; of a shape the name of the set' },
        { field: 'diff', name: 'file', summary: 'the change, in Turtle; - is standard input' },
      ],
      files: ['diff'],
      creates: true,
      named: { trigger_ref: 'trigger' },
      examples: [
        'svc propose submit shape person person-shapes.ttl --proposer ann --rationale "every person has a name"',
      ],
      options: { proposer: 'name', rationale: 'text', trigger_ref: 'text', timestamp: 't' },
      text: ({ proposal_id: made }) => `proposal ${made} created (status: pending)\n`,
    },
  },
});

export const proposals = defineOperation({
  name: 'proposals',
  summary: 'List the proposals to change the schema, the newest first',
  access: 'read',
  request: Type.Object({ status: Type.Optional(statusField), ...pageFields }),
  response: Type.Object({ proposals: Type.Array(record), count: Type.Integer(), truncated: Type.Boolean() }),
  async handler({ store, control }, { status, limit, offset }) {
    const page = await store.proposals({ status, limit: clampLimit(limit), offset });
    throwIfStopped(control, 'the listing');
    const shown = page.proposals.map(toRecord);
    return { kind: 'body', body: { proposals: shown, count: shown.length, truncated: page.truncated } };
  },
  projections: {
    http: [{ method: 'POST', path: '/proposals', request: 'body' }],
    mcp: {
      tool: 'list_proposals',
      description: [
        'List proposals to change the schema, newest first, with diff, rationale, status and decision_note: look here before you propose the same again.',
      ],
      example: { status: 'pending' },
      parameters: { ...inWords({ status: 'absent: all' }), limit: { default: 100 }, offset: { default: 0 } },
    },
    cli: {
      command: 'propose list',
      examples: ['svc propose list', 'svc propose list --status pending --json'],
      options: { status: 'which', limit: 'n', offset: 'n' },
      text: ({ proposals: all, count, truncated }) => {
        if (count === 0) return 'no proposals found\n';
        const lines = all.map(({ id: number, status, kind, target, rationale, proposer }) => {
          const why = rationale === null ? '' : ` -- ${rationale}`;
          return `  #${number} [${status}] ${shownKind(kind)} ${target}${why} (by ${proposer})\n`;
        });
        return `${lines.join('')}${count} proposal(s)\n${moreText(truncated)}`;
      },
    },
  },
});

export const proposalAccept = defineOperation({
  name: 'proposal_accept',
  summary: 'Accept a proposal; that of a shape is loaded with the decision',
  access: 'write',
  request: Type.Object({
    id: idField,
    note: Type.Optional(Type.String('what is said of the decision')),
    ...decisionFields,
  }),
  response: Type.Object({
    proposal_id: Type.Integer(),
    status: oneOf(['accepted']),
    target: Type.String(),
    kind: kindField,
  }),
  async handler({ store, control }, { id: given, note, ...more }) {
    const decision = { ...decidedBy(control, more), note };
    const { id: proposal_id, target, kind, tx } = await store.acceptProposal(idOf(given), decision);
    return { kind: 'body', body: { proposal_id, status: 'accepted' as const, target, kind }, notes: { tx } };
  },
  projections: {
    http: [{ method: 'POST', path: '/proposal/accept', request: 'body' }],
    mcp: {
      tool: 'accept_proposal',
      description: [
        'Accept a pending proposal, for good; only where you are asked to decide. A shape is loaded with the decision and judges every later write; a diff that is no SHACL is refused, and stays pending.',
      ],
      example: { id: 3, decided_by: 'ann' },
      parameters: {
        ...inWords({ decided_by: 'default: the principal of the token', note: 'why' }),
        id: idParameter,
        ...asTheyAre('timestamp'),
      },
      destructive: true,
      idempotent: false,
    },
    cli: {
      command: 'propose accept',
      positional: [id],
      named: { decided_by: 'by' },
      notes: [
        'Of a shape the set is loaded with the decision; of an ontology, class or property load the file by hand.',
      ],
      examples: ['svc propose accept 3 --by ann'],
      options: { decided_by: 'principal', note: 'text', timestamp: 't' },
      text: ({ proposal_id: number, target, kind }) =>
        `proposal ${number} accepted (target: ${target}, kind: ${shownKind(kind)})\n`,
    },
  },
});

export const proposalReject = defineOperation({
  name: 'proposal_reject',
  summary: 'Reject a proposal, and say why',
  access: 'write',
  request: Type.Object({
    id: idField,
    note: Type.String({ minLength: 1, description: 'why' }),
    ...decisionFields,
  }),
  response: Type.Object({ proposal_id: Type.Integer(), status: oneOf(['rejected']), target: Type.String() }),
  async handler({ store, control }, { id: given, note, ...more }) {
    const { id: proposal_id, target, tx } = await store.rejectProposal(idOf(given), note, decidedBy(control, more));
    return { kind: 'body', body: { proposal_id, status: 'rejected' as const, target }, notes: { tx } };
  },
  projections: {
    http: [{ method: 'POST', path: '/proposal/reject', request: 'body' }],
    mcp: {
      tool: 'reject_proposal',
      description: [
        'Reject a pending proposal, for good, with a note that says why; only where you are asked to decide.',
      ],
      example: { id: 3, note: 'the name is optional on purpose', decided_by: 'ann' },
      parameters: {
        ...inWords({ decided_by: 'default: the principal of the token', note: 'why' }),
        id: idParameter,
        ...asTheyAre('timestamp'),
      },
      destructive: false,
      idempotent: false,
    },
    cli: {
      command: 'propose reject',
      positional: [id],
      named: { decided_by: 'by' },
      examples: ['svc propose reject 3 --note "the name is optional on purpose" --by ann'],
      options: { note: 'text', decided_by: 'principal', timestamp: 't' },
      text: ({ proposal_id: number, target }) => `proposal ${number} rejected (target: ${target})\n`,
    },
  },
});

export const PROPOSAL_COMMANDS = [proposals, propose, proposalAccept, proposalReject];
