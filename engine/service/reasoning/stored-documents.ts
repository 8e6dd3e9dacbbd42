/** The documents that may hold stored rules: those of shapes (semantics of reasoning, 1.9). */

import { STORED_SHAPES } from '../../graphs/shapes/stored-shapes.js';
import type { RuleDocument } from '../../reason/rules/read-rules.js';
import { RULE_NS } from '../../reason/rules/rule.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

/** By name; a document without the vocabulary of rules is left out. */
export function ruleDocuments(snapshot: StorageSnapshot): RuleDocument[] {
  return STORED_SHAPES.all(snapshot)
    .filter(({ turtle }) => turtle.includes(RULE_NS))
    .map(({ name, turtle }) => ({ turtle, name: `the stored shapes '${name}'` }));
}
