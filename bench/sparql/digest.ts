/**
 * Digests of answers that do not depend on the sequence of rows. Blank nodes never count by their label. `loose`
 * compares numbers by value (9 significant digits) and date-times without a zero zone; `strict` keeps lexical forms and
 * datatypes. Equal loose digests of as many rows are what the benchmark calls the same answer.
 */
import { createHash } from 'node:crypto';
import { SvcError } from '../../engine/base/errors.js';
import type { Form } from './query-set.js';

export interface Digest {
  readonly rows: number;
  readonly strict: string;
  readonly loose: string;
}

interface JsonTerm {
  readonly type: string;
  readonly value: string;
  readonly 'xml:lang'?: string | undefined;
  readonly datatype?: string | undefined;
}

type JsonRow = Readonly<Record<string, JsonTerm>>;

interface JsonAnswer {
  readonly boolean?: boolean;
  readonly results?: { readonly bindings: readonly JsonRow[] };
}

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const NUMBERS = new Set(
  [
    ...['integer', 'decimal', 'double', 'float', 'int', 'long', 'short', 'byte', 'unsignedInt', 'unsignedLong'],
    ...['nonNegativeInteger', 'positiveInteger', 'nonPositiveInteger', 'negativeInteger'],
  ].map((name) => XSD + name),
);
const SIGNIFICANT_DIGITS = 9;
const SUM_BITS = 64;

/** SPARQL JSON, or N-Triples for a graph. */
export function digestAnswer(body: Buffer, form: Form): Digest {
  if (form === 'CONSTRUCT' || form === 'DESCRIBE') return digestTriples(body.toString());
  const answer = JSON.parse(body.toString()) as JsonAnswer;
  const bindings = answer.results?.bindings ?? [];
  if (form === 'ASK') {
    // Some servers answer with a table of one row.
    const value = answer.boolean ?? (bindings.length > 0 && !['0', 'false'].includes(firstValue(bindings[0]) ?? ''));
    return { rows: 1, strict: String(value), loose: String(value) };
  }
  const sum = new DigestSum();
  for (const row of bindings) {
    const names = Object.keys(row).sort();
    const render = (loose: boolean): string =>
      names.map((name) => `${name}=${renderTerm(row[name] as JsonTerm, loose)}`).join('\t');
    sum.add(render(false), render(true));
  }
  return sum.digest();
}

function firstValue(row: JsonRow | undefined): string | undefined {
  return Object.values(row ?? {})[0]?.value;
}

/** Sums of hashes: the sequence does not matter, the number of equal rows does. */
class DigestSum {
  #rows = 0;
  #strict = 0n;
  #loose = 0n;

  add(strict: string, loose: string): void {
    this.#rows++;
    const hash = hashOf(strict);
    this.#strict = BigInt.asUintN(SUM_BITS, this.#strict + hash);
    this.#loose = BigInt.asUintN(SUM_BITS, this.#loose + (strict === loose ? hash : hashOf(loose)));
  }

  digest(): Digest {
    return { rows: this.#rows, strict: this.#strict.toString(16), loose: this.#loose.toString(16) };
  }
}

function hashOf(text: string): bigint {
  return createHash('md5').update(text).digest().readBigUInt64LE(0);
}

function renderTerm(term: JsonTerm, loose: boolean): string {
  if (term.type === 'uri') return `<${term.value}>`;
  if (term.type === 'bnode') return '_:';
  const language = (term['xml:lang'] ?? '').toLowerCase();
  const datatype = language !== '' || term.datatype === `${XSD}string` ? '' : (term.datatype ?? '');
  if (loose && NUMBERS.has(datatype)) return `number ${Number(Number(term.value).toPrecision(SIGNIFICANT_DIGITS))}`;
  if (loose && (datatype === `${XSD}dateTime` || datatype === `${XSD}date`)) {
    return `time ${term.value.replace(/\.0+(?=Z|[+-]|$)/, '').replace(/(Z|[+-]00:00)$/, '')}`;
  }
  const end = language !== '' ? `@${language}` : datatype !== '' ? `^^${datatype}` : '';
  return `"${term.value}"${end}`;
}

const TRIPLE =
  /^(<[^>]*>|_:\S+)\s+(<[^>]*>)\s+(<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^>]*>)?)\s*\.\s*$/;
const LITERAL = /^"((?:[^"\\]|\\.)*)"(?:@(\S+)|\^\^<([^>]*)>)?$/s;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

function digestTriples(text: string): Digest {
  const sum = new DigestSum();
  for (const line of new Set(text.split('\n').map((one) => one.trim()))) {
    if (line === '' || line.startsWith('#')) continue;
    const match = TRIPLE.exec(line);
    if (match === null) throw new SvcError('invalid_request', `not N-Triples: ${line.slice(0, 120)}`);
    const terms = match.slice(1, 4).map(toJsonTerm);
    const render = (loose: boolean): string => terms.map((term) => renderTerm(term, loose)).join(' ');
    sum.add(render(false), render(true));
  }
  return sum.digest();
}

function toJsonTerm(text: string): JsonTerm {
  if (text.startsWith('<')) return { type: 'uri', value: unescaped(text.slice(1, -1)) };
  if (text.startsWith('_')) return { type: 'bnode', value: '' };
  const [, value, language, datatype] = LITERAL.exec(text) as RegExpExecArray;
  return { type: 'literal', value: unescaped(value as string), 'xml:lang': language, datatype };
}

function unescaped(text: string): string {
  return text.replace(/\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|\\(.)/g, (_, short, long, other: string) =>
    other === undefined ? String.fromCodePoint(Number.parseInt(short ?? long, 16)) : (ESCAPED[other] ?? other),
  );
}
