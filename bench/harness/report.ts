/** The end of a benchmark: tables on the terminal, everything as JSON, tables into the document. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../engine/base/errors.js';
import type { BenchOptions } from '../options.js';
import { CHECKOUT, type Machine, renderMachine } from './machine.js';
import { renderTable, type Table } from './table.js';

export const DOCUMENT = 'docs/benchmarks.md';

export interface Report {
  readonly benchmark: string;
  readonly machine: Machine;
  readonly tables: readonly Table[];
  /** Everything that was measured, run by run. */
  readonly results: unknown;
}

/** What a run was told of its report. */
export type PublishOptions = Pick<BenchOptions, 'runs' | 'json' | 'writeDocs'>;

export function publish(report: Report, options: PublishOptions): void {
  const { benchmark, machine, tables, results } = report;
  const date = new Date().toISOString().slice(0, 10);
  const text = [
    `Measured on ${date}: ${renderMachine(machine)}; ${options.runs} run(s), medians.`,
    '',
    ...tables.map(renderTable),
  ];
  console.log(`\n${text.join('\n')}`);
  if (options.json !== null) {
    const whole = { benchmark, date: new Date().toISOString(), machine, options, results };
    writeFileSync(options.json, `${JSON.stringify(whole, null, 1)}\n`);
  }
  if (options.writeDocs) {
    const path = join(CHECKOUT, DOCUMENT);
    writeFileSync(path, replaceSection(readFileSync(path, 'utf8'), benchmark, text.join('\n')));
  }
}

/** Replaces what stands between the marks `<!-- name:begin -->` and `<!-- name:end -->`. */
export function replaceSection(document: string, name: string, text: string): string {
  const begin = `<!-- ${name}:begin -->`;
  const end = `<!-- ${name}:end -->`;
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) {
    throw new SvcError('configuration', `${DOCUMENT} has no section between ${begin} and ${end}`);
  }
  return `${document.slice(0, from + begin.length)}\n${text.trimEnd()}\n${document.slice(to)}`;
}
