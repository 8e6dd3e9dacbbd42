/** Which entities a name may mean (semantics of reasoning, 8.1): their labels compared with it, the best first. */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import { compareCodePoints } from '../base/text.js';
import { idIn, patternOf, ROOT_ONLY } from '../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../storage/seam/scan.js';
import { BestLabels, type ScoredLabel } from './labels/best-labels.js';
import { isLabel } from './labels/label-predicates.js';
import type { Labels } from './labels/labels.js';
import { codePoints } from './text/jaro-winkler.js';

export interface NameMatch {
  readonly iri: string;
  /** From 0 to 1, to six decimals. */
  readonly score: number;
  /** How it was found: `canonical_name:jaro_winkler:0.94`, `iri_collision`. */
  readonly matchedOn: string;
}

export interface ResolveQuery {
  readonly name: string;
  /** IRIs that it does not mean. */
  readonly excluded?: ReadonlySet<string>;
  /** Whether an entity counts at all; absent = all do. */
  readonly isWanted?: ((iri: string) => boolean) | undefined;
}

export interface ResolveLimits {
  readonly topK: number;
  /** The least score that counts, from 0 to 1. */
  readonly threshold: number;
  /** Names times labels; absent = `COMPARISONS_MAX`. */
  readonly comparisonsMax?: number | undefined;
}

/** More candidates than the caller wants: some labels are retracted, and several may be of one entity. */
const SPARE = 4;
/** Labels and blocks that are compared between two looks at the control. */
const WORK_PER_BREATH = 4_000_000;

/**
 * Names times labels of one request: a minute of work at most. Single names are never refused, since the largest store that
 * is read for one holds fewer labels.
 */
export const COMPARISONS_MAX = 4e9;
/** Names that are compared together. */
const NAMES_AT_ONCE = 1024;

/** The candidates of each name, by one pass over the labels; a second one only for names whose best do not count. */
export async function resolveNames(
  snapshot: StorageSnapshot,
  labels: Labels,
  queries: readonly ResolveQuery[],
  limits: ResolveLimits,
  control: Control,
): Promise<NameMatch[][]> {
  const matches: NameMatch[][] = [];
  const work: Work = { left: limits.comparisonsMax ?? COMPARISONS_MAX, names: queries.length };
  for (let from = 0; from < queries.length; from += NAMES_AT_ONCE) {
    matches.push(
      ...(await resolveSome(snapshot, labels, queries.slice(from, from + NAMES_AT_ONCE), limits, work, control)),
    );
    work.names -= NAMES_AT_ONCE;
  }
  return matches;
}

async function resolveSome(
  snapshot: StorageSnapshot,
  labels: Labels,
  queries: readonly ResolveQuery[],
  { topK, threshold }: ResolveLimits,
  work: Work,
  control: Control,
): Promise<NameMatch[][]> {
  const most = (query: ResolveQuery) => topK + SPARE + (query.excluded?.size ?? 0);
  const found = queries.map((query) => new BestLabels(threshold, most(query)));
  await searchAll(snapshot, labels, queries, found, work, control);
  const matches = queries.map((query, at) => matchesOf(snapshot, labels, query, found[at] as BestLabels, topK));
  const short = [...queries.keys()].filter(
    (at) => (found[at] as BestLabels).isCut && (matches[at]?.length ?? 0) < topK,
  );
  if (short.length === 0) return matches;
  for (const at of short) {
    const query = queries[at] as ResolveQuery;
    const all = new BestLabels(threshold, Number.POSITIVE_INFINITY);
    // Few names come here, and the first pass was within the bound.
    await searchAll(snapshot, labels, [query], [all], { left: Number.POSITIVE_INFINITY, names: 1 }, control);
    matches[at] = matchesOf(snapshot, labels, query, all, topK);
  }
  return matches;
}

interface Work {
  /** Comparisons that may still be made. */
  left: number;
  /** Those of the batches that are not done yet. */
  names: number;
}

function tooMuch(names: number, labels: number): SvcError {
  const message = `${names} names beside ${labels} labels are more comparisons than a request may ask for (${COMPARISONS_MAX})`;
  return new SvcError('invalid_request', message, {
    hint: 'send the nodes in several episodes, or switch resolution.enabled off while much is written',
  });
}

async function searchAll(
  snapshot: StorageSnapshot,
  labels: Labels,
  queries: readonly ResolveQuery[],
  found: readonly BestLabels[],
  work: Work,
  control: Control,
): Promise<void> {
  for await (const table of labels.tables(snapshot, control)) {
    if (work.names * table.rows > work.left && work.names > 1) throw tooMuch(work.names, table.rows);
    work.left -= queries.length * table.rows;
    let rested = table.work;
    for (const [at, { name }] of queries.entries()) {
      table.search(codePoints(name.toLowerCase()), found[at] as BestLabels);
      if (table.work - rested < WORK_PER_BREATH) continue;
      throwIfStopped(control, 'the comparison of labels');
      await breathe();
      rested = table.work;
    }
  }
}

function matchesOf(
  snapshot: StorageSnapshot,
  labels: Labels,
  { excluded, isWanted }: ResolveQuery,
  best: BestLabels,
  topK: number,
): NameMatch[] {
  const scored = best.sorted();
  const found = new Map<string, NameMatch>();
  const isWantedToo = (iri: string): boolean => !found.has(iri) && !excluded?.has(iri) && isWanted?.(iri) !== false;
  for (let at = 0; at < scored.length && found.size < topK; ) {
    const to = endOfTies(scored, at);
    for (const { iri, ids } of byIri(snapshot, scored.slice(at, to))) {
      if (found.size >= topK) break;
      if (!isWantedToo(iri)) continue;
      if (holds(snapshot, labels, ids)) found.set(iri, toMatch(iri, (scored[at] as ScoredLabel).score));
      else labels.noteStale();
    }
    at = to;
  }
  return [...found.values()];
}

function toMatch(iri: string, score: number): NameMatch {
  return {
    iri,
    score: Math.round(score * 1e6) / 1e6,
    matchedOn: `canonical_name:jaro_winkler:${score.toFixed(2)}`,
  };
}

function endOfTies(scored: readonly ScoredLabel[], from: number): number {
  let end = from + 1;
  while (end < scored.length && (scored[end] as ScoredLabel).score === (scored[from] as ScoredLabel).score) end++;
  return end;
}

/** Labels of one score; blank nodes are no candidates. */
function byIri(snapshot: StorageSnapshot, scored: readonly ScoredLabel[]) {
  const column = new Uint32Array(2 * scored.length);
  for (const [at, { ids }] of scored.entries()) column.set(ids.subarray(0, 2), 2 * at);
  return snapshot
    .decode(column, scored.length)
    .map((term, at) => ({
      iri: term.value,
      isIri: term.termType === 'NamedNode',
      ids: (scored[at] as ScoredLabel).ids,
    }))
    .filter(({ isIri }) => isIri)
    .sort((a, b) => compareCodePoints(a.iri, b.iri));
}

/** Whether the entity has the label in ROOT now. */
function holds(snapshot: StorageSnapshot, { predicates }: Labels, ids: Uint32Array): boolean {
  const p = isLabel(snapshot, predicates);
  if (p === null) return false;
  const pattern = { ...patternOf({ s: idIn(ids, 0), o: idIn(ids, 1) }), p };
  return snapshot.count({ graphs: ROOT_ONLY, pattern, time: CURRENT }) > 0;
}
