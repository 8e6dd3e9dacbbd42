/** Functions on languages and base directions (SPARQL 1.1, 17.4.2 and 17.4.3.13; SPARQL 1.2). Tags are as they were written. */

import { isLanguageTag } from '../../../rdf/formats/input/term-checks.js';
import { type Literal, terms } from '../../../rdf/terms.js';
import { KIND } from '../../../storage/dictionary/stored-term.js';
import { TAG } from '../../../storage/ids/layout.js';
import type { FunctionName } from '../../algebra/expression.js';
import { Operand } from '../../terms/operand.js';
import { binary, type FunctionDefinition, ofBoolean, ofString, plainText, RESOURCE_TAGS, unary } from './definition.js';

export const LANGUAGE_FUNCTIONS = {
  lang: {
    ...ofLiteral((literal) => ofString(literal.language)),
    told: {
      ofPrefix(prefix) {
        const tag = prefix >>> 8;
        if (RESOURCE_TAGS.has(tag)) return null;
        if (tag === TAG.local) return 'row';
        return tag === TAG.langString || tag === TAG.dirLangString ? 'stored' : ofString('');
      },
      qualifier: languageOf,
      ofText: ofString,
    },
  },
  langdir: ofLiteral((literal) => ofString(literal.direction || '')),
  haslang: ofAny((literal) => literal.language !== ''),
  haslangdir: ofAny((literal) => literal.language !== '' && Boolean(literal.direction)),
  langmatches: binary((tag, range) => {
    const [text, wanted] = [plainText(tag), plainText(range)];
    return text === null || wanted === null ? null : ofBoolean(matchesRange(text, wanted));
  }),
  strlang: binary((text, tag) => tagged(text, tag, '')),
  strlangdir: {
    arity: [3, 3],
    evaluate: ([text, tag, direction]) => {
      const written = plainText(direction as Operand);
      return written === 'ltr' || written === 'rtl' ? tagged(text as Operand, tag as Operand, written) : null;
    },
  },
} as const satisfies Partial<Record<FunctionName, FunctionDefinition>>;

/** The language of a stored literal, without its direction. */
export function languageOf(bytes: Buffer, start: number, end: number): string {
  const tag = bytes.toString('latin1', start + 1, end);
  return bytes[start] === KIND.direction ? tag.slice(0, tag.lastIndexOf('--')) : tag;
}

function ofLiteral(read: (literal: Literal) => Operand): FunctionDefinition {
  return unary(({ term }) => (term.termType === 'Literal' ? read(term) : null));
}

/** False for what is no literal. */
function ofAny(test: (literal: Literal) => boolean): FunctionDefinition {
  return unary(({ term }) => ofBoolean(term.termType === 'Literal' && test(term)));
}

/** Basic filtering of RFC 4647: the range is the tag or a beginning of it that ends at a hyphen. */
export function matchesRange(tag: string, range: string): boolean {
  if (range === '*') return tag !== '';
  const [have, want] = [tag.toLowerCase(), range.toLowerCase()];
  return want !== '' && (have === want || have.startsWith(`${want}-`));
}

function tagged(text: Operand, tag: Operand, direction: '' | 'ltr' | 'rtl'): Operand | null {
  const lexical = plainText(text);
  const written = plainText(tag);
  if (lexical === null || written === null || !isLanguageTag(written)) return null;
  return new Operand(terms.literal(lexical, direction === '' ? written : { language: written, direction }));
}
