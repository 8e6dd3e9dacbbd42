/** The tables of the load benchmark. */
import { mebibytes, show, showRatio } from '../harness/figures.js';
import type { Table } from '../harness/table.js';
import type { LoadCase } from './case.js';

const ORDERS = ['SPOG', 'POSG', 'OSPG', 'GSPO'];

export function loadTables(cases: readonly LoadCase[]): Table[] {
  return [rates(cases), bytesByPart(cases)];
}

function rates(cases: readonly LoadCase[]): Table {
  return {
    title: 'Load, N-Triples',
    note: 'From opening a new store to its closing, durable; oxigraph holds its store in memory only. The clock includes loading our modules, as the first load of a process pays it: the smallest data set shows that cost alone. CPU s: of all threads. Ratio: rate over that of oxigraph.',
    columns: [
      'data',
      'store',
      'threads',
      'wall s',
      'CPU s',
      'triples/s',
      'MB/s',
      'peak MiB',
      'ratio',
      'distinct triples',
    ],
    rows: cases.map((one) => {
      const { data, who, threads, median, error } = one;
      const name = [`${data.set}-${data.size}`, who, String(threads)];
      if (median === null) return [...name, '-', '-', '-', '-', '-', '-', error ?? 'not run'];
      const { wallMs, cpuMs, quads, inputBytes, peakBytes } = median;
      const seconds = wallMs / 1000;
      const distinct = `${quads.toLocaleString('en-US')}${agrees(one, cases) ? '' : ' (differs)'}`;
      const peer = cases.find((other) => other.who !== 'svc' && other.data === data)?.median;
      const ratio = who === 'svc' && peer ? peer.wallMs / wallMs : null;
      return [
        ...name,
        show(seconds),
        show(cpuMs / 1000),
        show(data.triples / seconds),
        show(inputBytes / 1e6 / seconds),
        show(mebibytes(peakBytes)),
        showRatio(ratio),
        distinct,
      ];
    }),
  };
}

/** All stores hold the same number of triples of a data set. */
function agrees(one: LoadCase, cases: readonly LoadCase[]): boolean {
  const others = cases.filter((other) => other.data === one.data && other.median !== null);
  return others.every((other) => other.median?.quads === one.median?.quads);
}

function bytesByPart(cases: readonly LoadCase[]): Table {
  const rows: string[][] = [];
  for (const { data, who, threads, stats } of cases) {
    if (who !== 'svc' || stats === null) continue;
    const part = (name: string): number => stats.bytesByPart[name] ?? 0;
    const perQuad = (bytes: number): string => show(bytes / stats.quadsCurrent);
    const orders = ORDERS.reduce((total, order) => total + part(order), 0);
    const dictionary = part('terms') + part('hashIndex');
    const text = part('termText');
    const known = orders + part('directories') + part('log') + dictionary;
    rows.push([
      `${data.set}-${data.size}`,
      String(threads),
      perQuad(stats.fileBytes),
      ...ORDERS.map((order) => perQuad(part(order))),
      perQuad(orders + part('log')),
      perQuad(part('directories')),
      perQuad(part('terms')),
      perQuad(part('hashIndex')),
      perQuad(stats.fileBytes - known),
      `${show((100 * part('terms')) / text)} %`,
      `${show((100 * dictionary) / text)} %`,
      show(mebibytes(stats.fileBytes)),
    ]);
  }
  return {
    title: 'Bytes per quad by part',
    note: 'Terms and hash index make up the dictionary; the percentages set its bytes against those of the distinct terms that are not inlined in ids. Other: page headers, page rounding, free pages.',
    columns: [
      'data',
      'threads',
      'file',
      ...ORDERS,
      'orders+log',
      'directories',
      'terms',
      'hash index',
      'other',
      'terms/text',
      'dictionary/text',
      'file MiB',
    ],
    rows,
  };
}
