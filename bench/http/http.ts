/**
 * The benchmark of HTTP: our server and a peer's with the same data on the same machine, both up all the time, each case
 * asked of one and then of the other. Before anything is measured their answers are compared.
 */
import { SvcError } from '../../engine/base/errors.js';
import { type DataSet, provideDataSet } from '../data/data-set.js';
import { type Answer, measureApart } from '../harness/child.js';
import { show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { virtuoso } from '../peers/virtuoso.js';
import type { LoadFigures, LoadTask } from './autocannon.js';
import type { IdleFigures, IdleTask } from './idle.js';
import type { MemoryFigures, MemoryTask } from './memory.js';
import { type HttpOptions, parseHttpOptions } from './options.js';
import { ANALYTIC_QUERY, makeQueries, SHAPES, type ShapeName } from './requests.js';
import type { AnalyticCase, HttpResults, LoadCase } from './results.js';
import { type BenchServer, cpuMsOf, SPARQL_JSON, startOurs, startVirtuoso } from './servers.js';
import { SteadyWriter } from './steady-writer.js';
import { toTables } from './tables.js';

/** Compilers of either server settle before anything is measured. */
const WARM_REQUESTS: Readonly<Record<ShapeName, number>> = { point: 6000, hundred: 2000, large: 2 };
const WARM_CONNECTIONS = 8;
/** Of the steady writer, beside one reader: what writes and what reads fresh rows settles as well. */
const WARM_WRITE_SECONDS = 10;
/** Large answers take seconds where many are asked for at once: each connection asks for one, and so many are asked for at least. */
const LARGE_MIN = 3;
/** The peer takes twelve seconds for one, so it is asked for no more of them at once. */
const LARGE_PEER_CONNECTIONS = 8;
const ANALYTIC_CONNECTIONS = 1;
/** Analytic queries at once. */
const ANALYTIC_ASKERS = [1, 4];
const PACED_CONNECTIONS = 64;
const PACED_SHARES = [0.25, 0.5, 0.75];
const IDLE_CONNECTIONS = 10_000;
/** Connections that ask meanwhile. */
const IDLE_ASKING = 8;

type Queries = Readonly<Record<ShapeName, string[]>>;

export async function runHttp(args: readonly string[]): Promise<void> {
  const options = parseHttpOptions(args);
  const machine = describeMachine();
  const results: HttpResults = { loads: [], analytics: [], idles: [], memories: [], waits: [], paced: [] };
  try {
    for (const size of options.sizes) await runSize(size, options, results);
  } finally {
    // What has been measured is told, whatever ended the run.
    publish({ benchmark: 'http', machine, tables: toTables(results), results }, { ...options, runs: 1 });
  }
}

async function runSize(size: string, options: HttpOptions, results: HttpResults): Promise<void> {
  const data = provideDataSet('bsbm', size, console.error);
  const queries = await makeQueries(data.path, data.triples);
  const servers = await startServers(data, options);
  const [ours] = servers as [BenchServer];
  try {
    await compareAnswers(servers, queries);
    await warm(servers, queries, options.shapes);
    if (options.parts.includes('load')) {
      const before = await storeSeconds(ours);
      await runLoads(size, servers, queries, options, results);
      const after = await storeSeconds(ours);
      const waitedSeconds = after.waited - before.waited;
      results.waits.push({ size, waitedSeconds, heldSeconds: after.held - before.held });
    }
    if (options.parts.includes('paced')) await runPaced(size, ours, queries, options, results);
    if (options.parts.includes('analytic')) {
      for (const server of servers) {
        for (const askers of ANALYTIC_ASKERS) {
          results.analytics.push(await runAnalytic(size, server, queries, askers, options.seconds));
        }
      }
    }
    if (options.parts.includes('idle')) await runIdle(size, ours, queries, options, results);
    if (options.parts.includes('memory')) await runMemory(size, ours, queries, options, results);
  } finally {
    for (const server of servers) await server.close();
  }
}

async function warm(servers: readonly BenchServer[], queries: Queries, shapes: readonly ShapeName[]): Promise<void> {
  for (const server of servers) {
    for (const shape of shapes) {
      const requests = WARM_REQUESTS[shape];
      const task = loadTask(server, queries[shape], Math.min(WARM_CONNECTIONS, requests), 1);
      await measured({ ...task, requests });
    }
  }
}

async function startServers(data: DataSet, options: HttpOptions): Promise<readonly BenchServer[]> {
  const ours = await startOurs(data, options.profile);
  if (!options.peers) return [ours];
  if (virtuoso.version() === null) {
    console.error('virtuoso is not there: it comes from the package manager of the system');
    return [ours];
  }
  // One each for the writer, the analytic query and the comparison.
  return [ours, await startVirtuoso(data, Math.max(...options.connections) + 8)];
}

/** Rows of every text, which must be as many on both, and as many as the shape says. */
async function compareAnswers(servers: readonly BenchServer[], queries: Queries): Promise<void> {
  for (const [shape, texts] of Object.entries(queries) as [ShapeName, string[]][]) {
    for (const text of texts.slice(0, 100)) {
      const counts: number[] = [];
      for (const server of servers) counts.push(await countRows(server, text));
      const expected = SHAPES[shape].rows ?? counts[0];
      if (counts[0] === 0 || counts.some((count) => count !== expected)) {
        throw new SvcError('internal', `${text} has ${counts.join(' and ')} rows, expected ${expected}`);
      }
    }
  }
}

async function countRows(server: BenchServer, text: string): Promise<number> {
  const ask = (): Promise<Response> =>
    fetch(`${server.origin}${server.queryPath(text)}`, { headers: { accept: SPARQL_JSON } });
  // A connection that was kept may be closed by the server just when it is used again.
  const answer = await ask().catch(ask);
  const body = await answer.text();
  if (!answer.ok) throw new SvcError('service_failed', `${server.name}: ${answer.status} ${body.slice(0, 300)}`);
  return (JSON.parse(body) as { results: { bindings: unknown[] } }).results.bindings.length;
}

async function measured<Figures>(task: object): Promise<Figures> {
  const answer = (await measureApart(task, null)) as Answer<object>;
  if ('error' in answer) throw new SvcError('service_failed', `${(task as { task: string }).task}: ${answer.error}`);
  return answer as Figures;
}

function loadTask(server: BenchServer, texts: readonly string[], connections: number, seconds: number): LoadTask {
  const paths = texts.map((text) => server.queryPath(text));
  return { task: 'http-load', origin: server.origin, paths, accept: SPARQL_JSON, connections, seconds };
}

const load = (
  server: BenchServer,
  texts: readonly string[],
  connections: number,
  seconds: number,
): Promise<LoadFigures> => measured(loadTask(server, texts, connections, seconds));

async function runLoads(
  size: string,
  servers: readonly BenchServer[],
  queries: Queries,
  { shapes, connections: counts, seconds }: HttpOptions,
  { loads }: HttpResults,
): Promise<void> {
  for (const written of [false, true]) {
    if (written) await warmWrites(servers, queries);
    for (const shape of shapes) {
      for (const connections of counts) {
        for (const server of servers) {
          if (shape === 'large' && server.name !== 'svc' && connections > LARGE_PEER_CONNECTIONS) continue;
          const writer = written ? new SteadyWriter(server) : null;
          const cpuBefore = cpuMsOf(server.pid);
          const requests = shape === 'large' ? Math.max(connections, LARGE_MIN) : undefined;
          const figures = await measured<LoadFigures>({
            ...loadTask(server, queries[shape], connections, seconds),
            requests,
          });
          const cpuAfter = cpuMsOf(server.pid);
          const cpuMs = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore;
          const writes = (await writer?.stop()) ?? null;
          const one = { size, server: server.name, shape, connections, load: figures, cpuMs, writer: writes };
          loads.push(one);
          console.error(describe(one));
        }
      }
    }
  }
}

async function warmWrites(servers: readonly BenchServer[], queries: Queries): Promise<void> {
  for (const server of servers) {
    const writer = new SteadyWriter(server);
    await load(server, queries.point, 1, WARM_WRITE_SECONDS);
    await writer.stop();
  }
}

function describe({ size, server, shape, connections, load, cpuMs, writer }: LoadCase): string {
  const { requests, perSecond, medianMs, p99Ms, errors } = load;
  const cpu = cpuMs === null ? '' : `, ${show(cpuMs / requests)} ms CPU each`;
  const writes =
    writer === null ? '' : `; ${writer.updates} updates, p99 ${show(writer.p99Ms)} ms, ${writer.errors} errors`;
  return `${size} ${shape} x${connections} ${server}: ${show(perSecond)}/s, median ${show(medianMs)} ms, p99 ${show(p99Ms)} ms${cpu}, ${errors} errors${writes}`;
}

/** Where fewer requests come than could be answered, none should wait for another. */
async function runPaced(
  size: string,
  ours: BenchServer,
  queries: Queries,
  { shapes, seconds }: HttpOptions,
  { paced }: HttpResults,
): Promise<void> {
  for (const shape of shapes) {
    if (shape === 'large') continue;
    const full = await load(ours, queries[shape], PACED_CONNECTIONS, seconds);
    for (const share of PACED_SHARES) {
      const rate = Math.max(1, Math.floor(full.perSecond * share));
      const before = await storeSeconds(ours);
      const task = { ...loadTask(ours, queries[shape], PACED_CONNECTIONS, seconds), task: 'http-paced', rate };
      const figures = await measured<LoadFigures>(task);
      const after = await storeSeconds(ours);
      const waitedSeconds = after.waited - before.waited;
      const heldSeconds = after.held - before.held;
      paced.push({
        size,
        shape,
        connections: PACED_CONNECTIONS,
        share,
        rate,
        load: figures,
        waitedSeconds,
        heldSeconds,
      });
      console.error(
        `${size} ${shape} at ${rate}/s: ${show(figures.perSecond)}/s, p99 ${show(figures.p99Ms)} ms, waited ${show(waitedSeconds)} s of ${show(heldSeconds)} s`,
      );
    }
  }
}

/** Point queries alone, and beside analytic queries that are each asked again as soon as they have ended. */
async function runAnalytic(
  size: string,
  server: BenchServer,
  queries: Queries,
  askers: number,
  seconds: number,
): Promise<AnalyticCase> {
  const without = await load(server, queries.point, ANALYTIC_CONNECTIONS, seconds);
  const stop = new AbortController();
  let analytic = 0;
  const ask = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const headers = { accept: SPARQL_JSON };
      const url = `${server.origin}${server.queryPath(ANALYTIC_QUERY)}`;
      const answer = await fetch(url, { headers, signal: stop.signal });
      const text = await answer.text();
      if (!answer.ok) throw new SvcError('service_failed', `${server.name}: ${text.slice(0, 300)}`);
      analytic++;
    }
  };
  const repeat = Promise.all(Array.from({ length: askers }, ask)).catch((error) => {
    if (!stop.signal.aborted) throw error;
  });
  const beside = await load(server, queries.point, ANALYTIC_CONNECTIONS, seconds);
  stop.abort();
  await repeat;
  console.error(
    `${size} ${server.name}: p99 ${without.p99Ms.toFixed(2)} ms alone, ${beside.p99Ms.toFixed(2)} ms beside ${analytic} analytic queries of ${askers} at once`,
  );
  return { size, server: server.name, askers, without, beside, analytic };
}

async function runIdle(
  size: string,
  ours: BenchServer,
  queries: Queries,
  { seconds }: HttpOptions,
  { idles }: HttpResults,
): Promise<void> {
  const load = loadTask(ours, queries.point, IDLE_ASKING, seconds);
  const task: IdleTask = { ...load, task: 'http-idle', idle: IDLE_CONNECTIONS };
  const figures = await measured<IdleFigures>(task);
  console.error(
    `${size} idle: ${figures.opened} opened, ${figures.kept} kept, p99 ${figures.load.p99Ms.toFixed(2)} ms`,
  );
  idles.push({ size, figures });
}

async function runMemory(
  size: string,
  ours: BenchServer,
  queries: Queries,
  { requests, updates }: HttpOptions,
  { memories }: HttpResults,
): Promise<void> {
  if (ours.pid === undefined) return;
  const task: MemoryTask = { task: 'http-memory', origin: ours.origin, pid: ours.pid, requests, queries, updates };
  memories.push({ size, updates, figures: await measured<MemoryFigures>(task) });
}

/** Seconds that all requests together waited for the store, and were worked on by it. */
async function storeSeconds({ origin }: BenchServer): Promise<{ readonly waited: number; readonly held: number }> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const sum = (name: string): number =>
    [...text.matchAll(new RegExp(`^${name}\\{[^}]*\\} (\\S+)`, 'gm'))].reduce(
      (all, [, value]) => all + Number(value),
      0,
    );
  return { waited: sum('svc_store_wait_seconds_total'), held: sum('svc_store_held_seconds_total') };
}
