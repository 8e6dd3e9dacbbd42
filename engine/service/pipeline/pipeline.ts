/**
 * The only way to write. Every write, whichever face it comes from,
 * 1. waits for its turn: two writes never judge the same snapshot;
 * 2. is refused when the store can't be written;
 * 3. is staged beside the store;
 * 4. registers the graphs that it made, on the same stage, and is judged by the gates in their fixed order;
 * 5. is published in one durable transaction, or dropped without a trace.
 *
 * A transaction gives its turn away when it is accepted, before it is on the disk: the next one builds
 * on it, and several share one commit of the file. Each is acknowledged only when it is durable.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { type Control, throwIfAborted } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { deadlineIn, leftMs, withDeadline } from '../../base/interrupt.js';
import { CompiledSets } from '../../graphs/shapes/compiled-sets.js';
import { GraphRegistration } from '../../query/registry/registration.js';
import type { Instant, TxId } from '../../storage/ids/layout.js';
import type {
  ChangeCounts,
  LoadOptions,
  LoadSource,
  LoadSummary,
  MaintenanceReport,
  Stage,
  StorageEngine,
  TransactionOptions,
} from '../../storage/seam/engine.js';
import type { WriteEvents } from '../../storage/seam/event-log.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { OwnEvents } from '../events/own-events.js';
import { withSnapshot } from '../facts/rows.js';
import {
  type Acceptance,
  askGates,
  type Finding,
  type Gate,
  GateRefusal,
  orderGates,
  type StagedLoadWrite,
  type StagedTransactionWrite,
} from '../gates/gates.js';
import { BASE_NS_DEFAULT } from '../requests/namespaces.js';
import { EventRecorder } from './event-recorder.js';
import { ShaclGate } from './shacl-gate.js';
import { JudgedSnapshots } from './staged-write.js';

/** What is told of a write besides its snapshots. */
type JudgedWrite =
  | Pick<StagedLoadWrite, 'kind' | 'counts' | 'summary' | 'options'>
  | Pick<StagedTransactionWrite, 'kind' | 'counts' | 'options'>;

/** A transaction that its change has put on the stage. */
interface StagedChanges {
  readonly stage: Stage;
  readonly registry: GraphRegistration;
  readonly own: OwnEvents;
  readonly options: TransactionOptions;
}

/** Transaction time and valid time are settled before the write is staged, so that it can be told. */
export interface Receipt {
  /** 0 when there was nothing to write. */
  readonly tx: TxId;
  readonly timestamp: Instant;
  readonly validFrom: Instant;
  readonly findings: readonly Finding[];
  /** There, and true, when shapes have judged the write. */
  readonly judged?: boolean;
}

export interface LoadReceipt extends Receipt {
  readonly summary: LoadSummary;
}

export interface TransactionReceipt<Result> extends Receipt {
  readonly counts: ChangeCounts;
  /** What the change gave. */
  readonly result: Result;
}

/**
 * Puts changes on a stage; it is over when this returns or settles. Graphs that it makes or drops go through the
 * registration; events that don't follow from its changes are added to its own.
 */
export type StageChange<Result> = (
  stage: Stage,
  registry: GraphRegistration,
  events: OwnEvents,
) => Result | Promise<Result>;

export interface WriteControl extends Control {
  /** SHACL in Turtle that this write is judged by, besides the stored shapes. */
  readonly shapes?: string | undefined;
}

export interface TransactionControl extends WriteControl {
  /** Writes a transaction even when nothing changes. */
  readonly recordEmpty?: boolean | undefined;
}

export interface PipelineOptions {
  /** False: stored shapes do not judge writes, only those that come with one; default true. */
  readonly validateOnWrite?: boolean | undefined;
  /** What the gates may take for one write; absent = any time. */
  readonly gateTimeoutMs?: number | undefined;
  readonly gates?: readonly Gate[];
  /** Seconds since 1970; the system's clock unless a test brings its own. */
  readonly now?: () => Instant;
  /** Of the IRIs that the store mints; absent = that of stores that were given none. */
  readonly baseNamespace?: string | undefined;
}

/** A turn that a write has; while it lasts, no other write can begin. */
interface Turn {
  over: boolean;
}

/** The setting behind the time of the gates. */
const GATE_TIMEOUT = 'shacl.timeout_ms';

function systemClock(): Instant {
  return Math.floor(Date.now() / 1000);
}

export class WritePipeline {
  readonly #engine: StorageEngine;
  /** Stored shapes, compiled. */
  readonly compiledSets = new CompiledSets();
  readonly #gates: readonly Gate[];
  readonly #gateTimeoutMs: number | undefined;
  readonly #now: () => Instant;
  /** Which turn the running code belongs to: a write that began inside another would wait for itself. */
  readonly #turns = new AsyncLocalStorage<Turn>();
  /** Settles when the last write in the queue has given its turn away. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #events: EventRecorder;
  /** Transactions that were accepted and are not durable yet. */
  readonly #flushing = new Set<Promise<void>>();
  /** Counts writes that may have changed rows of the registry. */
  #registryState = 0;

  constructor(engine: StorageEngine, options: PipelineOptions = {}) {
    this.#engine = engine;
    this.#gates = orderGates([
      new ShaclGate(options.validateOnWrite ?? true, this.compiledSets),
      ...(options.gates ?? []),
    ]);
    this.#gateTimeoutMs = options.gateTimeoutMs;
    this.#now = options.now ?? systemClock;
    const { baseNamespace = BASE_NS_DEFAULT } = options;
    this.#events = new EventRecorder(engine, { now: this.#now, baseNamespace });
  }

  /** Loads documents as one transaction: all of them, or none. `check` may refuse by what is in the store before. */
  load(
    sources: readonly LoadSource[],
    options: LoadOptions,
    control: WriteControl,
    check?: (before: StorageSnapshot) => void,
  ): Promise<LoadReceipt> {
    return this.#inTurn('the load', control, async () => {
      if (check !== undefined) await withSnapshot(this.#engine.snapshot(), check);
      return this.#load(sources, options, control);
    });
  }

  /** Writes what a change puts on the stage as one transaction, or nothing when the change throws. */
  async transact<Result>(
    change: StageChange<Result>,
    options: TransactionOptions,
    control: TransactionControl = {},
  ): Promise<TransactionReceipt<Result>> {
    const { receipt, durable } = await this.#inTurn('the transaction', control, () =>
      this.#transact(change, options, control),
    );
    await durable;
    return receipt;
  }

  /** Turns what small transactions have added into runs, in the turn of a write. */
  fold(control: Control): Promise<MaintenanceReport> {
    return this.#inTurn('the fold', control, () => this.#engine.fold(control, true));
  }

  /** True for code that a write runs: what waits for its turn there would wait for itself. */
  get isWithinWrite(): boolean {
    return this.#turns.getStore()?.over === false;
  }

  /** Settles when every write that was begun is through. */
  async idle(): Promise<void> {
    await this.#last;
    await Promise.allSettled(this.#flushing);
  }

  #inTurn<Result>(what: string, control: Control, write: () => Promise<Result>): Promise<Result> {
    if (this.isWithinWrite) {
      const message = `${what} can not begin inside another write; it would wait for itself`;
      return Promise.reject(new SvcError('invalid_request', message, { hint: 'write through the draft instead' }));
    }
    const turn: Turn = { over: false };
    const askedMs = performance.now();
    control.wait?.waits();
    const written = this.#last.then(() => {
      control.wait?.begins(performance.now() - askedMs);
      throwIfAborted(control.signal, what);
      if (this.#engine.readOnly) {
        throw new SvcError('store_read_only', `${this.#engine.path} is open for reading only`);
      }
      return this.#turns.run(turn, write);
    });
    const settled = written.finally(() => {
      turn.over = true;
    });
    // The queue goes on after a failure; the failure itself belongs to the caller of that write.
    this.#last = settled.catch(() => undefined);
    return settled;
  }

  #settle<Options extends TransactionOptions>(options: Options) {
    const timestamp = options.timestamp ?? this.#now();
    return { ...options, timestamp, validFrom: options.validFrom ?? timestamp };
  }

  async #load(sources: readonly LoadSource[], options: LoadOptions, control: WriteControl): Promise<LoadReceipt> {
    const settled = this.#settle(options);
    const staged = await this.#engine.stageLoad(sources, settled, control);
    const { summary } = staged;
    const counts = { asserted: summary.quadsAdded, retracted: 0 };
    try {
      const about = { kind: 'load', counts, summary, options: settled } as const;
      const snapshots = new JudgedSnapshots(
        () => this.#engine.snapshot(),
        () => staged.snapshot(),
      );
      const described = { counts, options: settled, own: new OwnEvents() };
      const { verdict, events } = await snapshots.during(async () => {
        const accepted = await this.#judge(about, snapshots, control);
        addObserved(described.own, accepted);
        return { verdict: accepted, events: await this.#events.describe(snapshots, described, control) };
      });
      throwIfAborted(control.signal, 'the load');
      const tx = await staged.publish(events);
      const { timestamp, validFrom } = settled;
      return { tx, timestamp, validFrom, summary: staged.summary, ...told(verdict) };
    } catch (error) {
      await staged.discard();
      if (error instanceof GateRefusal) {
        await this.#events.refused(error, { counts, options: settled, graph: settled.graph ?? null });
      }
      throw error;
    }
  }

  async #transact<Result>(change: StageChange<Result>, options: TransactionOptions, control: TransactionControl) {
    const settled = this.#settle(options);
    const stage = this.#engine.stage(settled);
    try {
      const registry = new GraphRegistration(stage);
      const own = new OwnEvents();
      const result = await change(stage, registry, own);
      throwIfAborted(control.signal, 'the transaction');
      const { timestamp, validFrom } = stage;
      const counts = registry.counts();
      registry.settle();
      const about = { kind: 'transaction', counts, options: settled } as const;
      const snapshots = new JudgedSnapshots(
        () => stage.before(),
        () => stage.snapshot(),
      );
      const { verdict, events } = await snapshots.during(async () => {
        const accepted = await this.#judge(about, snapshots, control);
        addObserved(own, accepted);
        return {
          verdict: accepted,
          events: await this.#describe({ stage, registry, own, options: settled }, snapshots, control),
        };
      });
      throwIfAborted(control.signal, 'the transaction');
      if (registry.wroteRows) this.#registryState++;
      const { recordEmpty = false } = control;
      const before = [...this.#flushing];
      const { tx, durable, exclusive } = stage.commit({ recordEmpty, control, events });
      const receipt = { tx, timestamp, validFrom, ...told(verdict), counts, result };
      // Nothing to write, since what was accepted before says so: that has to be on the disk.
      if (tx === 0) return { receipt, durable: Promise.all(before).then(() => undefined) };
      this.#remember(durable);
      if (exclusive) await durable;
      return { receipt, durable };
    } catch (error) {
      if (!(error instanceof GateRefusal)) {
        stage.discard();
        throw error;
      }
      const { graphOfStage } = await import('../events/describe.js');
      const refused = { counts: stage.counts, options: settled, graph: graphOfStage(stage) };
      stage.discard();
      await this.#events.refused(error, refused);
      throw error;
    }
  }

  /** The events of a transaction; undefined for one that changes nothing. */
  async #describe(
    { stage, registry, own, options }: StagedChanges,
    snapshots: JudgedSnapshots,
    control: Control,
  ): Promise<WriteEvents | undefined> {
    const { counts } = stage;
    if (counts.asserted + counts.retracted === 0) return undefined;
    return this.#events.describe(snapshots, { counts, options, own, graphs: { stage, registry } }, control);
  }

  #remember(durable: Promise<void>): void {
    this.#flushing.add(durable);
    const forget = () => this.#flushing.delete(durable);
    durable.then(forget, () => {
      forget();
      // What was accepted and is gone again may have been rows of the registry.
      this.#registryState++;
      this.#events.forget();
    });
  }

  async #judge(about: JudgedWrite, snapshots: JudgedSnapshots, control: WriteControl): Promise<Acceptance> {
    const { shapes } = control;
    const registryState = this.#registryState;
    const write = {
      ...about,
      registryState,
      shapes,
      get before(): StorageSnapshot {
        return snapshots.before;
      },
      get after(): StorageSnapshot {
        return snapshots.after;
      },
    };
    const timeoutMs = this.#gateTimeoutMs;
    if (timeoutMs === undefined) return askGates(this.#gates, write, control);
    const deadline = deadlineIn(timeoutMs, GATE_TIMEOUT);
    try {
      return await askGates(this.#gates, write, { ...control, flag: withDeadline(control.flag, deadline) });
    } catch (error) {
      throw leftMs(deadline) < 0 ? lateGate(error) : error;
    }
  }
}

/** The others wait for the turn of this write, so it is given up. */
function lateGate(error: unknown): unknown {
  if (!(error instanceof SvcError) || error.code !== 'query_timeout') return error;
  return new SvcError('query_timeout', `the write was refused, and nothing of it is there: ${error.message}`, {
    hint: `write less at once, simplify the shapes that judge it, or raise ${GATE_TIMEOUT}`,
    cause: error,
  });
}

function told({ findings, judged = false }: Acceptance): Pick<Receipt, 'findings' | 'judged'> {
  return judged ? { findings, judged } : { findings };
}

/** What shapes have seen that only observe becomes an event each, in the write itself. */
function addObserved(own: OwnEvents, { observed = [] }: Acceptance): void {
  for (const { graph, focusNode = '', sourceShape: shape, message, component, path, severity } of observed) {
    const payload = { graph, shape, message, component, path, severity, mode: 'emit' };
    own.add({ type: 'shacl.violation', subject: focusNode, payload });
  }
}
