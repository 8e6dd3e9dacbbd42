/**
 * The benchmark of joins across servers: 10,000 bindings of one server joined with 10,000 names of another. Ours by SERVICE
 * and by `federated: "join"`, asked of the first server; Comunica, where the path of an installation is given
 * (SVC_BENCH_COMUNICA), over the same two servers, by SERVICE and by itself. All in turns, after a first run of each that is not counted. Besides the
 * time, what it costs in processor time of all processes, and how many queries the servers were asked.
 */

import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SvcError } from '../../engine/base/errors.js';
import { median, show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { scratchPath } from '../harness/scratch.js';
import { type BenchServer, cpuMsOf, serveStore } from '../http/servers.js';
import { parseOptions } from '../options.js';

const EX = 'http://example.org/';
const BINDINGS = 10_000;
/** As the issue wants it. */
const REQUESTS_MAX = 50;

type Server = Pick<BenchServer, 'origin' | 'pid' | 'close'>;

interface Way {
  readonly name: string;
  /** Gives how many rows there were. */
  run(): Promise<number>;
}

interface Run {
  readonly ms: number;
  readonly cpuMs: number;
  readonly requests: number;
}

export async function runFederation(args: readonly string[]): Promise<void> {
  const options = parseOptions(args);
  const second = await serve('second', (at) => `<${EX}s${at}> <${EX}name> "n${at}" .`, '');
  const remote = `[[svc.federation.remotes]]\nname = "second"\nurl = "${second.origin}"\ntimeout_ms = 60000\n`;
  const first = await serve('first', (at) => `<${EX}w${at % 7}> <${EX}likes> <${EX}s${at}> .`, remote);
  const servers = [first, second];
  try {
    const ways = [...ours(first, second), ...(options.peers ? await comunica(first, second) : [])];
    const runs = new Map<string, Run[]>(ways.map(({ name }) => [name, []]));
    for (let round = 0; round <= options.runs; round++) {
      for (const way of ways) {
        const run = await measured(way, servers);
        if (round > 0) runs.get(way.name)?.push(run);
      }
    }
    const rows = [...runs].map(([name, all]) => {
      const of = (figure: keyof Run): string => show(median(all.map((run) => run[figure])));
      return [name, of('ms'), of('cpuMs'), of('requests')];
    });
    const note = `${BINDINGS.toLocaleString('en-US')} bindings; at most ${REQUESTS_MAX} requests are wanted.`;
    const table = { title: 'Joins across two servers', note, columns: ['way', 'ms', 'CPU ms', 'requests'], rows };
    publish({ benchmark: 'federation', machine: describeMachine(), tables: [table], results: [...runs] }, options);
  } finally {
    for (const server of servers) await server.close();
  }
}

async function serve(name: string, line: (at: number) => string, more: string): Promise<Server> {
  const config = scratchPath(`${name}.toml`);
  writeFileSync(config, `[svc.search]\nmax_sparql_rows = 1000000\n${more}`);
  const server = await serveStore(scratchPath(`${name}.svc`), [], ['--config', config]);
  const turtle = Array.from({ length: BINDINGS }, (_, at) => line(at)).join('\n');
  await asked(`${server.origin}/knot`, { turtle });
  return server;
}

async function asked(url: string, body: object): Promise<{ readonly count?: number; readonly complete?: boolean }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new SvcError('service_failed', `${url}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as { readonly count?: number };
}

const SERVICE = (second: Server): string =>
  `SELECT * { ?w <${EX}likes> ?s . SERVICE <${second.origin}/query> { ?s <${EX}name> ?n } }`;
const JOIN = `SELECT * { ?w <${EX}likes> ?s . ?s <${EX}name> ?n }`;

function ours(first: Server, second: Server): Way[] {
  const ask = async (body: object): Promise<number> => (await asked(`${first.origin}/query`, body)).count ?? 0;
  return [
    { name: 'svc, SERVICE', run: () => ask({ query: SERVICE(second) }) },
    { name: 'svc, join', run: () => ask({ query: JOIN, federated: 'join' }) },
  ];
}

/** To a single source Comunica leaves the whole query, SERVICE and all; beside another it asks the endpoint itself. */
const BESIDE = { type: 'serialized', value: '<urn:a> <urn:b> <urn:c> .', mediaType: 'text/turtle', baseIRI: 'urn:a' };

interface Engine {
  queryBindings(query: string, context: object): Promise<NodeJS.ReadableStream>;
}

async function comunica(first: Server, second: Server): Promise<Way[]> {
  const folder = process.env.SVC_BENCH_COMUNICA;
  if (folder === undefined) {
    console.error('comunica is left out: SVC_BENCH_COMUNICA names no folder with @comunica/query-sparql');
    return [];
  }
  const module = createRequire(join(folder, 'package.json')).resolve('@comunica/query-sparql');
  const loaded = (await import(pathToFileURL(module).href)) as { readonly QueryEngine: new () => Engine };
  const engine = new loaded.QueryEngine();
  const sourceOf = ({ origin }: Server): object => ({ type: 'sparql', value: `${origin}/query` });
  const rowsOf = async (query: string, sources: readonly object[]): Promise<number> => {
    // What is kept of the answers of one run would serve the next.
    await (engine as unknown as { invalidateHttpCache?(): Promise<void> }).invalidateHttpCache?.();
    const stream = await engine.queryBindings(query, { sources });
    let rows = 0;
    return new Promise((resolve, reject) => {
      stream.on('data', () => rows++);
      stream.on('end', () => resolve(rows));
      stream.on('error', reject);
    });
  };
  return [
    { name: 'comunica, two sources', run: () => rowsOf(JOIN, [sourceOf(first), sourceOf(second)]) },
    { name: 'comunica, SERVICE left to us', run: () => rowsOf(SERVICE(second), [sourceOf(first)]) },
    { name: 'comunica, SERVICE', run: () => rowsOf(SERVICE(second), [sourceOf(first), BESIDE]) },
  ];
}

async function measured(way: Way, servers: readonly Server[]): Promise<Run> {
  const cpu = (): number => {
    const { user, system } = process.cpuUsage();
    return servers.reduce((sum, { pid }) => sum + (cpuMsOf(pid) ?? 0), (user + system) / 1000);
  };
  const queries = await queriesOf(servers);
  const cpuBefore = cpu();
  const began = performance.now();
  const rows = await way.run();
  const ms = performance.now() - began;
  const cpuMs = cpu() - cpuBefore;
  if (rows !== BINDINGS) throw new SvcError('service_failed', `${way.name} has ${rows} rows and not ${BINDINGS}`);
  // The query of the caller is none of the join's own.
  const own = way.name.startsWith('svc') ? 1 : 0;
  return { ms, cpuMs, requests: (await queriesOf(servers)) - queries - own };
}

/** Requests that the servers have answered, without those for these figures. */
async function queriesOf(servers: readonly Server[]): Promise<number> {
  let sum = 0;
  for (const { origin } of servers) {
    const text = await (await fetch(`${origin}/metrics`)).text();
    for (const [, endpoint, count] of text.matchAll(
      /^svc_http_requests_total\{[^}]*endpoint="([^"]*)"[^}]*\} (\d+)/gm,
    )) {
      if (endpoint !== '/metrics') sum += Number(count);
    }
  }
  return sum;
}
