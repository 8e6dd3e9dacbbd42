/**
 * Rows as Parquet: a row group for each chunk of rows, handed on as soon as it is written, so that
 * only the figures of the row groups wait for the end of the file. Snappy, and dictionaries where
 * they pay.
 */

import { type FlatTerm, type FlatVariable, flatChunks, flatVariables } from './flat-columns.js';
import { DrainedWriter, ParquetWriter, type SchemaElement } from './parquet-bytes.js';
import type { SelectResult } from './result.js';
import { type ValueType, valueAs } from './typed-values.js';

const CREATED_BY = 'svc';

type Terms = readonly (FlatTerm | null)[];
interface Column {
  readonly element: SchemaElement;
  /** Whether least and greatest values are worth their time. */
  readonly statistics: boolean;
  build(terms: Terms): unknown[];
}

export async function* parquetChunks(result: SelectResult): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = new DrainedWriter();
  let columns: (readonly Column[])[] | null = null;
  let writer: ParquetWriter | null = null;
  for await (const chunk of flatChunks(result)) {
    columns ??= flatVariables(result.variables, chunk).map(columnsOf);
    writer ??= new ParquetWriter({ writer: bytes, schema: schemaOf(columns.flat()), createdBy: CREATED_BY });
    if (chunk.rows === 0) continue;
    const columnData = columns.flatMap((own, at) =>
      own.map(({ element, statistics, build }) => ({
        name: element.name,
        data: build(chunk.terms[at] as Terms),
        statistics,
      })),
    );
    if (columnData.length > 0) writer.write({ columnData, rowGroupSize: chunk.rows });
    yield bytes.drain();
  }
  writer?.finish();
  yield bytes.drain();
}

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  return [{ name: 'root', num_children: columns.length }, ...columns.map(({ element }) => element)];
}

function columnsOf(variable: FlatVariable): readonly Column[] {
  return [
    textColumn(variable.text, (term) => term.text, true),
    textColumn(variable.kind, (term) => term.kind, false),
    textColumn(variable.datatype, (term) => term.datatype, false),
    textColumn(variable.language, (term) => term.language, false),
    ...(variable.type === null ? [] : [valueColumn(variable.value, variable.type)]),
  ];
}

function textColumn(name: string, textOf: (term: FlatTerm) => string | null, statistics: boolean): Column {
  return {
    element: { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    statistics,
    build: (terms) => terms.map((term) => (term === null ? null : textOf(term))),
  };
}

const PARQUET_TYPES: Readonly<Record<ValueType, Omit<SchemaElement, 'name'>>> = {
  boolean: { type: 'BOOLEAN' },
  int64: { type: 'INT64' },
  float64: { type: 'DOUBLE' },
  date: { type: 'INT32', converted_type: 'DATE' },
  timestamp: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' } },
  timestampUtc: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
};

function valueColumn(name: string, type: ValueType): Column {
  return {
    element: { name, ...PARQUET_TYPES[type], repetition_type: 'OPTIONAL' },
    statistics: true,
    build: (terms) => terms.map((term) => physical(type, valueAs(type, term?.typed ?? null))),
  };
}

/** The value as the writer wants it. */
function physical(type: ValueType, value: number | bigint | null): number | bigint | boolean | null {
  if (value === null || type === 'date' || type === 'float64') return value;
  return type === 'boolean' ? value === 1 : BigInt(value);
}
