/** Entities that a text stands in, with what they are (semantics of reasoning, 9.5). */

import type { Control } from '../base/control.js';
import type { TermId } from '../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot, TimeSlice } from '../storage/seam/scan.js';
import { type FoundText, foundText } from './context/context.js';
import { type EntityCard, readCards } from './context/entity-card.js';
import type { MatchKind, TextMatcher } from './match/text-matcher.js';

export interface NodeRequest {
  readonly query: string;
  readonly time: TimeSlice;
  readonly labels: readonly TermId[];
  readonly scope: IdColumn | null;
  readonly kinds: readonly MatchKind[];
  /** Entries to pass over first, and entries that are wanted; at least 1. */
  readonly offset: number;
  readonly limit: number;
  readonly factsMax: number;
}

export interface FoundNode extends EntityCard {
  readonly score: number;
  readonly text: FoundText;
}

export interface FoundNodes {
  readonly nodes: readonly FoundNode[];
  /** There are more. */
  readonly truncated: boolean;
}

export async function findNodes(
  snapshot: StorageSnapshot,
  matcher: TextMatcher,
  { offset, limit, factsMax, ...request }: NodeRequest,
  control: Control,
): Promise<FoundNodes> {
  const asked = { ...request, limit: offset + limit };
  const { matches, found } = await matcher.directHits(snapshot, asked, control);
  const shown = matches.slice(offset);
  const { time, labels } = request;
  const cards = readCards(
    snapshot,
    shown.map(({ entity }) => entity),
    { time, labels, factsMax, order: 'predicate' },
    control,
  );
  const nodes = shown.map((match, at) => ({
    ...(cards[at] as EntityCard),
    score: match.score,
    text: foundText(snapshot, match),
  }));
  return { nodes, truncated: found > matches.length };
}
