/**
 * The only way to write. Every write, whichever face it comes from,
 * 1. waits for its turn: two writes never judge the same snapshot;
 * 2. is refused when the store can't be written, or when authority does not allow it;
 * 3. is staged beside the store;
 * 4. is completed by the maintainers, on the same stage: the registry of graphs, and what follows from the write;
 * 5. is judged by the gates in their fixed order, all of its transactions together;
 * 6. is described for the event log and published with its events at once, or dropped without a trace.
 *
 * A transaction gives its turn away when it is accepted, before it is on the disk: the next one builds
 * on it, and several share one commit of the file. Each is acknowledged only when it is durable.
 *
 * Length: every step of the way of a write stands here, in its sequence.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { type Control, throwIfAborted } from '../../base/control.js';
import { invariant, SvcError } from '../../base/errors.js';
import { systemClock } from '../../base/instant.js';
import { deadlineIn, leftMs, withDeadline } from '../../base/interrupt.js';
import { ANYONE, type Principal } from '../../base/principal.js';
import { CompiledSets } from '../../graphs/shapes/compiled-sets.js';
import { KeptRules } from '../../reason/rules/kept-rules.js';
import type { Instant } from '../../storage/ids/layout.js';
import type {
  ChangeCounts,
  LoadOptions,
  LoadSource,
  LoadSummary,
  MaintenanceReport,
  Stage,
  StagedTransaction,
  StorageEngine,
  TransactionOptions,
} from '../../storage/seam/engine.js';
import type { WriteEvents } from '../../storage/seam/event-log.js';
import { lookInto, withSnapshot } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { FeatureName } from '../configuration/features.js';
import type { OwnEvents } from '../events/own-events.js';
import {
  type Acceptance,
  askGates,
  type Consequence,
  consequencesOf,
  type Gate,
  GateRefusal,
  orderGates,
  type StagedWrite,
} from '../gates/gates.js';
import type { GovernanceSettings, OwlSettings } from '../options/store-options.js';
import { BASE_NS_DEFAULT } from '../requests/namespaces.js';
import { type Authority, askAuthority } from './authority.js';
import { EventRecorder } from './event-recorder.js';
import { FrozenGuard } from './frozen-guard.js';
import { governanceOf } from './governance-gates.js';
import { type Maintainer, StageContext } from './maintainers.js';
import type { NarrowedWriter, NarrowedWriters } from './narrowed-writer.js';
import { OwlGate } from './owl-gate.js';
import type { OwlMaintainer } from './owl-maintainer.js';
import { ShaclGate } from './shacl-gate.js';
import { JudgedWrite, NarrowedWrite, StagedSnapshots } from './staged-write.js';
import { maintainersOf } from './store-maintainers.js';
import type {
  LoadReceipt,
  Receipt,
  SeriesWrite,
  StageChange,
  TransactionControl,
  TransactionReceipt,
  WriteControl,
} from './write-control.js';

export interface PipelineOptions {
  /** False: stored shapes do not judge writes, only those that come with one; default true. */
  readonly validateOnWrite?: boolean | undefined;
  /** What the gates may take for one write; absent = any time. */
  readonly gateTimeoutMs?: number | undefined;
  readonly gates?: readonly Gate[];
  /** What finding what rules derive from a write may take; absent = any time. */
  readonly rulesTimeoutMs?: number | undefined;
  /** Features that are on. */
  readonly features?: readonly FeatureName[] | undefined;
  readonly owl?: OwlSettings | undefined;
  readonly governance?: GovernanceSettings | undefined;
  /** Who may write; absent = everybody who gets here. */
  readonly authority?: Authority | undefined;
  /** Come after the registry of graphs, in their sequence. */
  readonly maintainers?: readonly Maintainer[];
  /** Seconds since 1970; the system's clock unless a test brings its own. */
  readonly now?: () => Instant;
  /** Of the IRIs that the store mints; absent = that of stores that were given none. */
  readonly baseNamespace?: string | undefined;
}

/** A write on its way to its stage. */
interface Write<Result> {
  readonly kind: 'load' | 'transaction';
  readonly options: (LoadOptions | TransactionOptions) & { readonly timestamp: Instant };
  open(): Stage | Promise<Stage>;
  readonly change: StageChange<Result>;
}

/** A turn that a write has; while it lasts, no other write can begin. */
interface Turn {
  over: boolean;
}

/** The setting behind the time of the gates. */
const GATE_TIMEOUT = 'shacl.timeout_ms';

export class WritePipeline {
  readonly #engine: StorageEngine;
  /** Stored shapes, compiled. */
  readonly compiledSets = new CompiledSets();
  /** Stored rules, checked together. */
  readonly keptRules = new KeptRules();
  /** What ontologies entail. */
  readonly owl: OwlMaintainer;
  /** All of them have to allow a write. */
  readonly #authorities: readonly Authority[];
  readonly #maintainers: readonly Maintainer[];
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
  /** Counts writes that were dropped, before they were accepted or after. */
  #drops = 0;
  readonly #frozen: FrozenGuard;
  /** Null until somebody writes who may read some graphs only. */
  #narrowed: NarrowedWriters | null = null;

  constructor(engine: StorageEngine, options: PipelineOptions = {}) {
    this.#engine = engine;
    this.#frozen = new FrozenGuard(engine);
    const { owl, maintainers } = maintainersOf(engine, options);
    this.owl = owl;
    this.#maintainers = maintainers;
    this.#now = options.now ?? systemClock;
    const { baseNamespace = BASE_NS_DEFAULT } = options;
    const governance = governanceOf(engine, options.governance, this.#now);
    this.#authorities = [...(options.authority === undefined ? [] : [options.authority]), ...governance.authorities];
    this.#gates = orderGates([
      new ShaclGate(options.validateOnWrite ?? true, this.compiledSets),
      new OwlGate(this.owl),
      ...governance.gates,
      ...(options.gates ?? []),
    ]);
    this.#gateTimeoutMs = options.gateTimeoutMs;
    this.#events = new EventRecorder(engine, { now: this.#now, baseNamespace });
  }

  /** Loads documents as one transaction: all of them, or none. `check` may refuse by what is in the store before. */
  async load(
    sources: readonly LoadSource[],
    given: LoadOptions,
    control: WriteControl,
    check?: (before: StorageSnapshot) => void,
  ): Promise<LoadReceipt> {
    const prepare = async () => {
      if (check !== undefined) await withSnapshot(this.engineOf(control.principal).snapshot(), check);
      return sources;
    };
    const receipt = await this.loadThen(prepare, given, control, ({ loaded }) => loaded as LoadSummary);
    const { counts: _, result: summary, ...rest } = receipt;
    return { ...rest, summary };
  }

  /**
   * The same for documents that are made in the turn of the write, of the store as it is then; `change` adds to the
   * transaction when they are loaded. What `prepare` throws refuses the write.
   */
  loadThen<Result>(
    prepare: () => Promise<readonly LoadSource[]>,
    given: LoadOptions,
    control: WriteControl,
    change: StageChange<Result>,
  ): Promise<TransactionReceipt<Result>> {
    return this.#run('load', control, () => {
      const options = this.#settle(given);
      const open = async () => {
        const sources = await prepare();
        const noteRepeated = this.owl.noteRepeated();
        const noted = noteRepeated === undefined ? options : { ...options, noteRepeated };
        const guarded = this.#frozen.load(noted, this.#registryState);
        const writer = this.#writerOf(control.principal);
        return this.#engine.stageLoad(sources, writer?.load(guarded, this.#engine) ?? guarded, control);
      };
      return { kind: 'load', options, open, change };
    });
  }

  /**
   * Writes what a change puts on the stage as one transaction, or nothing when the change throws. `graph`: the one that
   * authority is asked about, where the change is for one.
   */
  transact<Result>(
    change: StageChange<Result>,
    given: TransactionOptions & { readonly graph?: string },
    control: TransactionControl = {},
  ): Promise<TransactionReceipt<Result>> {
    return this.#run('transaction', control, () => {
      const options = this.#settle(given);
      return { kind: 'transaction', options, open: () => this.#engine.stage(options), change };
    });
  }

  /**
   * Asks authority about a transaction, in a turn of its own, before work that is done ahead of the transaction. It is asked
   * again when the transaction is written.
   */
  async allow(given: TransactionOptions & { readonly graph?: string }, control: TransactionControl): Promise<void> {
    if (this.#authorities.length === 0) return;
    await this.#inTurn('the transaction', control, () => {
      const options = this.#settle(given);
      return this.#ask({ kind: 'transaction', options }, control);
    });
  }

  /**
   * Several transactions in one turn: nobody writes between them, and each is on the disk when it is told of. What has
   * been written when the work fails stays.
   */
  series<Result>(
    what: string,
    control: TransactionControl,
    work: (write: SeriesWrite) => Promise<Result>,
  ): Promise<Result> {
    return this.#inTurn(what, control, () =>
      work(async (change, given, more = control) => {
        const options = this.#settle(given);
        const open = () => this.#engine.stage(options);
        const { receipt, durable } = await this.#write({ kind: 'transaction', options, open, change }, more);
        await durable;
        return receipt;
      }),
    );
  }

  /** To be awaited before a principal writes who may read some graphs only: few stores have such writers. */
  async narrow(): Promise<void> {
    const { NarrowedWriters: Writers } = await import('./narrowed-writer.js');
    this.#narrowed ??= new Writers(this.#engine);
  }

  /** Null: whoever writes may read every graph. */
  #writerOf(principal: Principal | undefined): NarrowedWriter | null {
    if (principal === undefined || principal.readable === null) return null;
    invariant(this.#narrowed !== null, 'a writer who may read some graphs only is announced');
    return this.#narrowed.of(principal);
  }

  /** Throws for a graph that a principal may not write, whether there is one of that name or not. */
  checkWritable(principal: Principal, graph: string): void {
    const writer = this.#writerOf(principal);
    if (writer !== null) lookInto(this.#engine.snapshot(), (snapshot) => writer.check(graph, snapshot));
  }

  /** The storage as somebody who writes may read it. */
  engineOf(principal: Principal | undefined): StorageEngine {
    return this.#writerOf(principal)?.engine ?? this.#engine;
  }

  /** Turns what small transactions have added into runs, in the turn of a write. */
  fold(control: Control): Promise<MaintenanceReport> {
    return this.#inTurn('the fold', control, () => this.#engine.fold(control, true));
  }

  /** What is no write of a caller, and stages nothing, in the turn of one. */
  apart(what: string, control: Control, work: () => Promise<void>): Promise<void> {
    return this.#inTurn(what, control, work);
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
    const before = this.#last;
    const run = async (): Promise<Result> => {
      await before;
      try {
        control.wait?.begins(performance.now() - askedMs);
        throwIfAborted(control.signal, what);
        if (this.#engine.readOnly) {
          throw new SvcError('store_read_only', `${this.#engine.path} is open for reading only`);
        }
        return await this.#turns.run(turn, write);
      } finally {
        turn.over = true;
      }
    };
    const settled = run();
    // The queue goes on after a failure; the failure itself belongs to the caller of that write.
    this.#last = settled.catch(() => undefined);
    return settled;
  }

  async #run<Result>(
    kind: Write<Result>['kind'],
    control: TransactionControl,
    write: () => Write<Result>,
  ): Promise<TransactionReceipt<Result>> {
    const { receipt, durable } = await this.#inTurn(`the ${kind}`, control, () => this.#write(write(), control));
    await durable;
    return receipt;
  }

  #settle<Options extends TransactionOptions>(options: Options) {
    const timestamp = options.timestamp ?? this.#now();
    return { ...options, timestamp, validFrom: options.validFrom ?? timestamp };
  }

  /**
   * The one way of every write; `durable` settles when it is on the disk. What is there at once is not awaited: the way of a
   * small write costs as much as its change, and each promise on it runs the hooks of `#turns`.
   */
  async #write<Result>(
    write: Write<Result>,
    control: TransactionControl,
    gates: readonly Gate[] = this.#gates,
  ): Promise<{ receipt: TransactionReceipt<Result>; durable: Promise<unknown> }> {
    if (this.#authorities.length > 0 && gates !== NO_GATES) await this.#ask(write, control);
    const opened = write.open();
    const stage = opened instanceof Promise ? await opened : opened;
    const context = new StageContext(stage, control, { registryState: this.#registryState, drops: this.#drops });
    const { registry } = context;
    const writer = this.#writerOf(control.principal);
    if (writer !== null) registry.allow((iri) => lookInto(stage.before(), (before) => writer.check(iri, before)));
    try {
      const watched = this.owl.watch(this.#frozen.stage(stage, this.#registryState));
      const staged = writer?.stage(watched) ?? watched;
      const result = await write.change(staged, registry, context.events, (next) => context.begin(next));
      throwIfAborted(control.signal, `the ${write.kind}`);
      const { timestamp, validFrom } = stage;
      const counts = registry.counts();
      for (const maintainer of this.#maintainers) {
        const maintained = maintainer.maintain(context);
        if (maintained !== undefined) await maintained;
      }
      const { verdict, events } = await this.#judgeAndDescribe(context, write, counts, gates);
      throwIfAborted(control.signal, `the ${write.kind}`);
      if (registry.wroteRows) this.#registryState++;
      const { recordEmpty = false } = control;
      const before = [...this.#flushing];
      const { tx, durable, exclusive } = stage.commit({ recordEmpty, control, events, catalog: registry.wroteRows });
      const receipt = { tx, timestamp, validFrom, ...told(verdict), counts, result };
      // Nothing to write, since what was accepted before says so: that has to be on the disk.
      if (tx === 0) return { receipt, durable: Promise.all(before) };
      this.#remember(durable);
      if (exclusive) await durable;
      if (verdict.consequences?.length) await this.#conclude(verdict.consequences);
      return { receipt, durable };
    } catch (error) {
      const graph = error instanceof GateRefusal ? await graphOf(write, stage) : null;
      const { transactions } = stage;
      const { counts } = transactions[0] as StagedTransaction;
      stage.discard();
      this.#drops++;
      // What was learnt from transactions that are gone again may be wrong.
      if (transactions.length > 1) this.#events.forget();
      if (error instanceof GateRefusal) {
        await this.#conclude(consequencesOf(error));
        await this.#events.refused(error, { counts, options: write.options, graph });
      }
      throw error;
    }
  }

  /** Writes what the gates want written of a write that is through; no gate judges that, and nobody can cancel it. */
  async #conclude(consequences: readonly Consequence[]): Promise<void> {
    if (consequences.length === 0) return;
    const { writeConsequences } = await import('./consequences.js');
    await writeConsequences(consequences, (change, given) => {
      const options = this.#settle(given);
      const open = () => this.#engine.stage(options);
      return this.#write({ kind: 'transaction', options, open, change }, {}, NO_GATES);
    });
  }

  async #ask({ kind, options }: Pick<Write<unknown>, 'kind' | 'options'>, control: TransactionControl): Promise<void> {
    const principal = control.principal ?? { ...ANYONE, authenticated: options.authenticated ?? null };
    try {
      const intended = { kind, principal, command: control.command, options };
      for (const authority of this.#authorities) await askAuthority(authority, intended, control);
    } catch (error) {
      if (error instanceof GateRefusal) {
        const graph = 'graph' in options ? (options.graph ?? null) : null;
        await this.#events.refused(error, { counts: { asserted: 0, retracted: 0 }, options, graph });
      }
      throw error;
    }
  }

  /** Asks the gates about all transactions together, and describes each for the event log. */
  async #judgeAndDescribe(
    context: StageContext,
    { kind, options }: Write<unknown>,
    counts: ChangeCounts,
    gates: readonly Gate[],
  ): Promise<{ verdict: Acceptance; events: (WriteEvents | undefined)[] }> {
    const { transactions, loaded } = context.stage;
    const write = new JudgedWrite(context, { kind, options, counts, registryState: this.#registryState });
    try {
      const writer = this.#writerOf(context.control.principal);
      const judged = writer === null ? write : new NarrowedWrite(write, (snapshot) => writer.narrow(snapshot));
      const verdict = await this.#judge(judged, context.control, gates);
      addObserved(context.allEvents[0] as OwnEvents, verdict);
      const events: (WriteEvents | undefined)[] = [];
      for (let at = 0; at < transactions.length; at++) {
        const transaction = transactions[at] as StagedTransaction;
        const described = {
          transaction,
          own: context.allEvents[at] as OwnEvents,
          named: at === 0 ? context.registry.named : NOTHING_NAMED,
          isLoad: at === 0 && loaded !== null,
        };
        if (transactions.length === 1) {
          events.push(await this.#events.describe(write, described, context.control));
          continue;
        }
        const state = new StagedSnapshots(transaction, transaction);
        try {
          events.push(await this.#events.describe(state, described, context.control));
        } finally {
          state.close();
        }
      }
      return { verdict, events };
    } finally {
      write.close();
    }
  }

  #remember(durable: Promise<void>): void {
    this.#flushing.add(durable);
    const forget = () => this.#flushing.delete(durable);
    durable.then(forget, () => {
      forget();
      // What was accepted and is gone again may have been rows of the registry.
      this.#registryState++;
      this.#drops++;
      this.#events.forget();
    });
  }

  #judge(judged: JudgedWrite | NarrowedWrite, control: Control, gates: readonly Gate[]): Promise<Acceptance> {
    // A load has a summary, and only a load.
    const write = judged as StagedWrite;
    const timeoutMs = this.#gateTimeoutMs;
    return timeoutMs === undefined
      ? askGates(gates, write, control)
      : this.#judgeInTime(write, control, gates, timeoutMs);
  }

  async #judgeInTime(
    write: StagedWrite,
    control: Control,
    gates: readonly Gate[],
    timeoutMs: number,
  ): Promise<Acceptance> {
    const deadline = deadlineIn(timeoutMs, GATE_TIMEOUT);
    try {
      return await askGates(gates, write, { ...control, flag: withDeadline(control.flag, deadline) });
    } catch (error) {
      throw leftMs(deadline) < 0 ? lateGate(error) : error;
    }
  }
}

const NO_GATES: readonly Gate[] = [];
const NOTHING_NAMED: ReadonlyMap<string, boolean> = new Map();

/** The graph that a refused write was for: that of its options, or of what it staged. */
async function graphOf({ kind, options }: Write<unknown>, stage: Stage): Promise<string | null> {
  if (kind === 'load') return ('graph' in options ? options.graph : undefined) ?? null;
  const { graphOfStage } = await import('../events/describe.js');
  return graphOfStage(stage.transactions[0] as StagedTransaction);
}

/** The others wait for the turn of this write, so it is given up. */
function lateGate(error: unknown): unknown {
  if (!(error instanceof SvcError) || error.code !== 'query_timeout') return error;
  return new SvcError('query_timeout', `the write was refused, and nothing of it is there: ${error.message}`, {
    hint: `write less at once, simplify the shapes and policies that judge it, or raise ${GATE_TIMEOUT}`,
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
