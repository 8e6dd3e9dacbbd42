/**
 * The rules of several documents, kept as long as the documents are the same. Each is read on its own, so that the default
 * prefix of one never counts for another.
 */

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

export const NO_RULES: RuleSet = { rules: [], strata: [] };

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

export class RuleSets {
  #texts: readonly string[] = [];
  #prefix = '';
  #set: RuleSet = NO_RULES;

  /** The last that were asked for are kept. */
  async of(documents: readonly RuleDocument[], fallbackPrefix: string, signal?: AbortSignal): Promise<RuleSet> {
    const texts = documents.map(({ turtle }) => turtle);
    const same = texts.length === this.#texts.length && texts.every((text, at) => text === this.#texts[at]);
    if (same && fallbackPrefix === this.#prefix) return this.#set;
    const set = await ruleSetOf(documents, fallbackPrefix, signal);
    [this.#texts, this.#prefix, this.#set] = [texts, fallbackPrefix, set];
    return set;
  }
}
