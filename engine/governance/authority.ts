/** What a chain of principals may write (semantics of reasoning, 5.5): what each of its links may. */

import type { GovernanceReader } from './records.js';

const EVERYTHING = '*';

/** IRIs of graphs, ascending; null = every graph. A principal that declares nothing may write nothing. */
export function authorityOf(reader: GovernanceReader, chain: readonly string[]): readonly string[] | null {
  const bounds = chain
    .map((principal) =>
      reader.withValue('Principal', 'principalId', principal).flatMap((record) => record.all('authorityOver')),
    )
    .filter((own) => !own.includes(EVERYTHING));
  const [first, ...more] = bounds.map((own) => new Set(own));
  if (first === undefined) return null;
  return [...first].filter((graph) => more.every((own) => own.has(graph))).sort();
}
