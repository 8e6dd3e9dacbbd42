/**
 * The benchmark of lakes: a store of BSBM is exported, and the queries B1 to B10 are asked of the store and of the lake: by DuckDB,
 * and by Spark on one and two cores where Python has it. `--sizes 5M`; each size by itself.
 */
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import type { BenchOptions } from '../options.js';
import { provideData } from '../sparql/data.js';
import { provideParameters } from '../sparql/parameters.js';
import { instantiate, QUERY_SETS, type QuerySet, readTemplates } from '../sparql/query-set.js';
import { type LakeFigures, measureLake } from './measure.js';
import { exportTable, queriesTable } from './tables.js';

const ANALYTICS = /^B\d+/;

export async function runLake(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const set = QUERY_SETS.find(({ name }) => name === 'bsbm') as QuerySet;
  const measured: LakeFigures[] = [];
  for (const size of options.sizes) {
    const data = await provideData('bsbm', size, console.error);
    if (data === null) continue;
    const templates = readTemplates(set).filter(({ name }) => ANALYTICS.test(name));
    const parameters = await provideParameters(set, data, console.error);
    const queries = instantiate(templates, parameters, 1, console.error);
    measured.push(await measureLake(`bsbm-${size}`, data.path, queries, options));
  }
  const tables = [exportTable(measured), ...measured.map(queriesTable)];
  publish({ benchmark: 'lake', machine, tables, results: measured }, options);
}
