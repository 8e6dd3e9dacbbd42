/**
 * SERVICE: solutions of another endpoint, joined with the rows of an input where there is one.
 *
 *  1. Rows of the input are collected, with the combinations of terms that they bind to variables of the SERVICE, until
 *     there are enough combinations for a round: few at first, so that the first rows come soon and a LIMIT asks for no
 *     more than it needs, then twice as many each time.
 *  2. The endpoint is asked for what fits these combinations, one request after the other, the next one while an answer is
 *     read. Where they can't be said, or where it has not many more solutions than there are combinations to come, it is
 *     asked for everything, once and for all. While an answer is on its way the operator waits.
 *  3. The answers become rows; blank nodes become new ones, the same within one answer.
 *  4. Both are joined here, so that an endpoint that ignores the values changes no answer; then the next round begins.
 *
 * With SILENT an endpoint that fails counts as one solution that binds nothing. It may do so at the last request, so that
 * all is asked in one round before a row goes out; where there are too many combinations for that, for everything.
 */

import { SvcError } from '../../../base/errors.js';
import { highOf, idOfHalves, lowOf } from '../../../storage/ids/halves.js';
import type { TermId } from '../../../storage/ids/layout.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import { newColumn, type QueryBatch } from '../../runtime/batch.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { inSlices, type Operator, PENDING, type Work, WorkOperator } from '../../runtime/operator.js';
import { RowStore } from '../../runtime/row-store.js';
import { type BoundVariable, ServiceBindings } from '../../service/bindings.js';
import type { ServiceCall, ServiceClient, ServiceOutcome } from '../../service/client.js';
import { COMBINATIONS_PER_REQUEST, EVERYTHING, type ValuesClause } from '../../service/combinations.js';
import { blankLabel, MalformedResults, type RemoteRow, readTerm } from '../../service/read-results.js';
import { blankHalves, type QueryTerms } from '../../terms/terms.js';
import { HashJoinOperator } from '../join/hash-join.js';
import type { HashJoinKeys } from '../tables/build-table.js';
import { ReplayOperator } from '../tables/replay.js';
import { PartialInput } from './partial-input.js';
import { noteRequest } from './requests-made.js';
import { WholeAnswer } from './whole-answer.js';

/** Rows of an answer that a slice turns into ids. */
const ROWS_PER_SLICE = 1024;
/** The parsed answer holds about so much for each byte of its text. */
const PARSED_BYTES_PER_BYTE = 4;

/** Of the first round, and of the largest: sixteen requests, whose rows are held together. */
const COMBINATIONS_FIRST = COMBINATIONS_PER_REQUEST / 10;
const COMBINATIONS_PER_ROUND_MAX = 16 * COMBINATIONS_PER_REQUEST;

export interface ServiceSpec {
  readonly endpoint: string;
  readonly silent: boolean;
  /** A SELECT without VALUES of its own. */
  readonly query: string;
  readonly variables: readonly ServiceVariable[];
  /** How the rows of the input and the solutions are joined; null = no input. */
  readonly keys: HashJoinKeys | null;
  /** Combinations that the input may have, where all of them are wanted; else 0. */
  readonly combinations: number;
}

export interface ServiceVariable {
  readonly variable: string;
  /** What the query of the SERVICE calls it. */
  readonly name: string;
  /** Every solution of the endpoint binds it. */
  readonly certain: boolean;
}

export class ServiceOperator extends WorkOperator {
  private readonly left: RowStore;
  private readonly bindings: ServiceBindings;
  private readonly bound: readonly BoundVariable[];
  private readonly solutions: RowStore;
  private readonly whole: WholeAnswer;
  private call: ServiceCall | null = null;
  private began = 0;
  /** Numbers of the answer's blank nodes, by label. */
  private readonly blanks = new Map<string, number>();
  private output: Operator | null = null;

  constructor(
    private readonly input: Operator | null,
    private readonly spec: ServiceSpec,
    private readonly client: ServiceClient,
    private readonly terms: QueryTerms,
    private readonly budget: MemoryBudget,
  ) {
    const own = spec.variables.map(({ variable }) => variable);
    const known = input?.variables ?? [];
    super([...known, ...own.filter((name) => !known.includes(name))], input === null ? [] : [input]);
    this.left = new RowStore(known.length, budget);
    this.solutions = new RowStore(own.length, budget);
    this.bound = boundVariables(spec, known);
    this.bindings = new ServiceBindings(this.bound, terms, budget);
    this.whole = new WholeAnswer(client, spec.endpoint, spec.query, this.statistics);
  }

  protected *work(): Work<void, QueryBatch> {
    const { input, spec } = this;
    if (input === null) return yield* this.round(EVERYTHING, null);
    const rest = new PartialInput(input);
    let seen = 0;
    let enough = spec.silent ? COMBINATIONS_PER_ROUND_MAX : COMBINATIONS_FIRST;
    for (let goesOn = true; goesOn; enough = Math.min(2 * enough, COMBINATIONS_PER_ROUND_MAX)) {
      goesOn = yield* this.collect(rest, enough);
      if (this.left.rows === 0) return;
      const clauses = goesOn && spec.silent ? null : this.bindings.clauses();
      if (clauses === null) return yield* this.round(EVERYTHING, rest);
      const { count } = this.bindings;
      // Rounds double: what goes on is expected to do so for as much again.
      const toCome = goesOn ? Math.max(2 * count, spec.combinations - seen) : count;
      if (clauses.length > 0 && (yield* this.fetchWhole(toCome))) return yield* this.give(rest);
      yield* this.round(clauses, null);
      seen += count;
      this.left.clear();
      this.bindings.release();
    }
  }

  /** Fetches everything where that is known to cost less than so many combinations; false = it is not there. */
  private *fetchWhole(combinations: number): Work<boolean> {
    const { whole, solutions, spec } = this;
    // With SILENT all is asked for in one round, before which nothing is known.
    if (spec.silent) return false;
    const rows = whole.rowsInstead(combinations);
    whole.consider(combinations);
    if (rows === null) return false;
    solutions.clear();
    try {
      this.start(EVERYTHING[0] as ValuesClause);
      yield* this.take(EVERYTHING[0] as ValuesClause, null);
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      solutions.clear();
    }
    if (solutions.rows >= rows) return true;
    whole.giveUp();
    return false;
  }

  /** Collects rows until they have so many combinations; false when that was all. */
  private *collect(input: PartialInput, enough: number): Work<boolean> {
    while (this.bindings.count < enough) {
      const step = input.take(enough - this.bindings.count);
      if (step === null) return false;
      if (step === PENDING) yield PENDING;
      else {
        this.left.appendBatch(step);
        this.bindings.add(step);
      }
    }
    return true;
  }

  /** Asks, and gives the rows that come of it; `rest`: what the input has beyond the collected rows. */
  private *round(clauses: readonly ValuesClause[], rest: PartialInput | null): Work<void, QueryBatch> {
    let { keys } = this.spec;
    this.solutions.clear();
    try {
      if (clauses.length > 0) this.start(clauses[0] as ValuesClause);
      for (const [request, clause] of clauses.entries()) {
        const before = this.solutions.rows;
        yield* this.take(clause, clauses[request + 1] ?? null);
        if (clauses.length > 1) this.keepOwn(before, request);
      }
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      this.call?.abort();
      this.call = null;
      if (!this.spec.silent) throw error.reason;
      this.solutions.clear();
      this.solutions.appendBatch({ rows: 1, columns: this.spec.variables.map(() => newColumn(1)) });
      // What nothing binds agrees with anything.
      if (keys !== null) keys = { certain: [], loose: [...keys.certain, ...keys.loose] };
    }
    yield* this.give(rest, keys);
  }

  /** The rows that come of the solutions. */
  private *give(rest: PartialInput | null, keys = this.spec.keys): Work<void, QueryBatch> {
    yield PENDING;
    if (this.solutions.rows === 0) return;
    this.output = this.joined(keys, rest);
    yield* this.output.batches();
    this.output.close();
    this.output = null;
  }

  private start({ text }: ValuesClause): void {
    const { client, spec } = this;
    this.began = performance.now();
    this.call = client.ask(spec.endpoint, text === '' ? spec.query : `${spec.query}\n${text}`);
  }

  /** Reads the answer to a request; the next one is on its way meanwhile. */
  private *take({ combinations }: ValuesClause, next: ValuesClause | null): Work {
    const outcome = yield* this.outcome(this.call as ServiceCall);
    this.call = null;
    const answered =
      outcome.kind === 'rows' ? { rows: outcome.rows.length, bytes: outcome.bytes } : { rows: 0, bytes: 0 };
    noteRequest(this.statistics, { combinations, ...answered, timeMs: performance.now() - this.began });
    if (outcome.kind === 'failed') throw new ServiceFailure(outcome.error);
    if (next !== null) this.start(next);
    const bytes = outcome.bytes * PARSED_BYTES_PER_BYTE;
    this.budget.take(bytes);
    this.blanks.clear();
    const { rows } = outcome;
    try {
      yield* inSlices(rows.length, ROWS_PER_SLICE, (from, to) => this.read(rows, from, to));
    } finally {
      this.budget.give(bytes);
    }
    yield PENDING;
  }

  private *outcome(call: ServiceCall): Work<ServiceOutcome> {
    let { outcome } = call;
    for (; outcome === null; outcome = call.outcome) {
      this.client.waits.note(call.settled);
      yield PENDING;
    }
    return outcome;
  }

  /** Of the solutions from `before` on those that this request was for. */
  private keepOwn(before: number, request: number): void {
    const { solutions, spec } = this;
    const columns = this.bound.map(({ name }) => {
      const at = spec.variables.findIndex((variable) => variable.name === name);
      return (solutions.columns[at] as IdColumn).subarray(2 * before, 2 * solutions.rows);
    });
    const own = this.bindings.own(columns, solutions.rows - before, request);
    if (own.length === solutions.rows - before) return;
    solutions.keep(
      Uint32Array.from({ length: before + own.length }, (_, at) =>
        at < before ? at : before + (own[at - before] as number),
      ),
    );
  }

  private read(rows: readonly RemoteRow[], from: number, to: number): void {
    const row = this.spec.variables.map(() => newColumn(1));
    const all = row.map((_, column) => column);
    try {
      for (let at = from; at < to; at++) {
        this.spec.variables.forEach((variable, column) => {
          const id = this.idOf(rows[at] as RemoteRow, variable);
          row[column]?.set(id === null ? [0, 0] : [lowOf(id), highOf(id)]);
        });
        this.solutions.appendRow(row, all, 0);
      }
    } catch (error) {
      if (!(error instanceof MalformedResults)) throw error;
      const message = `SERVICE <${this.spec.endpoint}>: its answer can't be read: ${error.message}`;
      throw new ServiceFailure(new SvcError('service_failed', message, { cause: error }));
    }
  }

  private idOf(row: RemoteRow, { name, certain }: ServiceVariable): TermId | null {
    const label = blankLabel(row, name);
    if (label !== null) return idOfHalves(...blankHalves(this.blankOf(label)));
    const term = readTerm(row, name, (inner) => this.terms.blankTerm(this.blankOf(inner)));
    if (term !== undefined) return this.terms.encode(term);
    if (certain) throw new MalformedResults(`a solution has no ?${name}, which its pattern always binds`);
    return null;
  }

  private blankOf(label: string): number {
    let number = this.blanks.get(label);
    if (number === undefined) {
      number = this.terms.makeBlanks(1);
      this.blanks.set(label, number);
    }
    return number;
  }

  private joined(keys: HashJoinKeys | null, rest: PartialInput | null): Operator {
    const own = this.spec.variables.map(({ variable }) => variable);
    const solutions = new ReplayOperator(own, this.solutions, null);
    if (this.input === null || keys === null) return solutions;
    const rows = new ReplayOperator(this.input.variables, this.left, rest);
    return new HashJoinOperator(rows, solutions, keys, this.budget);
  }

  override close(): void {
    super.close();
    this.call?.abort();
    this.call = null;
    this.whole.close();
    this.bindings.release();
    this.output?.close();
    this.left.release();
    this.solutions.release();
  }
}

/** What SILENT takes for one solution that binds nothing. */
class ServiceFailure extends Error {
  constructor(readonly reason: SvcError) {
    super(reason.message);
  }
}

function boundVariables({ variables }: ServiceSpec, known: readonly string[]): BoundVariable[] {
  return variables
    .filter(({ variable }) => known.includes(variable))
    .map(({ variable, name, certain }) => ({ column: known.indexOf(variable), name, certain }));
}
