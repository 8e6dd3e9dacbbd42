/** The servers that are asked: ours as `svc serve` starts it, and a peer's, each with the same data. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../engine/base/errors.js';
import type { DataSet } from '../data/data-set.js';
import { CHECKOUT } from '../harness/machine.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import { grantUpdates, VIRTUOSO_GRAPH, VIRTUOSO_ORIGIN, virtuosoServing } from '../peers/virtuoso.js';
import { placeOf, Session } from '../sparql/session.js';

export const SPARQL_JSON = 'application/sparql-results+json';

export interface BenchServer {
  readonly name: string;
  readonly origin: string;
  /** Where updates of the default data go; null = the default graph. */
  readonly graph: string | null;
  queryPath(text: string): string;
  /** Sends an update; throws when it is refused. */
  update(text: string): Promise<void>;
  readonly pid: number | undefined;
  close(): Promise<void>;
}

const CLI = join(CHECKOUT, 'dist', 'interfaces', 'cli', 'main.js');
const START_LIMIT_MS = 60_000;

/** Processor time of a process so far; the system counts in hundredths of a second. */
export function cpuMsOf(pid: number | undefined): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}

async function post(url: string, mediaType: string, body: string): Promise<void> {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': mediaType }, body });
  const text = await answer.text();
  if (!answer.ok) throw new SvcError('service_failed', `${url}: ${answer.status} ${text.slice(0, 300)}`);
}

/** The port it chose stands in the line that it writes once it listens. */
function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new SvcError('service_failed', `no start: ${said}`)), START_LIMIT_MS);
    child.stderr?.on('data', (chunk) => {
      if (said.length < 10_000) said += chunk;
      const address = /listening on (\S+)/.exec(said)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(`http://${address}`);
    });
    child.once('exit', (code) => reject(new SvcError('service_failed', `the server ended (${code}): ${said}`)));
  });
}

async function untilReady(origin: string): Promise<void> {
  for (const begin = performance.now(); performance.now() - begin < START_LIMIT_MS; ) {
    if ((await fetch(`${origin}/ready`)).ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new SvcError('service_failed', `${origin} does not become ready`);
}

/** Ours: a new store with the data, served by the command. */
export async function startOurs(data: DataSet, profile: string | null): Promise<BenchServer> {
  const store = scratchPath(`http-${data.size}.svc`);
  removeStore(store);
  const loaded = spawnSync(process.execPath, [CLI, 'load', '--db', store, data.path], { encoding: 'utf8' });
  if (loaded.status !== 0) throw new SvcError('service_failed', `svc load: ${loaded.stderr}`);
  if (profile !== null) mkdirSync(profile, { recursive: true });
  const flags = profile === null ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
  const { origin, pid, close } = await serveStore(store, flags);
  return {
    name: 'svc',
    origin,
    graph: null,
    queryPath: (text) => `/query?query=${encodeURIComponent(text)}`,
    update: (text) => post(`${origin}/update`, 'application/sparql-update', text),
    pid,
    close: async () => {
      await close();
      removeStore(store);
    },
  };
}

/** Ours on a store that is there, or on a new one; the store stays when it ends. `words`: more of its command. */
export async function serveStore(
  store: string,
  flags: readonly string[],
  words: readonly string[] = [],
): Promise<Pick<BenchServer, 'origin' | 'pid' | 'close'>> {
  const command = [CLI, 'serve', '--db', store, '--bind', '127.0.0.1:0', '--quiet', ...words];
  const child = spawn(process.execPath, [...flags, ...command], { stdio: ['ignore', 'ignore', 'pipe'] });
  const stop = (): boolean => child.kill('SIGKILL');
  process.once('exit', stop);
  const origin = await listening(child);
  await untilReady(origin);
  return {
    origin,
    pid: child.pid,
    close: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
      process.off('exit', stop);
    },
  };
}

/** Virtuoso with a thread for each connection that the run has at once. */
export async function startVirtuoso(data: DataSet, threads: number): Promise<BenchServer> {
  const folder = scratchPath('virtuoso');
  mkdirSync(folder, { recursive: true });
  const peer = virtuosoServing(threads);
  const session = new Session(peer, placeOf(folder, peer, { path: data.path, quads: false }), null);
  await session.load();
  grantUpdates();
  const graph = encodeURIComponent(VIRTUOSO_GRAPH);
  return {
    name: 'virtuoso',
    origin: VIRTUOSO_ORIGIN,
    graph: VIRTUOSO_GRAPH,
    queryPath: (text) => `/sparql?default-graph-uri=${graph}&query=${encodeURIComponent(text)}`,
    update: (text) =>
      post(
        `${VIRTUOSO_ORIGIN}/sparql`,
        'application/x-www-form-urlencoded',
        new URLSearchParams({ query: text }).toString(),
      ),
    pid: session.pid,
    close: async () => {
      await session.close();
      session.remove();
    },
  };
}
