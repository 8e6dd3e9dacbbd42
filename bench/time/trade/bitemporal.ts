/**
 * The benchmark of a bitemporal set: the start is written month by month, every event is a transaction
 * of its own, everything becomes runs, and a process of its own asks the questions.
 */
import { writeFileSync } from 'node:fs';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import { openStore } from '../../../interfaces/library/index.js';
import { parseSize } from '../../data/data-set.js';
import { Trade } from '../../data/trade.js';
import { measureRounds } from '../../harness/child.js';
import { median, show } from '../../harness/figures.js';
import { describeMachine } from '../../harness/machine.js';
import { publish } from '../../harness/report.js';
import { removeStore, scratchPath } from '../../harness/scratch.js';
import type { Table } from '../../harness/table.js';
import type { BenchOptions } from '../../options.js';
import { Ledger } from './ledger.js';
import type { BitemporalFigure, BitemporalMeasurement } from './measure.js';
import { makeQuestions } from './questions.js';

const ORDERS = '20k';
const EVENTS_PER_ORDER = 2;
const SEED = 42;

interface Made {
  readonly rows: number;
  readonly current: number;
  readonly transactions: number;
  readonly eventsPerSecond: number;
}

export async function runBitemporal(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const store = scratchPath('bitemporal.svc');
  const questions = scratchPath('bitemporal.json');
  let results: {
    readonly made: Made;
    readonly runs: readonly BitemporalMeasurement[];
    readonly errors: readonly string[];
  };
  try {
    const made = await makeStore(store, questions, parseSize(options.rows?.[0] ?? ORDERS));
    const measured = await measureRounds<BitemporalMeasurement>(
      { task: 'bitemporal', store, questions },
      options,
      'bitemporal',
    );
    results = { made, ...measured };
  } finally {
    removeStore(store);
  }
  const { made, runs, errors } = results;
  publish({ benchmark: 'bitemporal', machine, tables: [toTable(made, runs, errors)], results }, options);
}

async function makeStore(path: string, questions: string, orders: number): Promise<Made> {
  removeStore(path);
  const trade = new Trade(orders, SEED);
  const ledger = new Ledger();
  const instants: number[] = [];
  const store = await openStore(path);
  for (const change of trade.start()) await ledger.write(store, change);
  const startTx = ledger.tx;
  const begin = performance.now();
  for (const change of trade.events(orders * EVENTS_PER_ORDER)) {
    await ledger.write(store, change);
    instants.push(change.instant);
  }
  const seconds = (performance.now() - begin) / 1000;
  await store.close();
  const engine = await openLmdbEngine(path);
  await engine.fold({});
  await engine.close();
  instants.sort((one, other) => one - other);
  writeFileSync(questions, JSON.stringify(makeQuestions(ledger, startTx, instants)));
  const current = ledger.countVisible({});
  console.error(`${ledger.rows.count} rows, ${current} current, ${ledger.tx} transactions`);
  return { rows: ledger.rows.count, current, transactions: ledger.tx, eventsPerSecond: instants.length / seconds };
}

function toTable(made: Made, runs: readonly BitemporalMeasurement[], errors: readonly string[]): Table {
  const first = runs[0]?.figures ?? [];
  return {
    title: 'A bitemporal set in the manner of TPC-BiH',
    note: [
      `${made.rows.toLocaleString('en-US')} rows, ${made.current.toLocaleString('en-US')} of them current, in`,
      `${made.transactions.toLocaleString('en-US')} transactions; ${show(made.eventsPerSecond)} events a second,`,
      'each a durable transaction, one writer.',
      ...errors,
    ].join(' '),
    columns: ['what', 'at', 'answer', 'ms', 'least', 'most'],
    rows: first.map((figure, at) => {
      const all = runs.map(({ figures }) => figures[at] as BitemporalFigure);
      return [
        figure.what,
        figure.slice,
        figure.answer.toLocaleString('en-US'),
        show(median(all.map(({ ms }) => ms))),
        show(Math.min(...all.map(({ msLeast }) => msLeast))),
        show(Math.max(...all.map(({ msMost }) => msMost))),
      ];
    }),
  };
}
