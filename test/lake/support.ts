/** A lake as DuckDB reads it, in plain SQL over the files that `lake.json` names. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { type LakeContent, type LakeTable, readLakeFile, TABLE_NAMES } from '../../engine/lake/lake-file.js';
import { type FACT_COLUMNS, LAKE_TABLES } from '../../engine/lake/layout.js';
import type { Quad, Store, Term, TimeOptions } from '../../interfaces/library/index.js';

export function lakeOf(folder: string): LakeContent {
  return readLakeFile(readFileSync(join(folder, 'lake.json')), folder);
}

type Rows = readonly Readonly<Record<string, unknown>>[];

export class LakeReader {
  readonly #instance: DuckDBInstance;
  readonly #connection: Awaited<ReturnType<DuckDBInstance['connect']>>;

  private constructor(instance: DuckDBInstance, connection: Awaited<ReturnType<DuckDBInstance['connect']>>) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(folder: string): Promise<LakeReader> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const reader = new LakeReader(instance, await instance.connect());
    const { tables } = lakeOf(folder);
    for (const table of TABLE_NAMES) {
      await reader.#connection.run(`CREATE VIEW ${table} AS ${source(folder, table, tables[table])}`);
    }
    return reader;
  }

  async rows(sql: string): Promise<Rows> {
    return (await this.#connection.runAndReadAll(sql)).getRowObjects();
  }

  /** What holds by the rules of the store: at a transaction, at an instant (in seconds), at both, or now. */
  async state({ tx, validAt }: { readonly tx?: number; readonly validAt?: number } = {}): Promise<Set<string>> {
    const at = validAt === undefined ? null : `${BigInt(validAt) * 1_000_000n}`;
    const known = tx === undefined ? 'true' : `tx_from <= ${tx}`;
    const end = tx === undefined ? 'valid_to' : `CASE WHEN tx_to > ${tx} THEN NULL ELSE valid_to END`;
    let visible: string;
    if (at !== null) visible = `valid_from <= ${at} AND (${end} IS NULL OR ${at} < ${end})`;
    else if (tx === undefined) visible = 'valid_to IS NULL';
    else visible = `CASE WHEN tx_to IS NULL THEN valid_to IS NULL ELSE tx_to > ${tx} END`;
    const key = (name: string) =>
      `concat_ws('|', ${name}.kind, ${name}.text, coalesce(${name}.datatype, ''), coalesce(${name}.lang, ''), coalesce(${name}.dir, ''))`;
    const rows = await this.rows(`
      SELECT DISTINCT ${key('ts')} AS s, ${key('tp')} AS p, ${key('oo')} AS o, ${key('tg')} AS g
      FROM (SELECT * FROM facts UNION ALL SELECT * FROM history) f
      JOIN terms ts ON ts.id = f.s JOIN terms tp ON tp.id = f.p JOIN terms oo ON oo.id = f.o JOIN terms tg ON tg.id = f.g
      WHERE ${known} AND ${visible}`);
    return new Set(rows.map(({ s, p, o, g }) => [s, p, o, g].join('  ')));
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

function source(folder: string, table: LakeTable, files: readonly { readonly path: string }[]): string {
  if (files.length > 0) {
    const paths = files.map(({ path }) => `'${join(folder, path)}'`);
    return `SELECT * FROM read_parquet([${paths.join(', ')}])`;
  }
  const columns: typeof FACT_COLUMNS = LAKE_TABLES[table];
  return `SELECT ${columns.map(({ name, type }) => `NULL::${type} AS ${name}`).join(', ')} WHERE false`;
}

const KINDS: Readonly<Record<string, number>> = { NamedNode: 0, BlankNode: 1, Literal: 2, Quad: 3 };
const ROOT = 'urn:svc:graph:root';

function keyOf(term: Term): string {
  if (term.termType === 'DefaultGraph') return `0|${ROOT}|||`;
  if (term.termType === 'Quad') {
    const { subject, predicate, object } = term;
    return `3|<<( ${[subject, predicate, object].map(plain).join(' ')} )>>|||`;
  }
  if (term.termType !== 'Literal') return `${KINDS[term.termType]}|${term.value}|||`;
  const { value, datatype, language, direction } = term;
  return `2|${value}|${datatype.value}|${language}|${direction ?? ''}`;
}

function plain(term: Term): string {
  if (term.termType === 'Literal') return `"${term.value}"`;
  return term.termType === 'BlankNode' ? `_:${term.value}` : `<${term.value}>`;
}

/** The same of the store itself. */
export async function storeState(store: Store, time: TimeOptions = {}): Promise<Set<string>> {
  const snapshot = store.snapshot(time);
  try {
    const state = new Set<string>();
    for await (const batch of snapshot.quads({})) {
      for (const { subject, predicate, object, graph } of batch as Quad[]) {
        state.add([subject, predicate, object, graph].map(keyOf).join('  '));
      }
    }
    return state;
  } finally {
    snapshot.close();
  }
}
