/**
 * Maintainers keep what follows from a write: they see it staged and complete it, in their fixed order, before the gates
 * judge all of it together. What a maintainer writes joins the transaction of the write, or stands in one of its own
 * (`begin`), which is published with the write or not at all.
 *
 * Secondary indexes are maintained by the storage engine, in the commit itself (`storage/indexes`); events are described
 * last, when the gates have spoken.
 */

import { GraphRegistration } from '../../query/registry/registration.js';
import { MATERIALIZED_IN_TX } from '../../query/registry/system-graphs.js';
import { ROOT_ID } from '../../storage/ids/layout.js';
import { joinChanges, withoutGraphs } from '../../storage/seam/changes-by-graph.js';
import type { ChangesByGraph, Stage, TransactionOptions } from '../../storage/seam/engine.js';
import { lookInto } from '../../storage/seam/rows.js';
import { OwnEvents } from '../events/own-events.js';
import type { WriteControl } from './write-control.js';

export interface Maintainer {
  readonly name: string;
  maintain(context: StageContext): void | Promise<void>;
}

/** What was written, and what was not, before a write. */
export type EarlierWrites = Pick<StageContext, 'registryState' | 'drops'>;

/** A write on its stage, as maintainers see it. */
export class StageContext {
  readonly stage: Stage;
  /** Graphs that the write makes and drops. */
  readonly registry: GraphRegistration;
  readonly control: WriteControl;
  /** Another number when rows of the registry may have changed before this write. */
  readonly registryState: number;
  /** Another number when a write before this one was dropped: ids of terms that were new with it may come to mean others. */
  readonly drops: number;
  readonly #events: OwnEvents[] = [new OwnEvents()];

  constructor(stage: Stage, control: WriteControl, { registryState, drops }: EarlierWrites) {
    this.stage = stage;
    this.registry = new GraphRegistration(stage);
    this.control = control;
    this.registryState = registryState;
    this.drops = drops;
  }

  /**
   * What the write has changed so far, all of its transactions together. Of a write into an overlay nothing: overlays are
   * outside of shapes, rules and events.
   */
  get changes(): ChangesByGraph {
    const changes = joinChanges(this.stage.transactions.map((transaction) => transaction.changes()));
    return withoutGraphs(changes, this.registry.overlaid());
  }

  /** Events that the transaction at hand adds by itself. */
  get events(): OwnEvents {
    return this.#events[this.#events.length - 1] as OwnEvents;
  }

  /** Of each transaction, in their sequence. */
  get allEvents(): readonly OwnEvents[] {
    return this.#events;
  }

  /** What comes from here on stands in a transaction of its own. */
  begin(options: TransactionOptions): OwnEvents {
    this.stage.begin(options);
    this.#events.push(new OwnEvents());
    return this.events;
  }
}

/** Gives rows to graphs that are known by their facts alone and have lost the last of them. */
export const GRAPH_REGISTRY: Maintainer = {
  name: 'registry',
  maintain: ({ registry }) => registry.settle(),
};

/** Marks what is recorded of the content of a graph as superseded, when that changes. */
export const MATERIALIZATIONS: Maintainer = {
  name: 'materializations',
  maintain({ stage, registry, changes }) {
    const touched = changes.graphs.map(({ graph }) => graph).filter((graph) => graph !== ROOT_ID);
    if (touched.length === 0) return undefined;
    if (lookInto(stage.snapshot(), (snapshot) => snapshot.encode(MATERIALIZED_IN_TX)) === null) return undefined;
    // Few stores have such records.
    return import('../../graphs/labels/materialization.js').then(({ supersedeRecords }) =>
      supersedeRecords(stage, registry, touched, stage.transactions[0]?.tx ?? stage.tx),
    );
  },
};
