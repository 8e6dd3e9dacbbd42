/** Forks of ROOT as a store's callers ask for them: made, dropped, brought into ROOT, each in one transaction of the pipeline. */

import type { Control } from '../../base/control.js';
import { createFork as copyRoot, type NewFork, type PastCheck } from '../../graphs/forks/create-fork.js';
import { dropFork as endFork } from '../../graphs/forks/drop-fork.js';
import { forkNameOf } from '../../graphs/forks/forks.js';
import { promoteFork as bringHome } from '../../graphs/forks/promote-fork.js';
import { forkGraph } from '../../query/registry/fork-rows.js';
import { type AsOf, checkAsOf } from '../../query/registry/frozen.js';
import type { WriteOptions } from '../options/write-options.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

export interface CreatedForkResult extends TransactionResult {
  readonly name: string;
  /** IRI of its graph. */
  readonly graph: string;
  /** Facts that were copied. */
  readonly facts: number;
}

/** `tx` is 0 and nothing asserted or retracted where the fork and ROOT agreed. */
export type PromotedForkResult = TransactionResult;

export interface ForkOptions extends Omit<WriteOptions, 'source' | 'validFrom'>, Control {}

/** A fork, and whether an older transaction is copied while graphs are frozen. */
export interface ForkRequest extends NewFork {
  readonly asOf: AsOf;
}

export const createFork: WriteCommand<ForkRequest, ForkOptions, CreatedForkResult> = {
  what: 'the fork',

  async run(context, { name, tx, asOf }, options) {
    const fork = { name: name ?? forkNameOf(tx), tx };
    const settled = context.settle({ ...options, source: `fork:${fork.name}` });
    const { control } = context;
    const checkPast: PastCheck = (snapshot) => checkAsOf(snapshot, { kind: 'asOf', tx }, asOf);
    const receipt = await context.pipeline.transact(
      async (stage, registry, events) => {
        const created = await copyRoot(stage, registry, fork, control, checkPast);
        // Facts that are copied in bulk make no events of their own.
        events.onlyOwn();
        events.add({ type: 'fork.created', subject: fork.name, payload: { name: fork.name, tx: stage.tx } });
        return created;
      },
      settled,
      control,
    );
    return { ...toResult(receipt), ...receipt.result };
  },
};

export const dropFork: WriteCommand<{ readonly name: string }, ForkOptions, TransactionResult> = {
  async run(context, { name }, options) {
    const settled = { ...context.settle({ ...options, source: `fork-drop:${name}` }), graph: forkGraph(name) };
    const receipt = await context.pipeline.transact(
      (stage, registry, events) => {
        endFork(stage, registry, name);
        events.add({ type: 'fork.dropped', subject: name, payload: { name, tx: stage.tx } });
      },
      settled,
      context.control,
    );
    return toResult(receipt);
  },
};

export const promoteFork: WriteCommand<{ readonly name: string }, ForkOptions, PromotedForkResult> = {
  what: 'the promotion',

  async run(context, { name }, options) {
    const settled = context.settle({ ...options, source: `fork-promote:${name}` });
    const { control } = context;
    const receipt = await context.pipeline.transact(
      async (stage, registry, events) => {
        const promoted = await bringHome(stage, registry, name, control);
        events.add({ type: 'fork.promoted', subject: name, payload: { name, tx: stage.tx } });
        return promoted;
      },
      settled,
      control,
    );
    const { asserted, retracted } = receipt.result;
    // The state of the fork is a row of the registry; ROOT has no transaction where nothing of it changes.
    const tx = asserted + retracted === 0 ? 0 : receipt.tx;
    return { ...toResult(receipt), tx, asserted, retracted };
  },
};
