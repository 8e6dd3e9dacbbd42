/**
 * Solutions of patterns over all members of a federation, joined with the rows of an input where there is one.
 *
 *  1. Rows of the input are collected with the combinations of terms that they bind, few at first, so that the first rows come
 *     soon and a LIMIT asks for no more than it needs, then twice as many each round.
 *  2. Every remote is asked for what fits these combinations, all at the same time, each one request after the other; this store
 *     reads its own meanwhile. Under a LIMIT the first request without an input is for a page, and only who needs more asks
 *     for everything.
 *  3. A solution that several members have is one, as in a store that holds the facts of all.
 *  4. They are joined with the rows here, so that a remote that sends too much changes no answer.
 *
 * A remote that fails is lost for the query: what it has not said is missing, and the answer says so.
 */

import { highOf, lowOf } from '../../../storage/ids/halves.js';
import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import type { MemberSource } from '../../algebra/algebra.js';
import { batchesOf, newColumn, type QueryBatch } from '../../runtime/batch.js';
import { HashKeys } from '../../runtime/keys/hash-keys.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import {
  inSlices,
  type Operator,
  PENDING,
  Trace,
  type Traced,
  type Waits,
  type Work,
  WorkOperator,
} from '../../runtime/operator.js';
import { RowStore } from '../../runtime/row-store.js';
import { COMBINATIONS_PER_REQUEST, EVERYTHING, type ValuesClause } from '../../service/combinations.js';
import { MemberBindings } from '../../service/member-bindings.js';
import { blankTermOf, type FederatedRun, type MemberCall, type MemberOutcome } from '../../service/members.js';
import type { PatternText } from '../../service/pattern-text.js';
import { blankLabel, MalformedResults, type RemoteRow, readTerm } from '../../service/read-results.js';
import { blankHalves, type QueryTerms } from '../../terms/terms.js';
import type { CorrelatedSlots } from '../join/apply.js';
import { HashJoinOperator } from '../join/hash-join.js';
import type { HashJoinKeys } from '../tables/build-table.js';
import { ReplayOperator } from '../tables/replay.js';
import { PartialInput } from './partial-input.js';
import { noteRequest } from './requests-made.js';

/** Rows of an answer that a slice turns into ids. */
const ROWS_PER_SLICE = 1024;
/** The parsed answer holds about so much for each byte of its text. */
const PARSED_BYTES_PER_BYTE = 4;
/** Of the first round, and of the largest. */
const COMBINATIONS_FIRST = COMBINATIONS_PER_REQUEST / 10;
const COMBINATIONS_PER_ROUND_MAX = 16 * COMBINATIONS_PER_REQUEST;
/** Rows of the page that a remote is asked for before everything, where it has many more. */
const PAGE_ROWS = 1000;

export interface MembersSpec {
  readonly text: PatternText;
  /** As a person reads the patterns. */
  readonly label: string;
  readonly sources: readonly MemberSource[];
  /** The last input is a plan of this store's solutions. */
  readonly local: boolean;
  /** Where the combinations wait that the plan of this store reads; null = it reads everything. */
  readonly slot: number | null;
  /** How rows of the input and solutions are joined; null = no input. */
  readonly keys: HashJoinKeys | null;
  /** Not all of the rows may be needed. */
  readonly paged: boolean;
}

export interface MembersResources {
  readonly run: FederatedRun;
  readonly waits: Waits;
  readonly slots: CorrelatedSlots;
  readonly terms: QueryTerms;
  readonly budget: MemoryBudget;
}

/** The requests of one round to one remote. */
interface Lane {
  readonly source: MemberSource;
  readonly clauses: readonly ValuesClause[];
  asked: number;
  call: MemberCall | null;
  began: number;
  /** What the last request was limited to. */
  page: number | null;
  /** Its last answer had as many rows as a page. */
  full: boolean;
}

export class MembersOperator extends WorkOperator {
  private readonly own: readonly string[];
  private readonly left: RowStore;
  private readonly bindings: MemberBindings | null;
  /** Solutions of this round, and all that there were since `distinct` was released. */
  private readonly solutions: RowStore;
  private readonly distinct: HashKeys;
  private readonly numbers = new Int32Array(BATCH_ROWS);
  private lanes: Lane[] = [];
  private inner: Operator | null = null;
  private output: Operator | null = null;
  private readonly trace = new Trace();

  constructor(
    private readonly input: Operator | null,
    private readonly openLocal: (() => Operator) | null,
    private readonly spec: MembersSpec,
    private readonly resources: MembersResources,
  ) {
    const known = input?.variables ?? [];
    const own = spec.text.variables;
    super([...known, ...own.filter((name) => !known.includes(name))], input === null ? [] : [input]);
    const { run, terms, budget } = resources;
    this.own = own;
    this.left = new RowStore(known.length, budget);
    this.solutions = new RowStore(own.length, budget);
    this.distinct = new HashKeys(own.length, budget);
    const bound = (spec.keys?.certain ?? []).map((name) => ({
      column: known.indexOf(name),
      name: spec.text.nameOf(name).slice(1),
    }));
    this.bindings = input === null ? null : new MemberBindings(bound, terms, run, budget);
  }

  protected *work(): Work<void, QueryBatch> {
    const { input, bindings } = this;
    if (input === null || bindings === null) return yield* this.everything();
    const rest = new PartialInput(input);
    let enough = COMBINATIONS_FIRST;
    for (let goesOn = true; goesOn; enough = Math.min(2 * enough, COMBINATIONS_PER_ROUND_MAX)) {
      goesOn = yield* this.collect(rest, bindings, enough);
      if (this.left.rows === 0) return;
      yield* this.round((name) => bindings.clausesFor(name), null, bindings);
      yield* this.joined();
      this.left.clear();
      this.forget();
      bindings.release();
    }
  }

  override get traces(): readonly Traced[] {
    return [...(this.input === null ? [] : [this.input]), ...(this.openLocal === null ? [] : [this.trace])];
  }

  private *everything(): Work<void, QueryBatch> {
    const lanes = yield* this.round(() => EVERYTHING, this.spec.paged ? PAGE_ROWS : null, null);
    yield* batchesOf(this.solutions);
    const more = lanes.filter(({ full }) => full).map(({ source }) => source.name);
    if (more.length === 0) return;
    this.solutions.clear();
    yield* this.round((name) => (more.includes(name) ? EVERYTHING : []), null, null, false);
    yield* batchesOf(this.solutions);
  }

  /** Collects rows until they have so many combinations; false when that was all. */
  private *collect(input: PartialInput, bindings: MemberBindings, enough: number): Work<boolean> {
    while (bindings.count < enough) {
      const step = input.take(enough - bindings.count);
      if (step === null) return false;
      if (step === PENDING) yield PENDING;
      else {
        this.left.appendBatch(step);
        bindings.add(step);
      }
    }
    return true;
  }

  /** Asks everybody; `rowsMax`: of a remote's answer. */
  private *round(
    clausesFor: (name: string) => readonly ValuesClause[],
    rowsMax: number | null,
    bindings: MemberBindings | null,
    withLocal = true,
  ): Work<readonly Lane[]> {
    const { run } = this.resources;
    const asked = this.spec.sources.filter(({ name }) => !run.lost.has(name));
    const lanes = asked.map((source): Lane => {
      const clauses = clausesFor(source.name);
      return { source, clauses, asked: 0, call: null, began: 0, page: null, full: false };
    });
    this.lanes = lanes;
    for (const lane of lanes) this.askNext(lane, rowsMax);
    if (withLocal && this.openLocal !== null) yield* this.readLocal(this.openLocal, bindings);
    while (lanes.some(({ call }) => call !== null)) {
      const ready = lanes.filter(({ call }) => call?.outcome != null);
      for (const lane of ready) yield* this.take(lane, rowsMax);
      if (ready.length > 0) continue;
      for (const { call } of lanes) if (call !== null) this.resources.waits.note(call.settled);
      yield PENDING;
    }
    this.lanes = [];
    yield PENDING;
    return lanes;
  }

  private askNext(lane: Lane, rowsMax: number | null): void {
    const { run } = this.resources;
    const { source, clauses } = lane;
    const clause = clauses[lane.asked];
    lane.call = null;
    if (clause === undefined || run.lost.has(source.name)) return;
    // A remote with fewer rows than a page is asked for all of them at once.
    lane.page = rowsMax !== null && source.rows > rowsMax ? rowsMax : null;
    lane.began = performance.now();
    lane.asked++;
    lane.call = run.ask(source.name, this.spec.text.select(run.dataset, clause.text, lane.page));
  }

  private *take(lane: Lane, rowsMax: number | null): Work {
    const { name } = lane.source;
    const { page } = lane;
    const outcome = lane.call?.outcome as MemberOutcome;
    const { combinations } = lane.clauses[lane.asked - 1] as ValuesClause;
    const answered =
      outcome.kind === 'rows' ? { rows: outcome.rows.length, bytes: outcome.bytes } : { rows: 0, bytes: 0 };
    const timeMs = performance.now() - lane.began;
    noteRequest(this.statistics, {
      member: name,
      ...(page === null ? {} : { page }),
      combinations,
      ...answered,
      timeMs,
    });
    // The next request is on its way while this answer is read.
    this.askNext(lane, rowsMax);
    if (outcome.kind === 'failed') return;
    const { rows } = outcome;
    lane.full = page !== null && rows.length >= page;
    const { budget, run } = this.resources;
    const bytes = outcome.bytes * PARSED_BYTES_PER_BYTE;
    budget.take(bytes);
    try {
      yield* inSlices(rows.length, ROWS_PER_SLICE, (from, to) => this.read(name, rows, from, to));
    } catch (error) {
      if (!(error instanceof MalformedResults)) throw error;
      run.lose(name, `its answer can't be read: ${error.message}`);
      lane.call?.abort();
      lane.call = null;
    } finally {
      budget.give(bytes);
    }
    yield PENDING;
  }

  private read(name: string, rows: readonly RemoteRow[], from: number, to: number): void {
    const { terms, run } = this.resources;
    const columns = this.own.map(() => newColumn(to - from));
    const blank = blankTermOf(run, name, terms);
    for (let at = from; at < to; at++) {
      const row = rows[at] as RemoteRow;
      columns.forEach((column, variable) => {
        const label = blankLabel(row, `v${variable}`);
        if (label !== null) {
          column.set(blankHalves(run.blankOf(name, label, terms)), 2 * (at - from));
          return;
        }
        const term = readTerm(row, `v${variable}`, blank);
        if (term === undefined)
          throw new MalformedResults('a solution leaves out a variable that its pattern always binds');
        const id = terms.encode(term);
        column.set([lowOf(id), highOf(id)], 2 * (at - from));
      });
    }
    this.add({ rows: to - from, columns });
  }

  private *readLocal(open: () => Operator, bindings: MemberBindings | null): Work {
    const { slots } = this.resources;
    const { slot } = this.spec;
    if (bindings === null || slot === null) return yield* this.readOnce(open);
    for (let from = 0; from < bindings.count; from += BATCH_ROWS) {
      slots.set(slot, bindings.slice(from, Math.min(bindings.count, from + BATCH_ROWS)));
      yield* this.readOnce(open);
    }
  }

  private *readOnce(open: () => Operator): Work {
    const inner = open();
    this.inner = inner;
    for (let step = inner.next(); step !== null; step = inner.next()) {
      if (step !== PENDING) this.add(step);
      yield PENDING;
    }
    this.closeInner();
  }

  /** Adds the solutions that are not there yet. */
  private add({ rows, columns }: QueryBatch): void {
    const { solutions, distinct, numbers, own } = this;
    if (own.length === 0) {
      if (rows > 0 && solutions.rows === 0) solutions.appendBatch({ rows: 1, columns: [] });
      return;
    }
    let next = distinct.count;
    distinct.assign(columns, rows, numbers);
    const all = own.map((_, column) => column);
    for (let row = 0; row < rows; row++) {
      if (numbers[row] !== next) continue;
      next++;
      solutions.appendRow(columns, all, row);
    }
  }

  private *joined(): Work<void, QueryBatch> {
    const { input, solutions, spec } = this;
    if (solutions.rows === 0 || input === null || spec.keys === null) return;
    const rows = new ReplayOperator(input.variables, this.left, null);
    const found = new ReplayOperator(this.own, solutions, null);
    this.output = new HashJoinOperator(rows, found, spec.keys, this.resources.budget);
    yield* this.output.batches();
    this.output.close();
    this.output = null;
  }

  private forget(): void {
    this.solutions.clear();
    this.distinct.release();
  }

  private closeInner(): void {
    if (this.inner === null) return;
    this.trace.add(this.inner);
    this.inner.close();
    this.inner = null;
  }

  override close(): void {
    super.close();
    for (const { call } of this.lanes) call?.abort();
    this.lanes = [];
    this.closeInner();
    this.output?.close();
    this.bindings?.release();
    this.left.release();
    this.solutions.release();
    this.distinct.release();
  }
}
