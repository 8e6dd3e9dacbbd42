/**
 * REGEX and REPLACE (SPARQL 1.1, 17.4.3.14 and .15). A pattern that is no regular expression is an
 * error of the row. One that is written in the query and right, but not evaluated here (references
 * back to groups, huge counts), refuses the query.
 */

import type { Term } from '../../../rdf/terms.js';
import type { FunctionName } from '../../algebra/expression.js';
import { unsupported } from '../../parse/unsupported.js';
import { compilePattern, type Pattern } from '../../regex/pattern.js';
import { parseReplacement, type ReplacementPart } from '../../regex/replacement.js';
import { RegexSyntaxError, RegexUnsupported } from '../../regex/syntax.js';
import type { Operand } from '../../terms/operand.js';
import type { QueryScope } from '../../terms/query-scope.js';
import { type FunctionDefinition, likeLiteral, ofBoolean, plainText, textLiteral } from './definition.js';

export const PATTERN_FUNCTIONS = {
  regex: { arity: [2, 3], evaluate: matches, refuse: (constants) => refusePattern(constants[1], constants[2]) },
  replace: { arity: [3, 4], evaluate: replaced, refuse: (constants) => refusePattern(constants[1], constants[3]) },
} as const satisfies Partial<Record<FunctionName, FunctionDefinition>>;

function matches([text, pattern, flags]: readonly Operand[], scope: QueryScope): Operand | null {
  const literal = textLiteral(text as Operand);
  const compiled = patternOf(pattern as Operand, flags, scope);
  if (literal === null || compiled === null) return null;
  scope.spend(literal.value.length);
  return ofBoolean(compiled.test(literal.value));
}

function replaced([text, pattern, replacement, flags]: readonly Operand[], scope: QueryScope): Operand | null {
  const literal = textLiteral(text as Operand);
  const compiled = patternOf(pattern as Operand, flags, scope);
  const written = plainText(replacement as Operand);
  if (literal === null || compiled === null || written === null) return null;
  const parts = isLiteralFlag(flags) ? [written] : parseReplacement(written, compiled.groups);
  // By the standard a pattern that matches nothing at all can replace nothing.
  if (parts === null || compiled.test('')) return null;
  scope.spend(literal.value.length);
  return likeLiteral(
    literal,
    compiled.replace(literal.value, parts) ?? replaceAll(literal.value, compiled, parts, scope),
  );
}

function replaceAll(text: string, pattern: Pattern, parts: readonly ReplacementPart[], scope: QueryScope): string {
  let result = '';
  let from = 0;
  for (const match of pattern.matches(text)) {
    // A search may look at all that is left before it finds that little of it matches.
    scope.spend(1 + text.length - match.start);
    result += text.slice(from, match.start);
    for (const part of parts) result += typeof part === 'string' ? part : match.group(part);
    scope.assertLength(result.length);
    from = match.end;
  }
  return result + text.slice(from);
}

function isLiteralFlag(flags: Operand | undefined): boolean {
  return flags !== undefined && (plainText(flags) ?? '').includes('q');
}

function patternOf(pattern: Operand, flags: Operand | undefined, scope: QueryScope): Pattern | null {
  const text = plainText(pattern);
  const flagText = flags === undefined ? '' : plainText(flags);
  return text === null || flagText === null ? null : scope.patterns.get(text, flagText);
}

function refusePattern(pattern: Term | null | undefined, flags: Term | null | undefined): void {
  if (pattern?.termType !== 'Literal' || flags === null) return;
  try {
    compilePattern(pattern.value, flags?.value ?? '');
  } catch (error) {
    if (error instanceof RegexUnsupported) throw unsupported(error.message);
    if (!(error instanceof RegexSyntaxError)) throw error;
  }
}
