/** The tables of a set of queries: what was loaded, every time, every ratio, who disagrees. */
import { mebibytes, show, showRatio } from '../harness/figures.js';
import type { Table } from '../harness/table.js';
import { type Cell, type ComparedQuery, isBehind, meanOfRatios } from './compare.js';
import type { PeerResults } from './results.js';

const MARKS = { differs: '*', timeout: 'T', error: 'E', absent: '' } as const;

export function loadTable(title: string, results: readonly PeerResults[]): Table {
  return {
    title: `${title}: stores`,
    note: 'Load: from the first to the last byte, durable where the store is on disk. Round trip: `ASK {}`, part of every time below.',
    columns: ['store', 'what', 'version', 'load s', 'disk MiB', 'peak MiB', 'round trip ms'],
    rows: results.map(({ peer, about, version, load, roundTripMs }) => {
      const failed = load !== null && 'error' in load;
      const figures = load === null || 'error' in load ? null : load;
      return [
        peer,
        about,
        version,
        failed ? 'failed' : show(figures === null ? null : figures.ms / 1000),
        show(figures?.diskBytes == null ? null : mebibytes(figures.diskBytes)),
        show(figures === null ? null : mebibytes(figures.peakBytes)),
        show(roundTripMs),
      ];
    }),
  };
}

export function queryTable(title: string, queries: readonly ComparedQuery[]): Table {
  const peers = queries[0]?.peers.map(({ peer }) => peer) ?? [];
  const behind = queries.filter(isBehind).map(({ label }) => label);
  const mean = meanOfRatios(queries);
  return {
    title,
    note: [
      'Warm medians in ms; in brackets how many times faster svc is.',
      '`*`: the answer differs from that of most; T: time-out; E: error.',
      `Behind the fastest peer: ${behind.length === 0 ? 'nowhere' : behind.join(', ')}.`,
      mean === null ? '' : `Mean ratio to the fastest peer where it takes 1 ms or more: ${showRatio(mean)}.`,
    ]
      .join(' ')
      .trim(),
    columns: ['query', 'rows', 'cold ms', 'svc', ...peers, 'fastest peer', 'ratio'],
    rows: queries.map((query) => [
      query.label,
      query.rows === null ? '-' : query.rows.toLocaleString('en-US'),
      show(query.ours.figures?.coldMs),
      showCell(query.ours, false),
      ...query.peers.map((cell) => showCell(cell, true)),
      query.fastest?.peer ?? '-',
      showRatio(query.fastest?.ratio ?? null),
    ]),
  };
}

function showCell({ standing, figures, ratio }: Cell, withRatio: boolean): string {
  if (standing === 'right')
    return withRatio && ratio !== null ? `${show(figures?.ms)} (${show(ratio)})` : show(figures?.ms);
  return standing === 'differs' ? `${show(figures?.ms)}${MARKS.differs}` : MARKS[standing];
}

/** Who gives another answer or none, a line each. */
export function disagreements(queries: readonly ComparedQuery[]): readonly string[] {
  return queries.flatMap(({ label, rows, ours, peers }) =>
    [ours, ...peers].flatMap(({ peer, standing, figures }) => {
      if (standing === 'differs')
        return [`- ${label}: ${peer} gives ${figures?.rows} rows of another answer, most give ${rows}`];
      return standing === 'error'
        ? [`- ${label}: ${peer}: ${(figures?.error ?? '').replace(/\s+/g, ' ').slice(0, 160)}`]
        : [];
    }),
  );
}
