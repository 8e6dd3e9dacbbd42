/**
 * What a write adds to the event log by itself, in its own transaction: collected while the change is staged, and put into
 * the order in which the types stand in the semantics (10.2). What leads is written before the derived events.
 */

import type { OwnEvent } from '../../storage/seam/event-log.js';
import { EPISODE_INGESTED } from './kinds.js';

/** Types in their order within a transaction, `episode.ingested` before the derived events and the others after them. */
const ORDER = [
  EPISODE_INGESTED,
  'shacl.violation',
  'shapes.loaded',
  'shapes.removed',
  'ontology.loaded',
  'ontology.removed',
  'fork.created',
  'fork.promoted',
  'fork.dropped',
  'graph.created',
  'graph.removed',
  'graph.labeled',
  'graph.frozen',
  'graph.thawed',
  'dataset.created',
  'dataset.removed',
  'import.staged',
  'import.quarantined',
  'import.promoted',
  'import.merged',
  'proposal.created',
  'proposal.accepted',
  'proposal.rejected',
] as const;

export type OwnType = (typeof ORDER)[number];

export class OwnEvents {
  readonly #events: (OwnEvent & { readonly type: OwnType })[] = [];
  #derives = true;
  #silent = false;
  #activity: string | null = null;

  add(event: OwnEvent & { readonly type: OwnType }): void {
    this.#events.push(event);
  }

  /** The write copies facts in bulk, and tells of that by its own events alone. */
  onlyOwn(): void {
    this.#derives = false;
  }

  /** The write has no event at all: it is one of an overlay. */
  none(): void {
    this.#silent = true;
  }

  get silent(): boolean {
    return this.#silent;
  }

  /** The write is an episode, and this is the IRI of its activity. */
  ingests(activity: string): void {
    this.#activity = activity;
  }

  /** Null = the write named none. */
  get activity(): string | null {
    return this.#activity;
  }

  get derives(): boolean {
    return this.#derives;
  }

  /** Those before the derived events. */
  get leading(): readonly OwnEvent[] {
    return this.#events.filter(({ type }) => type === EPISODE_INGESTED);
  }

  get following(): readonly OwnEvent[] {
    return this.#events
      .filter(({ type }) => type !== EPISODE_INGESTED)
      .sort((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
  }
}
