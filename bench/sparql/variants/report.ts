/** The tables of a variant from what was measured of it: a file for every data set and size. */
import { renderMachine } from '../../harness/machine.js';
import { renderTable, type Table } from '../../harness/table.js';
import type { DataName } from '../data.js';
import type { SparqlOptions, Variant } from '../options.js';
import type { ResultFolder, VariantResults } from '../results.js';
import {
  comparedTable,
  type GrowthResult,
  growthTable,
  type MeasuredVariant,
  type ThroughputResult,
  throughputTable,
} from './tables.js';

/** The generated data sets: what has history and graphs is made of triples without blank nodes. */
export function variantData({
  sets,
  sizes,
}: SparqlOptions): readonly { readonly name: DataName; readonly size: string }[] {
  const names = new Set(sets.map(({ data }) => data).filter((name) => name === 'bsbm' || name === 'watdiv'));
  return [...names].flatMap((name) => sizes.map((size) => ({ name, size })));
}

/** What stands in a folder of the data sets that are asked for, and the names of those of which nothing does. */
export function readVariants(
  options: SparqlOptions,
  variant: Variant,
  folder: ResultFolder,
): { readonly measured: readonly VariantResults[]; readonly missing: readonly string[] } {
  const measured: VariantResults[] = [];
  const missing: string[] = [];
  for (const { name, size } of variantData(options)) {
    const results = folder.readVariant(variant, name, size);
    if (results === null) missing.push(`${name}-${size}`);
    else measured.push(results);
  }
  return { measured, missing };
}

export function renderVariant(variant: Variant, measured: readonly VariantResults[]): string {
  const about = new Set(
    measured.map(({ date, machine }) => `Measured on ${date.slice(0, 10)}: ${renderMachine(machine)}.`),
  );
  return [...about, '', ...tablesOf(variant, measured).map(renderTable)].join('\n');
}

function tablesOf(variant: Variant, measured: readonly VariantResults[]): readonly Table[] {
  const results = measured.flatMap((one) => one.results);
  if (variant === 'threads') return [throughputTable(results as readonly ThroughputResult[])];
  if (variant !== 'growth') return (results as readonly MeasuredVariant[]).map(comparedTable);
  return [...new Set(measured.map(({ data }) => data))].map((name) =>
    growthTable(
      name,
      (results as readonly GrowthResult[]).filter((one) => one.name === name),
    ),
  );
}
