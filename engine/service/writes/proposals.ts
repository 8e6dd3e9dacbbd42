/** Proposals to change the schema: they are made, accepted or rejected, each in one transaction; none is ever taken away. */

import { SvcError } from '../../base/errors.js';
import type { ProposalInput } from '../../graphs/proposals/proposal.js';
import {
  checkProposal,
  nextProposalId,
  PROPOSALS,
  type ProposalRow,
  pendingProposal,
} from '../../graphs/proposals/stored-proposals.js';
import { lookInto } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { Time } from '../options/store-options.js';
import { showInstant } from '../options/store-options.js';
import { checkedText, type WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand, WriteContext } from './command.js';
import { shapesChange } from './shape-sets.js';
import { type TransactionResult, toResult } from './transact.js';

/** The actor of a proposal is its proposer, that of a decision who decides; `source` is `proposal`. */
export interface ProposalOptions extends Omit<WriteOptions, 'actor' | 'source' | 'validFrom'> {
  readonly timestamp?: Time | undefined;
}

export interface DecisionOptions extends ProposalOptions {
  /** Absent = the principal that a token named, if any. */
  readonly decidedBy?: string | undefined;
}

export interface AcceptOptions extends DecisionOptions {
  readonly note?: string | undefined;
}

export interface ProposedResult extends TransactionResult {
  readonly id: number;
}

export interface DecidedResult extends TransactionResult, Pick<ProposalRow, 'id' | 'kind' | 'target'> {}

type Decision = Pick<ProposalRow, 'status' | 'decidedBy' | 'decisionNote'>;

const SOURCE = 'proposal';

export const propose: WriteCommand<{ readonly proposal: ProposalInput }, ProposalOptions, ProposedResult> = {
  async run(context, { proposal }, options) {
    const { kind, target, diff, proposer, rationale = null, triggerRef = null } = checkProposal(proposal);
    const settled = context.settle({ ...options, actor: proposer, source: SOURCE });
    const change: StageChange<number> = (stage, registry, events) => {
      const id = lookInto(stage.snapshot(), nextProposalId);
      const said = { id, kind, target, diff, rationale, proposer, triggerRef };
      const open = { status: 'pending', decidedBy: null, decidedAt: null, decisionNote: null } as const;
      PROPOSALS.store(stage, registry, {
        name: String(id),
        ...said,
        ...open,
        createdAt: showInstant(stage.timestamp),
      });
      events.add({ type: 'proposal.created', subject: target, payload: { id, kind } });
      return id;
    };
    const receipt = await context.pipeline.transact(change, settled, context.control);
    return { ...toResult(receipt), id: receipt.result };
  },
};

/** Of a shape: the set is loaded in the same transaction, after the checks of any other load; a failure decides nothing. */
export const acceptProposal: WriteCommand<{ readonly id: number }, AcceptOptions, DecidedResult> = {
  async run(context, { id }, { note, ...options }) {
    const decisionNote = checkedText(note, 'note') ?? null;
    const { kind, target, diff } = pendingNow(context, id);
    const load = kind === 'shape' ? await shapesChange(context, { name: target, turtle: diff }) : null;
    return decide(context, id, { ...options, decisionNote, status: 'accepted' }, async (...staged) => {
      await load?.change(...staged);
    });
  },
};

export const rejectProposal: WriteCommand<
  { readonly id: number; readonly note: string },
  DecisionOptions,
  DecidedResult
> = {
  async run(context, { id, note }, options) {
    const decisionNote = checkedText(note, 'note') ?? '';
    pendingNow(context, id);
    if (decisionNote.trim() === '') {
      throw new SvcError('invalid_request', "missing 'note' parameter", { hint: 'say why it is rejected' });
    }
    return decide(context, id, { ...options, decisionNote, status: 'rejected' });
  },
};

/** Refuses one that can't be decided before anything is read for the decision. */
const pendingNow = ({ engine }: WriteContext, id: number): ProposalRow =>
  lookInto(engine.snapshot(), (snapshot) => pendingProposal(snapshot, id));

/** Looks again in the turn of the write: of two decisions the later one is refused. */
async function decide(
  context: WriteContext,
  id: number,
  { decidedBy, decisionNote, status, ...options }: Omit<Decision, 'decidedBy'> & DecisionOptions,
  also?: StageChange<void>,
): Promise<DecidedResult> {
  const by = checkedText(decidedBy, 'decided_by') ?? context.principal.authenticated?.principal ?? null;
  const settled = context.settle({ ...options, actor: by ?? undefined, source: SOURCE });
  const change: StageChange<ProposalRow> = async (stage, registry, events, begin) => {
    const open = lookInto(stage.snapshot(), (snapshot: StorageSnapshot) => pendingProposal(snapshot, id));
    await also?.(stage, registry, events, begin);
    const decided = { ...open, status, decisionNote, decidedBy: by, decidedAt: showInstant(stage.timestamp) };
    PROPOSALS.store(stage, registry, decided);
    const type = status === 'accepted' ? 'proposal.accepted' : 'proposal.rejected';
    events.add({ type, subject: open.target, payload: { id, kind: open.kind } });
    return decided;
  };
  const receipt = await context.pipeline.transact(change, settled, context.control);
  const { kind, target } = receipt.result;
  return { ...toResult(receipt), id, kind, target };
}
