/**
 * SERVICE: solutions of another endpoint, joined with the rows of an input where there is one.
 *
 *  1. The rows of the input are collected, with the combinations of terms that they bind to variables of
 *     the SERVICE, until no more come or there are too many combinations.
 *  2. The endpoint is asked, one request after the other: for what fits these combinations, or, where they
 *     are too many or can't be said, for everything. While an answer is on its way the operator waits.
 *  3. The answers become rows; blank nodes become new ones, the same within one answer.
 *  4. Both are joined here, so that an endpoint that ignores the values changes no answer.
 *
 * With SILENT an endpoint that fails counts as one solution that binds nothing.
 */

import { SvcError } from '../../../base/errors.js';
import { highOf, idOfHalves, lowOf } from '../../../storage/ids/halves.js';
import type { TermId } from '../../../storage/ids/layout.js';
import { newColumn, type QueryBatch } from '../../runtime/batch.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { inSlices, type Operator, PENDING, type Work, WorkOperator } from '../../runtime/operator.js';
import { RowStore } from '../../runtime/row-store.js';
import { type BoundVariable, ServiceBindings } from '../../service/bindings.js';
import type { ServiceCall, ServiceClient } from '../../service/client.js';
import { blankLabel, MalformedResults, type RemoteRow, readTerm } from '../../service/read-results.js';
import { blankHalves, type QueryTerms } from '../../terms/terms.js';
import { HashJoinOperator } from '../join/hash-join.js';
import type { HashJoinKeys } from '../tables/build-table.js';
import { ReplayOperator } from '../tables/replay.js';

/** Rows of an answer that a slice turns into ids. */
const ROWS_PER_SLICE = 1024;
/** The parsed answer holds about so much for each byte of its text. */
const PARSED_BYTES_PER_BYTE = 4;

export interface ServiceSpec {
  readonly endpoint: string;
  readonly silent: boolean;
  /** A SELECT without VALUES of its own. */
  readonly query: string;
  readonly variables: readonly ServiceVariable[];
  /** How the rows of the input and the solutions are joined; null = no input. */
  readonly keys: HashJoinKeys | null;
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
  private readonly solutions: RowStore;
  /** The input has more rows than were collected. */
  private inputGoesOn = false;
  /** VALUES clauses of the requests that are still to be made; an empty one asks for everything. */
  private clauses: string[] = [''];
  private call: ServiceCall | null = null;
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
    this.bindings = new ServiceBindings(boundVariables(spec, known), terms, budget);
  }

  protected *work(): Work<void, QueryBatch> {
    const { input, spec } = this;
    if (input !== null && !(yield* this.collect(input))) return;
    let { keys } = spec;
    try {
      for (const clause of this.clauses) yield* this.ask(clause === '' ? spec.query : `${spec.query}\n${clause}`);
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      if (!spec.silent) throw error.reason;
      this.solutions.clear();
      this.solutions.appendBatch({ rows: 1, columns: spec.variables.map(() => newColumn(1)) });
      // What nothing binds agrees with anything.
      if (keys !== null) keys = { certain: [], loose: [...keys.certain, ...keys.loose] };
    }
    yield PENDING;
    this.output = this.joined(keys);
    yield* this.output.batches();
  }

  /** False when the input has no rows. */
  private *collect(input: Operator): Work<boolean> {
    for (const step of input.batches()) {
      if (step !== PENDING) {
        this.left.appendBatch(step);
        this.bindings.add(step);
        this.inputGoesOn = this.bindings.tooMany;
        if (this.inputGoesOn) break;
      }
      yield PENDING;
    }
    if (this.left.rows === 0) return false;
    if (!this.inputGoesOn) this.clauses = this.bindings.clauses() ?? [''];
    this.bindings.release();
    return true;
  }

  private *ask(query: string): Work {
    const { client, spec, budget } = this;
    this.call = client.ask(spec.endpoint, query);
    let { outcome } = this.call;
    for (; outcome === null; outcome = this.call.outcome) {
      client.waits.note(this.call.settled);
      yield PENDING;
    }
    this.call = null;
    if (outcome.kind === 'failed') throw new ServiceFailure(outcome.error);
    const bytes = outcome.bytes * PARSED_BYTES_PER_BYTE;
    budget.take(bytes);
    this.blanks.clear();
    const { rows } = outcome;
    try {
      yield* inSlices(rows.length, ROWS_PER_SLICE, (from, to) => this.read(rows, from, to));
    } finally {
      budget.give(bytes);
    }
    yield PENDING;
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

  private joined(keys: HashJoinKeys | null): Operator {
    const own = this.spec.variables.map(({ variable }) => variable);
    const solutions = new ReplayOperator(own, this.solutions, null);
    if (this.input === null || keys === null) return solutions;
    const rows = new ReplayOperator(this.input.variables, this.left, this.inputGoesOn ? this.input : null);
    return new HashJoinOperator(rows, solutions, keys, this.budget);
  }

  override close(): void {
    super.close();
    this.call?.abort();
    this.call = null;
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
