/** Casts (SPARQL 1.1, 17.5) and rounding, from the text of exact decimals. */

import { type Literal, type Term, terms, XSD, XSD_STRING } from '../../../engine/rdf/terms.js';
import { parseDecimal } from '../../../engine/rdf/values/decimal.js';
import {
  castToString,
  decimalText,
  isNumeric,
  literalOf,
  parseValue,
  type Value,
} from '../../../engine/rdf/values/index.js';

type Result = Term | null;

/** An exact decimal as its digits; null for INF and NaN. */
function exactText(value: Value): string | null {
  switch (value.kind) {
    case 'integer':
      return String(value.value);
    case 'decimal':
      return decimalText(value);
    case 'float':
    case 'double':
      return Number.isFinite(value.value) ? exactDouble(value.value) : null;
    default:
      return null;
  }
}

/** All digits of a double: halves have finitely many. */
function exactDouble(value: number): string {
  let [numerator, scale] = [value, 0];
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    scale++;
  }
  const digits = (BigInt(numerator) * 5n ** BigInt(scale)).toString();
  if (scale === 0) return digits;
  const negative = digits.startsWith('-');
  const padded = digits.replace('-', '').padStart(scale + 1, '0');
  return `${negative ? '-' : ''}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

export type Rounding = 'round' | 'ceil' | 'floor';

export function roundTerm(term: Term, mode: Rounding): Result {
  if (term.termType !== 'Literal') return null;
  const value = parseValue(term);
  if (!isNumeric(value)) return null;
  if (value.kind === 'integer') return literalOf(value);
  if (value.kind === 'float' || value.kind === 'double') {
    // Halves go up, and what becomes zero keeps its sign.
    const whole = {
      round: Math.floor(value.value + 0.5),
      ceil: Math.ceil(value.value),
      floor: Math.floor(value.value),
    }[mode];
    return literalOf({ ...value, value: whole === 0 && (value.value < 0 || Object.is(value.value, -0)) ? -0 : whole });
  }
  const { unscaled, scale } = value;
  const unit = 10n ** BigInt(scale);
  const down = (amount: bigint): bigint => (amount >= 0n ? amount / unit : -((-amount + unit - 1n) / unit));
  const whole = mode === 'floor' ? down(unscaled) : mode === 'ceil' ? -down(-unscaled) : down(2n * unscaled + unit);
  const result = mode === 'round' ? (whole >= 0n ? whole / 2n : -((-whole + 1n) / 2n)) : whole;
  return literalOf({ kind: 'decimal', ...parseDecimal(String(result)) });
}

export function castTerm(datatype: string, term: Term): Result {
  const name = datatype.startsWith(XSD) ? datatype.slice(XSD.length) : '';
  if (name === 'string') return castString(term);
  if (term.termType !== 'Literal') return null;
  const value = parseValue(term);
  if (value.kind === 'illTyped' || value.kind === 'opaque' || value.kind === 'langString') return null;
  if (value.kind === 'string') return castLexical(datatype, term.value);
  switch (name) {
    case 'boolean':
      if (value.kind === 'boolean') return literalOf(value);
      if (!isNumeric(value)) return null;
      return plain(
        'boolean',
        String(
          !(value.kind === 'decimal'
            ? value.unscaled === 0n
            : Number(value.value) === 0 || Number.isNaN(Number(value.value))),
        ),
      );
    case 'integer': {
      const text = value.kind === 'boolean' ? String(Number(value.value)) : exactText(value);
      return text === null ? null : plain('integer', BigInt(text.split('.')[0] as string).toString());
    }
    case 'decimal': {
      const text = value.kind === 'boolean' ? String(Number(value.value)) : exactText(value);
      return text === null ? null : castLexical(datatype, text);
    }
    case 'float':
    case 'double': {
      if (value.kind === 'boolean') return literalOf({ kind: name, value: Number(value.value) });
      if (value.kind === 'float' || value.kind === 'double') {
        return literalOf({ kind: name, value: name === 'float' ? Math.fround(value.value) : value.value });
      }
      const text = exactText(value);
      return text === null ? null : castLexical(datatype, text);
    }
    case 'dateTime':
      return value.kind === 'dateTime' ? literalOf(value) : value.kind === 'date' ? castDate(term) : null;
    default:
      return null;
  }
}

function castString(term: Term): Result {
  if (term.termType === 'NamedNode') return terms.literal(term.value);
  if (term.termType !== 'Literal') return null;
  const value = parseValue(term);
  // 17.5 does not list language strings; engines give their text.
  return terms.literal(value.kind === 'langString' ? term.value : castToString(value));
}

function castLexical(datatype: string, lexical: string): Result {
  const trimmed = datatype === XSD_STRING ? lexical : lexical.trim();
  const value = parseValue(terms.literal(trimmed, terms.namedNode(datatype)));
  return value.kind === 'illTyped' || value.kind === 'opaque' ? null : literalOf(value);
}

function castDate({ value }: Literal): Result {
  const [, day, zone = ''] = /^\s*(-?\d+-\d\d-\d\d)(Z|[+-]\d\d:\d\d)?\s*$/.exec(value) ?? [];
  return day === undefined ? null : castLexical(`${XSD}dateTime`, `${day}T00:00:00${zone}`);
}

function plain(type: string, lexical: string): Term {
  return terms.literal(lexical, terms.namedNode(XSD + type));
}
