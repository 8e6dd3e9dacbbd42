/** The tables of the benchmark of episodes. */
import { mebibytes, show } from '../harness/figures.js';
import type { Table } from '../harness/table.js';
import type { JoinMeasurement } from './measure-joins.js';
import type { LargeFigures } from './measure-large.js';
import type { ShapesMeasurement } from './measure-shapes.js';
import type { WriteFigures, WriteMeasurement } from './measure-writes.js';

/** One run of one case. */
export type Measured =
  | { readonly part: 'library' | 'http'; readonly size: string; readonly figures: WriteMeasurement }
  | { readonly part: 'joins'; readonly size: string; readonly figures: JoinMeasurement }
  | { readonly part: 'large'; readonly size: string; readonly figures: LargeFigures }
  | { readonly part: 'shapes'; readonly size: string; readonly figures: ShapesMeasurement };

export interface EpisodesResults {
  readonly writers: number;
  readonly cases: readonly Measured[];
  readonly errors: readonly string[];
}

type Of<Part> = Extract<Measured, { readonly part: Part }>;

export function episodesTables(results: EpisodesResults): Table[] {
  const tables = [writes(results), joins(results), large(results), shapes(results)];
  return tables.filter(
    ({ rows, note }, at) => rows.length > 0 || (at === 0 && note !== undefined && results.errors.length > 0),
  );
}

const count = (value: number): string => value.toLocaleString('en-US');

function writes({ cases, writers, errors }: EpisodesResults): Table {
  const line = (through: string, how: string, size: string, figures: WriteFigures): string[] => [
    through,
    how,
    size,
    show(figures.perSecond),
    show(figures.p50Ms),
    show(figures.p99Ms),
    show(figures.cpuMs),
  ];
  const measured = cases.filter((one): one is Of<'library' | 'http'> => one.part === 'library' || one.part === 'http');
  return {
    title: 'Durable episodes',
    note: [
      'Three nodes, two edges, 20 statements, each episode a transaction of its own that is durable when it is answered.',
      `"${writers} at once" are that many writers that each wait for their own. CPU is that of the process that has the store.`,
      ...errors.map((error) => `${error}.`),
    ].join(' '),
    columns: ['through', 'writers', 'episodes before', 'a second', 'p50 ms', 'p99 ms', 'CPU ms'],
    rows: measured.flatMap(({ part, size, figures }) => [
      line(part, 'one by one', size, figures.one),
      line(part, `${writers} at once`, size, figures.many),
    ]),
  };
}

function joins({ cases }: EpisodesResults): Table {
  const measured = cases.filter((one): one is Of<'joins'> => one.part === 'joins');
  return {
    title: 'Two hops over episodes',
    note: '"From one": what depends on a service, and where that runs, another service each time. "All": every pair of hops, counted.',
    columns: ['episodes', 'join', 'rows', 'p50 ms', 'p99 ms'],
    rows: measured.flatMap(({ size, figures }) =>
      (['fromOne', 'all'] as const).map((join) => [
        size,
        join === 'all' ? 'all' : 'from one',
        count(figures[join].rows),
        show(figures[join].p50Ms),
        show(figures[join].p99Ms),
      ]),
    ),
  };
}

function large({ cases }: EpisodesResults): Table {
  return {
    title: 'One large episode',
    note: 'As many edges as nodes, into an empty store.',
    columns: ['nodes', 'statements', 'ms', 'CPU ms', 'peak MiB'],
    rows: cases
      .filter((one): one is Of<'large'> => one.part === 'large')
      .map(({ size, figures }) => [
        size,
        count(figures.statements),
        show(figures.wallMs),
        show(figures.cpuMs),
        show(mebibytes(figures.peakBytes)),
      ]),
  };
}

function shapes({ cases }: EpisodesResults): Table {
  return {
    title: 'Episodes judged by SHACL',
    note: 'Writes one by one, without stored shapes and with 50 of them; then all nodes that the shapes are for, validated in one go.',
    columns: [
      'facts',
      'plain ms',
      'p99',
      'with shapes ms',
      'p99',
      'plain CPU ms',
      'with shapes CPU ms',
      'focus nodes',
      'focus nodes a second',
    ],
    rows: cases
      .filter((one): one is Of<'shapes'> => one.part === 'shapes')
      .map(({ size, figures: { plain, judged, focusNodes, validateMs } }) => [
        size,
        show(plain.p50Ms),
        show(plain.p99Ms),
        show(judged.p50Ms),
        show(judged.p99Ms),
        show(plain.cpuMs),
        show(judged.cpuMs),
        count(focusNodes),
        show(focusNodes / (validateMs / 1000)),
      ]),
  };
}
