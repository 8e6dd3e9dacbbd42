/** What a proposal to change the schema says. */

export const PROPOSAL_KINDS = ['shape', 'ontology', 'class', 'property'] as const;
export type ProposalKind = (typeof PROPOSAL_KINDS)[number];

export const PROPOSAL_STATUSES = ['pending', 'accepted', 'rejected'] as const;
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

/** What somebody proposes. */
export interface ProposalInput {
  readonly kind: ProposalKind;
  /** What the change is about: of a shape the name of the set. */
  readonly target: string;
  /** The change itself, in Turtle; nobody reads it before it is accepted. */
  readonly diff: string;
  readonly proposer: string;
  readonly rationale?: string | undefined;
  /** What gave rise to it. */
  readonly triggerRef?: string | undefined;
}

export interface Proposal {
  /** From 1 on, in the order in which they were made. */
  readonly id: number;
  readonly kind: ProposalKind;
  readonly target: string;
  readonly diff: string;
  readonly rationale: string | null;
  readonly proposer: string;
  readonly triggerRef: string | null;
  readonly status: ProposalStatus;
  readonly decidedBy: string | null;
  readonly decidedAt: string | null;
  readonly decisionNote: string | null;
  readonly createdAt: string;
}
