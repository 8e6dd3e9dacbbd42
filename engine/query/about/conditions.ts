/** Conditions of a query, evaluated by the engine for one solution at a time. */

import type { TermId } from '../../storage/ids/layout.js';
import { columnOf } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { Expression } from '../algebra/algebra.js';
import { variablesOf } from '../algebra/mentioned.js';
import { BatchContext } from '../expressions/batch-context.js';
import { type Condition, compileCondition, TRUE } from '../expressions/condition.js';
import { beginRun } from '../open-query.js';
import type { QueryOptions } from '../options.js';

interface Compiled {
  readonly names: readonly string[];
  readonly context: BatchContext;
  readonly condition: Condition;
}

export class Conditions {
  readonly #snapshot: StorageSnapshot;
  readonly #options: QueryOptions;
  readonly #compiled = new Map<Expression, Compiled>();
  readonly #answer = new Uint8Array(1);
  #run: ReturnType<typeof beginRun> | null = null;

  /** Has to be closed before the snapshot is. */
  constructor(snapshot: StorageSnapshot, options: QueryOptions) {
    this.#snapshot = snapshot;
    this.#options = options;
  }

  /** Null: one of its variables is bound to a term that the store does not know, which has no id here. */
  isTrue(expression: Expression, bound: ReadonlyMap<string, TermId | null>): boolean | null {
    const { names, context, condition } = this.#compile(expression);
    const ids: TermId[] = [];
    for (const name of names) {
      const id = bound.get(name);
      if (id === null) return null;
      ids.push(id ?? UNBOUND);
    }
    context.begin({ rows: 1, columns: ids.map((id) => columnOf([id])) });
    condition(this.#answer, 1);
    return this.#answer[0] === TRUE;
  }

  #compile(expression: Expression): Compiled {
    const known = this.#compiled.get(expression);
    if (known !== undefined) return known;
    this.#run ??= beginRun(this.#snapshot, this.#options);
    const names = [...variablesOf(expression)];
    const context = new BatchContext(names, this.#run.terms);
    const compiled = { names, context, condition: compileCondition(expression, context) };
    this.#compiled.set(expression, compiled);
    return compiled;
  }

  close(): void {
    this.#run?.budget.close();
    this.#run = null;
    this.#compiled.clear();
  }
}

const UNBOUND = 0n as TermId;
