/**
 * Regular expressions that every engine reads alike: letters and digits, classes of them, groups, alternatives, `?`, `*`,
 * `+`, and the ends of the text. The others are refused: engines differ in what they mean by them.
 */

import type { Expression } from '../../../query/algebra/expression.js';
import { XSD_STRING } from '../../../rdf/terms.js';
import { refused } from '../refusal.js';

const SAFE =
  /^(?:[A-Za-z0-9 ,;:@#%&=_'"/<>~!-]|\\[.\\()[\]{}|*+?^$-]|\[\^?(?:[A-Za-z0-9 _]-[A-Za-z0-9]|[A-Za-z0-9 _])+\]|\{\d{1,3}(?:,\d{0,3})?\}|[()|*+?^$.])*$/;

/** The pattern as SQL has it; null where it or its flags are no strings. */
export function patternOf(pattern: Expression, flags: Expression | undefined): string | null {
  const [written, flag] = [textOf(pattern), flags === undefined ? '' : textOf(flags)];
  if (written === null || flag === null) return null;
  if (flag !== '' && flag !== 'i') throw refused(`REGEX with the flags '${flag}'`);
  if (!SAFE.test(written) || /\(\?|[*+?}][*+?{]|\^[*+?{]|(?:^|[(|])[*+?{]/.test(written)) {
    throw refused(
      `the regular expression '${written}'`,
      'letters, classes, groups and ?, *, + are read alike everywhere; ask the store itself otherwise',
    );
  }
  try {
    new RegExp(written, 'u');
  } catch {
    throw refused(`the regular expression '${written}'`);
  }
  const lines = written.replace(/\\.|\.|\[[^\]]*\]/g, (part) => (part === '.' ? '[^\\n\\r]' : part));
  return flag === 'i' ? `(?i)${lines}` : lines;
}

function textOf(expression: Expression): string | null {
  if (expression.kind !== 'term') throw refused('REGEX with a pattern or flags that are no constants');
  const { term } = expression;
  return term.termType === 'Literal' && term.datatype.value === XSD_STRING ? term.value : null;
}
