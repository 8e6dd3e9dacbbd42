/** The part of the benchmark that measures rules; DuckDB beside it, whose recursive queries compute the closures, where Python has it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, coresFor, isError, measureApart } from '../harness/child.js';
import { show } from '../harness/figures.js';
import { CHECKOUT } from '../harness/machine.js';
import type { Table } from '../harness/table.js';
import type { BenchOptions } from '../options.js';
import type { RuleFigures } from './measure-rules.js';
import { RULE_CASES, type RuleCase } from './rule-cases.js';

interface Measured {
  readonly name: string;
  readonly figures: RuleFigures;
  /** CPU milliseconds of the closure in DuckDB, and how many pairs it finds; null = not asked, or not there. */
  readonly duckdb: { readonly cpuMs: number; readonly found: number } | null;
}

export async function measureAllRules(options: BenchOptions): Promise<{ tables: Table[]; results: Measured[] }> {
  const results: Measured[] = [];
  for (const [at, one] of RULE_CASES.entries()) {
    const task = { task: 'reason-rules', at, rounds: options.runs };
    const answer: Answer<RuleFigures> = await measureApart(task, coresFor(options.cpus, 1));
    if (isError(answer)) console.error(`${one.name}: ${answer.error}`);
    else results.push({ name: one.name, figures: answer, duckdb: options.peers ? closureInDuckdb(one) : null });
  }
  const rows = results.flatMap(({ name, figures, duckdb }) => [
    ...Object.entries(figures.cpuMs).map(([what, ms]) => [name, what, String(figures.derived), show(ms)]),
    ...(duckdb === null ? [] : [[name, 'DuckDB', String(duckdb.found), show(duckdb.cpuMs)]]),
  ]);
  const bytes = results.map(({ name, figures }) => [
    name,
    'bytes a fact',
    String(figures.derived),
    show(figures.bytesEach),
  ]);
  const table = {
    title: 'Rules',
    note: 'CPU milliseconds; computing: the least of the runs. Bytes a fact: of pairs and indexes, at the end of a run.',
    columns: ['case', 'what', 'derived', 'ms'],
    rows: [...rows, ...bytes],
  };
  return { tables: [table], results };
}

/** Closures are what both compute. */
function closureInDuckdb(one: RuleCase): Measured['duckdb'] {
  if (!one.name.startsWith('closure')) return null;
  const folder = mkdtempSync(join(tmpdir(), 'svc-rules-'));
  const edges = join(folder, 'edges.csv');
  const lines: string[] = ['a,b'];
  one.edges((_, from, to) => lines.push(`${from},${to}`));
  writeFileSync(edges, `${lines.join('\n')}\n`);
  try {
    const program = process.env.SVC_BENCH_PYTHON ?? 'python3';
    const script = `${CHECKOUT}/bench/reason/closure_duckdb.py`;
    const { status, stdout, stderr } = spawnSync(program, [script, edges], { encoding: 'utf8' });
    if (status === 0) return JSON.parse(stdout) as Measured['duckdb'];
    console.error(`DuckDB is left out: ${stderr.trim().split('\n').at(-1) ?? 'it can not be run'}`);
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
