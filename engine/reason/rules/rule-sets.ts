/** The rules of several documents. Each is read on its own, so that the default prefix of one never counts for another. */

import { compareCodePoints } from '../../base/text.js';
import { checkRules } from './check-rules.js';
import { type RuleDocument, readRules } from './read-rules.js';
import type { Rule } from './rule.js';
import type { Stratum } from './strata.js';

/** Rules that were checked together, in rule order, and the levels in which they run. */
export interface RuleSet {
  readonly rules: readonly Rule[];
  readonly strata: readonly Stratum[];
}

/** Checked together; throws `invalid_request` for what can't be evaluated. */
export async function ruleSetOf(
  documents: readonly RuleDocument[],
  fallbackPrefix: string,
  signal?: AbortSignal,
): Promise<RuleSet> {
  const rules: Rule[] = [];
  for (const document of documents) rules.push(...(await readRules(document, fallbackPrefix, signal)));
  rules.sort((a, b) => compareCodePoints(a.subject, b.subject));
  return { rules, strata: checkRules(rules) };
}
