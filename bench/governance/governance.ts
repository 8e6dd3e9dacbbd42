/** The benchmark of governance: what policies add to small writes, a check over HTTP, a backtest. */
import { dirname } from 'node:path';
import { openStore } from '../../interfaces/library/index.js';
import { isError, measureApart } from '../harness/child.js';
import { median, percentile95, show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import type { Table } from '../harness/table.js';
import { serveStore } from '../http/servers.js';
import { type BenchOptions, parseRows } from '../options.js';
import { type BacktestCase, CASES, type GovernedWrites, linesAbout } from './measure.js';

/** Facts of the store; transactions of the log that is tested. */
const FACTS = '1M';
const FACTS_PER_NODE = 5;
const TRANSACTIONS = 100_000;
const CHECKS = 500;

interface Checks {
  readonly medianMs: number;
  readonly p95Ms: number;
}

export async function runGovernance(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const base = scratchPath('governance.svc');
  const log = scratchPath('governance-log.svc');
  const errors: string[] = [];
  try {
    const facts = parseRows(options.rows?.[0] ?? FACTS);
    tell(`a store of ${show(facts)} facts`);
    await makeBase(base, Math.ceil(facts / FACTS_PER_NODE));
    const writes: GovernedWrites[] = [];
    for (const [at, { what }] of CASES.entries()) {
      tell(`writes: ${what}`);
      const task = { task: 'governance-writes', store: base, folder: dirname(base), at };
      writes.push(...(await measured<GovernedWrites>(task, errors)));
    }
    tell(`${CHECKS} checks over HTTP`);
    const checks = await measureChecks(base);
    const transactions = Math.min(options.commits * 5, TRANSACTIONS);
    tell(`a log of ${show(transactions)} transactions, and backtests over it`);
    const backtests = await measured<BacktestCase>({ task: 'governance-backtest', store: log, transactions }, errors);
    const tables = [writesTable(writes, facts), checksTable(checks), backtestTable(backtests)];
    for (const error of errors) console.error(error);
    publish({ benchmark: 'governance', machine, tables, results: { writes, checks, backtests, errors } }, options);
  } finally {
    removeStore(base);
    removeStore(log);
  }
}

/** What is measured now: on an idle machine all of it takes some minutes, most of it the writes and the log. */
function tell(what: string): void {
  console.error(`governance: ${what}`);
}

async function measured<Case>(task: object, errors: string[]): Promise<readonly Case[]> {
  const answer = await measureApart<{ readonly cases: readonly Case[] }>(task, null);
  if (!isError(answer)) return answer.cases;
  errors.push(answer.error);
  return [];
}

async function makeBase(path: string, nodes: number): Promise<void> {
  const lines: string[] = [];
  for (let at = 0; at < nodes; at++) lines.push(...linesAbout(`node${at}`, at), '');
  const store = await openStore(path);
  await store.load({
    text: lines
      .filter((line) => line !== '')
      .join(' .\n')
      .concat(' .'),
    format: 'turtle',
  });
  await store.close();
}

/** One after the other over one connection; another route of the server is asked in between, for what HTTP itself takes. */
async function measureChecks(path: string): Promise<{ readonly check: Checks; readonly health: Checks }> {
  const server = await serveStore(path, []);
  const [check, health]: [number[], number[]] = [[], []];
  const timed = async (into: number[], ask: () => Promise<Response>): Promise<void> => {
    const begin = performance.now();
    await (await ask()).arrayBuffer();
    into.push(performance.now() - begin);
  };
  try {
    for (let at = 0; at < 2 * CHECKS; at++) {
      const body = JSON.stringify({
        target: `http://example.org/node${at * 31}`,
        claim: 'ASK { $target <http://example.org/owner> ?o }',
      });
      const [checks, others] = at < CHECKS ? [[], []] : [check, health];
      await timed(checks, () => fetch(`${server.origin}/policy/check`, { method: 'POST', body }));
      await timed(others, () => fetch(`${server.origin}/health`));
    }
  } finally {
    await server.close();
  }
  const figures = (times: readonly number[]): Checks => ({ medianMs: median(times), p95Ms: percentile95(times) });
  return { check: figures(check), health: figures(health) };
}

function writesTable(cases: readonly GovernedWrites[], facts: number): Table {
  return {
    title: `Writes of 20 quads into ${show(facts)} facts, ms of the processor`,
    note: 'The same writes without the gate and with it in turns, on one store that is opened anew for each.',
    columns: ['policies', 'without', 'with', 'more'],
    rows: cases.map(({ what, plainMs, judgedMs, moreMs }) => [what, show(plainMs), show(judgedMs), show(moreMs)]),
  };
}

function checksTable({ check, health }: Readonly<Record<'check' | 'health', Checks>>): Table {
  return {
    title: 'Checks over HTTP, ms of the clock',
    columns: ['request', 'median', 'p95'],
    rows: [
      ['POST /policy/check', show(check.medianMs), show(check.p95Ms)],
      ['GET /health, in between', show(health.medianMs), show(health.p95Ms)],
    ],
  };
}

function backtestTable(cases: readonly BacktestCase[]): Table {
  return {
    title: 'Backtests of one policy; every transaction touches its class',
    columns: ['claim', 'transactions', 'hits', 'CPU s', 's'],
    rows: cases.map(({ what, transactions, hits, cpuMs, elapsedMs }) => [
      what,
      show(transactions),
      hits.toLocaleString('en-US'),
      show(cpuMs / 1000),
      show(elapsedMs / 1000),
    ]),
  };
}
