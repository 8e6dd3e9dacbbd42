/**
 * The event log as the write pipeline fills it: describes a staged write, so that its events come into the log in its own
 * commit, and notes a refusal once the refused write is gone.
 */

import type { Control } from '../../base/control.js';
import type { GraphRegistration } from '../../query/registry/registration.js';
import { ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import type { Instant } from '../../storage/ids/layout.js';
import type { ChangeCounts, Stage, StorageEngine, TransactionOptions } from '../../storage/seam/engine.js';
import type { WriteEvents } from '../../storage/seam/event-log.js';
import type { DescribedChanges, DescribedState } from '../events/describe-write.js';
import type { FirstUses } from '../events/first-uses.js';
import type { OwnEvents } from '../events/own-events.js';
import type { GateRefusal } from '../gates/gates.js';

export interface RecorderOptions {
  readonly now: () => Instant;
  /** Of the IRIs that the store mints. */
  readonly baseNamespace: string;
}

/** A write that was staged: its size in rows, and who wants it. */
export interface DescribedWrite {
  readonly counts: ChangeCounts;
  readonly options: TransactionOptions;
  readonly own: OwnEvents;
  /** Of a transaction: what it did to graphs. */
  readonly graphs?: { readonly stage: Stage; readonly registry: GraphRegistration } | undefined;
}

export interface RefusedWrite {
  readonly counts: ChangeCounts;
  readonly options: TransactionOptions;
  /** IRI of the graph that it was for; null = ROOT. */
  readonly graph: string | null;
}

const NO_CHANGES: DescribedChanges = { derived: [], group: null, graph: null, statements: 0, graphs: new Set() };

export class EventRecorder {
  readonly #engine: StorageEngine;
  readonly #options: RecorderOptions;
  #firstUses: FirstUses | null = null;
  #module: typeof import('../events/describe.js') | null = null;

  constructor(engine: StorageEngine, options: RecorderOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** `counts` are all rows that it opened and closed. */
  async describe(state: DescribedState, write: DescribedWrite, control: Control): Promise<WriteEvents> {
    const { own, options, counts, graphs } = write;
    // Loaded when needed: who only reads does without.
    this.#module ??= await import('../events/describe.js');
    const { addGraphEvents, addLoadedGraphs, describeChanges, episodeEvent, FirstUses } = this.#module;
    this.#firstUses ??= new FirstUses();
    if (graphs !== undefined) addGraphEvents(own, state.after, graphs.stage, graphs.registry);
    const size = { quadsAdded: counts.asserted, quadsRetracted: counts.retracted };
    const derives = own.derives && counts.asserted + counts.retracted > 0;
    const changes = derives ? await describeChanges(state, size, this.#firstUses, control) : NO_CHANGES;
    if (graphs === undefined) await addLoadedGraphs(own, state, changes.graphs, control);
    const episode = episodeEvent(options.source, changes, own.activity, this.#options.baseNamespace);
    return {
      lead: [...own.leading, ...(episode === null || own.leading.length > 0 ? [] : [episode])],
      derived: changes.derived,
      own: own.following,
      group: changes.group,
      recordedAt: this.#options.now(),
    };
  }

  /** After a commit that failed: what was learnt from it may be wrong. */
  forget(): void {
    this.#firstUses?.forget();
  }

  /** To be called once the write is gone. Never throws: the refusal itself is what the caller must hear of. */
  async refused({ gate, message }: GateRefusal, { counts, options, graph }: RefusedWrite): Promise<void> {
    const { actor = null, source = null } = options;
    const statements = counts.asserted + counts.retracted;
    try {
      const { refusalEvent } = await import('../events/describe.js');
      const event = refusalEvent({ gate, graph: graph ?? ROOT_GRAPH_IRI, actor, source, statements }, message);
      await this.#engine.events.append(event, this.#options.now());
    } catch {
      // Not to be told in place of the refusal.
    }
  }
}
