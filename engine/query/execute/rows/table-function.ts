/**
 * The rows that a function gives: it is called once, and waited for; its columns become ids batch by batch. They count
 * towards the memory of the query until all were read.
 */

import { invariant } from '../../../base/errors.js';
import { withDeadline } from '../../../base/interrupt.js';
import { JoinedSignal } from '../../../base/joined-signal.js';
import type { Term } from '../../../rdf/terms.js';
import { highOf, lowOf, writeIntegerHalves } from '../../../storage/ids/halves.js';
import type { TermId } from '../../../storage/ids/layout.js';
import type { GraphSet, IdColumn, StorageSnapshot, TimeSlice } from '../../../storage/seam/scan.js';
import type { FunctionArguments, FunctionColumn, FunctionRows } from '../../functions/table-function.js';
import { BatchBuffer, type QueryBatch } from '../../runtime/batch.js';
import type { CallResources } from '../../runtime/call-resources.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { PENDING, type Work, WorkOperator } from '../../runtime/operator.js';
import type { QueryTerms } from '../../terms/terms.js';

export interface TableFunctionSpec {
  readonly iri: string;
  readonly args: FunctionArguments;
  /** What of its results becomes a variable, or has to be a term. */
  readonly results: readonly (
    | { readonly name: string; readonly variable: string }
    | { readonly name: string; readonly term: Term }
  )[];
  readonly graphs: GraphSet | null;
  readonly time: TimeSlice;
}

type Outcome = { readonly rows: FunctionRows } | { readonly error: unknown };

export class TableFunctionOperator extends WorkOperator {
  readonly #ended = new AbortController();
  readonly #output: BatchBuffer;

  constructor(
    private readonly spec: TableFunctionSpec,
    private readonly snapshot: StorageSnapshot,
    private readonly terms: QueryTerms,
    private readonly budget: MemoryBudget,
    private readonly calls: CallResources,
  ) {
    const variables = spec.results.flatMap((result) => ('variable' in result ? [result.variable] : []));
    super(variables);
    this.#output = new BatchBuffer(variables.length);
  }

  protected *work(): Work<void, QueryBatch> {
    const rows = yield* this.#called();
    const bytes = bytesOf(rows);
    this.budget.take(bytes);
    try {
      yield* this.#shown(rows);
    } finally {
      this.budget.give(bytes);
    }
  }

  *#shown(rows: FunctionRows): Work<void, QueryBatch> {
    const writers = this.spec.results.map((result) => {
      const column = rows.columns.get(result.name);
      invariant(column !== undefined, `${this.spec.iri} gives ${result.name}`);
      const write = this.#writer(column);
      return 'variable' in result ? { write, wanted: null } : { write, wanted: this.terms.encode(result.term) };
    });
    const output = this.#output;
    const scratch: IdColumn = new Uint32Array(2);
    for (let row = 0; row < rows.rows; row++) {
      const at = output.rows;
      let column = 0;
      let fits = true;
      for (const { write, wanted } of writers) {
        if (wanted === null) write(row, output.columns[column++] as IdColumn, at);
        else {
          write(row, scratch, 0);
          fits &&= isId(scratch, wanted);
        }
      }
      if (!fits) continue;
      output.rows++;
      if (!output.full) continue;
      yield output;
      output.clear();
    }
    if (output.rows > 0) yield output;
  }

  *#called(): Work<FunctionRows> {
    const { snapshot, spec, budget } = this;
    const { functions, options, waits } = this.calls;
    const { args, graphs, time } = spec;
    const { signal, flag, deadline } = options;
    const stop = new JoinedSignal([this.#ended.signal, signal]);
    const control = {
      signal: stop.signal,
      flag: deadline === undefined ? flag : withDeadline(flag, deadline),
    };
    const results = [...new Set(spec.results.map(({ name }) => name))];
    const call = { snapshot, graphs, time, args, results, memoryBytes: budget.limitBytes, control };
    const called = functions?.find(spec.iri) ?? null;
    invariant(called !== null, `${spec.iri} was there when the query was planned`);
    let outcome: Outcome | null = null;
    const settled = called
      .run(call)
      .then(
        (rows) => {
          outcome = { rows };
        },
        (error: unknown) => {
          outcome = { error };
        },
      )
      .finally(() => stop.end());
    for (;;) {
      const known = outcome as Outcome | null;
      if (known === null) {
        waits.note(settled);
        yield PENDING;
      } else if ('error' in known) throw known.error;
      else return known.rows;
    }
  }

  #writer(given: FunctionColumn): (row: number, column: IdColumn, at: number) => void {
    const { matched } = this.terms;
    switch (given.kind) {
      case 'ids':
        return (row, column, at) => {
          column[2 * at] = given.ids[2 * row] as number;
          column[2 * at + 1] = given.ids[2 * row + 1] as number;
        };
      case 'doubles':
        return (row, column, at) => matched.writeDouble(given.values[row] as number, column, at);
      case 'integers':
        return (row, column, at) => {
          const written = writeIntegerHalves(column, at, given.values[row] as number);
          invariant(written, 'a count is no large number');
        };
      case 'terms': {
        const ids = given.terms.map((term) => this.terms.encode(term));
        return (row, column, at) => {
          const id = ids[given.places[row] as number] as TermId;
          column[2 * at] = lowOf(id);
          column[2 * at + 1] = highOf(id);
        };
      }
    }
  }

  override close(): void {
    this.#ended.abort();
    super.close();
  }
}

/** Of what the columns hold, whoever made them. */
function bytesOf({ rows, columns }: FunctionRows): number {
  return 8 * rows * columns.size;
}

function isId(column: IdColumn, id: TermId): boolean {
  return column[0] === lowOf(id) && column[1] === highOf(id);
}
