/**
 * The text of a query to our algebra. A parsed query depends on its text and base IRI alone, so the
 * last few are kept: the fastest questions spend most of their time here.
 */

import { SvcError } from '../../base/errors.js';
import { type Algebra, type ParsedQuery, type PatternTerm, rewriteUp } from '../algebra/algebra.js';
import { tooDeep } from './guard.js';
import { translateQuery } from './translate.js';
import { type ParseOptions, parseWithTraqula } from './traqula.js';
import { unsupported } from './unsupported.js';

/** A parsed query takes a few kilobytes; long texts are rarely asked twice. */
const CACHED_QUERIES_MAX = 500;
const CACHED_TEXT_MAX = 10_000;

const cache = new Map<string, ParsedQuery>();

export function parseQuery(text: string, options: ParseOptions = {}): ParsedQuery {
  const key = `${options.baseIri ?? ''}\n${text}`;
  const known = cache.get(key);
  if (known) return known;
  const parsed = parseFresh(text, options);
  if (text.length <= CACHED_TEXT_MAX) {
    if (cache.size >= CACHED_QUERIES_MAX) cache.delete(cache.keys().next().value as string);
    cache.set(key, parsed);
  }
  return parsed;
}

function parseFresh(text: string, options: ParseOptions): ParsedQuery {
  const result = parseWithTraqula(text, options);
  if (result.kind === 'update') {
    throw new SvcError('unsupported', 'SPARQL Update is not a query and is not supported yet');
  }
  if (result.form === 'construct' || result.form === 'describe') throw unsupported(result.form.toUpperCase());
  try {
    const query = translateQuery(result.algebra, result.star);
    return { ...query, algebra: hideInvented(query.algebra, text) };
  } catch (error) {
    throw error instanceof RangeError ? tooDeep('its expressions or blocks nest too deeply') : error;
  }
}

/**
 * The parser makes variables for the steps of a path such as `:p/:q`. They become blank nodes of the
 * text, as the specification has them: no solution shows them.
 */
function hideInvented(algebra: Algebra, text: string): Algebra {
  const written = new Set(
    Array.from(text.matchAll(/[?$]([\p{L}\p{N}\p{M}_\u00b7\u203f\u2040]+)/gu), ([, name]) => name),
  );
  const hide = <T extends PatternTerm | null>(term: T): T | PatternTerm => {
    if (term?.kind !== 'variable' || term.name.startsWith('_:') || written.has(term.name)) return term;
    return { kind: 'variable', name: `_:${term.name}` };
  };
  return rewriteUp(algebra, (node) => {
    if (node.kind !== 'patterns') return node;
    return {
      kind: 'patterns',
      patterns: node.patterns.map((pattern) => ({ ...pattern, s: hide(pattern.s), o: hide(pattern.o) })),
    };
  });
}
