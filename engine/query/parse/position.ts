/** Offsets of a query text as line, column and excerpt, and where to point for errors without one. */

import type { InputPosition } from '../../base/errors.js';
import { visitCode } from './guard.js';

const EXCERPT_LENGTH = 100;

/** Lines and columns count from 1, columns in code points. */
export function positionAt(text: string, offset: number): InputPosition {
  const at = Math.min(Math.max(offset, 0), text.length);
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  let line = 1;
  for (let index = text.indexOf('\n'); index >= 0 && index < at; index = text.indexOf('\n', index + 1)) line++;
  let lineEnd = text.indexOf('\n', at);
  if (lineEnd < 0) lineEnd = text.length;
  const column = [...text.slice(lineStart, at)].length + 1;
  return { source: 'query', line, column, excerpt: excerpt(text.slice(lineStart, lineEnd), at - lineStart) };
}

function excerpt(line: string, at: number): string {
  const start = Math.max(0, Math.min(at - EXCERPT_LENGTH / 2, line.length - EXCERPT_LENGTH));
  const cut = line.slice(start, start + EXCERPT_LENGTH).trim();
  return `${start > 0 ? '… ' : ''}${cut}${start + EXCERPT_LENGTH < line.length ? ' …' : ''}`;
}

/** Where `prefix:` or `?variable` first stands in the code of the text; null when it does not. */
export function findInCode(text: string, word: string): number | null {
  let found: number | null = null;
  visitCode(text, (_, index) => {
    if (found !== null || !text.startsWith(word, index)) return;
    const before = text[index - 1] ?? ' ';
    const after = text[index + word.length] ?? ' ';
    const continues = word.endsWith(':') ? false : /[\w]/.test(after);
    if (!/[\w.-]/.test(before) && !continues) found = index;
  });
  return found;
}

export function findVariable(text: string, name: string): number | null {
  return findInCode(text, `?${name}`) ?? findInCode(text, `$${name}`);
}
