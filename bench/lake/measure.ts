/** Exports a store, and asks store and lake the same, in turns in one process; an engine stays open from question to question. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openDuckdb } from '../../engine/lake/engines/duckdb.js';
import { openSpark } from '../../engine/lake/engines/spark.js';
import type { LakeEngine } from '../../engine/lake/lake-engine.js';
import { LAKE_FILE, type LakeContent, readLakeFile } from '../../engine/lake/lake-file.js';
import { queryLake } from '../../engine/lake/query-lake.js';
import type { DialectName } from '../../engine/lake/sql/dialects/dialect.js';
import { FolderTarget } from '../../engine/lake/target/folder-target.js';
import { CURRENT } from '../../engine/storage/seam/scan.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { median } from '../harness/figures.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import type { BenchOptions } from '../options.js';
import type { Query } from '../sparql/query-set.js';

export interface QueryTime {
  readonly label: string;
  /** By the clock, a median; null: not asked, or refused. */
  readonly ms: number | null;
  readonly rows: number | null;
  readonly refused: string | null;
}

export interface LakeFigures {
  readonly name: string;
  readonly quads: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly rowBytes: number;
  readonly termBytes: number;
  /** By who was asked, the store first. */
  readonly asked: readonly { readonly who: string; readonly openMs: number; readonly times: readonly QueryTime[] }[];
}

type Ask = (query: Query) => Promise<number>;

export async function measureLake(
  name: string,
  document: string,
  queries: readonly Query[],
  options: BenchOptions,
): Promise<LakeFigures> {
  const [path, folder] = [scratchPath('lake.svc'), scratchPath('lake')];
  const store = await openStore(path);
  try {
    await store.load(document);
    await store.fold();
    const cpu = process.cpuUsage();
    const begun = performance.now();
    const exported = await store.exportLake(folder);
    const wallMs = performance.now() - begun;
    const { user, system } = process.cpuUsage(cpu);
    const target = new FolderTarget(folder);
    const file = await target.read(LAKE_FILE);
    if (file === null) throw new Error('the export left no lake');
    const content = readLakeFile(file.bytes, LAKE_FILE);
    const asked = [{ who: 'svc', openMs: 0, times: await timesOf(queries, askStore(store), options.runs) }];
    for (const [who, open] of Object.entries(engines(folder, content, options))) {
      const opening = performance.now();
      const engine = await open();
      const openMs = performance.now() - opening;
      const dialect = who === 'DuckDB' ? 'duckdb' : 'spark';
      try {
        asked.push({ who, openMs, times: await timesOf(queries, askLake(engine, dialect), options.runs) });
      } finally {
        await engine.close();
      }
    }
    return {
      name,
      quads: exported.rows.facts,
      cpuMs: (user + system) / 1000,
      wallMs,
      rowBytes: bytesBelow(join(folder, 'facts')),
      termBytes: bytesBelow(join(folder, 'terms')),
      asked,
    };
  } finally {
    await store.close();
    removeStore(path);
    rmSync(folder, { recursive: true, force: true });
  }
}

function engines(
  folder: string,
  content: LakeContent,
  { peers }: BenchOptions,
): Readonly<Record<string, () => Promise<LakeEngine>>> {
  const python = process.env.SVC_LAKE_PYTHON;
  if (python === undefined) console.error('Spark is left out: SVC_LAKE_PYTHON names no Python that has pyspark');
  return {
    DuckDB: () => openDuckdb(folder, content),
    ...(peers &&
      python !== undefined && {
        'Spark, 1 core': () => openSpark(folder, content, { python, master: 'local[1]' }),
        'Spark, 2 cores': () => openSpark(folder, content, { python, master: 'local[2]' }),
      }),
  };
}

function askStore(store: Store): Ask {
  return async ({ text }) => {
    let rows = 0;
    const answer = await store.query(text);
    if (answer.kind !== 'select') throw new Error('the analytics are SELECT');
    for await (const _ of answer.bindings()) rows++;
    return rows;
  };
}

function askLake(engine: LakeEngine, dialect: DialectName): Ask {
  return async ({ text }) => {
    const { rows } = (await queryLake(engine, text, { time: CURRENT, dialect })) as { rows?: readonly unknown[] };
    return rows?.length ?? 0;
  };
}

/** A first run that does not count, then as many as were asked for. */
async function timesOf(queries: readonly Query[], ask: Ask, runs: number): Promise<QueryTime[]> {
  const times: QueryTime[] = [];
  for (const query of queries) {
    try {
      const rows = await ask(query);
      const measured: number[] = [];
      for (let run = 0; run < runs; run++) {
        const begun = performance.now();
        await ask(query);
        measured.push(performance.now() - begun);
      }
      times.push({ label: query.label, ms: median(measured), rows, refused: null });
    } catch (error) {
      times.push({ label: query.label, ms: null, rows: null, refused: (error as Error).message });
    }
  }
  return times;
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.parquet'))
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
