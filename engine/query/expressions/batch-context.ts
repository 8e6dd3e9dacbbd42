/**
 * What the compiled expressions of one operator share: the batch at hand, the operands of ids, each distinct one decoded and
 * parsed once, and, for the variables that closures read, the operand number of each row, resolved when first asked for in a
 * batch.
 */

import { isInlinedTag } from '../../storage/ids/layout.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import type { Expression } from '../algebra/expression.js';
import { copyId, type QueryBatch } from '../runtime/batch.js';
import { isUnboundAt } from '../runtime/ids.js';
import { IdNumbers } from '../terms/id-numbers.js';
import { Operand } from '../terms/operand.js';
import type { QueryTerms } from '../terms/terms.js';

/** Beyond this the cache starts afresh: some 50 MB of terms. */
const OPERANDS_MAX = 200_000;
/** The number of an unbound variable. */
export const UNBOUND_OPERAND = -1;

export class OperandCache {
  operands: Operand[] = [];
  /** Made with the first id: many expressions never need an operand. */
  private made: IdNumbers | null = null;

  constructor(private readonly terms: QueryTerms) {}

  /** Call before the columns of a new batch are resolved. */
  beginBatch(): void {
    if (this.operands.length <= OPERANDS_MAX) return;
    this.operands = [];
    this.made = null;
  }

  /** Puts the operand number of each of the first `rows` ids into `into`. */
  resolve(column: IdColumn, rows: number, into: Int32Array): void {
    const { operands } = this;
    this.made ??= new IdNumbers();
    const known = this.made;
    const first = known.count;
    for (let row = 0; row < rows; row++) {
      const low = column[2 * row] as number;
      const high = column[2 * row + 1] as number;
      into[row] = isUnboundAt(column, row) ? UNBOUND_OPERAND : known.entryOf(low, high) - 1;
    }
    if (known.count === first) return;
    for (const operand of operandsOf(this.terms, known.idsFrom(first), known.count - first)) {
      operands.push(operand as Operand);
    }
  }
}

/** Of the first `count` ids, null where unbound; of those that are their own literals neither text nor term is made before somebody asks for it. */
export function operandsOf(terms: QueryTerms, ids: IdColumn, count: number): (Operand | null)[] {
  const operands: (Operand | null)[] = new Array(count);
  let others = new Uint32Array(0);
  const places: number[] = [];
  for (let at = 0; at < count; at++) {
    const high = ids[2 * at + 1] as number;
    if (isInlinedTag(high >>> 24)) {
      operands[at] = Operand.ofInlined(ids[2 * at] as number, high);
      continue;
    }
    if (others.length === 0) others = new Uint32Array(2 * (count - at));
    copyId(ids, at, others, places.length);
    places.push(at);
  }
  if (places.length === 0) return operands;
  const decoded = terms.decode(others, places.length);
  for (let at = 0; at < places.length; at++) {
    const term = decoded[at];
    operands[places[at] as number] = term === undefined ? null : new Operand(term);
  }
  return operands;
}

/** What a variable is in the row that is being looked at. */
export type ReadVariable = (row: number) => Operand | null;

export class BatchContext {
  readonly cache: OperandCache;
  batch: QueryBatch = { rows: 0, columns: [] };
  private readonly numbers = new Map<number, { values: Int32Array; resolved: boolean }>();

  constructor(
    readonly variables: readonly string[],
    readonly terms: QueryTerms,
  ) {
    this.cache = new OperandCache(terms);
  }

  begin(batch: QueryBatch): void {
    this.batch = batch;
    this.cache.beginBatch();
    for (const entry of this.numbers.values()) entry.resolved = false;
  }

  /** Column number of a variable; -1 when the input does not bind it. */
  columnOf(name: string): number {
    return this.variables.indexOf(name);
  }

  /** The column of an expression that is a variable alone; -1 for others. */
  variableColumn(expression: Expression | undefined): number {
    return expression?.kind === 'variable' ? this.columnOf(expression.name) : -1;
  }

  column(index: number): IdColumn {
    return this.batch.columns[index] as IdColumn;
  }

  /** Operand numbers of a column for the batch at hand. */
  operandNumbers(column: number): Int32Array {
    let entry = this.numbers.get(column);
    if (entry === undefined) {
      entry = { values: new Int32Array(0), resolved: false };
      this.numbers.set(column, entry);
    }
    if (!entry.resolved) {
      const { length } = entry.values;
      if (length < this.batch.rows) {
        entry.values = new Int32Array(Math.max(this.batch.rows, Math.min(BATCH_ROWS, 2 * length)));
      }
      this.cache.resolve(this.column(column), this.batch.rows, entry.values);
      entry.resolved = true;
    }
    return entry.values;
  }

  reader(name: string): ReadVariable {
    const column = this.columnOf(name);
    if (column < 0) return () => null;
    return (row) => {
      const number = this.operandNumbers(column)[row] as number;
      return number < 0 ? null : (this.cache.operands[number] ?? null);
    };
  }
}
