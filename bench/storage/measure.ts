/**
 * Storage, measured through the seam in a process of its own: scans, lookups, ranges, counts, terms.
 * What is read is checked as it goes, so that a fast wrong answer is an error, not a figure.
 */
import { writeFileSync } from 'node:fs';
import { invariant } from '../../engine/base/errors.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { IdColumn, Order, ScanRequest, StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { peakMemoryBytes } from '../harness/child.js';
import { median, percentile95 } from '../harness/figures.js';
import type { SharedKeys, StorageFigures } from './case.js';
import { countsByPredicate, largePredicates, type PredicateRows, ranges } from './predicates.js';
import { type Row, rootRequest, sampleRows, toColumn } from './sample.js';
import { measureTerms } from './terms.js';

export interface StorageTask {
  readonly task: 'storage';
  readonly store: string;
  /** Where the keys go, as N-Triples and as JSON, for the peer to use the same. */
  readonly keys: string;
}

const LOOKUPS = 10_000;
const SCAN_PASSES = 3;
const SEED = 7;

export async function measureStorage(task: StorageTask): Promise<StorageFigures> {
  const engine = await openLmdbEngine(task.store, { readOnly: true });
  const snapshot = engine.snapshot();
  const figures: StorageFigures = {};
  const rows = engine.stats().factsCurrent;
  for (const order of ['SPOG', 'POSG', 'OSPG'] as const) figures[`scan${order}`] = scanRate(snapshot, order, rows);
  const keys = sampleRows(snapshot, rows, LOOKUPS, SEED);
  lookups(snapshot, keys, figures);
  decodedLookups(engine, keys, figures);
  const predicates = countsByPredicate(snapshot, rows, figures);
  const large = largePredicates(predicates);
  ranges(snapshot, keys, large, figures);
  await measureTerms(task.store, figures);
  shareKeys(task.keys, snapshot, keys, predicates, large);
  snapshot.close();
  await engine.close();
  figures.peakBytes = peakMemoryBytes();
  return figures;
}

/** Rows a second, the best of some passes: the first one warms caches. */
function scanRate(snapshot: StorageSnapshot, order: Order, rows: number): number {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass <= SCAN_PASSES; pass++) {
    const begin = performance.now();
    const read = countBatches(snapshot, rootRequest(order));
    const ms = performance.now() - begin;
    invariant(read === rows, `a scan of ${order} reads ${rows} rows, not ${read}`);
    if (pass > 0) bestMs = Math.min(bestMs, ms);
  }
  return rows / (bestMs / 1000);
}

function countBatches(snapshot: StorageSnapshot, request: ScanRequest): number {
  const cursor = snapshot.scan(request);
  let rows = 0;
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
    rows += batch.selection === null ? batch.rows : batch.selection.length;
  }
  cursor.close();
  return rows;
}

/** By ids: all three bound, and the subject bound with all its rows read. */
function lookups(snapshot: StorageSnapshot, keys: readonly Row[], figures: StorageFigures): void {
  const exact = new Float64Array(keys.length);
  const subject = new Float64Array(keys.length);
  const request = rootRequest();
  for (let pass = 0; pass < 2; pass++) {
    keys.forEach(({ s, p, o }, at) => {
      const begin = performance.now();
      const pattern = { s: { kind: 'id', id: s }, p: { kind: 'id', id: p }, o: { kind: 'id', id: o } } as const;
      const rows = countBatches(snapshot, { ...request, pattern });
      exact[at] = (performance.now() - begin) * 1000;
      invariant(rows === 1, `a lookup of an existing triple finds 1 row, not ${rows}`);
    });
    keys.forEach(({ s }, at) => {
      const begin = performance.now();
      const rows = countBatches(snapshot, { ...request, pattern: { s: { kind: 'id', id: s } } });
      subject[at] = (performance.now() - begin) * 1000;
      invariant(rows > 0, 'a lookup of an existing subject finds rows');
    });
  }
  figures.lookupMedian = median(exact);
  figures.lookupP95 = percentile95(exact);
  figures.subjectMedian = median(subject);
  figures.subjectP95 = percentile95(subject);
}

/** From terms to terms, which is what the peer's interface does. */
function decodedLookups(engine: StorageEngine, keys: readonly Row[], figures: StorageFigures): void {
  const snapshot = engine.snapshot();
  const exact = new Float64Array(keys.length);
  const subject = new Float64Array(keys.length);
  const request = rootRequest();
  keys.forEach((row, at) => {
    const [s, p, o] = snapshot.decode(toColumn([row.s, row.p, row.o]), 3);
    invariant(s && p && o, 'ids of a row decode');
    let begin = performance.now();
    const ids = [snapshot.encode(s), snapshot.encode(p), snapshot.encode(o)] as const;
    invariant(ids[0] !== null && ids[1] !== null && ids[2] !== null, 'terms of a row have ids');
    const pattern = {
      s: { kind: 'id', id: ids[0] },
      p: { kind: 'id', id: ids[1] },
      o: { kind: 'id', id: ids[2] },
    } as const;
    const found = countBatches(snapshot, { ...request, pattern });
    exact[at] = (performance.now() - begin) * 1000;
    invariant(found === 1 && ids[0] === row.s && ids[2] === row.o, 'a triple is found by its terms');
    begin = performance.now();
    const id = snapshot.encode(s);
    invariant(id !== null, 'a subject has an id');
    const cursor = snapshot.scan({ ...request, pattern: { s: { kind: 'id', id } } });
    let decoded = 0;
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      decoded += snapshot.decode(batch.columns.p as IdColumn, batch.rows).length;
      decoded += snapshot.decode(batch.columns.o as IdColumn, batch.rows).length;
    }
    cursor.close();
    subject[at] = (performance.now() - begin) * 1000;
    invariant(decoded > 0, 'a subject has rows');
  });
  snapshot.close();
  figures.termLookupMedian = median(exact);
  figures.termLookupP95 = percentile95(exact);
  figures.termSubjectMedian = median(subject);
  figures.termSubjectP95 = percentile95(subject);
}

function shareKeys(
  path: string,
  snapshot: StorageSnapshot,
  keys: readonly Row[],
  predicates: readonly PredicateRows[],
  large: readonly PredicateRows[],
): void {
  const lines = keys.map((row) => {
    const [s, p, o] = snapshot.decode(toColumn([row.s, row.p, row.o]), 3);
    invariant(s && p && o, 'ids of a row decode');
    return `<${s.value}> <${p.value}> ${toNTriples(o)} .\n`;
  });
  writeFileSync(`${path}.nt`, lines.join(''));
  const name = ({ predicate }: PredicateRows): string => snapshot.decode(toColumn([predicate]), 1)[0]?.value as string;
  const shared: SharedKeys = {
    predicates: predicates.map(name),
    largePredicates: large.map(name),
    rows: predicates.reduce((total, { rows }) => total + rows, 0),
  };
  writeFileSync(`${path}.json`, JSON.stringify(shared));
}

/** The data sets have IRIs and literals only. */
function toNTriples(term: ReturnType<StorageSnapshot['decode']>[number]): string {
  if (term.termType !== 'Literal') return `<${term.value}>`;
  const text = JSON.stringify(term.value);
  if (term.language) return `${text}@${term.language}`;
  return `${text}^^<${term.datatype.value}>`;
}
