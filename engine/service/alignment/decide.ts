/** Decisions on proposed pairs, bound to the state that they were made on; nothing is stored. */

import type { InterruptLimits } from '../../base/interrupt.js';
import { Pace } from '../../reason/graph/pace.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { type AlignmentDecision, checkDecisions, checkEntities, type DecidedPair, decisionHash } from './decisions.js';
import { alignedGraph, neededVersion, toPair, versionConflict, versionOf } from './pair.js';

export interface DecidedAlignment {
  readonly left: string;
  readonly right: string;
  /** By the IRIs of the pairs. */
  readonly decided: readonly DecidedPair[];
  readonly accepted: number;
  readonly negated: number;
  /** What an apply has to bring: the state, and the decisions on it. */
  readonly expectedVersion: string;
}

export interface DecideRequest {
  readonly left: string;
  readonly right: string;
  readonly expectedVersion: string;
  readonly decisions: readonly AlignmentDecision[];
}

export async function decideAlignment(
  snapshot: StorageSnapshot,
  { left, right, expectedVersion, decisions }: DecideRequest,
  limits: InterruptLimits,
): Promise<DecidedAlignment> {
  const pair = toPair(left, right);
  const expected = neededVersion(expectedVersion);
  const decided = checkDecisions(decisions, 'decisions');
  for (const iri of [pair.left, pair.right]) alignedGraph(snapshot, iri);
  const pace = new Pace(limits, 'the decision');
  await pace.turn();
  const version = await versionOf(snapshot, pair, pace);
  if (version !== expected) throw versionConflict(expected, version);
  checkEntities(snapshot, pair, decided);
  const accepted = decided.filter(({ verdict }) => verdict === 'accept').length;
  return {
    left: pair.left,
    right: pair.right,
    decided,
    accepted,
    negated: decided.length - accepted,
    expectedVersion: `${version}+${decisionHash(decided)}`,
  };
}
