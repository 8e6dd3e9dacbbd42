/**
 * Policies that judge writes (semantics of reasoning, 5.3): what they are about, what has to hold, and what happens where it
 * does not. Where one says two things, the stricter counts: nobody loosens a policy by adding a value.
 */

import { SvcError } from '../base/errors.js';
import type { GovernanceReader, GovernanceRecord } from './records.js';

export const ESCALATING = ['escalate', 'require-approval'];
const ADVISORY = ['allow', 'warn', 'record', 'throttle'];
export const DENY = 'deny';

export interface Policy {
  readonly iri: string;
  /** IRIs of classes. */
  readonly targets: readonly string[];
  /** ASK queries about `$target`, each of which has to be true. */
  readonly claims: readonly string[];
  /** ASK queries that say whether there is anything to judge by; none = there is. */
  readonly probes: readonly string[];
  readonly effect: string;
  /** `refuse`, `ask` a decider, `observe` (the claims are evaluated, and nothing is refused), or nothing at all. */
  readonly response: 'refuse' | 'ask' | 'observe' | 'none';
  /** How long a decider has, in seconds. */
  readonly windowSeconds: number;
  /** What a reader of the refusal should look at. */
  readonly exemplar: string | null;
}

/** Properties of a policy that the gate reads; a write that changes one of them changes what later writes are judged by. */
export const POLICY_PROPERTIES = [
  'targets',
  'claim',
  'boundary',
  'effect',
  'evidenceProbe',
  'exemplar',
  'reversibilityWindowSeconds',
  'constraintClass',
] as const;

/** Those that judge writes, in the order of their IRIs. */
export function actionPolicies(reader: GovernanceReader): readonly Policy[] {
  return reader
    .ofClass('Policy')
    .filter((record) => record.all('boundary').includes('action'))
    .map(policyOf)
    .filter(({ targets, claims }) => targets.length > 0 && claims.length > 0);
}

export function policyOf(record: GovernanceRecord): Policy {
  const effect = strictest(record.all('effect'));
  const classes = record.all('constraintClass');
  return {
    iri: record.node,
    targets: record.all('targets'),
    claims: record.all('claim'),
    probes: record.all('evidenceProbe'),
    effect,
    response: responseTo(effect, classes),
    windowSeconds: Math.max(0, ...record.all('reversibilityWindowSeconds').map(seconds)),
    exemplar: record.one('exemplar'),
  };
}

function strictest(effects: readonly string[]): string {
  if (effects.length === 0 || effects.includes(DENY)) return DENY;
  const escalating = effects.find((effect) => ESCALATING.includes(effect));
  if (escalating !== undefined) return escalating;
  // A word that nobody knows is no permission.
  return effects.every((effect) => ADVISORY.includes(effect)) ? (effects[0] as string) : DENY;
}

function responseTo(effect: string, classes: readonly string[]): Policy['response'] {
  if (ADVISORY.includes(effect)) return 'none';
  if (classes.length > 0 && classes.every((one) => one === 'soft')) return 'observe';
  return effect === DENY ? 'refuse' : 'ask';
}

/** Some thousand years: a longer window is for ever, and its end is a time that can be shown. */
const WINDOW_SECONDS_MAX = 1e11;

/** Whole seconds; what is no number is none. */
function seconds(text: string): number {
  const value = Number(text);
  return Number.isFinite(value) ? Math.min(WINDOW_SECONDS_MAX, Math.trunc(value)) : 0;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: white space and controls are among what the guard refuses
const NOT_BARE = /[\u0000-\u0020<>"{}\\\s]/;

/** Whether an IRI can stand in a query that is put together as text (semantics of reasoning, 0.4). */
export const isBareIri = (iri: string): boolean => iri !== '' && !NOT_BARE.test(iri);

/** Refuses a node that can't be named in the text of a query. */
export function checkTarget(target: string): void {
  if (isBareIri(target)) return;
  throw new SvcError('invalid_request', `'${target.slice(0, 200)}' can't be asked about: it is no bare IRI`, {
    hint: 'an IRI without white space, angle brackets, quotes, braces and backslashes',
  });
}

/** An ASK about a node: its text with the IRI in place of `$target`. */
export function askAbout(query: string, target: string): string {
  checkTarget(target);
  return query.replaceAll('$target', () => `<${target}>`);
}
