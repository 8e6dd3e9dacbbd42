/**
 * The embedding half of what a name may mean (semantics of reasoning, 8.1): entities whose vectors are near to that of the
 * name with what else is known of it, and how they join those whose labels are alike.
 */

import type { Control } from '../../base/control.js';
import { compareCodePoints } from '../../base/text.js';
import type { NameMatch, ResolveQuery } from '../../search/resolve.js';
import { VECTORS } from '../../storage/indexes/vectors/vectors.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';

/** Near entities that are looked at for each candidate that is wanted. */
const NEAR_PER_CANDIDATE = 3;

/** What is embedded of a name: itself, then each property that is a text. */
export function textOfName(name: string, properties: Readonly<Record<string, unknown>> = {}): string {
  const known = Object.entries(properties).filter(([, value]) => typeof value === 'string');
  return [name, ...known.map(([key, value]) => `${key}: ${value}`)].join('. ');
}

export interface NearLimits {
  readonly topK: number;
  /** The least cosine that counts. */
  readonly threshold: number;
  /** That may be found, ascending; absent = all. */
  readonly candidates?: IdColumn | undefined;
}

/** The nearest entities, the best first. */
export async function nearNames(
  snapshot: StorageSnapshot,
  vector: Float32Array,
  { topK, threshold, candidates }: NearLimits,
  control: Control,
): Promise<NameMatch[]> {
  const request = { query: vector, limit: NEAR_PER_CANDIDATE * topK, candidates, backend: 'brute' } as const;
  const found = await VECTORS.at(snapshot.indexView()).nearest(request, control);
  const near = found.filter(({ score }) => score >= threshold);
  const terms = decodeIds(
    snapshot,
    near.map(({ entity }) => entity),
  );
  return near.map(({ score }, at) => ({
    iri: terms[at]?.value ?? '',
    score: Math.min(1, Math.round(score * 1e6) / 1e6),
    matchedOn: `embedding:${score.toFixed(2)}`,
  }));
}

/** Candidates of both kinds, each entity once by its better score; where they are alike, by its name. */
export function joinMatches(
  byName: readonly NameMatch[],
  near: readonly NameMatch[],
  topK: number,
  { excluded, isWanted }: Omit<ResolveQuery, 'name'>,
): NameMatch[] {
  const best = new Map(byName.map((match) => [match.iri, match]));
  for (const match of near) {
    if (excluded?.has(match.iri) || isWanted?.(match.iri) === false) continue;
    const known = best.get(match.iri);
    if (known === undefined || match.score > known.score) best.set(match.iri, match);
  }
  return [...best.values()].sort((a, b) => b.score - a.score || compareCodePoints(a.iri, b.iri)).slice(0, topK);
}
