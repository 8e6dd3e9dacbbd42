/** The tables of the benchmark of HTTP. */
import { mebibytes, show, showRatio } from '../harness/figures.js';
import type { Table } from '../harness/table.js';
import { SHAPES } from './requests.js';
import type { HttpResults, LoadCase } from './results.js';

const OURS = 'svc';

export function toTables(results: HttpResults): readonly Table[] {
  const tables = [
    ...(results.loads.length === 0 ? [] : [loadTable(results, false), loadTable(results, true)]),
    ...(results.waits.length === 0 ? [] : [waitTable(results)]),
    ...(results.paced.length === 0 ? [] : [pacedTable(results)]),
    ...(results.analytics.length === 0 ? [] : [analyticTable(results)]),
    ...(results.idles.length === 0 ? [] : [idleTable(results)]),
    ...results.memories.map(memoryTable),
  ];
  return tables;
}

function loadTable({ loads }: HttpResults, written: boolean): Table {
  const cases = loads.filter(({ writer }) => (writer !== null) === written);
  const peerOf = (one: LoadCase): LoadCase | undefined =>
    cases.find(
      ({ server, size, shape, connections }) =>
        server !== OURS && size === one.size && shape === one.shape && connections === one.connections,
    );
  const rows = cases
    .filter(({ server }) => server === OURS)
    .map((one) => {
      const peer = peerOf(one);
      const ratio = (ours: number, theirs: number | undefined): string =>
        showRatio(theirs === undefined ? null : ours / theirs);
      return [
        one.size,
        SHAPES[one.shape].title,
        String(one.connections),
        show(one.load.perSecond),
        show(one.load.medianMs),
        show(one.load.p99Ms),
        showCpu(one),
        show(peer?.load.perSecond),
        show(peer?.load.medianMs),
        show(peer?.load.p99Ms),
        showCpu(peer),
        ratio(one.load.perSecond, peer?.load.perSecond),
        peer === undefined ? '-' : showRatio(peer.load.p99Ms / one.load.p99Ms),
        String(one.load.errors + (one.writer?.errors ?? 0)),
        ...(written ? [show(one.writer?.p99Ms), show(peer?.writer?.p99Ms)] : []),
      ];
    });
  return {
    title: written ? 'HTTP, beside a steady writer' : 'HTTP',
    note: [
      'Requests a second; milliseconds from sending a request to the last byte of its answer. CPU: of all threads of the server, a request. Ratios above 1: ahead of the peer.',
      ...(written ? ['The writer sends 20 updates a second of 20 quads with 20 new terms.'] : []),
    ].join(' '),
    columns: [
      'size',
      'answer',
      'connections',
      'svc /s',
      'p50 ms',
      'p99 ms',
      'CPU ms',
      'virtuoso /s',
      'p50 ms',
      'p99 ms',
      'CPU ms',
      'throughput',
      'p99',
      'errors',
      ...(written ? ['svc write p99 ms', 'virtuoso write p99 ms'] : []),
    ],
    rows,
  };
}

function showCpu(one: LoadCase | undefined): string {
  return one === undefined || one.cpuMs === null ? '-' : show(one.cpuMs / one.load.requests);
}

function waitTable({ waits }: HttpResults): Table {
  return {
    title: 'HTTP, waiting for the store',
    note: 'Seconds that all requests of the tables above together waited for a place at a reader or for the turn of a write (`svc_store_wait_seconds_total`), and were worked on.',
    columns: ['size', 'waited s', 'worked on s', 'share %'],
    rows: waits.map(({ size, waitedSeconds, heldSeconds }) => [
      size,
      show(waitedSeconds),
      show(heldSeconds),
      show((100 * waitedSeconds) / (waitedSeconds + heldSeconds)),
    ]),
  };
}

function pacedTable({ paced }: HttpResults): Table {
  return {
    title: 'HTTP, at a steady rate',
    note: 'Requests sent at even distances, so many a second as the share says of what the same connections get through with nothing between; waited and worked on as above.',
    columns: [
      'size',
      'answer',
      'connections',
      'share %',
      'asked /s',
      'answered /s',
      'p50 ms',
      'p99 ms',
      'waited s',
      'worked on s',
      'waited %',
      'errors',
    ],
    rows: paced.map(({ size, shape, connections, share, rate, load, waitedSeconds, heldSeconds }) => [
      size,
      SHAPES[shape].title,
      String(connections),
      show(100 * share),
      show(rate),
      show(load.perSecond),
      show(load.medianMs),
      show(load.p99Ms),
      show(waitedSeconds),
      show(heldSeconds),
      show((100 * waitedSeconds) / (waitedSeconds + heldSeconds)),
      String(load.errors),
    ]),
  };
}

function analyticTable({ analytics }: HttpResults): Table {
  return {
    title: 'HTTP, point queries beside analytic queries',
    note: 'One connection asks for one subject after the other; one or four others ask the same query of some seconds again and again.',
    columns: [
      'size',
      'server',
      'analytic at once',
      'p50 ms alone',
      'p99 ms alone',
      'p50 ms beside',
      'p99 ms beside',
      'p99 ratio',
      'errors',
    ],
    rows: analytics.map(({ size, server, askers, without, beside }) => [
      size,
      server,
      String(askers),
      show(without.medianMs),
      show(without.p99Ms),
      show(beside.medianMs),
      show(beside.p99Ms),
      showRatio(beside.p99Ms / without.p99Ms),
      String(without.errors + beside.errors),
    ]),
  };
}

function idleTable({ idles }: HttpResults): Table {
  return {
    title: 'HTTP, idle connections',
    note: 'Connections that have asked once and stay open, while eight others ask for one subject after the other.',
    columns: ['size', 'opened', 'still open', 'point queries /s', 'p99 ms', 'errors'],
    rows: idles.map(({ size, figures: { opened, kept, load } }) => [
      size,
      show(opened),
      show(kept),
      show(load.perSecond),
      show(load.p99Ms),
      String(load.errors),
    ]),
  };
}

function memoryTable({ size, updates, figures }: HttpResults['memories'][number]): Table {
  const { samples, seconds, answers } = figures;
  const total = Object.entries(answers).map(([answer, count]) => `${answer}: ${count.toLocaleString('en-US')}`);
  return {
    title: `HTTP, memory over many requests, ${size}${updates ? '' : ', reads only'}`,
    note: `Own: pages of the process that no file stands behind. Answers, ${total.join(', ')}; ${show(seconds)} s.`,
    columns: ['requests', 'own MiB', 'file MiB', 'heap MiB', 'descriptors'],
    rows: samples.map(({ requests, anonymousBytes, fileBytes, heapBytes, descriptors }) => [
      requests.toLocaleString('en-US'),
      show(mebibytes(anonymousBytes)),
      show(mebibytes(fileBytes)),
      show(mebibytes(heapBytes)),
      String(descriptors),
    ]),
  };
}
