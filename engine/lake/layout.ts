/**
 * The tables of a lake and their columns: the contract between what exports a store and what translates
 * SPARQL to SQL over it. A lake is a folder of Parquet files with Apache Iceberg (v2) metadata over them.
 *
 * `facts` holds the open rows as of the exported transaction (`tx_to` and `valid_to` are null), `history` those that were
 * closed, or that had an end from birth (both are set). One fact may stand in several rows. Which files each table has
 * says `lake.json` (`lake-file.ts`); a folder may hold others, of earlier exports.
 */

/** Types that DuckDB, Spark and Trino read alike. `decimal` is DECIMAL(38, 18), `timestamp` UTC microseconds. */
export type LakeType = 'bigint' | 'int' | 'double' | 'decimal' | 'timestamp' | 'varchar' | 'boolean';

export interface LakeColumn {
  readonly name: string;
  readonly type: LakeType;
  readonly nullable: boolean;
}

const column = (name: string, type: LakeType, nullable = false): LakeColumn => ({ name, type, nullable });

/**
 * `o_num` prunes and orders: the numeric value of the object as a double, null when it is not a number.
 * `o_time` is the instant of a date or dateTime with a zone. What decides exactly stands in `terms`.
 * Times are microseconds since 1970 as bigint; `valid_to` and `tx_to` are null while open.
 */
export const FACT_COLUMNS: readonly LakeColumn[] = [
  column('g', 'bigint'),
  column('s', 'bigint'),
  column('p', 'bigint'),
  column('o', 'bigint'),
  column('o_num', 'double', true),
  column('o_time', 'timestamp', true),
  column('tx_from', 'bigint'),
  column('tx_to', 'bigint', true),
  column('valid_from', 'bigint', true),
  column('valid_to', 'bigint', true),
];

/** What a term is: `kind` of the table `terms`. Symbols of the registry that name a graph are IRIs here. */
export const TERM_KINDS = { iri: 0, blankNode: 1, literal: 2, tripleTerm: 3 } as const;

/**
 * Every term that a row of `facts` or `history` names, inline values too, by its id (the store's 64-bit id,
 * as a signed bigint; below 2^63). `text` is the IRI, the label, the lexical form, or the N-Triples text of a
 * triple term. Literals have their datatype as an IRI, language strings their tag as it was
 * written in `lang`, which is compared without regard to case.
 * `num`, `exact`, `time` and `bool` are the value where the datatype has such a value and the form is valid;
 * `exact` is null for doubles, floats and what DECIMAL(38, 18) can't hold, `time` for what has more than six digits of a
 * second or is not of the years 0001 to 9999.
 */
export const TERM_COLUMNS: readonly LakeColumn[] = [
  column('id', 'bigint'),
  column('kind', 'int'),
  column('text', 'varchar'),
  column('datatype', 'varchar', true),
  column('lang', 'varchar', true),
  column('dir', 'varchar', true),
  column('num', 'double', true),
  column('exact', 'decimal', true),
  column('time', 'timestamp', true),
  column('zoned', 'boolean', true),
  column('bool', 'boolean', true),
  column('ts', 'bigint', true),
  column('tp', 'bigint', true),
  column('to_', 'bigint', true),
];

/** Transactions that changed rows: their id and instant (microseconds since 1970), for `tx` by time. */
export const TRANSACTION_COLUMNS: readonly LakeColumn[] = [column('tx', 'bigint'), column('at', 'bigint')];

export const LAKE_TABLES = {
  facts: FACT_COLUMNS,
  history: FACT_COLUMNS,
  terms: TERM_COLUMNS,
  transactions: TRANSACTION_COLUMNS,
} as const;
