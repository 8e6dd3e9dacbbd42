/** What a store tells of proposals, alignments and trajectories, one method each; loaded with the first call. */

import type { Proposal, ProposalStatus } from '../../graphs/proposals/stored-proposals.js';
import { type PageOptions, windowOf } from '../facts/paging.js';
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
  /** Proposals to change the schema, the newest first; those that were decided stay. */
  async proposals(options: ProposalSelection = {}): Promise<ProposalPage> {
    const { from, to } = windowOf(options);
    const { checkStatus, listProposals } = await import('../../graphs/proposals/stored-proposals.js');
    const { status } = options;
    checkStatus(status);
    return this.reading((snapshot) => {
      const all = listProposals(snapshot, status);
      return { proposals: all.slice(from, to), truncated: all.length > to };
    });
  }
}
