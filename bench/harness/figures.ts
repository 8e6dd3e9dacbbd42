/** Medians, percentiles, and numbers as people read them. */

function at(values: readonly number[] | Float64Array, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Of an even number of values the mean of the middle two. */
export function median(values: readonly number[] | Float64Array): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** Of a share of the values, 0.99 for instance, the greatest. */
export function percentile(values: readonly number[] | Float64Array, share: number): number {
  return at(values, share);
}

export function percentile95(values: readonly number[] | Float64Array): number {
  return at(values, 0.95);
}

/** Field by field the median of some runs. */
export function medians<Figures extends { readonly [name: string]: number }>(runs: readonly Figures[]): Figures {
  const result: Record<string, number> = {};
  for (const name of Object.keys(runs[0] ?? {})) result[name] = median(runs.map((run) => run[name] as number));
  return result as Figures;
}

/** Three significant digits, with commas from 1,000 up. */
export function show(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString('en-US');
  return size >= 10 ? value.toFixed(1) : size >= 1 ? value.toFixed(2) : size === 0 ? '0' : value.toPrecision(2);
}

export const mebibytes = (bytes: number): number => bytes / 2 ** 20;

/** How many times better than the peer; above 1 is better. */
export function showRatio(ratio: number | null): string {
  return ratio === null || !Number.isFinite(ratio) ? '-' : `${show(ratio)}x`;
}
