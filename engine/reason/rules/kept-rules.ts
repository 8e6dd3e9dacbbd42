/** Rules of stored documents, kept as long as the documents are the same. What reads them is loaded with the first. */

import type { RuleDocument } from './read-rules.js';
import type { RuleSet } from './rule-sets.js';

export const NO_RULES: RuleSet = { rules: [], strata: [] };

export class KeptRules {
  #texts: readonly string[] = [];
  #prefix = '';
  #set: RuleSet = NO_RULES;

  /** The last that were asked for are kept; equal documents give the same object. Throws as `ruleSetOf`. */
  async of(documents: readonly RuleDocument[], fallbackPrefix: string, signal?: AbortSignal): Promise<RuleSet> {
    const texts = documents.map(({ turtle }) => turtle);
    const same = texts.length === this.#texts.length && texts.every((text, at) => text === this.#texts[at]);
    if (same && (texts.length === 0 || fallbackPrefix === this.#prefix)) return this.#set;
    const set =
      documents.length === 0
        ? NO_RULES
        : await (await import('./rule-sets.js')).ruleSetOf(documents, fallbackPrefix, signal);
    [this.#texts, this.#prefix, this.#set] = [texts, fallbackPrefix, set];
    return set;
  }
}
