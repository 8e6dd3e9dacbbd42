/**
 * The text of a query to our algebra. A parsed query depends on its text and base IRI alone, so the
 * last few are kept: the fastest questions spend most of their time here.
 */

import { BoundedMap } from '../../base/bounded-map.js';
import { SvcError } from '../../base/errors.js';
import type { ParsedQuery } from '../algebra/algebra.js';
import { numberSolutions } from '../algebra/number-solutions.js';
import { tooDeep } from './guard.js';
import { positionAt } from './position.js';
import { skeletonOf } from './templates/fingerprint.js';
import { type Shaped, Shapes } from './templates/query-templates.js';
import { translateQuery } from './translate.js';
import { type ParseOptions, parseWithTraqula, selectText } from './traqula.js';

/** A parsed query takes a few kilobytes; long texts are rarely asked twice. */
const CACHED_QUERIES_MAX = 500;
const CACHED_TEXT_MAX = 10_000;

const cache = new BoundedMap<ParsedQuery>(CACHED_QUERIES_MAX);

export function parseQuery(text: string, options: ParseOptions = {}): ParsedQuery {
  const key = `${options.baseIri ?? ''}\n${text}`;
  const known = cache.use(key);
  if (known !== undefined) return known;
  const parsed = parseFresh(text, options);
  if (text.length <= CACHED_TEXT_MAX) cache.set(key, parsed);
  return parsed;
}

const shapes = new Shapes();

/** The text as a template and values, where another text of its shape was parsed; such a text need not be. */
export function shapeOf(text: string, options: ParseOptions = {}): Shaped | null {
  if (text.length > CACHED_TEXT_MAX) return null;
  const skeleton = skeletonOf(text);
  if (skeleton === null) return null;
  const parse = (one: string): ParsedQuery => (one === text ? parseQuery(text, options) : parseFresh(one, options));
  return shapes.find(options.baseIri ?? '', skeleton, parse, text);
}

function parseFresh(text: string, options: ParseOptions): ParsedQuery {
  const result = parseWithTraqula(text, options);
  if (result.kind === 'update') {
    if (result.operations.length === 0) {
      throw new SvcError('parse_error', 'the text holds no query', { position: positionAt(text, text.length) });
    }
    throw new SvcError('invalid_request', 'the text is an update, not a query', { hint: 'run it with update' });
  }
  try {
    const { star, baseIri } = result;
    const query = translateQuery(result.algebra, { text, star, serviceQuery: selectText, baseIri });
    return { ...query, algebra: numberSolutions(query.algebra) };
  } catch (error) {
    throw error instanceof RangeError ? tooDeep('its expressions or blocks nest too deeply') : error;
  }
}
