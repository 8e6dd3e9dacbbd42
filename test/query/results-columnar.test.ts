/** Arrow and Parquet, read back by readers that are not ours. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Table, tableFromIPC } from 'apache-arrow';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { executeQuery, type ResultBatch, type SelectResult } from '../../engine/query/query.js';
import { encodeResult } from '../../engine/query/results/encode.js';
import { CHUNK_ROWS_MAX } from '../../engine/query/results/flat-columns.js';
import { type Term, terms } from '../../engine/rdf/terms.js';
import { PREFIXES, storeOf } from './support.js';

const EX = 'http://example.org/';
const XSD = 'http://www.w3.org/2001/XMLSchema#';

const DATA = `
:a :age 30 ; :name "Ann" ; :born "1990-02-03"^^xsd:date ; :seen "2024-05-06T07:08:09.123456Z"^^xsd:dateTime ; :ok true ; :size 1.5 ; :mixed 1 .
:b :age 4 ; :name "Zo\u00eb \u{1F600}"@en ; :born "1969-12-31"^^xsd:date ; :seen "1969-12-31T23:59:59Z"^^xsd:dateTime ; :ok false ; :size 2e0 ; :mixed "two" .
:c :age 9007199254740993 ; :name "" ; :knows _:x .
`;

async function encoded(text: string, format: 'arrow' | 'parquet', data = DATA): Promise<Uint8Array> {
  const result = await executeQuery((await storeOf(data)).snapshot(), PREFIXES + text);
  return gather(encodeResult(result, format));
}

async function gather(chunks: AsyncIterable<string | Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) {
    assert.ok(typeof chunk !== 'string');
    pieces.push(chunk);
  }
  return Buffer.concat(pieces);
}

type Plain = Record<string, unknown>;

function plain(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return value ?? null;
}

function arrowRows(table: Table): Plain[] {
  const names = table.schema.fields.map(({ name }) => name);
  return Array.from({ length: table.numRows }, (_, row) =>
    Object.fromEntries(names.map((name) => [name, plain(table.getChild(name)?.get(row))])),
  );
}

async function parquetRows(bytes: Uint8Array): Promise<Plain[]> {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const rows = await parquetReadObjects({ file });
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
}

/** The same rows in both formats. */
async function both(text: string, data = DATA): Promise<{ arrow: Plain[]; parquet: Plain[]; table: Table }> {
  const table = tableFromIPC(await encoded(text, 'arrow', data));
  return { table, arrow: arrowRows(table), parquet: await parquetRows(await encoded(text, 'parquet', data)) };
}

test('a variable becomes its text, its kind, its datatype and its language', async () => {
  const { arrow, parquet } = await both('SELECT ?n { ?s :name ?n } ORDER BY ?s');
  const string = `${XSD}string`;
  const expected = [
    { n: 'Ann', n_kind: 'literal', n_datatype: string, n_lang: null },
    {
      n: 'Zo\u00eb \u{1F600}',
      n_kind: 'literal',
      n_datatype: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString',
      n_lang: 'en',
    },
    { n: '', n_kind: 'literal', n_datatype: string, n_lang: null },
  ];
  assert.deepEqual(arrow, expected);
  assert.deepEqual(parquet, expected);
});

test('IRIs, blank nodes and unbound variables', async () => {
  const { arrow, parquet } = await both('SELECT ?s ?o ?u { ?s :knows ?o }');
  for (const [row] of [arrow, parquet]) {
    assert.equal(row?.s, `${EX}c`);
    assert.equal(row?.s_kind, 'iri');
    assert.equal(row?.s_datatype, null);
    assert.match(String(row?.o), /^_:d[0-9a-f]{16}/);
    assert.equal(row?.o_kind, 'bnode');
    assert.deepEqual([row?.u, row?.u_kind, row?.u_datatype, row?.u_lang], [null, null, null, null]);
    assert.equal('u_value' in (row as Plain), false);
  }
});

test('a column whose terms agree on a type has their values', async () => {
  const { arrow, parquet, table } = await both(
    'SELECT ?age ?born ?seen ?ok ?size ?mixed { ?s :age ?age ; :born ?born ; :seen ?seen ; :ok ?ok ; :size ?size ; :mixed ?mixed } ORDER BY ?age',
  );
  const types = Object.fromEntries(table.schema.fields.map(({ name, type }) => [name, String(type)]));
  assert.equal(types.age_value, 'Int64');
  assert.equal(types.born_value, 'Date32<DAY>');
  assert.equal(types.seen_value, 'Timestamp<MICROSECOND, UTC>');
  assert.equal(types.ok_value, 'Bool');
  assert.equal(types.size_value, 'Float64');
  assert.equal('mixed_value' in types, false);
  assert.deepEqual(
    arrow.map((row) => row.age_value),
    [4n, 30n],
  );
  assert.deepEqual(
    parquet.map((row) => row.age_value),
    [4n, 30n],
  );
  assert.deepEqual(
    arrow.map((row) => row.ok_value),
    [false, true],
  );
  assert.deepEqual(
    parquet.map((row) => row.ok_value),
    [false, true],
  );
  assert.deepEqual(
    arrow.map((row) => row.size_value),
    [2, 1.5],
  );
  assert.deepEqual(
    parquet.map((row) => row.size_value),
    [2, 1.5],
  );
  assert.deepEqual(
    arrow.map((row) => row.born_value),
    [Date.UTC(1969, 11, 31), Date.UTC(1990, 1, 3)],
  );
  assert.deepEqual(
    parquet.map((row) => row.born_value),
    ['1969-12-31T00:00:00.000Z', '1990-02-03T00:00:00.000Z'],
  );
  const seen = table.getChild('seen_value')?.data[0]?.values as BigInt64Array;
  assert.deepEqual([...seen.subarray(0, 2)], [-1_000_000n, 1_714_979_289_123_456n]);
  assert.deepEqual(
    parquet.map((row) => row.seen_value),
    ['1969-12-31T23:59:59.000Z', '2024-05-06T07:08:09.123Z'],
  );
});

test('integers beyond 2^53 are exact; beyond 64 bits the column is of doubles', async () => {
  const exact = await both('SELECT ?age { ?s :age ?age } ORDER BY ?age');
  assert.equal(exact.arrow[2]?.age_value, 9007199254740993n);
  assert.equal(exact.parquet[2]?.age_value, 9007199254740993n);
  const huge = await both('SELECT ?v { :s :v ?v } ORDER BY ?v', ':s :v 1, 12345678901234567890123 .');
  assert.deepEqual(
    huge.arrow.map((row) => row.v_value),
    [1, 12345678901234567890123n].map(Number),
  );
  assert.deepEqual(
    huge.parquet.map((row) => row.v),
    ['1', '12345678901234567890123'],
  );
});

test('NaN, infinities, ill-typed literals, local times, triple terms', async () => {
  const special = await both(
    'SELECT ?v { :s :v ?v }',
    ':s :v "NaN"^^xsd:double, "INF"^^xsd:double, "-INF"^^xsd:double .',
  );
  for (const rows of [special.arrow, special.parquet]) {
    assert.deepEqual(new Set(rows.map((row) => row.v_value)), new Set([Number.NaN, Infinity, -Infinity]));
  }
  const bad = await both('SELECT ?v { :s :v ?v }', ':s :v 1, "x"^^xsd:integer .');
  assert.equal('v_value' in (bad.arrow[0] as Plain), false);
  const local = tableFromIPC(
    await encoded('SELECT ?v { :s :v ?v }', 'arrow', ':s :v "2024-01-01T00:00:00"^^xsd:dateTime .'),
  );
  assert.equal(String(local.schema.fields[4]?.type), 'Timestamp<MICROSECOND>');
  const triple = await both('SELECT ?v { :s :v ?v }', ':s :v <<( :a :b "c" )>> .');
  assert.deepEqual(triple.arrow[0], { v: `<<( ${EX}a ${EX}b c )>>`, v_kind: 'triple', v_datatype: null, v_lang: null });
  assert.deepEqual(triple.parquet, triple.arrow);
});

test('names that are taken get an underscore more', async () => {
  const { arrow } = await both('SELECT ?x ?x_kind { ?x_kind :knows ?x }');
  assert.deepEqual(Object.keys(arrow[0] as Plain), [
    'x',
    'x_kind_',
    'x_datatype',
    'x_lang',
    'x_kind',
    'x_kind_kind',
    'x_kind_datatype',
    'x_kind_lang',
  ]);
});

test('answers without rows, and without variables', async () => {
  const none = await both('SELECT ?s { ?s :none ?o }');
  assert.deepEqual(
    none.table.schema.fields.map(({ name }) => name),
    ['s', 's_kind', 's_datatype', 's_lang'],
  );
  assert.deepEqual([none.arrow, none.parquet], [[], []]);
});

const ROWS = CHUNK_ROWS_MAX + 2000;

/** Made rows: a number and a string in one of 5,000 languages; two strings at the end. */
function madeTerm(row: number, column: number): Term {
  if (row === ROWS) return terms.literal('last');
  if (column === 1) return terms.literal('x', `en-x${row % 5000}`);
  return terms.literal(String(row), terms.namedNode(`${XSD}integer`));
}

/** An id of one of them is its row and, in the high half, its column. */
async function* madeBatches(): AsyncGenerator<ResultBatch> {
  const rowsOf = 4096;
  for (let first = 0; first <= ROWS; first += rowsOf) {
    const rows = Math.min(rowsOf, ROWS + 1 - first);
    const columns = [0, 1].map((column) =>
      Uint32Array.from({ length: 2 * rows }, (_, half) => (half % 2 === 1 ? column + 1 : first + half / 2)),
    );
    const decode = (ids: Uint32Array, count: number) =>
      Array.from({ length: count }, (_, at) => madeTerm(ids[2 * at] as number, (ids[2 * at + 1] as number) - 1));
    const stored = () => assert.fail('made terms are in no dictionary');
    yield { rows, columns, decode, stored, terms: (column) => decode(columns[column] as Uint32Array, rows) };
  }
}

function madeAnswer(): SelectResult {
  const unused = () => assert.fail('only batches are read');
  return { kind: 'select', variables: ['n', 'l'], batches: madeBatches(), rows: unused, profile: unused };
}

test('a long answer comes in record batches and row groups, its types decided by the first', async () => {
  const arrow = tableFromIPC(await gather(encodeResult(madeAnswer(), 'arrow')));
  assert.equal(arrow.numRows, ROWS + 1);
  assert.equal(arrow.batches.length, 2);
  const values = arrow.getChild('n_value');
  assert.deepEqual([values?.get(0), values?.get(ROWS - 1), values?.get(ROWS)], [0n, BigInt(ROWS - 1), null]);
  assert.equal(arrow.getChild('n')?.get(ROWS), 'last');
  const languages = arrow.getChild('l_lang');
  for (const row of [0, 4999, 5000, CHUNK_ROWS_MAX, ROWS - 1]) assert.equal(languages?.get(row), `en-x${row % 5000}`);
  assert.equal(languages?.get(ROWS), null);
  const file = await gather(encodeResult(madeAnswer(), 'parquet'));
  const buffer = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer;
  assert.equal(parquetMetadata(buffer).row_groups.length, 2);
  const read = await parquetRows(file);
  assert.equal(read.length, ROWS + 1);
  assert.deepEqual([read[ROWS - 1]?.n_value, read[ROWS - 1]?.l_lang], [BigInt(ROWS - 1), `en-x${(ROWS - 1) % 5000}`]);
  assert.deepEqual([read[ROWS]?.n, read[ROWS]?.n_value], ['last', null]);
});

test('dates and times that Python cannot hold are null among values, and keep their text', async () => {
  const data = `
:a :day "-0044-03-15"^^xsd:date ; :at "12000-01-01T00:00:00Z"^^xsd:dateTime .
:b :day "0001-01-01"^^xsd:date ; :at "9999-12-31T23:59:59.9Z"^^xsd:dateTime .
:c :day "10000-01-01"^^xsd:date ; :at "0000-12-31T23:59:59Z"^^xsd:dateTime .`;
  const { arrow, parquet, table } = await both('SELECT ?day ?at { ?s :day ?day ; :at ?at } ORDER BY ?s', data);
  const types = Object.fromEntries(table.schema.fields.map(({ name, type }) => [name, String(type)]));
  assert.equal(types.day_value, 'Date32<DAY>');
  assert.equal(types.at_value, 'Timestamp<MICROSECOND, UTC>');
  for (const rows of [arrow, parquet]) {
    assert.deepEqual(
      rows.map((row) => [row.day, row.day_value === null, row.at_value === null]),
      [
        ['-0044-03-15', true, true],
        ['0001-01-01', false, false],
        ['10000-01-01', true, true],
      ],
    );
  }
});
