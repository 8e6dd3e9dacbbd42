/**
 * How what was found by text and by vectors becomes one order. Every score lies in 0..1.
 *
 * `default`: a text match has the score of its text, what vectors alone find its cosine (semantics of reasoning, 9.4).
 * `reciprocal`: the sum of 1 / (60 + rank) over both lists, as a part of what the first of both would have (Cormack, Clarke
 * and Buettcher, 2009).
 * `convex`: the text score and the cosine in parts of one (Bruch, Gai and Ingber, 2023).
 * `mmr`: as `convex`, then each next entity is the one with the most relevance that is least like those before it
 * (Carbonell and Goldstein, 1998).
 * `ppr`: personalised PageRank that restarts at what was found, by its convex score, hubs damped (after HippoRAG 2, 2025).
 */

/** What text and vectors say of an entity; null = it was not found by it. */
export interface FoundScores {
  readonly text: number | null;
  /** From -1 to 1. */
  readonly cosine: number | null;
}

const RECIPROCAL_OFFSET = 60;
/** The part of the text in a convex combination: chosen on names and definitions of schema.org (`bench/search/relevance.ts`). */
const TEXT_PART = 0.25;
/** How much relevance counts beside novelty. */
const RELEVANCE_PART = 0.7;

export function convexScore({ text, cosine }: FoundScores): number {
  const similarity = Math.max(0, cosine ?? 0);
  return TEXT_PART * (text ?? 0) + (1 - TEXT_PART) * similarity;
}

/** By place in `found`; those of a list are in the order of its scores. */
export function reciprocalScores(found: readonly FoundScores[]): number[] {
  const byText = ranksOf(found.map(({ text }) => text));
  const byCosine = ranksOf(found.map(({ cosine }) => cosine));
  const lists = [byText, byCosine].filter((ranks) => ranks.some((rank) => rank !== null));
  const most = lists.length / (RECIPROCAL_OFFSET + 1);
  return found.map((_, at) => {
    const sum = lists.reduce((total, ranks) => total + partOf(ranks[at] as number | null), 0);
    return most === 0 ? 0 : sum / most;
  });
}

function partOf(rank: number | null): number {
  return rank === null ? 0 : 1 / (RECIPROCAL_OFFSET + rank);
}

/** From 1; equal scores have equal ranks. */
function ranksOf(scores: readonly (number | null)[]): (number | null)[] {
  const sorted = scores.filter((score) => score !== null).sort((a, b) => b - a);
  return scores.map((score) => (score === null ? null : sorted.indexOf(score) + 1));
}

/**
 * The places of the first entities in the order of maximal marginal relevance; `relevance` is descending. `pace` is called once
 * for each, and throws where the work is to stop.
 */
export function marginalOrder(
  relevance: readonly number[],
  alike: (one: number, other: number) => number,
  wanted: number,
  pace: () => void,
): number[] {
  const order: number[] = [];
  const left = [...relevance.keys()];
  const nearest = relevance.map(() => 0);
  while (left.length > 0 && order.length < wanted) {
    pace();
    let best = 0;
    for (let at = 1; at < left.length; at++) {
      if (marginal(left[at] as number) > marginal(left[best] as number)) best = at;
    }
    const [chosen] = left.splice(best, 1) as [number];
    order.push(chosen);
    for (const other of left) nearest[other] = Math.max(nearest[other] as number, alike(chosen, other));
  }
  return order;

  function marginal(place: number): number {
    return RELEVANCE_PART * (relevance[place] as number) - (1 - RELEVANCE_PART) * (nearest[place] as number);
  }
}

/** What an entity with so many edges counts beside one that has none. */
export function hubDamping(edges: number): number {
  return 1 / (1 + Math.log1p(edges));
}

/** Which part of what either of two sets has is in both. */
export function jaccard(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const entry of one) if (other.has(entry)) shared++;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** A vector of length 1; null = there is none, or it has no direction. */
export function directionOf(vector: Float32Array | undefined): Float64Array | null {
  const length = vector === undefined ? 0 : Math.sqrt(productOf(vector, vector));
  return vector === undefined || length === 0 ? null : Float64Array.from(vector, (number) => number / length);
}

export function productOf(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number);
  return sum;
}
