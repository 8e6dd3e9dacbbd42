/**
 * Proposals to change the schema as rows of the registry graph: `<urn:svc:proposal:ID> svc:schemaProposal "JSON"`. A row is
 * never taken away; a decision writes it anew, and nothing else does.
 */

import { SvcError } from '../../base/errors.js';
import { NamedRows } from '../../query/registry/named-rows.js';
import { isRowName } from '../../query/registry/row-name.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import {
  PROPOSAL_KINDS,
  PROPOSAL_STATUSES,
  type Proposal,
  type ProposalInput,
  type ProposalStatus,
} from './proposal.js';

export type ProposalRow = Proposal & { readonly name: string };

export const PROPOSALS = new NamedRows<ProposalRow>('proposal', 'schemaProposal', (json) => {
  const row = json as ProposalRow;
  const whole = Number.isSafeInteger(row.id) && typeof row.diff === 'string' && typeof row.createdAt === 'string';
  return whole ? row : null;
});

/** The next id of all. */
export function nextProposalId(snapshot: StorageSnapshot): number {
  return PROPOSALS.names(snapshot).reduce((most, name) => Math.max(most, Number(name)), 0) + 1;
}

/** Newest first; of those that are equally new the later one first. */
export function listProposals(snapshot: StorageSnapshot, status: ProposalStatus | undefined): Proposal[] {
  if (status !== undefined) checkWord('status', status, PROPOSAL_STATUSES);
  return PROPOSALS.all(snapshot)
    .filter((row) => status === undefined || row.status === status)
    .map(({ name: _, ...proposal }) => proposal)
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : b.id - a.id));
}

/** A proposal that may still be decided. */
export function pendingProposal(snapshot: StorageSnapshot, id: number): ProposalRow {
  const found = Number.isSafeInteger(id) ? PROPOSALS.one(snapshot, String(id)) : null;
  if (found === null) {
    throw new SvcError('not_found_in_store', `proposal ${id} not found`, {
      hint: 'the list of proposals (POST /proposals, svc propose list) shows those there are',
    });
  }
  if (found.status === 'pending') return found;
  throw new SvcError('state_conflict', `proposal ${id} is already ${found.status}`, {
    hint: 'a decision stands; propose the change again to have it decided anew',
  });
}

/** The input, or a refusal that names the key. */
export function checkProposal(input: ProposalInput): ProposalInput {
  const texts: readonly (readonly [name: string, value: unknown, needed: boolean])[] = [
    ['target', input.target, true],
    ['diff', input.diff, true],
    ['proposer', input.proposer, true],
    ['rationale', input.rationale, false],
    ['trigger_ref', input.triggerRef, false],
  ];
  checkWord('kind', input.kind, PROPOSAL_KINDS);
  for (const [name, value, needed] of texts) {
    if (needed && (value === undefined || value === '')) {
      throw new SvcError('invalid_request', `missing '${name}' parameter`);
    }
    if (value !== undefined && typeof value !== 'string') {
      throw new SvcError('invalid_request', `'${name}' is a value of type ${typeof value}; expected a text`);
    }
  }
  if (input.kind === 'shape' && !isRowName(input.target)) {
    throw new SvcError('invalid_request', "'target' of a shape is the name of a set: a text of whole characters");
  }
  return input;
}

function checkWord(name: string, value: unknown, words: readonly string[]): void {
  if (value === undefined || value === '') throw new SvcError('invalid_request', `missing '${name}' parameter`);
  if (words.includes(value as string)) return;
  throw new SvcError('invalid_request', `'${name}' is ${JSON.stringify(value)}; expected one of ${words.join(', ')}`);
}
