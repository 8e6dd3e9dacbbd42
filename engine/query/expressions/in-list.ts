/**
 * `IN` over constants. Where all are equal to a term exactly when they are the same term (IRIs, blank nodes, strings), their
 * ids are looked up in a set (`compileIdList`). A long list of others is looked up by value (`InList`), without comparing one
 * by one: IRIs, blank nodes and strings by their text, numbers by their double; what is neither is compared in sequence.
 * That a value can't be compared with some item makes the answer an error, unless another item equals it; items of one kind
 * are alike in that, so one of each kind is asked.
 */

import { isNumeric, toDouble } from '../../rdf/values/index.js';
import { highOf, INTEGER_PREFIX, lowOf } from '../../storage/ids/halves.js';
import { TAG, UNBOUND } from '../../storage/ids/layout.js';
import { BATCH_ROWS } from '../../storage/seam/scan.js';
import type { CallExpression, Expression } from '../algebra/expression.js';
import { HashKeys } from '../runtime/keys/hash-keys.js';
import { Operand } from '../terms/operand.js';
import type { QueryScope } from '../terms/query-scope.js';
import { type Decide, ERROR, FALSE, TRUE, UNDECIDED } from './answers.js';
import type { BatchContext } from './batch-context.js';
import { isInline, isPlain, plainTagOf } from './comparison.js';

/** The set is as long as the text of the query has it. */
const UNCOUNTED = { take: () => undefined, give: () => undefined };
/** Positions in the list of the ids of a batch, while it is decided. */
const found = new Int32Array(BATCH_ROWS);

/** Null for other lists. */
export function compileIdList({ args }: CallExpression, context: BatchContext): Decide | null {
  const [wanted, ...list] = args as [Expression, ...Expression[]];
  const column = context.variableColumn(wanted);
  if (column < 0 || list.length === 0) return null;
  const tags = list.map((item) => (item.kind === 'term' ? plainTagOf(item.term) : null));
  if (tags.includes(null)) return null;
  const set = new HashKeys(1, UNCOUNTED);
  for (const item of list) {
    const id = item.kind === 'term' ? context.terms.encode(item.term) : UNBOUND;
    set.assign([Uint32Array.of(lowOf(id), highOf(id))], 1, found);
  }
  const ofOther = answersOfOthers(tags.every((tag) => tag === TAG.iri || tag === TAG.blank));
  context.terms.whenClosed(() => set.release());
  const decide: Decide = (out, rows) => {
    const values = context.column(column);
    set.find([values], rows, found);
    for (let row = 0; row < rows; row++) {
      if (out[row] !== UNDECIDED) continue;
      const prefix = (values[2 * row + 1] as number) >>> 16;
      const single = prefix >>> 8 === TAG.integer && prefix !== INTEGER_PREFIX;
      out[row] = (found[row] as number) >= 0 ? TRUE : single ? UNDECIDED : (ofOther[prefix >>> 8] as number);
    }
  };
  return decide;
}

/** By tag, of what is not in the list. An ill-typed literal is an error beside a string, not beside an IRI. */
function answersOfOthers(nodes: boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, tag) => {
    if (tag === TAG.unbound) return ERROR;
    if (isPlain(tag)) return FALSE;
    if (tag === TAG.local) return UNDECIDED;
    return nodes || isInline(tag) ? FALSE : UNDECIDED;
  });
}

/** Shorter lists are compared item by item. */
export const LONG_LIST = 16;

type Compare = (a: Operand, b: Operand) => boolean | null;

export function isLongList(args: readonly Expression[]): boolean {
  return args.length > LONG_LIST && args.every((arg, at) => at === 0 || arg.kind === 'term');
}

export class InList {
  /** By kind and text. */
  private readonly texts = new Set<string>();
  private readonly numbers = new Map<number, Operand[]>();
  private readonly others: Operand[] = [];
  /** One item of each kind that is looked up. */
  private readonly samples = new Map<string, Operand>();

  constructor(
    args: readonly Expression[],
    private readonly equal: Compare,
    private readonly scope: QueryScope,
  ) {
    for (const arg of args) if (arg.kind === 'term') this.add(new Operand(arg.term));
  }

  contains(wanted: Operand | null): boolean | null {
    if (wanted === null) return null;
    if (wanted.value?.kind === 'float') return this.compareAll(wanted);
    const kind = kindOf(wanted);
    if (kind !== null && this.has(kind, wanted)) return true;
    let answer: boolean | null = false;
    for (const [other, sample] of this.samples) {
      if (other !== kind && this.equal(wanted, sample) === null) answer = null;
    }
    return this.compare(wanted, this.others, answer);
  }

  /** A float meets decimals as floats: different doubles may be equal. */
  private compareAll(wanted: Operand): boolean | null {
    let answer: boolean | null = false;
    for (const sample of this.samples.values()) if (this.equal(wanted, sample) === null) answer = null;
    for (const same of this.numbers.values()) {
      if (this.compare(wanted, same, false) === true) return true;
    }
    return this.compare(wanted, this.others, answer);
  }

  private compare(wanted: Operand, items: readonly Operand[], otherwise: boolean | null): boolean | null {
    let answer = otherwise;
    this.scope.spend(items.length);
    for (const item of items) {
      const equal = this.equal(wanted, item);
      if (equal === true) return true;
      if (equal === null) answer = null;
    }
    return answer;
  }

  private add(item: Operand): void {
    const kind = kindOf(item);
    if (kind === null) {
      this.others.push(item);
      return;
    }
    if (!this.samples.has(kind)) this.samples.set(kind, item);
    if (kind !== 'number') {
      this.texts.add(kind + item.term.value);
      return;
    }
    const double = doubleOf(item);
    const same = this.numbers.get(double);
    if (same === undefined) this.numbers.set(double, [item]);
    else same.push(item);
  }

  /** Numbers that are equal have the same double. */
  private has(kind: string, wanted: Operand): boolean {
    if (kind !== 'number') return this.texts.has(kind + wanted.term.value);
    const same = this.numbers.get(doubleOf(wanted)) ?? [];
    return same.some((item) => this.equal(wanted, item) === true);
  }
}

/** Null for what has to be compared. */
function kindOf({ term, value }: Operand): string | null {
  if (term.termType === 'NamedNode') return 'iri ';
  if (term.termType === 'BlankNode') return 'blank ';
  if (value === null) return null;
  if (value.kind === 'string') return 'string ';
  return isNumeric(value) && value.kind !== 'float' ? 'number' : null;
}

function doubleOf({ value }: Operand): number {
  return value !== null && isNumeric(value) ? toDouble(value) : Number.NaN;
}
