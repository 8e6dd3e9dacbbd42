/**
 * Precedents of a request for a decision (semantics of reasoning, 5.6): requests about entities near in meaning that people
 * have decided, so that whoever decides sees what was decided before.
 *
 *  1. The vector of the target is the one that the store keeps. A write has its turn while its gates judge, and no
 *     provider is asked in it; a target without a vector has no precedents.
 *  2. The targets of all other requests are ranked by the cosine of their vectors to it.
 *  3. From the nearest on, requests with a decision that verifies are taken.
 */

import type { Control } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import { terms } from '../rdf/terms.js';
import type { TermId } from '../storage/ids/layout.js';
import { VECTORS } from '../storage/indexes/vectors/vectors.js';
import { columnOf } from '../storage/seam/rows.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { rulingOn } from './decisions.js';
import { GovernanceReader, type GovernanceRecord } from './records.js';

const PRECEDENTS_MAX = 3;
/** Near requests whose signatures are looked at: most of them may be undecided. */
const LOOKED_AT_MAX = 100;

interface Asked {
  /** IRI of the request that is to be written. */
  readonly request: string;
  readonly target: string;
  /** Namespace of the store. */
  readonly base: string;
  /** Seconds since 1970. */
  readonly now: number;
}

/** IRIs of requests, the nearest first. What fails leaves the request without them, unless the write was stopped. */
export async function precedentsOf(
  snapshot: StorageSnapshot,
  asked: Asked,
  control: Control,
): Promise<readonly string[]> {
  try {
    return await nearestDecided(snapshot, asked, control);
  } catch (error) {
    if (error instanceof SvcError && (error.code === 'aborted' || error.code === 'query_timeout')) throw error;
    return [];
  }
}

async function nearestDecided(
  snapshot: StorageSnapshot,
  { request, target, base, now }: Asked,
  control: Control,
): Promise<readonly string[]> {
  const vectors = VECTORS.at(snapshot.indexView());
  const id = snapshot.encode(terms.namedNode(target));
  if (id === null || vectors.embedded === 0) return [];
  const query = (await vectors.vectorsOf({ entities: [id] })).get(id);
  if (query === undefined) return [];
  const reader = new GovernanceReader(snapshot, base);
  const byTarget = requestsByTarget(snapshot, reader, request);
  if (byTarget.size === 0) return [];
  const candidates = columnOf([...byTarget.keys()].sort((a, b) => (a < b ? -1 : 1)));
  const near = await vectors.nearest({ query, limit: LOOKED_AT_MAX, candidates, backend: 'brute' }, control);
  const found: string[] = [];
  let looked = 0;
  for (const { entity, score } of near) {
    if (!(score > 0)) break;
    for (const one of byTarget.get(entity) ?? []) {
      if (found.length === PRECEDENTS_MAX || looked++ === LOOKED_AT_MAX) return found;
      if (isDecided(reader, one, base, now)) found.push(one.node);
    }
  }
  return found;
}

/** All requests but one, by the entity that each is about; those of one entity in the order of their IRIs. */
function requestsByTarget(
  snapshot: StorageSnapshot,
  reader: GovernanceReader,
  without: string,
): ReadonlyMap<TermId, readonly GovernanceRecord[]> {
  const found = new Map<TermId, GovernanceRecord[]>();
  for (const one of reader.ofClass('DecisionRequest')) {
    const about = one.one('forTarget');
    const id = one.node === without || about === null ? null : snapshot.encode(terms.namedNode(about));
    if (id !== null) found.set(id, [...(found.get(id) ?? []), one]);
  }
  return found;
}

function isDecided(reader: GovernanceReader, request: GovernanceRecord, base: string, now: number): boolean {
  const [policy, target] = [request.one('forPolicy'), request.one('forTarget')];
  if (policy === null || target === null) return false;
  return ['approved', 'rejected'].includes(rulingOn(reader, { policy, target, base }, now).kind);
}
