/**
 * What finds entities and terms by text. There is one that scans, as the semantics of reasoning (9.3) has it, and one that
 * asks a text index; `matchers.ts` says which is used. All of them answer of ROOT at the time that they are asked about, and
 * of what the reader of the snapshot may see.
 */

import type { Control } from '../../base/control.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';

/** search.text_backend */
export const TEXT_BACKENDS = ['index', 'substring'] as const;
export type TextBackend = (typeof TEXT_BACKENDS)[number];

/** What of an entity the text stands in; of several the first of these. */
export const MATCH_KINDS = ['iri', 'label', 'literal', 'object'] as const;
export type MatchKind = (typeof MATCH_KINDS)[number];

/** An entity that merely points at an IRI that holds the text is no direct hit. */
export const DIRECT_KINDS: readonly MatchKind[] = ['iri', 'label', 'literal'];

export interface TextMatch {
  /** An IRI that is a subject. */
  readonly entity: TermId;
  /** Above 0, at most 1. */
  readonly score: number;
  readonly kind: MatchKind;
  /** Of the fact whose value it is found in; null where it is the entity's own IRI. */
  readonly predicate: TermId | null;
  readonly value: TermId | null;
}

export interface MatchRequest {
  /** Not empty, and more than white space. */
  readonly query: string;
  readonly time: TimeSlice;
  /** At least 1. */
  readonly limit: number;
  /** Predicates whose values are names. */
  readonly labels: readonly TermId[];
  /** Entities that may be found, ascending, each once; null = all. Complete: it counts before anything is cut. */
  readonly scope: IdColumn | null;
  /** What of an entity counts. */
  readonly kinds: readonly MatchKind[];
}

export interface Matches {
  /** The best by score, ties by IRI. */
  readonly matches: readonly TextMatch[];
  /** Entities that match; one that stops early counts those that it saw, which are more than it gives if there are more. */
  readonly found: number;
}

/** Kinds of terms that are looked for. */
export interface ContainingRequest {
  readonly text: string;
  readonly time: TimeSlice;
  readonly position: 'p' | 'o';
}

export interface TextMatcher {
  readonly backend: TextBackend;
  directHits(snapshot: StorageSnapshot, request: MatchRequest, control: Control): Promise<Matches>;
  /**
   * The IRIs and literals that contain a text without regard to case and stand in such a position of ROOT at that time: ids,
   * ascending, each once. Others that contain it may be among them.
   */
  containing(snapshot: StorageSnapshot, request: ContainingRequest, control: Control): Promise<IdColumn>;
}
