/** DATATYPE of a variable by ids: the datatype of inlined values and strings stands in their upper 16 bits. */

import { terms } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { DATATYPES, TAG } from '../../storage/ids/layout.js';
import { DATATYPE_OF_TAG } from '../../storage/ids/tag-datatypes.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import type { CallExpression, Expression } from '../algebra/expression.js';
import { type Decide, ERROR, FALSE, TRUE, UNDECIDED } from './answers.js';
import type { BatchContext } from './batch-context.js';
import type { WriteKnown } from './language.js';
import { datatypeReader, StoredFacts } from './stored-facts.js';

/** Null for what is not a comparison of such a datatype with an IRI. */
export function compileDatatype({ operator, args }: CallExpression, context: BatchContext): Decide | null {
  if (operator !== '=' && operator !== '!=') return null;
  const [left, right] = args as [Expression, Expression];
  const [call, constant] = left.kind === 'term' ? [right, left] : [left, right];
  if (constant.kind !== 'term' || constant.term.termType !== 'NamedNode') return null;
  if (call.kind !== 'call' || call.operator !== 'datatype') return null;
  const arg = call.args[0] as Expression;
  const column = arg.kind === 'variable' ? context.columnOf(arg.name) : -1;
  if (column < 0) return null;
  const wanted = constant.term.value;
  const answerOf = (prefix: number): number => {
    const answer = answerFor(prefix, wanted);
    return operator === '!=' && answer <= TRUE ? 1 - answer : answer;
  };
  return (out, rows) => {
    const ids = context.column(column);
    let prefix = (ids[1] as number) >>> 16;
    let answer = answerOf(prefix);
    for (let row = 0; row < rows; row++) {
      if (out[row] !== UNDECIDED) continue;
      const high = ids[2 * row + 1] as number;
      if (high >>> 16 !== prefix) {
        prefix = high >>> 16;
        answer = answerOf(prefix);
      }
      out[row] = answer;
    }
  };
}

function answerFor(prefix: number, wanted: string): number {
  const datatype = datatypeOf(prefix);
  if (datatype === NO_LITERAL) return ERROR;
  if (datatype === UNTOLD) return UNDECIDED;
  return datatype === wanted ? TRUE : FALSE;
}

/** Of what has no datatype. */
const NO_LITERAL: null = null;
/** The dictionary has it with the term. */
const UNTOLD = '';

function datatypeOf(prefix: number): string | null {
  const tag = prefix >>> 8;
  if (tag === TAG.unbound || tag === TAG.blank || tag === TAG.iri || tag === TAG.triple) return NO_LITERAL;
  return (tag === TAG.integer || tag === TAG.typed ? DATATYPES[prefix & 0xff] : DATATYPE_OF_TAG[tag]) ?? UNTOLD;
}

type Halves = readonly [low: number, high: number];

const NOTHING: Halves = [0, 0];
const TYPED = new Uint8Array(256);
TYPED[TAG.typed] = 1;

/** Datatypes of a column of ids; null for other expressions. */
export function compileDatatypeIds(expression: Expression, context: BatchContext): WriteKnown | null {
  if (expression.kind !== 'call' || expression.operator !== 'datatype') return null;
  const [argument] = expression.args;
  const column = argument?.kind === 'variable' ? context.columnOf(argument.name) : -1;
  if (column < 0) return null;
  const halvesOf = (datatype: string): Halves => {
    const id = context.terms.encode(terms.namedNode(datatype));
    return [lowOf(id), highOf(id)];
  };
  const byPrefix = new Map<number, Halves | null>();
  /** Null where the prefix does not say it. */
  const idOf = (prefix: number): Halves | null => {
    let halves = byPrefix.get(prefix);
    if (halves === undefined) {
      const datatype = datatypeOf(prefix);
      halves = datatype === NO_LITERAL ? NOTHING : datatype === UNTOLD ? null : halvesOf(datatype);
      byPrefix.set(prefix, halves);
    }
    return halves;
  };
  const untold = new UntoldDatatypes(context, halvesOf);
  return (out, rows) => {
    const from = context.column(column);
    const left: number[] = [];
    let prefix = -1;
    let id: Halves | null = NOTHING;
    let typed = false;
    for (let row = 0; row < rows; row++) {
      const high = from[2 * row + 1] as number;
      if (high >>> 16 !== prefix) {
        prefix = high >>> 16;
        id = idOf(prefix);
      }
      out[2 * row] = id === null ? 0 : id[0];
      out[2 * row + 1] = id === null ? 0 : id[1];
      if (id !== null) continue;
      if (high >>> 24 === TAG.typed) typed = true;
      else left.push(row);
    }
    if (typed) untold.write(from, rows, out);
    return left;
  };
}

/** Datatypes that have no code: the dictionary has their IRIs with the literals. */
class UntoldDatatypes {
  readonly #datatypes: string[] = [];
  readonly #ids: Halves[] = [];
  readonly #facts: StoredFacts;
  readonly #halvesOf: (datatype: string) => Halves;

  constructor(context: BatchContext, halvesOf: (datatype: string) => Halves) {
    this.#facts = new StoredFacts(context, 'qualifiers', datatypeReader(this.#datatypes));
    this.#halvesOf = halvesOf;
  }

  write(from: IdColumn, rows: number, out: IdColumn): void {
    const numbers = new Uint32Array(rows);
    this.#facts.resolve(from, rows, TYPED, (row, number) => {
      numbers[row] = number;
    });
    // Not while terms are handed out: to look for an id would use the dictionary again.
    for (let row = 0; row < rows; row++) {
      const high = from[2 * row + 1] as number;
      if (high >>> 24 !== TAG.typed || DATATYPES[(high >>> 16) & 0xff] !== UNTOLD) continue;
      const number = numbers[row] as number;
      this.#ids[number] ??= this.#halvesOf(this.#datatypes[number] as string);
      out.set(this.#ids[number] as Halves, 2 * row);
    }
  }
}
