/** The tables of the storage benchmark: one a data set, a line a figure, the peer beside it. */
import { mebibytes, show, showRatio } from '../harness/figures.js';
import type { Table } from '../harness/table.js';
import type { StorageCase, StorageFigures } from './case.js';

interface Line {
  readonly what: string;
  readonly unit: string;
  readonly figure: keyof StorageFigures;
  /** Whether more is better (rates) or less (times). */
  readonly better: 'more' | 'less';
  readonly scale?: (value: number) => number;
}

const millions = (value: number): number => value / 1e6;
const line = (
  what: string,
  figure: string,
  unit = 'µs',
  better: Line['better'] = 'less',
  scale?: Line['scale'],
): Line => ({
  what,
  unit,
  figure,
  better,
  ...(scale === undefined ? {} : { scale }),
});

const LINES: readonly Line[] = [
  line('full scan SPOG, ids (peer: COUNT(*) over all)', 'scanSPOG', 'M rows/s', 'more', millions),
  line('full scan POSG, ids', 'scanPOSG', 'M rows/s', 'more', millions),
  line('full scan OSPG, ids', 'scanOSPG', 'M rows/s', 'more', millions),
  line('lookup s p o by ids, median', 'lookupMedian'),
  line('lookup s p o by ids, 95 %', 'lookupP95'),
  line('lookup s p o by terms, median (peer: has)', 'termLookupMedian'),
  line('lookup s p o by terms, 95 %', 'termLookupP95'),
  line('rows of s by id, median', 'subjectMedian'),
  line('rows of s by id, 95 %', 'subjectP95'),
  line('rows of s, terms to terms, median (peer: match)', 'termSubjectMedian'),
  line('rows of s, terms to terms, 95 %', 'termSubjectP95'),
  line('1,000 rows of p from a random place, ids, median', 'rangeMedian'),
  line('1,000 rows of p, ids, 95 %', 'rangeP95'),
  line('1,000 rows of p, decoded, median (peer: LIMIT 1000)', 'termRangeMedian'),
  line('1,000 rows of p, decoded, 95 %', 'termRangeP95'),
  line('count of one predicate, median', 'countMedian'),
  line('count of every predicate, together', 'countAllMs', 'ms'),
  line('decode, 4,096 random terms a call, empty cache', 'decodeCold', 'µs/term'),
  line('decode, the same again', 'decodeWarm', 'µs/term'),
  line('decode, one random term a call, empty cache', 'decodeSingle', 'µs/term'),
  line('encode a random term', 'encode', 'µs/term'),
  line('open to first rows, first in a process (peer: load)', 'openMs', 'ms'),
  line('open to first rows, again in that process', 'reopenMs', 'ms'),
  line('process start to first rows', 'processMs', 'ms'),
  line('peak memory of the reader', 'peakBytes', 'MiB', 'less', mebibytes),
];

export function storageTables(cases: readonly StorageCase[]): Table[] {
  return cases.map((one) => ({
    title: `Storage, ${one.data.set}-${one.data.size}`,
    note: [`Ratio: times better than oxigraph, in memory, where it has an equal.`, ...one.errors].join(' '),
    columns: ['what', 'unit', 'svc', 'oxigraph', 'ratio'],
    rows: LINES.map((entry) => toRow(entry, one)),
  }));
}

function toRow(
  { what, unit, figure, better, scale = (value) => value }: Line,
  { median, peer }: StorageCase,
): string[] {
  const ours = median?.[figure];
  const theirs = peer?.[figure];
  const ratio = ours === undefined || theirs === undefined ? null : better === 'more' ? ours / theirs : theirs / ours;
  const cell = (value: number | undefined): string => (value === undefined ? '-' : show(scale(value)));
  return [what, unit, cell(ours), cell(theirs), showRatio(ratio)];
}
