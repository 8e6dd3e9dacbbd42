/** The SQL of Trino. Its text is held against Trino's own parser; no Trino has run it yet. */

import { COMMON, DECIMAL_TYPE, type Dialect, infix, named } from './dialect.js';

const STORE = 'ask DuckDB or the store itself';

function refuse(message: string, type: string): string {
  return `CAST(fail(${text(`svc-refused: ${message}`)}) AS ${type})`;
}

/** Characters beyond printable ASCII by their number. */
function text(value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  const escaped = [...value].map((one) => {
    const point = one.codePointAt(0) as number;
    if (one === '\\') return '\\\\';
    if (one === "'") return "''";
    if (point >= 0x20 && point <= 0x7e) return one;
    return point > 0xffff ? `\\+${point.toString(16).padStart(6, '0')}` : `\\${point.toString(16).padStart(4, '0')}`;
  });
  return `U&'${escaped.join('')}'`;
}

const bytes = (value: string | undefined): string => `to_utf8(${value})`;
const hex = (name: string) => (args: readonly string[]) => `lower(to_hex(${name}(${bytes(args[0])})))`;

function divide(a: string, b: string): string {
  const size = (value: string): string => `length(ltrim(replace(CAST(abs(${value}) AS VARCHAR), '.', ''), '0'))`;
  return `(CASE WHEN ${a} = DECIMAL '0' THEN CAST(0 AS ${DECIMAL_TYPE}) WHEN ${b} = floor(${b}) AND ${size(b)} <= ${size(a)} THEN CAST(CAST(${a} AS ${DECIMAL_TYPE}) / CAST(${b} AS DECIMAL(19, 0)) AS ${DECIMAL_TYPE}) ELSE ${refuse('a quotient by a fraction, or of more digits than DECIMAL(38, 18)', DECIMAL_TYPE)} END)`;
}

export const TRINO: Dialect = {
  name: 'trino',
  title: 'Trino',
  types: {
    bigint: 'BIGINT',
    int: 'INTEGER',
    double: 'DOUBLE',
    decimal: DECIMAL_TYPE,
    timestamp: 'TIMESTAMP(6)',
    varchar: 'VARCHAR',
    boolean: 'BOOLEAN',
  },
  functions: {
    ...COMMON,
    isSame: infix('IS NOT DISTINCT FROM'),
    over: infix('/'),
    isNaN: named('is_nan'),
    toFloat: ([a]) => `CAST(CAST(${a} AS REAL) AS DOUBLE)`,
    multiplyDecimals: ([a, b]) => {
      const fits = (value: string | undefined): string =>
        `abs(${value}) < 1000000000 AND ${value} = round(${value}, 9)`;
      return `(CASE WHEN ${fits(a)} AND ${fits(b)} THEN CAST(CAST(${a} AS DECIMAL(18, 9)) * CAST(${b} AS DECIMAL(18, 9)) AS ${DECIMAL_TYPE}) ELSE ${refuse('a product has more digits than DECIMAL(38, 18)', DECIMAL_TYPE)} END)`;
    },
    divideDecimals: ([a, b]) => divide(a as string, b as string),
    decimalOfDouble: ([a]) =>
      `(CASE WHEN ${a} = floor(${a}) AND abs(${a}) < 1e15 THEN CAST(CAST(${a} AS BIGINT) AS ${DECIMAL_TYPE}) ELSE ${refuse('a double is no decimal of so many digits', DECIMAL_TYPE)} END)`,
    doubleOfDecimal: ([a]) => `CAST(CAST(${a} AS VARCHAR) AS DOUBLE)`,
    doubleOfText: ([a]) =>
      `(CASE WHEN ${a} IN ('INF', '+INF') THEN infinity() WHEN ${a} = '-INF' THEN -infinity() ELSE CAST(${a} AS DOUBLE) END)`,
    decimalText: ([a]) => `rtrim(rtrim(CAST(CAST(${a} AS ${DECIMAL_TYPE}) AS VARCHAR), '0'), '.')`,
    doubleText: { lacks: 'the text of a computed double', instead: STORE },
    floatText: { lacks: 'the text of a computed float', instead: STORE },
    concat: infix('||'),
    isAscii: ([a]) => `(length(${bytes(a)}) = length(${a}))`,
    startsWith: named('starts_with'),
    endsWith: ([a, b]) => `(substr(${a}, greatest(length(${a}) - length(${b}), 0) + 1) = ${b} OR ${b} = '')`,
    contains: ([a, b]) => `(strpos(${a}, ${b}) > 0)`,
    position: named('strpos'),
    matches: named('regexp_like'),
    extract: ([a, pattern]) => `regexp_extract(${a}, ${pattern}, 1)`,
    replaceAll: named('regexp_replace'),
    encodeForUri: { lacks: 'ENCODE_FOR_URI', instead: STORE },
    md5: hex('md5'),
    sha1: hex('sha1'),
    sha256: hex('sha256'),
    sha384: { lacks: 'SHA384', instead: 'use SHA256' },
    sha512: hex('sha512'),
    micros: ([a]) => `CAST(round(to_unixtime(${a}) * 1000000) AS BIGINT)`,
    intOfText: ([a]) => `CAST(${a} AS BIGINT)`,
    textOfInt: ([a]) => `CAST(${a} AS VARCHAR)`,
    random: () => 'random()',
    uuid: () => 'CAST(uuid() AS VARCHAR)',
    joinTexts: ([a, separator, order]) =>
      `array_join(array_agg(${a}${order === undefined ? '' : ` ORDER BY ${order}`}), ${separator})`,
    anyTrue: named('bool_or'),
    leastPair: ([a, b]) => `min(ROW(${a}, ${b}))[2]`,
    greatestPair: ([a, b]) => `max(ROW(${a}, ${b}))[2]`,
  },
  text,
  quoted: (name) => `"${name.replaceAll('"', '""')}"`,
  refuse,
  recursion: {
    lacks: 'a path of any length: its recursion is bounded',
    instead: 'ask DuckDB or the store itself, or write the path out for the lengths that you need',
  },
  semiJoin: null,
  table: (name) => name,
};
