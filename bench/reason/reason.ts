/** The benchmark of reasoning, all parts or those that are named: `npm run bench -- reason [algorithms] [rules] [ontologies]`. */
import { SvcError } from '../../engine/base/errors.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import type { Table } from '../harness/table.js';
import { type BenchOptions, parseOptions } from '../options.js';
import { measureAllAlgorithms } from './algorithms.js';
import { measureAllOwl } from './owl.js';
import { measureAllRules } from './rules.js';

type Part = (
  options: BenchOptions,
) => Promise<{ readonly tables: readonly Table[]; readonly results: readonly unknown[] }>;

const PARTS: Readonly<Record<string, Part>> = {
  algorithms: measureAllAlgorithms,
  rules: measureAllRules,
  ontologies: measureAllOwl,
};

export async function runReason(args: readonly string[]): Promise<void> {
  const begin = args.findIndex((word) => word.startsWith('-'));
  const named = begin < 0 ? args : args.slice(0, begin);
  const options = parseOptions(args.slice(named.length));
  for (const name of named) {
    if (PARTS[name] !== undefined) continue;
    throw new SvcError('usage', `reason has no part "${name}"; there are ${Object.keys(PARTS).join(', ')}`);
  }
  const machine = describeMachine();
  const [tables, results]: [Table[], unknown[]] = [[], []];
  for (const name of named.length === 0 ? Object.keys(PARTS) : named) {
    const part = await (PARTS[name] as Part)(options);
    tables.push(...part.tables);
    results.push(...part.results);
  }
  publish({ benchmark: 'reason', machine, tables, results }, options);
}
