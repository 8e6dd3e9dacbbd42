/**
 * Merges a share into the graph that it is of, or into ROOT (semantics text 6.10): one transaction, that every gate judges.
 * The share is verified before the write takes its turn; it is compared, and conflicts are found, on the stage, so that
 * what is decided is about the store as it is then. Conflicts that are not decided drop the stage.
 */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { ROOT_GRAPH_IRI, terms } from '../../rdf/terms.js';
import { compareShare, graphOfMerge } from '../../share/compare-share.js';
import { type DecisionsDocument, parseDecisions, undecided } from '../../share/decisions.js';
import { importIri } from '../../share/imported-shares.js';
import { keepMerged } from '../../share/keep-merged.js';
import { resolveConflicts } from '../../share/resolve-conflicts.js';
import { stageMerge } from '../../share/stage-merge.js';
import { verifyBundle } from '../../share/verify-bundle.js';
import type { Stage } from '../../storage/seam/engine.js';
import { lookInto, withSnapshot } from '../../storage/seam/rows.js';
import type { WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import { bundleOf } from '../share/bundle-of.js';
import { conflictsOn, toConflict } from '../share/merge-conflicts.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

export interface MergeShareRequest {
  /** JSON text. */
  readonly manifest: string;
  readonly shapesTurtle: string;
  /** What was decided of conflicts: JSON text; null = nothing. */
  readonly decisions: string | null;
}

export interface MergeShareOptions extends Omit<WriteOptions, 'source' | 'validFrom'>, Control {}

export interface MergeOptions extends MergeShareOptions {
  /** What was decided of conflicts: the text of the file that a merge has left. */
  readonly decisions?: string | undefined;
}

interface AboutMerge {
  readonly shareId: string;
  /** Share id of the base; null = no ancestor is known. */
  readonly base: string | null;
  /** IRI of the graph that is merged into. */
  readonly graph: string;
}

/** `tx` is 0 where nothing of the graph changes. */
export interface MergedShare extends AboutMerge, TransactionResult {
  readonly outcome: 'merged';
  readonly conflictsResolved: number;
}

/** Nothing was written. */
export interface UndecidedMerge extends AboutMerge {
  readonly outcome: 'conflicts';
  readonly decisions: DecisionsDocument;
}

export type MergeShareResult = MergedShare | UndecidedMerge;

type Staged = AboutMerge & Pick<MergedShare, 'asserted' | 'retracted' | 'conflictsResolved'>;

/** Drops the stage of a merge that has to be decided first. */
class Undecided extends Error {
  constructor(readonly merge: UndecidedMerge) {
    super('the merge has conflicts that are not decided');
  }
}

export const mergeShare: WriteCommand<MergeShareRequest, MergeShareOptions, MergeShareResult> = {
  what: 'the merge of a share',

  async run(context, request, options) {
    const { control, pipeline, engine } = context;
    const share = await verifyBundle(await bundleOf(request, context.documents), control);
    const { shareId } = share;
    const resolutions = request.decisions === null ? null : parseDecisions(request.decisions, shareId);
    const settled = context.settle({ ...options, source: `merge:${shareId}` });
    const store = engine.packs.storeId();
    const into = lookInto(engine.snapshot(), (snapshot) => graphOfMerge(share, { snapshot, store })) ?? ROOT_GRAPH_IRI;
    const change: StageChange<Staged> = (stage, registry, events) =>
      withSnapshot(stage.before(), async (before) => {
        const comparison = await compareShare(share, { snapshot: before, store }, control);
        const { base, graph } = comparison;
        const about = { shareId, base: base?.shareId ?? null, graph: graph ?? ROOT_GRAPH_IRI };
        if (about.graph !== into) throw overtaken(into, about.graph);
        if (graph !== null) registry.create(before, graph);
        await stageMerge(stage, comparison, control);
        const conflicts = await conflictsOn(stage, before, comparison, pipeline.compiledSets, control);
        if (resolutions !== null) resolveConflicts(stage, graph, conflicts, resolutions);
        else if (conflicts.length > 0) {
          const decisions = undecided(shareId, about.base, conflicts.map(toConflict));
          throw new Undecided({ ...about, outcome: 'conflicts', decisions });
        }
        const staged = { ...about, ...changedIn(stage, about.graph), conflictsResolved: conflicts.length };
        const isNew = await keepMerged(stage, registry, comparison, control);
        if (isNew || staged.asserted + staged.retracted > 0) {
          events.add({ type: 'import.merged', subject: importIri(shareId), payload: toPayload(staged) });
        }
        return staged;
      });
    try {
      const receipt = await pipeline.transact(change, { ...settled, graph: into }, control);
      const { asserted, retracted } = receipt.result;
      // That the share is known from now on is a row of the registry.
      const tx = asserted + retracted === 0 ? 0 : receipt.tx;
      return { ...toResult(receipt), ...receipt.result, tx, outcome: 'merged' };
    } catch (error) {
      if (error instanceof Undecided) return error.merge;
      throw error;
    }
  },
};

/** The gates were asked about one graph; another share that came in meanwhile made it another. */
function overtaken(asked: string, found: string): SvcError {
  return new SvcError(
    'state_conflict',
    `the merge was to go into ${asked}, and with the shares that are known now it goes into ${found}`,
    { hint: 'nothing was written; merge again' },
  );
}

/** What the merge has done to its graph, in net statements. */
function changedIn(stage: Stage, graph: string): { readonly asserted: number; readonly retracted: number } {
  const id = lookInto(stage.snapshot(), (snapshot) => snapshot.encode(terms.namedNode(graph)));
  const { asserted = 0, retracted = 0 } = stage.changes().graphs.find((change) => change.graph === id) ?? {};
  return { asserted, retracted };
}

function toPayload({ shareId, base, graph, asserted, retracted, conflictsResolved }: Staged) {
  return { share_id: shareId, base, graph, asserted, retracted, conflicts_resolved: conflictsResolved };
}
