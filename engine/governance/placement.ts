/**
 * Where policies may stand (semantics of reasoning, 5.4): which class of constraint is verified at which point, and what one
 * that asks people has to say. Each check gives its message or null; the first that fails refuses the write.
 */

import type { GovernanceReader, GovernanceRecord } from './records.js';

const SINGLE = [
  'boundary',
  'constraintClass',
  'verificationPoint',
  'effect',
  'reversibilityWindowSeconds',
  'onTimeout',
  'hostedAtLayer',
] as const;
/** From the weakest to the strongest. */
export const LAYERS = ['orchestration', 'tool', 'policy'];
const GUESSING = ['embedding', 'model'];
/** Where a constraint of a class may be verified. */
export const POINTS: Readonly<Record<string, readonly string[]>> = {
  hard: ['PAG', 'ATM', 'tool_layer', 'policy_layer'],
  soft: ['ATM', 'PAA'],
  escalation: ['PAG', 'PAA'],
};
const GROUNDING = ['must-ground', 'must-not-ground'];

/** What is wrong with a policy; null = nothing. */
export function misplaced(policy: GovernanceRecord, reader: GovernanceReader): string | null {
  for (const property of SINGLE) {
    const values = policy.all(property);
    if (values.length > 1) return `${property} has ${values.length} values (${values.join(', ')}), where one is meant`;
  }
  const timeout = policy.one('onTimeout');
  if (timeout !== null && timeout !== 'deny') return `onTimeout is '${timeout}'; it can only be 'deny'`;
  const layer = policy.one('hostedAtLayer');
  if (layer !== null && !LAYERS.includes(layer)) {
    return `hostedAtLayer is '${layer}'; expected one of ${LAYERS.join(', ')}`;
  }
  return guesses(policy, reader) ?? (policy.one('boundary') === 'action' ? atBoundary(policy) : null);
}

/** What a predicate of a tier that guesses may decide. */
function guesses(policy: GovernanceRecord, reader: GovernanceReader): string | null {
  const guessing = policy
    .all('predicate')
    .map((iri) => reader.node(iri))
    .find((predicate) => predicate.all('tier').some((tier) => GUESSING.includes(tier)));
  if (guessing === undefined) return null;
  const what = `its predicate <${guessing.node}> is of a tier that guesses`;
  // No effect means deny.
  const effect = policy.one('effect') ?? 'deny';
  if (effect === 'deny' && policy.one('verificationPoint') === 'PAG') return `${what}, so it can't deny at PAG`;
  const point = policy.one('operatingPoint');
  if (point === null) return `${what}, so it needs an operatingPoint`;
  const tolerances = reader.node(point).all('falsePositiveTolerance');
  if (tolerances.length === 0) return `${what}, so its operating point needs a falsePositiveTolerance`;
  if (tolerances.some((one) => Number(one) === 0)) {
    return `${what}, so the falsePositiveTolerance of its operating point can't be 0`;
  }
  return null;
}

function atBoundary(policy: GovernanceRecord): string | null {
  const [of, point] = [policy.one('constraintClass'), policy.one('verificationPoint')];
  if (of === null) return 'it judges actions and has no constraintClass';
  if (point === null) return 'it judges actions and has no verificationPoint';
  const points = POINTS[of];
  if (points === undefined) {
    return `constraintClass is '${of}'; expected one of ${Object.keys(POINTS).join(', ')}`;
  }
  const effect = policy.one('effect') ?? 'deny';
  const asks = effect === 'require-approval' || effect === 'escalate';
  if (asks && of !== 'escalation')
    return `effect '${effect}' asks people, so its constraintClass is escalation, not ${of}`;
  if (!points.includes(point)) {
    return `constraintClass ${of} is not verified at ${point}; expected one of ${points.join(', ')}`;
  }
  if (of !== 'escalation') return null;
  if (policy.one('reversibilityWindowSeconds') === null) {
    return 'constraintClass escalation needs reversibilityWindowSeconds: how long people have to decide';
  }
  if (policy.one('onTimeout') === null) return "constraintClass escalation needs onTimeout 'deny'";
  return null;
}

/** What is wrong with a predicate; null = nothing. */
export function ungrounded(predicate: GovernanceRecord): string | null {
  const match = predicate.all('matchType').find((one) => GROUNDING.includes(one));
  if (match === undefined || predicate.one('groundingQuery') !== null) return null;
  return `matchType '${match}' needs a groundingQuery`;
}
