/**
 * Rules that came with a request and own derived facts: an explanation of such a fact needs its rule (ruling R71). One row of the
 * registry for each graph and rule id, with the rule as it was run last.
 */

import { NamedRows } from '../../query/registry/named-rows.js';
import type { Rule } from '../../reason/rules/rule.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

export interface RanRule {
  readonly name: string;
  /** IRI of the graph of the premises. */
  readonly graph: string;
  readonly rule: Rule;
}

const RAN_RULES = new NamedRows<RanRule>('ran-rule', 'ranRule', (json) => {
  const { name, graph, rule } = json as RanRule;
  const whole = typeof name === 'string' && typeof graph === 'string' && Array.isArray(rule?.body);
  return whole ? { name, graph, rule } : null;
});

function nameOf(graph: string, id: string): string {
  return `${graph} ${id}`;
}

/** The rule that was run last under an id over a graph; null = none came with a request. */
export function ranRule(snapshot: StorageSnapshot, graph: string, id: string): Rule | null {
  return RAN_RULES.one(snapshot, nameOf(graph, id))?.rule ?? null;
}

/** Keeps a rule, unless it is kept as it is. */
export function keepRanRule(
  snapshot: StorageSnapshot,
  [stage, registry]: [Parameters<typeof RAN_RULES.store>[0], Parameters<typeof RAN_RULES.store>[1]],
  graph: string,
  rule: Rule,
): void {
  const before = ranRule(snapshot, graph, rule.id);
  if (before !== null && JSON.stringify(before) === JSON.stringify(rule)) return;
  RAN_RULES.store(stage, registry, { name: nameOf(graph, rule.id), graph, rule });
}
