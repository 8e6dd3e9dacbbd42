/** The SQL of DuckDB. */

import { COMMON, DECIMAL_TYPE, type Dialect, infix, named } from './dialect.js';

/** From here on a double is rounded to an infinite float. */
const FLOAT_OVERFLOW = "CAST('3.4028235677973366e38' AS DOUBLE)";

function toFloat(value: string): string {
  const infinite = `CASE WHEN ${value} > 0 THEN CAST('Infinity' AS DOUBLE) ELSE CAST('-Infinity' AS DOUBLE) END`;
  return `(CASE WHEN NOT isnan(${value}) AND abs(${value}) >= ${FLOAT_OVERFLOW} THEN ${infinite} ELSE CAST(CAST(${value} AS FLOAT) AS DOUBLE) END)`;
}

/** A value under a name, for a text that reads it more than once. */
function let_(name: string, value: string, text: string): string {
  return `list_transform([${value}], lambda ${name}: ${text})[1]`;
}

/** `1.5E0`: the shortest digits, which DuckDB writes in other forms. */
function floatingText(value: string, type: 'DOUBLE' | 'FLOAT'): string {
  const digits = let_(
    'w',
    `{'d': ltrim(v.i || v.f, '0'), 'x': v.e + CASE WHEN v.i <> '0' THEN length(v.i) - 1 ELSE length(ltrim(v.f, '0')) - length(v.f) - 1 END}`,
    `substring(w.d, 1, 1) || '.' || CASE WHEN rtrim(substring(w.d, 2), '0') = '' THEN '0' ELSE rtrim(substring(w.d, 2), '0') END || 'E' || CAST(w.x AS VARCHAR)`,
  );
  const parts = let_(
    'v',
    `{'i': split_part(split_part(u, 'e', 1), '.', 1), 'f': split_part(split_part(u, 'e', 1), '.', 2), 'e': coalesce(TRY_CAST(split_part(u, 'e', 2) AS INTEGER), 0)}`,
    digits,
  );
  const shortest = let_('u', `CAST(abs(CAST(${value} AS ${type})) AS VARCHAR)`, parts);
  const sign = `CASE WHEN starts_with(CAST(${value} AS VARCHAR), '-') THEN '-' ELSE '' END`;
  return `(CASE WHEN isnan(${value}) THEN 'NaN' WHEN isinf(${value}) THEN ${sign} || 'INF' WHEN ${value} = 0 THEN ${sign} || '0.0E0' ELSE ${sign} || ${shortest} END)`;
}

/** Integers exactly; others where both have at most nine digits on each side of the point. */
function multiply(a: string, b: string): string {
  const isWhole = (value: string): string => `${value} = floor(${value})`;
  const fits = (value: string): string => `abs(${value}) < 1000000000 AND ${value} = round(${value}, 9)`;
  const whole = `CAST(CAST(${a} AS HUGEINT) * CAST(${b} AS HUGEINT) AS ${DECIMAL_TYPE})`;
  const product = `CAST(CAST(${a} AS DECIMAL(18, 9)) * CAST(${b} AS DECIMAL(19, 9)) AS ${DECIMAL_TYPE})`;
  return `(CASE WHEN ${isWhole(a)} AND ${isWhole(b)} THEN ${whole} WHEN ${fits(a)} AND ${fits(b)} THEN ${product} ELSE ${refuse('a product of decimals has more digits than DECIMAL(38, 18)', DECIMAL_TYPE)} END)`;
}

const UNIT = "CAST('1000000000000000000' AS HUGEINT)";

/** 18 digits behind the point, the last one rounded; a quotient that needs more of them is refused. */
function divide(a: string, b: string): string {
  const unscaled = (value: string): string =>
    `CAST(replace(CAST(CAST(${value} AS ${DECIMAL_TYPE}) AS VARCHAR), '.', '') AS HUGEINT)`;
  const long = refuse('a quotient has more digits than DECIMAL(38, 18)', 'HUGEINT');
  const rounded = (q: string, r: string, d: string): string =>
    `(${q} + CASE WHEN ${r} = 0 THEN 0 WHEN w.x > w.y THEN ${long} WHEN abs(${r}) * 2 < abs(${d}) THEN 0 WHEN (${r} < 0) = (${d} < 0) THEN 1 ELSE -1 END)`;
  const byWhole = let_('z', `{'d': w.b // ${UNIT}}`, rounded('(w.a // z.d)', '(w.a % z.d)', 'z.d'));
  const byShort = let_(
    'z',
    `{'q': (w.a // w.b) * ${UNIT} + ((w.a % w.b) * ${UNIT}) // w.b, 'r': ((w.a % w.b) * ${UNIT}) % w.b}`,
    rounded('z.q', 'z.r', 'w.b'),
  );
  const short = `abs(w.b) < CAST('100000000000000000000' AS HUGEINT)`;
  const digits = (value: string): string => `length(CAST(abs(${value}) AS VARCHAR))`;
  const quotient = let_(
    'w',
    `{'a': v.a, 'b': v.b, 'x': ${digits('v.b')}, 'y': ${digits('v.a')}}`,
    `CASE WHEN w.a = 0 THEN 0 WHEN w.b % ${UNIT} = 0 THEN ${byWhole} WHEN ${short} THEN ${byShort} ELSE ${long} END`,
  );
  const whole = let_('v', `{'a': ${unscaled(a)}, 'b': ${unscaled(b)}}`, quotient);
  return scaled(whole);
}

/** A whole number of units of the last digit as a decimal. */
function scaled(value: string): string {
  return let_(
    't',
    value,
    `CAST(CAST(t // ${UNIT} AS ${DECIMAL_TYPE}) + CAST(CAST(t % ${UNIT} AS DECIMAL(19, 0)) * CAST('0.000000000000000001' AS DECIMAL(18, 18)) AS DECIMAL(37, 18)) AS ${DECIMAL_TYPE})`,
  );
}

function decimalOfDouble(value: string): string {
  const whole = `${value} = floor(${value}) AND abs(${value}) < CAST('1e20' AS DOUBLE)`;
  const dyadic = `${value} * 1024 = floor(${value} * 1024) AND abs(${value}) < CAST('1e15' AS DOUBLE)`;
  const of = (digits: number): string => `CAST(printf('%.${digits}f', ${value}) AS ${DECIMAL_TYPE})`;
  return `(CASE WHEN ${whole} THEN ${of(0)} WHEN ${dyadic} THEN ${of(10)} ELSE ${refuse('a double is no decimal of so many digits', DECIMAL_TYPE)} END)`;
}

function refuse(message: string, type: string): string {
  return `CAST(error(${text(`svc-refused: ${message}`)}) AS ${type})`;
}

/** Control characters by their number, so that no client or editor changes them. */
function text(value: string): string {
  const parts = value.split(/(\p{Cc}+)/u).flatMap((part, at) => {
    if (at % 2 === 0) return part === '' ? [] : [`'${part.replaceAll("'", "''")}'`];
    return [...part].map((one) => `chr(${one.charCodeAt(0)})`);
  });
  if (parts.length === 0) return "''";
  return parts.length === 1 ? (parts[0] as string) : `(${parts.join(' || ')})`;
}

export const DUCKDB: Dialect = {
  name: 'duckdb',
  title: 'DuckDB',
  types: {
    bigint: 'BIGINT',
    int: 'INTEGER',
    double: 'DOUBLE',
    decimal: DECIMAL_TYPE,
    timestamp: 'TIMESTAMP',
    varchar: 'VARCHAR',
    boolean: 'BOOLEAN',
  },
  functions: {
    ...COMMON,
    isSame: infix('IS NOT DISTINCT FROM'),
    over: infix('/'),
    isNaN: named('isnan'),
    toFloat: ([a]) => toFloat(a as string),
    multiplyDecimals: ([a, b]) => multiply(a as string, b as string),
    divideDecimals: ([a, b]) => divide(a as string, b as string),
    decimalOfDouble: ([a]) => decimalOfDouble(a as string),
    doubleOfDecimal: ([a]) => `CAST(CAST(${a} AS VARCHAR) AS DOUBLE)`,
    doubleOfText: ([a]) =>
      `(CASE WHEN ${a} IN ('INF', '+INF') THEN CAST('Infinity' AS DOUBLE) WHEN ${a} = '-INF' THEN CAST('-Infinity' AS DOUBLE) ELSE CAST(${a} AS DOUBLE) END)`,
    decimalText: ([a]) => `rtrim(rtrim(CAST(CAST(${a} AS ${DECIMAL_TYPE}) AS VARCHAR), '0'), '.')`,
    doubleText: ([a]) => floatingText(a as string, 'DOUBLE'),
    floatText: ([a]) => floatingText(a as string, 'FLOAT'),
    concat: infix('||'),
    isAscii: ([a]) => `(strlen(${a}) = length(${a}))`,
    startsWith: named('starts_with'),
    endsWith: named('ends_with'),
    contains: named('contains'),
    position: named('strpos'),
    matches: named('regexp_matches'),
    extract: ([a, pattern]) => `regexp_extract(${a}, ${pattern}, 1)`,
    replaceAll: ([a, pattern, by]) => `regexp_replace(${a}, ${pattern}, ${by}, 'g')`,
    encodeForUri: named('url_encode'),
    md5: named('md5'),
    sha1: named('sha1'),
    sha256: named('sha256'),
    sha384: { lacks: 'SHA384', instead: 'use SHA256' },
    sha512: { lacks: 'SHA512', instead: 'use SHA256' },
    micros: named('epoch_us'),
    intOfText: ([a]) => `CAST(${a} AS BIGINT)`,
    textOfInt: ([a]) => `CAST(${a} AS VARCHAR)`,
    random: () => 'random()',
    uuid: () => 'CAST(uuid() AS VARCHAR)',
    joinTexts: ([a, separator, order]) =>
      `string_agg(${a}, ${separator}${order === undefined ? '' : ` ORDER BY ${order}`})`,
    anyTrue: named('bool_or'),
    leastPair: ([a, b]) => `min({'a': ${a}, 'b': ${b}}).b`,
    greatestPair: ([a, b]) => `max({'a': ${a}, 'b': ${b}}).b`,
  },
  text,
  quoted: (name) => `"${name.replaceAll('"', '""')}"`,
  refuse,
  recursion: 'yes',
  semiJoin: ['SEMI JOIN', 'ANTI JOIN'],
  table: (name) => name,
};
