/** The tables of the variants. */
import type { Answer } from '../../harness/child.js';
import { mebibytes, show, showRatio } from '../../harness/figures.js';
import type { Table } from '../../harness/table.js';
import { geometricMean } from '../compare.js';
import type { ComparedStores } from './compare-stores.js';
import type { GrowthFigures } from './growth.js';
import type { MadeStore } from './stores.js';
import type { ThroughputFigures } from './throughput.js';

export interface MeasuredVariant {
  readonly title: string;
  readonly made: MadeStore;
  readonly compared: readonly ComparedStores[];
  readonly error: string | null;
}

export interface ThroughputResult {
  readonly title: string;
  readonly readers: number;
  readonly answer: Answer<ThroughputFigures>;
}

export interface GrowthResult {
  readonly name: string;
  readonly size: string;
  readonly answer: Answer<{ readonly figures: readonly GrowthFigures[] }>;
}

export function comparedTable({ title, made, compared, error }: MeasuredVariant): Table {
  const slices = made.slices.map(({ name }) => name);
  const labels = [...new Set(compared.map(({ label }) => label))];
  const find = (label: string, slice: string) => compared.find((one) => one.label === label && one.slice === slice);
  const means = slices.map((slice) => {
    const ratios = compared.filter((one) => one.slice === slice).map(ratioOf);
    return `${slice} ${showRatio(geometricMean(ratios.filter((ratio) => ratio !== null)))}`;
  });
  const wrong = compared.filter((one) => one.error !== null).map((one) => `${one.label} (${one.slice}): ${one.error}`);
  return {
    title,
    note: [
      `${made.rows.toLocaleString('en-US')} rows, ${made.visible.toLocaleString('en-US')} of them current in ROOT.`,
      'Ratio: time over that of a store with just the rows that are asked for. Means:',
      `${means.join(', ')}.`,
      ...(error === null ? [] : [error]),
      ...wrong,
    ].join(' '),
    columns: ['query', 'plain ms', ...slices.flatMap((slice) => [`${slice} ms`, 'ratio'])],
    rows: labels.map((label) => [
      label,
      show(find(label, slices[0] as string)?.plainMs),
      ...slices.flatMap((slice) => {
        const one = find(label, slice);
        return [show(one?.ms), showRatio(one === undefined ? null : ratioOf(one))];
      }),
    ]),
  };
}

function ratioOf({ ms, plainMs }: ComparedStores): number | null {
  return ms === null || plainMs === null ? null : ms / plainMs;
}

export function throughputTable(results: readonly ThroughputResult[]): Table {
  const one = (title: string, readers: number): ThroughputFigures | null => {
    const found = results.find((result) => result.title === title && result.readers === readers)?.answer;
    return found === undefined || 'error' in found ? null : found;
  };
  const errors = results.flatMap(({ title, answer }) => ('error' in answer ? [`${title}: ${answer.error}`] : []));
  return {
    title: 'Reader threads',
    note: [
      'Queries a second of all queries in turn, answers read to the end, two calls waiting for every thread.',
      ...errors,
    ].join(' '),
    columns: ['data', 'one reader', 'two readers', 'ratio'],
    rows: [...new Set(results.map(({ title }) => title))].map((title) => {
      const [single, double] = [one(title, 1), one(title, 2)];
      const ratio = single === null || double === null ? null : double.perSecond / single.perSecond;
      return [title, show(single?.perSecond), show(double?.perSecond), showRatio(ratio)];
    }),
  };
}

export function growthTable(name: string, results: readonly GrowthResult[]): Table {
  const columns = results.map(({ size, answer }) => ({ size, figures: 'error' in answer ? [] : answer.figures }));
  const labels = [...new Set(columns.flatMap(({ figures }) => figures.map(({ label }) => label)))];
  const errors = results.flatMap(({ size, answer }) => ('error' in answer ? [`${size}: ${answer.error}`] : []));
  const failed = columns.flatMap(({ size, figures }) =>
    figures.filter(({ error }) => error !== null).map(({ label, error }) => `${label} at ${size}: ${error}`),
  );
  return {
    title: `Growth, ${name}`,
    note: [
      'Rows: what all operators of the plan gave, together; peak: memory that operators counted.',
      ...errors,
      ...failed,
    ].join(' '),
    columns: ['query', ...columns.flatMap(({ size }) => [`${size} ms`, 'k rows', 'blocks', 'peak MiB'])],
    rows: labels.map((label) => [
      label,
      ...columns.flatMap(({ figures }) => {
        const one = figures.find((figure) => figure.label === label);
        const peak = one?.peakBytes == null ? null : mebibytes(one.peakBytes);
        return [show(one?.ms), show(one?.rows == null ? null : one.rows / 1000), show(one?.blocks), show(peak)];
      }),
    ]),
  };
}
