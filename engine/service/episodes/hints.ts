/**
 * What the nodes of an episode may mean besides themselves (semantics of reasoning, 8.2): each name compared with the labels
 * that are there. Nothing is merged; in strict mode a node that may be another entity refuses the write.
 *
 * An entity is no candidate for a node that is distinct from it: by the node's own list, or by a stored `svc:distinctFrom`
 * between the two.
 */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { addTo, getOrInsert } from '../../base/maps.js';
import { compareCodePoints } from '../../base/text.js';
import { SVC_NS } from '../../query/registry/system-graphs.js';
import { terms } from '../../rdf/terms.js';
import { LABEL_PREDICATES } from '../../search/labels/label-predicates.js';
import { Labels } from '../../search/labels/labels.js';
import { idSet } from '../../search/match/entity-set.js';
import { type NameMatch, type ResolveQuery, resolveNames } from '../../search/resolve.js';
import { RDF_TYPE, typesOf } from '../../search/spotlight.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import { decodeIds, patternOf, ROOT_ONLY, readIds } from '../../storage/seam/rows.js';
import { CURRENT, type IdColumn, type ScanPattern, type StorageSnapshot } from '../../storage/seam/scan.js';
import type { CheckedEpisode } from './check-episode.js';
import type { Resolution, ResolutionContention, ResolutionHint, ResolvedName, ResolveNamesOptions } from './episode.js';
import { joinMatches, nearNames, textOfName } from './near-names.js';

const DISTINCT_FROM = terms.namedNode(`${SVC_NS}distinctFrom`);

/** By the predicates whose values are labels. */
const labelsByEngine = new WeakMap<StorageEngine, Map<string, Labels>>();

/** The labels of a store, kept for whoever compares names with them next. */
export function labelsOfStore(engine: StorageEngine, predicates: readonly string[] = LABEL_PREDICATES): Labels {
  const known = getOrInsert(labelsByEngine, engine, () => new Map<string, Labels>());
  return getOrInsert(known, predicates.join(' '), () => new Labels(predicates));
}

/** Forgets them: what they were made of may not have lasted. */
export function forgetLabels(engine: StorageEngine): void {
  for (const labels of labelsByEngine.get(engine)?.values() ?? []) labels.clear();
}

export interface Resolved {
  readonly hints: readonly ResolutionHint[];
  readonly contentions: readonly ResolutionContention[];
}

/** Vectors of texts, to be compared with those of the store; null = there is nothing to compare with. */
export type VectorsOf = (texts: readonly string[], control: Control) => Promise<readonly Float32Array[] | null>;

/** `iris`: what the names of the episode stand for. `vectors`: of the nodes, where they are compared by them, too. */
export async function resolveNodes(
  snapshot: StorageSnapshot,
  labels: Labels,
  { names, nodes }: CheckedEpisode,
  { iris, vectors }: { readonly iris: readonly string[]; readonly vectors: readonly Float32Array[] | undefined },
  { topK, threshold, strict }: Resolution,
  control: Control,
): Promise<Resolved> {
  const queries = nodes.map(({ distinctFrom }, at) => {
    const own = iris[at] as string;
    const excluded = new Set([own, ...distinctFrom.map(({ value }) => value), ...storedDistinct(snapshot, own)]);
    return { name: names[at] as string, excluded };
  });
  const found = await resolveNames(snapshot, labels, queries, { topK, threshold }, control);
  const hints: ResolutionHint[] = [];
  for (const [at, byName] of found.entries()) {
    const node = names[at] as string;
    const vector = vectors?.[at];
    const near = vector === undefined ? [] : await nearNames(snapshot, vector, { topK, threshold }, control);
    const candidates = near.length === 0 ? byName : joinMatches(byName, near, topK, queries[at] as ResolveQuery);
    if (candidates.length === 0) continue;
    if (strict) throw refusal(node, candidates[0] as (typeof candidates)[number]);
    hints.push({ node, candidates });
  }
  return { hints, contentions: contentionsOf(hints) };
}

function refusal(node: string, { iri, score }: { readonly iri: string; readonly score: number }): SvcError {
  const message = `the node ${JSON.stringify(node)} may be <${iri}> (score ${score}), and resolution.strict_mode is on`;
  const hint = 'use the label of that entity as the name, or name it in distinct_from of the node';
  return new SvcError('invalid_request', message, { hint });
}

/** What is stated in ROOT to be distinct from an entity, in either direction. */
function storedDistinct(snapshot: StorageSnapshot, iri: string): string[] {
  const p = snapshot.encode(DISTINCT_FROM);
  const id = p === null ? null : snapshot.encode(terms.namedNode(iri));
  if (p === null || id === null) return [];
  const of = (pattern: ScanPattern, column: 's' | 'o') =>
    readIds(snapshot, { graphs: ROOT_ONLY, pattern, time: CURRENT }, column);
  const found = [...of(patternOf({ s: id, p }), 'o'), ...of(patternOf({ p, o: id }), 's')];
  return decodeIds(snapshot, found).map(({ value }) => value);
}

/** Nodes whose best candidates are the same entity, by that entity. */
function contentionsOf(hints: readonly ResolutionHint[]): ResolutionContention[] {
  const byEntity = new Map<string, { node: string; score: number }[]>();
  for (const { node, candidates } of hints) {
    const [best] = candidates;
    if (best !== undefined) addTo(byEntity, best.iri, { node, score: best.score });
  }
  return [...byEntity]
    .filter(([, claimants]) => claimants.length > 1)
    .map(([iri, claimants]) => ({ iri, claimants }))
    .sort((a, b) => compareCodePoints(a.iri, b.iri));
}

/** Hints of two kinds, those of one node together, in the order of the nodes. */
export function joinHints(
  names: readonly string[],
  ...lists: readonly (readonly ResolutionHint[])[]
): ResolutionHint[] {
  const byNode = new Map(lists.flat().map(({ node }) => [node, [] as ResolutionHint['candidates'][number][]]));
  for (const { node, candidates } of lists.flat()) byNode.get(node)?.push(...candidates);
  return names.filter((name) => byNode.has(name)).map((node) => ({ node, candidates: byNode.get(node) ?? [] }));
}

/** The entities that each of some names may mean, for who asks without an episode: all names are compared, and embedded, at once. */
export async function resolveInStore(
  engine: StorageEngine,
  snapshot: StorageSnapshot,
  names: readonly ResolvedName[],
  { threshold, onFailure, labelPredicates, ...control }: ResolveNamesOptions,
  vectorsOf: VectorsOf,
): Promise<NameMatch[][]> {
  if (!(threshold >= 0 && threshold <= 1)) {
    throw new SvcError('invalid_request', `threshold is ${threshold}; expected a number of at least 0 and at most 1`);
  }
  for (const { name, topK } of names) checkName(name, topK);
  if (names.length === 0) return [];
  const queries = names.map(({ name, types }) => ({
    name,
    isWanted: types && ((iri: string) => typesOf(snapshot, iri).some((type) => types.includes(type))),
  }));
  const labels = labelsOfStore(engine, labelPredicates);
  const topK = Math.max(...names.map((one) => one.topK));
  // Bounded by the deadline of whoever asks.
  const limits = { topK, threshold, comparisonsMax: Number.POSITIVE_INFINITY };
  const found = await resolveNames(snapshot, labels, queries, limits, control);
  const byName = found.map((some, at) => some.slice(0, names[at]?.topK));
  const near = await orNone(onFailure, async () => {
    const texts = names.map(({ name, properties }) => textOfName(name, properties));
    const vectors = await vectorsOf(texts, control);
    const matches: NameMatch[][] = [];
    for (const [at, vector] of (vectors ?? []).entries()) {
      const { topK: own, types } = names[at] as ResolvedName;
      const candidates = types && instancesOf(snapshot, types);
      matches.push(await nearNames(snapshot, vector, { topK: own, threshold, candidates }, control));
    }
    return matches;
  });
  return byName.map((some, at) =>
    near === null || near[at] === undefined
      ? some
      : joinMatches(some, near[at], names[at]?.topK as number, queries[at] as ResolveQuery),
  );
}

function checkName(name: unknown, topK: number): void {
  if (typeof name !== 'string' || name === '') throw new SvcError('invalid_request', "missing 'name' parameter");
  if (!Number.isSafeInteger(topK) || topK < 1) {
    throw new SvcError('invalid_request', `top_k is ${topK}; expected an integer of at least 1`);
  }
}

/** Entities that are stated in ROOT to have one of some types. */
function instancesOf(snapshot: StorageSnapshot, types: readonly string[]): IdColumn {
  const p = snapshot.encode(RDF_TYPE);
  const ids = new Set<TermId>();
  for (const type of types) {
    const o = snapshot.encode(terms.namedNode(type));
    if (p === null || o === null) continue;
    for (const id of readIds(snapshot, { graphs: ROOT_ONLY, pattern: patternOf({ p, o }), time: CURRENT }, 's'))
      ids.add(id);
  }
  return idSet(ids);
}

/** Null where the provider fails, those of the store are of another model, or can't be read. */
async function orNone<Found>(
  onFailure: ResolveNamesOptions['onFailure'],
  find: () => Promise<Found>,
): Promise<Found | null> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof SvcError) || error.code === 'aborted' || error.code === 'query_timeout') throw error;
    onFailure?.(error);
    return null;
  }
}
