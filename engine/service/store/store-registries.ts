/** What a store tells of proposals, alignments and trajectories, one method each; loaded with the first call. */

import type { Control } from '../../base/control.js';
import type { InterruptLimits } from '../../base/interrupt.js';
import type { Proposal, ProposalStatus } from '../../graphs/proposals/proposal.js';
import { type AsOf, checkAsOf } from '../../query/registry/frozen.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { DecidedAlignment, DecideRequest } from '../alignment/decide.js';
import type { AlignmentOptions, ProposedAlignment } from '../alignment/proposals.js';
import { type PageOptions, windowOf } from '../facts/paging.js';
import { toTimeSlice } from '../options/store-options.js';
import type { PathBacktest, PathBacktestOptions } from '../paths/backtest.js';
import type { Cone, ConeOptions } from '../paths/cone.js';
import type { CooccurrenceOptions, Cooccurrences } from '../paths/cooccurrence.js';
import type { PathDraft, PathDraftOptions } from '../paths/draft.js';
import { StoreSearches } from './store-searches.js';

export interface ProposalSelection extends PageOptions {
  /** Absent = all. */
  readonly status?: ProposalStatus | undefined;
}

export interface ProposalPage {
  readonly proposals: readonly Proposal[];
  /** True when there are more behind the page. */
  readonly truncated: boolean;
}

export abstract class StoreRegistries extends StoreSearches {
  /** @internal */
  abstract get asOf(): AsOf;
  /** In which the store mints IRIs. */
  abstract get baseNamespace(): string;

  /** @internal Vectors of texts, to be compared with those of a snapshot; null = there is nothing to compare with. */
  protected abstract questionVectors(
    snapshot: StorageSnapshot,
    texts: readonly string[],
    control: Control,
  ): Promise<readonly Float32Array[] | null>;

  /** Proposals to change the schema, the newest first; those that were decided stay. */
  async proposals(options: ProposalSelection = {}): Promise<ProposalPage> {
    const { from, to } = windowOf(options);
    const { listProposals } = await import('../../graphs/proposals/stored-proposals.js');
    return this.reading((snapshot) => {
      const all = listProposals(snapshot, options.status);
      return { proposals: all.slice(from, to), truncated: all.length > to };
    });
  }

  /** Which entities of two graphs may be the same, by their labels and, where there are embeddings, by their meaning. */
  async proposeAlignment(left: string, right: string, options: AlignmentOptions = {}): Promise<ProposedAlignment> {
    const { proposeAlignment } = await import('../alignment/proposals.js');
    return this.reading((snapshot) =>
      proposeAlignment(snapshot, { left, right }, options, (...asked) => this.questionVectors(snapshot, ...asked)),
    );
  }

  /** Checks decisions on pairs of entities and binds them to the state that they were made on; nothing is stored. */
  async decideAlignment(request: DecideRequest, options: InterruptLimits = {}): Promise<DecidedAlignment> {
    const { decideAlignment } = await import('../alignment/decide.js');
    return this.reading((snapshot) => decideAlignment(snapshot, request, options));
  }

  /** Which steps of a trajectory its verification rests on. */
  async pathCone(trajectory: string, options: ConeOptions = {}): Promise<Cone> {
    const { coneOf } = await import('../paths/cone.js');
    return this.reading((snapshot) => coneOf(snapshot, trajectory, options, this.baseNamespace));
  }

  /** Whether trajectories about the same topics went the way of an exemplar, and how they ended. */
  async pathBacktest(exemplar: string, options: PathBacktestOptions = {}): Promise<PathBacktest> {
    const { backtestPath } = await import('../paths/backtest.js');
    return this.reading((snapshot) => backtestPath(snapshot, exemplar, options, this.baseNamespace));
  }

  /** A golden path as Turtle, for somebody to load; nothing is written. */
  async draftPath(
    trajectory: string,
    draft: PathDraft,
    options: PathDraftOptions = {},
  ): Promise<{ readonly iri: string; readonly turtle: string }> {
    const { draftPath } = await import('../paths/draft.js');
    return this.reading((snapshot) => draftPath(snapshot, trajectory, draft, options, this.baseNamespace));
  }

  /** Work items whose commits touch what those of a work item touch. */
  async cooccurrence(workItem: string, options: CooccurrenceOptions = {}): Promise<Cooccurrences> {
    const { cooccurrencesOf } = await import('../paths/cooccurrence.js');
    return this.reading((snapshot) => {
      checkAsOf(snapshot, toTimeSlice(options), this.asOf);
      return cooccurrencesOf(snapshot, workItem, options, this.baseNamespace);
    });
  }
}
