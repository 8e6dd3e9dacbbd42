/** Conditions, values and groups of a query, evaluated by the engine for a handful of solutions at a time. */

import type { Term } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { columnOf, idIn } from '../../storage/seam/rows.js';
import { BATCH_ROWS, type IdColumn, type StorageSnapshot } from '../../storage/seam/scan.js';
import type { Expression, NodeOf } from '../algebra/algebra.js';
import { variablesOf } from '../algebra/mentioned.js';
import { GroupTable } from '../execute/group/group-table.js';
import { BatchContext } from '../expressions/batch-context.js';
import { type Condition, compileCondition, TRUE } from '../expressions/condition.js';
import { compileEvaluator, type Evaluator } from '../expressions/evaluator.js';
import { beginRun } from '../open-query.js';
import type { QueryOptions } from '../options.js';
import { BatchBuffer } from '../runtime/batch.js';

/** What variables are bound to; null: a term that the store does not know, which has no id here. */
export type Bound = ReadonlyMap<string, TermId | null>;

interface Compiled<Kind> {
  readonly names: readonly string[];
  readonly context: BatchContext;
  readonly evaluate: Kind;
}

const UNBOUND = 0n as TermId;
/** Rows that a table of groups does not take: none, since it gives up groups only where it has some. */
const noRows = new Uint32Array(BATCH_ROWS);

export class Conditions {
  readonly #snapshot: StorageSnapshot;
  readonly #options: QueryOptions;
  readonly #conditions = new Map<Expression, Compiled<Condition>>();
  readonly #values = new Map<Expression, Compiled<Evaluator>>();
  readonly #answer = new Uint8Array(1);
  readonly #value: IdColumn = new Uint32Array(2);
  #begun: ReturnType<typeof beginRun> | null = null;

  /** Has to be closed before the snapshot is. */
  constructor(snapshot: StorageSnapshot, options: QueryOptions) {
    this.#snapshot = snapshot;
    this.#options = options;
  }

  /** To be called when no solution is held. */
  forget(): void {
    this.#begun?.terms.forgetTransient();
  }

  /** Null: one of its variables has no id. */
  isTrue(expression: Expression, bound: Bound): boolean | null {
    const compiled = this.#compiled(this.#conditions, expression, compileCondition);
    if (!begin(compiled, bound)) return null;
    compiled.evaluate(this.#answer, 1);
    return this.#answer[0] === TRUE;
  }

  /** Undefined: an error; null: one of its variables has no id. */
  valueOf(expression: Expression, bound: Bound): TermId | undefined | null {
    const compiled = this.#compiled(this.#values, expression, (one, context) =>
      compileEvaluator(one, context, context.terms.matched),
    );
    if (!begin(compiled, bound)) return null;
    compiled.evaluate(this.#value, 1);
    return present(idIn(this.#value, 0));
  }

  /** Of a constant, whether the store knows it or not. */
  idOf(term: Term): TermId {
    return this.#run.terms.encodeConstant(term);
  }

  /** The groups of some solutions, no more of them than a batch has. Null: a variable has no id. */
  groupsOf({ keys, aggregates }: NodeOf<'group'>, solutions: readonly Bound[]): Map<string, TermId>[] | null {
    const read = aggregates.flatMap(({ expression }) => (expression === null ? [] : [...variablesOf(expression)]));
    const names = [...new Set([...keys, ...read])];
    const columns = names.map((name) => solutions.map((one) => idOfBound(one.get(name))));
    if (columns.some((column) => column.includes(null))) return null;
    const { terms, budget } = this.#run;
    const account = budget.openAccount();
    const table = new GroupTable({ keys, aggregates, sorted: false }, new BatchContext(names, terms), account);
    try {
      const batch = { rows: solutions.length, columns: columns.map((column) => columnOf(column as TermId[])) };
      if (batch.rows > 0) table.add(batch, noRows);
      for (const _ of table.finish());
      const out = [...keys, ...aggregates.map(({ variable }) => variable)];
      const buffer = new BatchBuffer(out.length, table.left);
      table.give(buffer);
      return Array.from({ length: buffer.rows }, (_, row) => solutionIn(out, buffer.columns, row));
    } finally {
      table.release();
      account.close();
    }
  }

  get #run(): ReturnType<typeof beginRun> {
    this.#begun ??= beginRun(this.#snapshot, this.#options);
    return this.#begun;
  }

  #compiled<Kind>(
    known: Map<Expression, Compiled<Kind>>,
    expression: Expression,
    compile: (expression: Expression, context: BatchContext) => Kind,
  ): Compiled<Kind> {
    let compiled = known.get(expression);
    if (compiled === undefined) {
      const names = [...variablesOf(expression)];
      const context = new BatchContext(names, this.#run.terms);
      compiled = { names, context, evaluate: compile(expression, context) };
      known.set(expression, compiled);
    }
    return compiled;
  }

  close(): void {
    this.#begun?.budget.close();
    this.#begun = null;
    this.#conditions.clear();
    this.#values.clear();
  }
}

/** False: a variable has no id. */
function begin({ names, context }: Compiled<unknown>, bound: Bound): boolean {
  const columns: IdColumn[] = [];
  for (const name of names) {
    const id = idOfBound(bound.get(name));
    if (id === null) return false;
    columns.push(columnOf([id]));
  }
  context.begin({ rows: 1, columns });
  return true;
}

function idOfBound(id: TermId | null | undefined): TermId | null {
  return id === undefined ? UNBOUND : id;
}

function present(id: TermId): TermId | undefined {
  return id === UNBOUND ? undefined : id;
}

function solutionIn(names: readonly string[], columns: readonly IdColumn[], row: number): Map<string, TermId> {
  const solution = new Map<string, TermId>();
  for (const [at, name] of names.entries()) {
    const id = present(idIn(columns[at] as IdColumn, row));
    if (id !== undefined) solution.set(name, id);
  }
  return solution;
}
