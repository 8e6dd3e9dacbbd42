/**
 * The benchmark of queries: every data set into each store in turn, every query of its sets, cold and then warm. What
 * was measured is kept after every query, so a run that was stopped goes on where it was.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder } from '../data/data-set.js';
import { show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import type { Peer } from '../peers/peer.js';
import { type Data, provideData, sizesOf } from './data.js';
import { measureQuery, measureRoundTrip } from './measure.js';
import { parseSparqlOptions, type SparqlOptions, type Variant } from './options.js';
import { provideParameters } from './parameters.js';
import { publishSparql, publishVariant } from './publish.js';
import { instantiate, type Query, type QuerySet, readTemplates } from './query-set.js';
import { type PeerResults, ResultFolder } from './results.js';
import { placeOf, Session } from './session.js';
import { variantData } from './variants/report.js';
import { measureVariant } from './variants/variants.js';

/** The queries of one set over one data set. */
export interface Asked {
  readonly set: QuerySet;
  readonly queries: readonly Query[];
}

const say = (line: string): void => console.error(line);

export async function runSparql(args: readonly string[]): Promise<void> {
  const options = parseSparqlOptions(args);
  const results = new ResultFolder(options.name);
  if (options.variant !== null) return runVariant(options, options.variant, results);
  if (!options.report) await measureAll(options, results);
  publishSparql(options, results);
}

async function measureAll(options: SparqlOptions, results: ResultFolder): Promise<void> {
  for (const name of new Set(options.sets.map(({ data }) => data))) {
    for (const size of sizesOf(name, options.sizes)) {
      const data = await provideData(name, size, say);
      if (data === null) continue;
      const asked = await questions(options, data);
      for (const peer of options.peers) await measurePeer(peer, data, asked, options, results);
    }
  }
}

async function runVariant(options: SparqlOptions, variant: Variant, folder: ResultFolder): Promise<void> {
  if (!options.report) {
    for (const { name, size } of variantData(options)) {
      const data = await provideData(name, size, say);
      if (data === null) continue;
      const queries = (await questions(options, data)).flatMap((asked) => asked.queries);
      folder.writeVariant(await measureVariant(variant, { data, queries }, options));
    }
  }
  publishVariant(options, variant, folder);
}

async function questions(options: SparqlOptions, data: Data): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  for (const set of options.sets.filter((one) => one.data === data.name)) {
    const templates = readTemplates(set).filter(({ name }) => options.only?.has(name) ?? true);
    if (templates.length === 0) continue;
    const parameters = await provideParameters(set, data, say);
    asked.push({ set, queries: instantiate(templates, parameters, options.instances, say) });
  }
  return asked;
}

async function measurePeer(
  peer: Peer,
  data: Data,
  asked: readonly Asked[],
  options: SparqlOptions,
  folder: ResultFolder,
): Promise<void> {
  const results = resultsOf(peer, data, options, folder);
  const missing = asked.flatMap(({ set, queries }) =>
    queries
      .filter(({ label, text }) => options.again || results.queries[set.name]?.[label]?.text !== text)
      .map((query) => ({ set, query })),
  );
  if (missing.length === 0) return;
  say(`== ${peer.name}, ${data.name}-${data.size}: ${missing.length} queries`);
  const session = new Session(peer, placeOf(storesFolder(), peer, data), options.cpu);
  try {
    const load = await session.load();
    results.load = { ...load, peakBytes: session.peakBytes };
    results.roundTripMs = await measureRoundTrip(session, options.timeoutMs);
    for (const { set, query } of missing) {
      const figures = await measureQuery(session, query, options);
      results.queries[set.name] ??= {};
      (results.queries[set.name] as Record<string, object>)[query.label] = figures;
      results.load = { ...load, peakBytes: session.peakBytes };
      folder.write(results);
      const { ms, coldMs, rows, error } = figures;
      say(`   ${query.label.padEnd(6)} ${error ?? `${show(ms)} ms, cold ${show(coldMs)} ms, ${rows} rows`}`);
    }
    await session.close();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    results.load ??= { error: message };
    folder.write(results);
    say(`   ${peer.name} failed: ${message}`);
    await session.kill();
  } finally {
    session.remove();
  }
}

let stores: string | null = null;

/** Where the stores of this run stand; it goes with the process, also when that is interrupted. */
function storesFolder(): string {
  if (stores === null) {
    const made = join(benchFolder(), `stores-${process.pid}`);
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
    stores = made;
  }
  return stores;
}

/** What stands there already, as long as data, peer and time-out are the same. */
function resultsOf(peer: Peer, data: Data, options: SparqlOptions, folder: ResultFolder): PeerResults {
  const { runs, budgetMs, timeoutMs } = options;
  const version = peer.version() ?? 'unknown';
  const known = folder.read(data.name, data.size, peer.name);
  const fits = known !== null && known.mark === data.mark && known.version === version;
  return {
    data: data.name,
    size: data.size,
    mark: data.mark,
    peer: peer.name,
    about: peer.about,
    version,
    date: new Date().toISOString(),
    machine: describeMachine(),
    settings: { runs, budgetMs, timeoutMs },
    load: null,
    roundTripMs: null,
    queries: fits ? known.queries : {},
  };
}
