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
import { newColumn } from '../../runtime/batch.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { Operator, PENDING, type Step } from '../../runtime/operator.js';
import { RowStore } from '../../runtime/row-store.js';
import { type BoundVariable, ServiceBindings } from '../../service/bindings.js';
import type { ServiceCall, ServiceClient } from '../../service/client.js';
import { blankLabel, MalformedResults, type RemoteRow, readTerm } from '../../service/read-results.js';
import { blankHalves, type QueryTerms } from '../../terms/terms.js';
import { HashJoinOperator } from '../join/hash-join.js';
import type { HashJoinKeys } from '../tables/build-table.js';
import { ReplayOperator } from '../tables/replay.js';

/** Rows of an answer that one call turns into ids. */
const ROWS_PER_CALL = 1024;
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

export class ServiceOperator extends Operator {
  private readonly left: RowStore;
  private readonly bindings: ServiceBindings;
  private readonly solutions: RowStore;
  private phase: 'collect' | 'ask' | 'read' | 'give' = 'ask';
  /** The input has more rows than were collected. */
  private inputGoesOn = false;
  /** VALUES clauses of the requests that are still to be made; an empty one asks for everything. */
  private clauses: string[] = [''];
  private call: ServiceCall | null = null;
  private answer: readonly RemoteRow[] = [];
  private answerBytes = 0;
  private read = 0;
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
    if (input !== null) this.phase = 'collect';
  }

  protected step(): Step {
    switch (this.phase) {
      case 'collect':
        return this.collect(this.input as Operator);
      case 'ask':
        return this.ask();
      case 'read':
        return this.readSome();
      case 'give':
        return (this.output as Operator).next();
    }
  }

  private collect(input: Operator): Step {
    const step = input.next();
    if (step === PENDING) return PENDING;
    if (step !== null) {
      this.left.appendBatch(step);
      this.bindings.add(step);
      if (!this.bindings.tooMany) return PENDING;
      this.inputGoesOn = true;
    } else if (this.left.rows === 0) return null;
    else this.clauses = this.bindings.clauses() ?? [''];
    this.bindings.release();
    this.phase = 'ask';
    return PENDING;
  }

  private ask(): Step {
    if (this.call === null) {
      const clause = this.clauses.shift();
      if (clause === undefined) return this.begin(this.spec.keys);
      this.call = this.client.ask(
        this.spec.endpoint,
        clause === '' ? this.spec.query : `${this.spec.query}\n${clause}`,
      );
    }
    const { outcome, settled } = this.call;
    if (outcome === null) {
      this.client.waits.note(settled);
      return PENDING;
    }
    this.call = null;
    if (outcome.kind === 'failed') return this.fail(outcome.error);
    this.answerBytes = outcome.bytes * PARSED_BYTES_PER_BYTE;
    this.budget.take(this.answerBytes);
    this.answer = outcome.rows;
    this.read = 0;
    this.blanks.clear();
    this.phase = 'read';
    return PENDING;
  }

  private readSome(): Step {
    const end = Math.min(this.read + ROWS_PER_CALL, this.answer.length);
    const row = this.spec.variables.map(() => newColumn(1));
    const all = row.map((_, column) => column);
    try {
      for (; this.read < end; this.read++) {
        this.spec.variables.forEach((variable, column) => {
          const id = this.idOf(this.answer[this.read] as RemoteRow, variable);
          row[column]?.set(id === null ? [0, 0] : [lowOf(id), highOf(id)]);
        });
        this.solutions.appendRow(row, all, 0);
      }
    } catch (error) {
      if (!(error instanceof MalformedResults)) throw error;
      return this.fail(
        new SvcError('service_failed', `SERVICE <${this.spec.endpoint}>: its answer can't be read: ${error.message}`, {
          cause: error,
        }),
      );
    }
    if (this.read === this.answer.length) {
      this.dropAnswer();
      this.phase = 'ask';
    }
    return PENDING;
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

  private dropAnswer(): void {
    this.budget.give(this.answerBytes);
    this.answerBytes = 0;
    this.answer = [];
  }

  private fail(error: SvcError): Step {
    if (!this.spec.silent) throw error;
    this.dropAnswer();
    this.clauses = [];
    this.solutions.clear();
    const nothing = this.spec.variables.map(() => newColumn(1));
    this.solutions.appendBatch({ rows: 1, columns: nothing });
    const { keys } = this.spec;
    // What nothing binds agrees with anything.
    return this.begin(keys === null ? null : { certain: [], loose: [...keys.certain, ...keys.loose] });
  }

  private begin(keys: HashJoinKeys | null): Step {
    const own = this.spec.variables.map(({ variable }) => variable);
    const solutions = new ReplayOperator(own, this.solutions, null);
    this.phase = 'give';
    if (this.input === null || keys === null) {
      this.output = solutions;
      return PENDING;
    }
    const rows = new ReplayOperator(this.input.variables, this.left, this.inputGoesOn ? this.input : null);
    this.output = new HashJoinOperator(rows, solutions, keys, this.budget);
    return PENDING;
  }

  override close(): void {
    this.call?.abort();
    this.call = null;
    this.dropAnswer();
    this.bindings.release();
    this.output?.close();
    this.left.release();
    this.solutions.release();
    super.close();
  }
}

function boundVariables({ variables }: ServiceSpec, known: readonly string[]): BoundVariable[] {
  return variables
    .filter(({ variable }) => known.includes(variable))
    .map(({ variable, name, certain }) => ({ column: known.indexOf(variable), name, certain }));
}
