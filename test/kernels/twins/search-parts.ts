/** Places whose rows count, by bits of places or of rows. */
import { type Code, type CodedQuery, scoreCodes } from './vector-codes.js';

export interface Marked {
  readonly isByPlace: boolean;
  has(at: number): boolean;
}

/** Places `[from, to)` of a segment: how many count, and of those the rows that can be among the first, by their codes. */
export function searchPlaces(
  codes: readonly Code[],
  numbers: readonly number[],
  [from, to]: readonly [number, number],
  marked: Marked | null,
  query: CodedQuery,
  limit: number,
): { readonly seen: number; readonly rows: readonly number[] } {
  const places = codes
    .map((_, place) => place)
    .slice(from, to)
    .filter((place) => marked === null || marked.has(marked.isByPlace ? place : (numbers[place] as number)));
  const chosen = scoreCodes(
    places.map((place) => codes[place] as Code),
    query,
    limit,
  );
  return { seen: places.length, rows: chosen.map((at) => numbers[places[at] as number] as number) };
}
