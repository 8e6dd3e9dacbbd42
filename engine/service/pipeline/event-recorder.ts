/**
 * The event log as the write pipeline fills it: describes a staged write, so that its events come into the log in its own
 * commit, and notes a refusal once the refused write is gone.
 */

import type { Control } from '../../base/control.js';
import { ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import type { Instant } from '../../storage/ids/layout.js';
import type { ChangeCounts, StagedTransaction, StorageEngine, TransactionOptions } from '../../storage/seam/engine.js';
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

/** A transaction that is staged. */
export interface DescribedTransaction {
  readonly transaction: StagedTransaction;
  /** Events that the write adds to it. */
  readonly own: OwnEvents;
  /** Graphs that it made or dropped by name, and whether they had rows before. */
  readonly named: ReadonlyMap<string, boolean>;
  readonly isLoad: boolean;
}

export interface RefusedWrite {
  readonly counts: ChangeCounts;
  readonly options: TransactionOptions;
  /** IRI of the graph that it was for; null = ROOT. */
  readonly graph: string | null;
}

const NO_CHANGES: DescribedChanges = { derived: [], group: null, graph: null, statements: 0, graphs: new Set() };

export class EventRecorder {
  #firstUses: FirstUses | null = null;
  #module: typeof import('../events/describe.js') | null = null;

  constructor(
    private readonly engine: StorageEngine,
    private readonly options: RecorderOptions,
  ) {}

  /** The events of a transaction; undefined for one that has none: it changes nothing and is no load, or it is an overlay's. */
  async describe(
    state: DescribedState,
    { transaction, own, named, isLoad }: DescribedTransaction,
    control: Control,
  ): Promise<WriteEvents | undefined> {
    const { counts, options } = transaction;
    const isEmpty = counts.asserted + counts.retracted === 0;
    if (own.silent || (isEmpty && !isLoad)) return undefined;
    // Loaded when needed: who only reads does without.
    this.#module ??= await import('../events/describe.js');
    const { addGraphEvents, addLoadedGraphs, describeChanges, episodeEvent, FirstUses } = this.#module;
    this.#firstUses ??= new FirstUses();
    if (!isLoad && own.derives) addGraphEvents(own, state.after, transaction, named);
    const derives = own.derives && !isEmpty;
    const changes = derives ? await describeChanges(state, transaction, this.#firstUses, control) : NO_CHANGES;
    if (isLoad) await addLoadedGraphs(own, state, changes.graphs, control);
    const episode = episodeEvent(options.source, changes, own.activity, this.options.baseNamespace);
    return {
      lead: [...own.leading, ...(episode === null || own.leading.length > 0 ? [] : [episode])],
      derived: changes.derived,
      own: own.following,
      group: changes.group,
      recordedAt: this.options.now(),
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
      await this.engine.events.append(event, this.options.now());
    } catch {
      // Not to be told in place of the refusal.
    }
  }
}
