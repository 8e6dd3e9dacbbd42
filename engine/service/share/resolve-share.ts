/** What the foreign names of a share may mean here (semantics text 6.8 E): told, and never merged. */

import type { Control } from '../../base/control.js';
import { RDFS, terms } from '../../rdf/terms.js';
import { type NameMatch, resolveNames } from '../../search/resolve.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import { patternOf, ROOT_ONLY } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { labelsOfStore } from '../episodes/hints.js';
import { joinMatches } from '../episodes/near-names.js';
import type { NameCandidates } from './import-report.js';

export interface ResolutionLimits {
  readonly topK: number;
  readonly threshold: number;
  /** IRIs of the predicates whose values are names; absent = those of search.label_predicates by default. */
  readonly labelPredicates?: readonly string[] | undefined;
}

export const RESOLUTION_DEFAULT: ResolutionLimits = { topK: 3, threshold: 0.85 };

/** Names of a share that are compared, and labels times names: other writers wait meanwhile. */
const NAMES_MAX = 10_000;
const COMPARISONS_MAX = 1e8;

export async function resolveShare(
  engine: StorageEngine,
  snapshot: StorageSnapshot,
  remaining: ReadonlyMap<string, readonly string[]>,
  { topK, threshold, labelPredicates }: ResolutionLimits,
  control: Control,
): Promise<NameCandidates> {
  const queries = [...remaining].flatMap(([iri, names]) =>
    names.filter((name) => name !== '').map((name) => ({ name, excluded: new Set([iri]), iri })),
  );
  const compared = queries.slice(0, namesMax(snapshot));
  const labels = labelsOfStore(engine, labelPredicates);
  const found =
    compared.length === 0 ? [] : await resolveNames(snapshot, labels, compared, { topK, threshold }, control);
  const byEntity = new Map<string, readonly NameMatch[]>();
  for (const [at, matches] of found.entries()) {
    if (matches.length === 0) continue;
    const { iri } = compared[at] as (typeof compared)[number];
    byEntity.set(iri, joinMatches(byEntity.get(iri) ?? [], matches, topK, {}));
  }
  return {
    resolutionCandidates: [...byEntity].map(([entity, candidates]) => ({ entity, candidates })),
    namesLeftOut: queries.length - compared.length,
  };
}

function namesMax(snapshot: StorageSnapshot): number {
  const p = snapshot.encode(terms.namedNode(`${RDFS}label`), true);
  const labels = p === null ? 0 : snapshot.count({ graphs: ROOT_ONLY, pattern: patternOf({ p }), time: CURRENT });
  return Math.min(NAMES_MAX, Math.max(1, Math.floor(COMPARISONS_MAX / Math.max(1, labels))));
}
