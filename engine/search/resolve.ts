/** Which entities a name may mean (semantics of reasoning, 8.1): their labels compared with it, the best first. */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { compareCodePoints } from '../base/text.js';
import { idOfHalves } from '../storage/ids/halves.js';
import { ROOT_ID } from '../storage/ids/layout.js';
import { CURRENT, type StorageSnapshot } from '../storage/scan.js';
import { codePoints } from './jaro-winkler.js';
import type { LabelTable, ScoredRow } from './label-table.js';
import { RDFS_LABEL } from './labels.js';

export interface NameMatch {
  readonly iri: string;
  /** From 0 to 1, to six decimals. */
  readonly score: number;
  readonly matchedOn: string;
}

export interface ResolveQuery {
  readonly name: string;
  readonly topK: number;
  /** The least score that counts, from 0 to 1. */
  readonly threshold: number;
  /** IRIs that it does not mean. */
  readonly excluded?: ReadonlySet<string>;
  /** Whether an entity counts at all; absent = all do. */
  readonly isWanted?: ((iri: string) => boolean) | undefined;
}

/** Labels that are compared between two looks at the control. */
const ROWS_AT_ONCE = 65_536;

export async function resolveName(
  snapshot: StorageSnapshot,
  labels: LabelTable,
  { name, topK, threshold, excluded, isWanted }: ResolveQuery,
  control: Control,
): Promise<NameMatch[]> {
  const points = codePoints(name.toLowerCase());
  const scored: ScoredRow[] = [];
  for (let from = 0; from < labels.rows; from += ROWS_AT_ONCE) {
    labels.scores(points, threshold, from, Math.min(labels.rows, from + ROWS_AT_ONCE), scored);
    if (labels.rows <= ROWS_AT_ONCE) break;
    throwIfStopped(control, 'the comparison of labels');
    await breathe();
  }
  scored.sort((a, b) => b.score - a.score);
  const found = new Map<string, NameMatch>();
  const isWantedToo = (iri: string): boolean => !found.has(iri) && !excluded?.has(iri) && isWanted?.(iri) !== false;
  for (let at = 0; at < scored.length && found.size < topK; ) {
    const to = endOfTies(scored, at);
    for (const { iri, row } of byIri(snapshot, labels, scored.slice(at, to))) {
      if (found.size >= topK) break;
      if (!isWantedToo(iri)) continue;
      if (holds(snapshot, labels.idsOf(row))) found.set(iri, toMatch(iri, (scored[at] as ScoredRow).score));
      else labels.stale++;
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

function endOfTies(scored: readonly ScoredRow[], from: number): number {
  let end = from + 1;
  while (end < scored.length && (scored[end] as ScoredRow).score === (scored[from] as ScoredRow).score) end++;
  return end;
}

/** Rows of one score; blank nodes are no candidates. */
function byIri(snapshot: StorageSnapshot, labels: LabelTable, scored: readonly ScoredRow[]) {
  const column = new Uint32Array(2 * scored.length);
  for (const [at, { row }] of scored.entries()) column.set(labels.idsOf(row).subarray(0, 2), 2 * at);
  return snapshot
    .decode(column, scored.length)
    .map((term, at) => ({ iri: term.value, isIri: term.termType === 'NamedNode', row: (scored[at] as ScoredRow).row }))
    .filter(({ isIri }) => isIri)
    .sort((a, b) => compareCodePoints(a.iri, b.iri));
}

/** Whether the entity has the label in ROOT now. */
function holds(snapshot: StorageSnapshot, [sLow, sHigh, oLow, oHigh]: Uint32Array): boolean {
  const p = snapshot.encode(RDFS_LABEL);
  if (p === null) return false;
  const is = (low: number | undefined, high: number | undefined) =>
    ({ kind: 'id', id: idOfHalves(low as number, high as number) }) as const;
  const pattern = { s: is(sLow, sHigh), p: { kind: 'id', id: p } as const, o: is(oLow, oHigh) };
  return snapshot.count({ graphs: { kind: 'one', graph: ROOT_ID }, pattern, time: CURRENT }) > 0;
}
