/** What the peer has of the same kind, with the same keys. It works in memory and on terms. */
import { readFileSync } from 'node:fs';
import { invariant } from '../../engine/base/errors.js';
import { median, percentile95 } from '../harness/figures.js';
import { loadOxigraph, type OxigraphQuad, type OxigraphStore, parseQuads } from '../peers/oxigraph.js';
import type { SharedKeys, StorageFigures } from './case.js';

export interface PeerTask {
  readonly task: 'storage-peer';
  readonly input: string;
  readonly keys: string;
}

const SCANS = 3;
const RANGES = 100;
/** Fewer than ours: one takes milliseconds where a subject has a hundred rows. */
const SUBJECTS = 1000;

export function measurePeer(task: PeerTask): StorageFigures {
  const figures: StorageFigures = {};
  let begin = performance.now();
  const store = loadOxigraph(task.input);
  figures.openMs = performance.now() - begin;
  const shared = JSON.parse(readFileSync(`${task.keys}.json`, 'utf8')) as SharedKeys;
  const keys = parseQuads(readFileSync(`${task.keys}.nt`, 'utf8'));
  invariant(store.size === shared.rows, 'both stores hold the same number of triples');
  let bestMs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < SCANS; i++) {
    begin = performance.now();
    store.query('SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }', { results_format: 'csv' });
    bestMs = Math.min(bestMs, performance.now() - begin);
  }
  figures.scanSPOG = store.size / (bestMs / 1000);
  lookups(store, keys, figures);
  counts(store, shared, figures);
  return figures;
}

function lookups(store: OxigraphStore, keys: readonly OxigraphQuad[], figures: StorageFigures): void {
  const exact = new Float64Array(keys.length);
  const subject = new Float64Array(Math.min(SUBJECTS, keys.length));
  keys.forEach((key, at) => {
    const begin = performance.now();
    const found = store.has(key);
    exact[at] = (performance.now() - begin) * 1000;
    invariant(found, 'the peer has every key');
  });
  keys.slice(0, SUBJECTS).forEach((key, at) => {
    const begin = performance.now();
    let characters = 0;
    for (const quad of store.match(key.subject, null, null, null)) {
      characters += quad.predicate.value.length + quad.object.value.length;
    }
    subject[at] = (performance.now() - begin) * 1000;
    invariant(characters > 0, 'the peer has rows of every subject');
  });
  figures.termLookupMedian = median(exact);
  figures.termLookupP95 = percentile95(exact);
  figures.termSubjectMedian = median(subject);
  figures.termSubjectP95 = percentile95(subject);
}

function counts(store: OxigraphStore, shared: SharedKeys, figures: StorageFigures): void {
  const times: number[] = [];
  for (const predicate of shared.predicates) {
    const begin = performance.now();
    store.query(`SELECT (COUNT(*) AS ?n) WHERE { ?s <${predicate}> ?o }`, { results_format: 'csv' });
    times.push((performance.now() - begin) * 1000);
  }
  figures.countMedian = median(times);
  figures.countAllMs = times.reduce((total, us) => total + us, 0) / 1000;
  const ranges: number[] = [];
  for (let i = 0; i < RANGES; i++) {
    const predicate = shared.largePredicates[i % shared.largePredicates.length];
    const begin = performance.now();
    const rows = store.query(`SELECT ?s ?o WHERE { ?s <${predicate}> ?o } LIMIT 1000`) as Map<
      string,
      { value: string }
    >[];
    let characters = 0;
    for (const row of rows) characters += (row.get('s')?.value.length ?? 0) + (row.get('o')?.value.length ?? 0);
    ranges.push((performance.now() - begin) * 1000);
    invariant(characters > 0, 'the peer has rows of every predicate');
  }
  figures.termRangeMedian = median(ranges);
  figures.termRangeP95 = percentile95(ranges);
}
