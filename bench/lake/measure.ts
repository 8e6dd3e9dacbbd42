/** Exports a store, and asks store and lake the same, in turns in one process; an engine stays open from question to question. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../engine/base/errors.js';
import { openDuckdb } from '../../engine/lake/engines/duckdb.js';
import { openSpark } from '../../engine/lake/engines/spark.js';
import type { LakeEngine } from '../../engine/lake/lake-engine.js';
import { LAKE_FILE, type LakeContent, readLakeFile } from '../../engine/lake/lake-file.js';
import { queryLake } from '../../engine/lake/query-lake.js';
import { FolderTarget } from '../../engine/lake/target/folder-target.js';
import type { QueryResult } from '../../engine/query/query.js';
import { CURRENT } from '../../engine/storage/seam/scan.js';
import { openStore, type QueryAnswer, type Term } from '../../interfaces/library/index.js';
import { median } from '../harness/figures.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import type { BenchOptions } from '../options.js';
import type { Query } from '../sparql/query-set.js';

export interface QueryTime {
  readonly label: string;
  /** By the clock, a median; null: not asked, or refused. */
  readonly ms: number | null;
  readonly rows: number | null;
  /** Whether the answer is that of the store; null where there is none to compare. */
  readonly equal: boolean | null;
  readonly refused: string | null;
}

export interface LakeFigures {
  readonly name: string;
  readonly quads: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly rowBytes: number;
  readonly termBytes: number;
  /** Of the texts of all terms, in UTF-8. */
  readonly textBytes: number;
  /** By who was asked, the store first. */
  readonly asked: readonly { readonly who: string; readonly openMs: number; readonly times: readonly QueryTime[] }[];
}

type Ask = (query: Query) => Promise<QueryResult | QueryAnswer>;
/** Sums of doubles differ in their last digits. */
const DIGITS = 10;
/** Of Spark's process: its own gigabyte is too little for joins of 50 M facts. */
const SPARK_MEMORY = '8g';

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
    const answers = new Map<string, string>();
    const own = await timesOf(queries, ({ text }) => store.query(text), options.runs, answers);
    const asked = [{ who: 'svc', openMs: 0, times: own }];
    let textBytes = 0;
    for (const [who, open] of Object.entries(engines(folder, content, options))) {
      const opening = performance.now();
      const engine = await open();
      const openMs = performance.now() - opening;
      const dialect = who === 'DuckDB' ? 'duckdb' : 'spark';
      try {
        console.error(`${name}: ${who}`);
        if (dialect === 'duckdb') textBytes = await textBytesOf(engine);
        const ask: Ask = ({ text }) => queryLake(engine, text, { time: CURRENT, dialect });
        asked.push({ who, openMs, times: await timesOf(queries, ask, options.runs, answers) });
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
      textBytes,
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
        'Spark, 1 core': () => openSpark(folder, content, { python, master: 'local[1]', memory: SPARK_MEMORY }),
        'Spark, 2 cores': () => openSpark(folder, content, { python, master: 'local[2]', memory: SPARK_MEMORY }),
      }),
  };
}

async function textBytesOf(engine: LakeEngine): Promise<number> {
  for await (const [row] of engine.rows('SELECT sum(strlen(text)) FROM terms', ['bytes'], {})) return Number(row?.[0]);
  return 0;
}

/** A first run, whose answer is compared and whose time does not count, then as many as were asked for. */
async function timesOf(
  queries: readonly Query[],
  ask: Ask,
  runs: number,
  answers: Map<string, string>,
): Promise<QueryTime[]> {
  const times: QueryTime[] = [];
  for (const query of queries) {
    try {
      const { rows, told } = await read(await ask(query));
      const expected = answers.get(query.label);
      if (expected === undefined) answers.set(query.label, told);
      const measured: number[] = [];
      for (let run = 0; run < runs; run++) {
        const begun = performance.now();
        await read(await ask(query));
        measured.push(performance.now() - begun);
      }
      const equal = expected === undefined ? null : expected === told;
      times.push({ label: query.label, ms: median(measured), rows, equal, refused: null });
    } catch (error) {
      times.push({ label: query.label, ms: null, rows: null, equal: null, refused: (error as Error).message });
    }
  }
  return times;
}

/** An answer, in a form that two can be compared by; the sequence of its rows does not matter. */
async function read(answer: QueryResult | QueryAnswer): Promise<{ readonly rows: number; readonly told: string }> {
  if (answer.kind !== 'select') throw new SvcError('usage', 'the analytics are SELECT');
  const lines: string[] = [];
  for await (const row of answer.rows()) {
    lines.push(row.map((term) => (term === undefined ? '' : tell(term))).join('\t'));
  }
  return { rows: lines.length, told: lines.sort().join('\n') };
}

function tell(term: Term): string {
  if (term.termType !== 'Literal') return term.value;
  const { value, datatype } = term;
  const isRounded = /(?:double|float|decimal)$/.test(datatype.value);
  return `${isRounded ? Number(value).toPrecision(DIGITS) : value}^^${datatype.value}`;
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.parquet'))
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
