/**
 * Conditions on the text of one variable with constants beside it, over whole batches. What is tested is data (`TextTest`): the
 * variable or its STR, perhaps in upper or lower case, and how. It is decided once for each distinct id. Many ids say by their
 * tag that there is no text or no language. The texts of the others are searched as the dictionary decodes them, many at a
 * time: what does not hold the text that is looked for costs neither a string nor a call.
 */

import { type Literal, type Term, XSD_STRING } from '../../rdf/terms.js';
import { lexicalStart, qualifierEnd } from '../../storage/dictionary/stored-term.js';
import { inlineLexical } from '../../storage/ids/inline.js';
import { isDictionaryTag, TAG } from '../../storage/ids/layout.js';
import type { IdColumn, StoredTerms } from '../../storage/seam/scan.js';
import type { CallExpression, Expression } from '../algebra/expression.js';
import type { Fold, Needle } from '../regex/required-text.js';
import type { QueryScope } from '../terms/query-scope.js';
import { type Decide, ERROR, FALSE, TRUE, UNDECIDED } from './answers.js';
import type { BatchContext } from './batch-context.js';
import { IdAnswers, type Question } from './by-id.js';
import { FUNCTIONS } from './functions/index.js';
import { languageOf, matchesRange } from './functions/terms.js';
import { compileRest, later } from './row-values.js';

export interface TextTest {
  readonly variable: string;
  /** `lexical`: a string, with a language or not. `str`: what STR gives. `language`: what LANG gives. */
  readonly source: 'lexical' | 'str' | 'language';
  test(text: string): boolean;
  readonly needle: Needle | null;
}

/** Null for every other condition. */
export function textTestOf({ operator, args }: CallExpression, scope: QueryScope): TextTest | null {
  switch (operator) {
    case 'contains':
    case 'strstarts':
    case 'strends':
      return partTest(operator, args);
    case 'regex':
      return regexTest(args, scope);
    case 'langmatches': {
      const range = constantOf(args[1]);
      const variable = languageVariable(args[0] as Expression);
      if (range === null || variable === null) return null;
      return { variable, source: 'language', needle: null, test: (tag) => matchesRange(tag, range) };
    }
    case '=':
      return equalityTest(args as readonly [Expression, Expression]);
    case '!=': {
      const equal = equalityTest(args as readonly [Expression, Expression]);
      return equal === null ? null : { ...equal, needle: null, test: (text) => !equal.test(text) };
    }
    default:
      return null;
  }
}

function partTest(operator: 'contains' | 'strstarts' | 'strends', args: readonly Expression[]): TextTest | null {
  const part = constantOf(args[1]);
  const text = textOf(args[0] as Expression);
  if (part === null || text === null) return null;
  const { variable, source, fold } = text;
  const compare = (whole: string): boolean =>
    operator === 'contains'
      ? whole.includes(part)
      : operator === 'strstarts'
        ? whole.startsWith(part)
        : whole.endsWith(part);
  return { variable, source, test: folded(fold, compare), needle: { text: part, fold } };
}

function equalityTest([left, right]: readonly [Expression, Expression]): TextTest | null {
  return equalTo(left, right) ?? equalTo(right, left);
}

function equalTo(side: Expression, other: Expression): TextTest | null {
  const wanted = constantOf(other);
  if (wanted === null) return null;
  const variable = languageVariable(side);
  if (variable !== null) return { variable, source: 'language', needle: null, test: (tag) => tag === wanted };
  const text = textOf(side);
  // Strings with a language equal no plain string, so that only STR is as simple as this.
  if (text === null || text.source !== 'str') return null;
  const { source, fold } = text;
  const test = folded(fold, (whole) => whole === wanted);
  return { variable: text.variable, source, test, needle: { text: wanted, fold } };
}

function regexTest(args: readonly Expression[], scope: QueryScope): TextTest | null {
  const text = textOf(args[0] as Expression);
  const pattern = constantOf(args[1]);
  const flags = args.length < 3 ? '' : constantOf(args[2]);
  if (text === null || pattern === null || flags === null) return null;
  FUNCTIONS.regex.refuse?.(args.map((arg) => (arg.kind === 'term' ? arg.term : null)));
  const compiled = scope.patterns.get(pattern, flags);
  if (compiled === null) return null;
  const { variable, source, fold } = text;
  const { needle } = compiled;
  return {
    variable,
    source,
    test: folded(fold, (whole) => compiled.test(whole)),
    needle: fold === 'as-is' && needle !== undefined ? needle : null,
  };
}

function folded(fold: Fold, test: (text: string) => boolean): (text: string) => boolean {
  if (fold === 'as-is') return test;
  return fold === 'lower' ? (text) => test(text.toLowerCase()) : (text) => test(text.toUpperCase());
}

interface Text {
  readonly variable: string;
  readonly source: 'lexical' | 'str';
  readonly fold: Fold;
}

function textOf(expression: Expression): Text | null {
  if (expression.kind === 'variable') {
    return { variable: expression.name, source: 'lexical', fold: 'as-is' };
  }
  if (expression.kind !== 'call') return null;
  const { operator, args } = expression;
  const [arg] = args as [Expression];
  if (operator === 'str') {
    return arg.kind === 'variable' ? { variable: arg.name, source: 'str', fold: 'as-is' } : null;
  }
  if (operator !== 'lcase' && operator !== 'ucase') return null;
  const inner = textOf(arg);
  if (inner === null || inner.fold !== 'as-is') return null;
  return { ...inner, fold: operator === 'lcase' ? 'lower' : 'upper' };
}

function languageVariable(expression: Expression): string | null {
  if (expression.kind !== 'call' || expression.operator !== 'lang') return null;
  const arg = expression.args[0] as Expression;
  return arg.kind === 'variable' ? arg.name : null;
}

/** A constant xsd:string. */
function constantOf(expression: Expression | undefined): string | null {
  if (expression?.kind !== 'term' || !isString(expression.term)) return null;
  return expression.term.value;
}

function isString(term: Term): term is Literal {
  return term.termType === 'Literal' && term.datatype.value === XSD_STRING;
}

/** Beside the answers that there are. */
const BY_TEXT = 255;
/** Fewer texts are looked at one by one. */
const TOGETHER_MIN = 3;

/** Null for other conditions. Values that the query computed are left to the scalar form. */
export function compileTextCondition(call: CallExpression, context: BatchContext): Decide | null {
  const test = textTestOf(call, context.terms.scope);
  const column = test === null ? -1 : context.columnOf(test.variable);
  if (test === null || column < 0) return null;
  const texts = new TextAnswers(test, context);
  const rest = later(() => compileRest(call, context));
  return (out, rows) => {
    if (texts.decide(context.column(column), rows, out)) rest(out, rows);
  };
}

/** What the tag of an id says of the test; BY_TEXT where the text or the language has to be looked at. */
function answersByTag({ source, test }: TextTest): Uint8Array {
  const answers = new Uint8Array(256).fill(source === 'language' ? (test('') ? TRUE : FALSE) : BY_TEXT);
  for (const tag of [TAG.unbound, TAG.blank, TAG.triple]) answers[tag] = ERROR;
  answers[TAG.langString] = BY_TEXT;
  answers[TAG.dirLangString] = BY_TEXT;
  answers[TAG.local] = UNDECIDED;
  if (source === 'language') answers[TAG.iri] = ERROR;
  if (source === 'lexical') {
    for (let tag = 0; tag < TAG.local; tag++) {
      if (tag !== TAG.string && tag !== TAG.langString && tag !== TAG.dirLangString) answers[tag] = ERROR;
    }
  }
  return answers;
}

class TextAnswers {
  private readonly known: IdAnswers;
  private readonly needle: Buffer | null;
  private answers: Uint8Array = new Uint8Array(0);
  /** Numbers, in the question, of the ids that are being decoded; null = they are all. */
  private pending: number[] | null = null;

  constructor(
    private readonly test: TextTest,
    private readonly context: BatchContext,
  ) {
    this.known = new IdAnswers(answersByTag(test), (question) => this.find(question));
    const { needle } = test;
    const bytes = needle === null ? null : Buffer.from(needle.text);
    // Half a surrogate pair is in no text of the store, but would not survive the way to bytes.
    this.needle = bytes !== null && bytes.length > 0 && bytes.toString() === needle?.text ? bytes : null;
  }

  /** True when a row is left undecided. */
  decide(ids: IdColumn, rows: number, out: Uint8Array): boolean {
    return this.known.decide(ids, rows, out);
  }

  /** The answers are FALSE but where something says otherwise. */
  private find({ ids, count, stored, answers }: Question): void {
    this.answers = answers;
    answers.fill(FALSE, 0, count);
    const take = (terms: StoredTerms) => this.take(terms);
    const part = this.test.source === 'language' ? 'qualifiers' : 'whole';
    this.pending = stored ? null : [];
    const wanted = this.pending === null ? ids : this.inlinedFirst(ids, count, this.pending);
    const decoded = this.pending === null ? count : this.pending.length;
    if (decoded > 0) this.context.terms.stored(wanted, decoded, take, part);
  }

  /** Looks at the ids that are their own texts; gives the others, and lists their numbers. */
  private inlinedFirst(ids: IdColumn, count: number, pending: number[]): IdColumn {
    const wanted = new Uint32Array(2 * count);
    for (let index = 0; index < count; index++) {
      const low = ids[2 * index] as number;
      const high = ids[2 * index + 1] as number;
      if (isDictionaryTag(high >>> 24)) {
        wanted[2 * pending.length] = low;
        wanted[2 * pending.length + 1] = high;
        pending.push(index);
      } else if (this.test.test(inlineLexical(low, high))) this.answers[index] = TRUE;
    }
    return wanted;
  }

  private take(terms: StoredTerms): void {
    const { count, starts, ends } = terms;
    this.context.terms.scope.spend((ends[count - 1] as number) - (starts[0] as number) + count);
    if (this.test.source === 'language') this.takeLanguages(terms);
    else if (count < TOGETHER_MIN || !this.searchTogether(terms)) {
      for (let index = 0; index < count; index++) this.takeText(terms, index);
    }
  }

  private setTrue(terms: StoredTerms, index: number): void {
    const place = terms.places[index] as number;
    this.answers[this.pending === null ? place : (this.pending[place] as number)] = TRUE;
  }

  private takeText(terms: StoredTerms, index: number): void {
    const { bytes } = terms;
    const start = terms.starts[index] as number;
    const end = terms.ends[index] as number;
    const text = bytes.toString('utf8', lexicalStart(bytes, start, end), end);
    if (this.test.test(text)) this.setTrue(terms, index);
  }

  /** Looks for the needle in all of them; false when that can't be done. */
  private searchTogether(terms: StoredTerms): boolean {
    const { count, starts, ends } = terms;
    const base = starts[0] as number;
    const search = this.searchOf(terms, base, ends[count - 1] as number);
    if (search === null) return false;
    let index = 0;
    let hit = search(0);
    while (hit >= 0) {
      const at = base + hit;
      index = firstBeyond(ends, index, count, at);
      if (index === count) return true;
      const start = starts[index] as number;
      // A hit between two of them may reach into the second.
      if (at < start) hit = search(start - base);
      else {
        const end = ends[index] as number;
        for (; index < count && starts[index] === start; index++) this.takeText(terms, index);
        hit = search(end - base);
      }
    }
    return true;
  }

  /** Where the needle is next in `[from, to)`, counted from there; -1 = nowhere. */
  private searchOf({ bytes }: StoredTerms, from: number, to: number): ((at: number) => number) | null {
    const { needle } = this;
    const fold = this.test.needle?.fold;
    if (needle === null || fold === undefined) return null;
    if (fold === 'as-is') {
      const text = bytes.subarray(from, to);
      return (at) => text.indexOf(needle, at);
    }
    const text = bytes.toString('utf8', from, to);
    if (text.length !== to - from) return null;
    const folded = fold === 'lower' ? text.toLowerCase() : text.toUpperCase();
    const wanted = (this.test.needle as { text: string }).text;
    return (at) => folded.indexOf(wanted, at);
  }

  /** Neighbours mostly have the same language. */
  private takeLanguages(terms: StoredTerms): void {
    const { bytes, count, starts, ends } = terms;
    let language = '';
    let truth = false;
    for (let index = 0; index < count; index++) {
      const start = starts[index] as number;
      const end = qualifierEnd(bytes, start, ends[index] as number);
      const own = languageOf(bytes, start, end);
      if (index === 0 || own !== language) truth = this.test.test(own);
      language = own;
      if (truth) this.setTrue(terms, index);
    }
  }
}

/** The first of the ascending `ends[index, count)` that is greater than `at`. */
function firstBeyond(ends: Uint32Array, index: number, count: number, at: number): number {
  let from = index;
  let to = count;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ends[middle] as number) > at) to = middle;
    else from = middle + 1;
  }
  return from;
}
