/**
 * Conditions on the text of one variable with constants beside it, as data: what is tested (the variable
 * or its STR, perhaps in upper or lower case) and how. `text-condition.ts` decides them over batches.
 */

import { type Literal, type Term, XSD_STRING } from '../../rdf/terms.js';
import type { CallExpression, Expression } from '../algebra/expression.js';
import type { Fold, Needle } from '../regex/required-text.js';
import type { QueryScope } from '../terms/query-scope.js';
import { FUNCTIONS } from './functions/index.js';
import { matchesRange } from './functions/languages.js';

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
