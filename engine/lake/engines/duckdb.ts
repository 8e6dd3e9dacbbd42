/** DuckDB within this process, by its maintained package, which is loaded when it is used. */

import { join } from 'node:path';
import { type Control, throwIfAborted } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { Cell, LakeEngine, TableText } from '../lake-engine.js';
import { type LakeContent, TABLE_NAMES } from '../lake-file.js';
import { LAKE_TABLES } from '../layout.js';
import { DUCKDB } from '../sql/dialects/duckdb.js';
import { LakeKnowledge } from '../sql/lake-knowledge.js';
import { engineFailure } from './failure.js';

const PACKAGE = '@duckdb/node-api';

/** What is used of the package, which is installed beside svc and no dependency of it. */
interface Package {
  readonly DuckDBInstance: {
    create(path: string, settings: Readonly<Record<string, string>>): Promise<Instance>;
  };
}

interface Instance {
  connect(): Promise<Connection>;
  closeSync(): void;
}

interface Connection {
  run(sql: string): Promise<unknown>;
  stream(sql: string): Promise<{ fetchChunk(): Promise<Chunk | null> }>;
  interrupt(): void;
  closeSync(): void;
}

interface Chunk {
  readonly rowCount: number;
  getRows(): readonly (readonly unknown[])[];
}

async function load(): Promise<Package> {
  try {
    const name: string = PACKAGE;
    return await import(name);
  } catch (error) {
    throw new SvcError('unsupported', 'DuckDB is not installed', { cause: error, hint: `npm install ${PACKAGE}` });
  }
}

export interface DuckdbOptions {
  /** As DuckDB writes it, such as 2GB. */
  readonly memory?: string | undefined;
  readonly threads?: number | undefined;
}

export async function openDuckdb(
  folder: string,
  content: LakeContent,
  options: DuckdbOptions = {},
): Promise<LakeEngine> {
  const { DuckDBInstance } = await load();
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    ...(options.memory === undefined ? {} : { memory_limit: options.memory }),
    ...(options.threads === undefined ? {} : { threads: String(options.threads) }),
  });
  const connection = await instance.connect();
  try {
    // Files of a lake never change under their names.
    await connection.run('SET parquet_metadata_cache = true');
    // Joins stand in the sequence that the figures of the lake give; DuckDB has none of them.
    if (content.predicates !== undefined) await connection.run("SET disabled_optimizers = 'join_order'");
    for (const table of TABLE_NAMES) await connection.run(viewOf(folder, content, table));
    return new DuckdbEngine(instance, connection, content, tablesOf(folder, content));
  } catch (error) {
    connection.closeSync();
    instance.closeSync();
    throw engineFailure('DuckDB', error);
  }
}

/** A table without files is empty. */
function viewOf(folder: string, content: LakeContent, table: keyof typeof LAKE_TABLES): string {
  const files = content.tables[table].map(({ path }) => DUCKDB.text(join(folder, path)));
  if (files.length > 0) return `CREATE VIEW ${table} AS SELECT * FROM read_parquet([${files.join(', ')}])`;
  const columns = LAKE_TABLES[table].map(({ name, type }) => `${name} ${DUCKDB.types[type]}`);
  return `CREATE TABLE ${table} (${columns.join(', ')})`;
}

/** Predicates that are asked for are read from their own files, of which each is opened otherwise. */
function tablesOf(folder: string, content: LakeContent): TableText {
  const knowledge = new LakeKnowledge(content);
  return (table, predicate) => {
    if (table !== 'facts' || predicate === undefined) return table;
    const files = knowledge.filesOf(predicate);
    if (files.length === 0) return table;
    return `read_parquet([${files.map((path) => DUCKDB.text(join(folder, path))).join(', ')}])`;
  };
}

class DuckdbEngine implements LakeEngine {
  readonly ids = new Map<string, bigint | null>();

  constructor(
    private readonly instance: Instance,
    private readonly connection: Connection,
    readonly content: LakeContent,
    readonly tables: TableText,
  ) {}

  async *rows(sql: string, names: readonly string[], { signal }: Control) {
    throwIfAborted(signal, 'the query');
    const { connection } = this;
    const stop = (): void => connection.interrupt();
    signal?.addEventListener('abort', stop);
    try {
      const result = await connection.stream(sql);
      for (
        let chunk = await result.fetchChunk();
        chunk !== null && chunk.rowCount > 0;
        chunk = await result.fetchChunk()
      ) {
        throwIfAborted(signal, 'the query');
        yield chunk.getRows().map((row) => names.map((_, at) => cellOf(row[at])));
      }
    } catch (error) {
      throwIfAborted(signal, 'the query');
      throw engineFailure('DuckDB', error);
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async close(): Promise<void> {
    this.connection.closeSync();
    this.instance.closeSync();
  }
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  return String(value);
}
