/** The SQL of Spark, with ANSI rules (`spark.sql.ansi.enabled`, on by default since Spark 4). */

import { COMMON, DECIMAL_TYPE, type Dialect, infix, named } from './dialect.js';

const STORE = 'ask DuckDB or the store itself';

function refuse(message: string, type: string): string {
  return `CAST(raise_error(${text(`svc-refused: ${message}`)}) AS ${type})`;
}

/** Backslashes begin escapes, and `$` a variable. */
function text(value: string): string {
  const escaped = value.replace(/[\\'"$]|\p{Cc}/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `'${escaped}'`;
}

const FLOAT_OVERFLOW = "CAST('3.4028235677973366e38' AS DOUBLE)";

function toFloat(a: string): string {
  const infinite = `CASE WHEN ${a} > 0 THEN CAST('Infinity' AS DOUBLE) ELSE CAST('-Infinity' AS DOUBLE) END`;
  return `(CASE WHEN NOT isnan(${a}) AND abs(${a}) >= ${FLOAT_OVERFLOW} THEN ${infinite} ELSE CAST(CAST(${a} AS FLOAT) AS DOUBLE) END)`;
}

/** Doubles: a quotient by zero is infinite, or no number. */
function over(a: string, b: string): string {
  const zero = `CASE WHEN isnan(${a}) OR ${a} = 0 THEN CAST('NaN' AS DOUBLE) WHEN (${a} > 0) = (CAST(${b} AS STRING) LIKE '-%') THEN CAST('-Infinity' AS DOUBLE) ELSE CAST('Infinity' AS DOUBLE) END`;
  return `(CASE WHEN ${b} = 0 THEN ${zero} ELSE try_divide(${a}, ${b}) END)`;
}

function divide(a: string, b: string): string {
  const digits = (value: string): string =>
    `length(ltrim('0', replace(CAST(CAST(abs(${value}) AS ${DECIMAL_TYPE}) AS STRING), '.', '')))`;
  const quotient = `CAST(CAST(${a} AS ${DECIMAL_TYPE}) / CAST(${b} AS DECIMAL(19, 0)) AS ${DECIMAL_TYPE})`;
  return `(CASE WHEN ${a} = 0 THEN CAST(0 AS ${DECIMAL_TYPE}) WHEN ${b} = floor(${b}) AND ${digits(b)} <= ${digits(a)} THEN ${quotient} ELSE ${refuse('a quotient by a fraction, or of more digits than DECIMAL(38, 18)', DECIMAL_TYPE)} END)`;
}

function multiply(a: string, b: string): string {
  const isWhole = (value: string): string => `${value} = floor(${value}) AND abs(${value}) < 10000000000`;
  const fits = (value: string): string => `abs(${value}) < 1000000000 AND ${value} = round(${value}, 9)`;
  const whole = `CAST(CAST(${a} AS DECIMAL(18, 0)) * CAST(${b} AS DECIMAL(18, 0)) AS ${DECIMAL_TYPE})`;
  const product = `CAST(CAST(${a} AS DECIMAL(18, 9)) * CAST(${b} AS DECIMAL(18, 9)) AS ${DECIMAL_TYPE})`;
  return `(CASE WHEN ${isWhole(a)} AND ${isWhole(b)} THEN ${whole} WHEN ${fits(a)} AND ${fits(b)} THEN ${product} ELSE ${refuse('a product has more digits than DECIMAL(38, 18)', DECIMAL_TYPE)} END)`;
}

function decimalOfDouble(a: string): string {
  const whole = `${a} = floor(${a}) AND abs(${a}) < CAST('1e15' AS DOUBLE)`;
  return `(CASE WHEN ${whole} THEN CAST(CAST(${a} AS BIGINT) AS ${DECIMAL_TYPE}) ELSE ${refuse('a double is no decimal of so many digits', DECIMAL_TYPE)} END)`;
}

export const SPARK: Dialect = {
  name: 'spark',
  title: 'Spark',
  types: {
    bigint: 'BIGINT',
    int: 'INT',
    double: 'DOUBLE',
    decimal: DECIMAL_TYPE,
    timestamp: 'TIMESTAMP',
    varchar: 'STRING',
    boolean: 'BOOLEAN',
  },
  functions: {
    ...COMMON,
    isSame: infix('<=>'),
    over: ([a, b]) => over(a as string, b as string),
    isNaN: named('isnan'),
    floorDouble: ([a]) => `CAST(floor(${a}) AS DOUBLE)`,
    ceilDouble: ([a]) => `CAST(ceil(${a}) AS DOUBLE)`,
    roundDouble: { lacks: 'ROUND of doubles', instead: STORE },
    truncateDouble: ([a]) => `CAST((CASE WHEN ${a} < 0 THEN ceil(${a}) ELSE floor(${a}) END) AS DOUBLE)`,
    toFloat: ([a]) => toFloat(a as string),
    multiplyDecimals: ([a, b]) => multiply(a as string, b as string),
    divideDecimals: ([a, b]) => divide(a as string, b as string),
    decimalOfDouble: ([a]) => decimalOfDouble(a as string),
    doubleOfDecimal: ([a]) => `CAST(CAST(${a} AS STRING) AS DOUBLE)`,
    doubleOfText: ([a]) =>
      `(CASE WHEN ${a} IN ('INF', '+INF') THEN CAST('Infinity' AS DOUBLE) WHEN ${a} = '-INF' THEN CAST('-Infinity' AS DOUBLE) ELSE CAST(${a} AS DOUBLE) END)`,
    decimalText: ([a]) => `rtrim('.', rtrim('0', CAST(CAST(${a} AS ${DECIMAL_TYPE}) AS STRING)))`,
    doubleText: {
      lacks: 'the text of a computed double',
      instead: `${STORE}, or leave out STR, DISTINCT and joins by it`,
    },
    floatText: {
      lacks: 'the text of a computed float',
      instead: `${STORE}, or leave out STR, DISTINCT and joins by it`,
    },
    concat: named('concat'),
    length: named('char_length'),
    isAscii: ([a]) => `(octet_length(${a}) = char_length(${a}))`,
    startsWith: named('startswith'),
    endsWith: named('endswith'),
    contains: named('contains'),
    position: named('instr'),
    matches: named('regexp_like'),
    extract: ([a, pattern]) => `regexp_extract(${a}, ${pattern}, 1)`,
    replaceAll: named('regexp_replace'),
    encodeForUri: { lacks: 'ENCODE_FOR_URI', instead: STORE },
    md5: named('md5'),
    sha1: named('sha1'),
    sha256: ([a]) => `sha2(${a}, 256)`,
    sha384: ([a]) => `sha2(${a}, 384)`,
    sha512: ([a]) => `sha2(${a}, 512)`,
    micros: named('unix_micros'),
    intOfText: ([a]) => `CAST(${a} AS BIGINT)`,
    textOfInt: ([a]) => `CAST(${a} AS STRING)`,
    random: () => 'rand()',
    uuid: () => 'uuid()',
    joinTexts: ([a, separator, order]) =>
      order === undefined
        ? `array_join(collect_list(${a}), ${separator})`
        : `listagg(${a}, ${separator}) WITHIN GROUP (ORDER BY ${order})`,
    anyTrue: named('bool_or'),
    leastPair: ([a, b]) => `min(struct(${a} AS a, ${b} AS b)).b`,
    greatestPair: ([a, b]) => `max(struct(${a} AS a, ${b} AS b)).b`,
  },
  text,
  quoted: (name) => `\`${name.replaceAll('`', '``')}\``,
  refuse,
  recursion: {
    lacks: 'a path of any length: recursive parts with UNION',
    instead: 'ask DuckDB or the store itself, or write the path out for the lengths that you need',
  },
  semiJoin: ['LEFT SEMI JOIN', 'LEFT ANTI JOIN'],
  table: (name) => name,
};
