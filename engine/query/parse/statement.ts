/** Whether a text is a query or an update; a text that is neither is the parser's error. */

import { type ParseOptions, parseWithTraqula } from './traqula.js';

export type StatementKind = 'query' | 'update';

export function statementKind(text: string, options: ParseOptions = {}): StatementKind {
  return parseWithTraqula(text, options).kind;
}
