/**
 * Value -> literal: the lexical form of what a query has computed. Canonical as in XSD 1.1:
 * `2` for a whole decimal, `1.5E0` for doubles and floats, `-0.0E0`, `INF`, `NaN`; dates and times
 * stay in their zone. `castToString` is what `xsd:string(...)` gives instead (XPath casting).
 */

import { getOrInsert } from '../../base/maps.js';
import { type Literal, type NamedNode, terms, XSD } from '../terms.js';
import { decimalText } from './decimal.js';
import { durationText } from './duration.js';
import { temporalText } from './temporal.js';
import type { Value } from './value.js';

/** The literal of a value, in its canonical lexical form. */
export function literalOf(value: Value): Literal {
  if (value.kind === 'langString') {
    if (value.direction === '') return terms.literal(value.value, value.language);
    return terms.literal(value.value, { language: value.language, direction: value.direction });
  }
  return value.kind === 'string' ? terms.literal(value.value) : terms.literal(lexicalOf(value), nodeOf(value));
}

type WithDatatype = Exclude<Value, { kind: 'langString' }>;

/** Datatypes of known values by kind of value, or by type of duration. */
const NODES = new Map<string, NamedNode>();

function nodeOf(value: WithDatatype): NamedNode {
  if (value.kind === 'illTyped' || value.kind === 'opaque') return terms.namedNode(value.datatype);
  const name = value.kind === 'duration' ? value.type : value.kind;
  return getOrInsert(NODES, name, () => terms.namedNode(XSD + name));
}

export function datatypeOf(value: WithDatatype): string {
  return nodeOf(value).value;
}

export function lexicalOf(value: Value): string {
  switch (value.kind) {
    case 'integer':
    case 'boolean':
      return String(value.value);
    case 'decimal':
      return decimalText(value);
    case 'double':
      return doubleText(value.value);
    case 'float':
      return floatText(value.value);
    case 'string':
    case 'langString':
      return value.value;
    case 'duration':
      return durationText(value);
    case 'illTyped':
    case 'opaque':
      return value.lexical;
    default:
      return temporalText(value);
  }
}

/** `1.0E0`: the fewest digits that give the same double again. */
export function doubleText(value: number): string {
  return special(value) ?? exponential(value.toExponential());
}

/** The fewest digits that give the same float again. */
export function floatText(value: number): string {
  return special(value) ?? exponential(shortestFloat(value));
}

/** Smaller floats are further apart in proportion. */
const FLOAT_NORMAL_MIN = 2 ** -126;

/**
 * At most nine digits tell two floats apart. Numbers of six are so far apart that where one of them gives the float, no
 * other does, and one of fewer digits is the same with zeros at the end.
 */
function shortestFloat(value: number): string {
  const first = Math.abs(value) < FLOAT_NORMAL_MIN ? 0 : 5;
  for (let digits = first; digits < 8; digits++) {
    const text = value.toExponential(digits);
    if (Math.fround(Number(text)) === value) return digits === 5 ? text.replace(/\.?0+e/, 'e') : text;
  }
  return value.toExponential(8);
}

function special(value: number): string | null {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'INF' : '-INF';
  return value === 0 ? (Object.is(value, -0) ? '-0.0E0' : '0.0E0') : null;
}

/** `1.5e+21` -> `1.5E21`, with a point in every mantissa. */
function exponential(text: string): string {
  const [mantissa = '', exponent = '0'] = text.split('e');
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
}

/** The string that a cast to xsd:string gives: doubles of middle size without an exponent. */
export function castToString(value: Value): string {
  if (value.kind !== 'double' && value.kind !== 'float') return lexicalOf(value);
  if (value.value === 0) return Object.is(value.value, -0) ? '-0' : '0';
  const size = Math.abs(value.value);
  if (!(size >= 1e-6 && size < 1e6)) return lexicalOf(value);
  return plain(value.kind === 'float' ? shortestFloat(value.value) : value.value.toExponential());
}

/** `1.5e-3` -> `0.0015`. */
function plain(text: string): string {
  const negative = text.startsWith('-');
  const [mantissa = '', exponent = '0'] = (negative ? text.slice(1) : text).split('e');
  const digits = mantissa.replace('.', '');
  const point = Number(exponent) + 1;
  const padding = point <= 0 ? `0.${'0'.repeat(-point)}${digits}` : digits.padEnd(point, '0');
  const whole = point > 0 && padding.length > point ? `${padding.slice(0, point)}.${padding.slice(point)}` : padding;
  const trimmed = whole.includes('.') ? whole.replace(/\.?0+$/, '') : whole;
  return `${negative ? '-' : ''}${trimmed}`;
}
