/**
 * The prefixes that a text declares, read without parsing it: for showing IRIs as the writer of the text
 * wrote them, and for texts that are not complete yet. Declarations with relative IRIs are passed over.
 */

import { visitCode } from './guard.js';

const DECLARATION = /prefix\s+([^\s:<>"'#{}()]*):\s*<([^<>"{}|^`\\\s]*)>/iy;
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** By name without the colon; the last declaration of a name counts. */
export function declaredPrefixes(text: string): Record<string, string> {
  const prefixes: Record<string, string> = {};
  visitCode(text, (character, index) => {
    if (character !== 'p' && character !== 'P') return;
    if (/[\w:?$@.-]/.test(text[index - 1] ?? ' ')) return;
    DECLARATION.lastIndex = index;
    const [, name, iri] = DECLARATION.exec(text) ?? [];
    if (name !== undefined && iri !== undefined && ABSOLUTE.test(iri)) prefixes[name] = iri;
  });
  return prefixes;
}
