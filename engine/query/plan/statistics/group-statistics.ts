/** What statistics and samples say of the patterns of one group together: stars of a subject, and pairs that share a variable. */

import { getOrInsert } from '../../../base/maps.js';
import type { PatternLeaf } from '../access/pattern-leaf.js';
import type { StarRows } from './star-rows.js';
import { LookUps } from './star-samples.js';
import type { Statistics } from './statistics.js';

/** Patterns of a star are bits of a number. */
const STAR_PATTERNS_MAX = 30;
/** Patterns that are looked at for samples of pairs; they are bits of a number as well. */
const PAIRED_MAX = 30;
/** Samples of one group: each takes up to a hundred microseconds. */
const PAIRS_MAX = 4;

/** Which patterns of a group are joined. */
export interface JoinedPatterns {
  /** By star: bits of its patterns. */
  readonly stars: Int32Array;
  /** Bits of the first patterns. */
  readonly paired: number;
}

/** Two patterns whose rows were sampled. */
interface Pair {
  /** The bit of the other pattern. */
  readonly bit: number;
  readonly variable: string;
  /** What the product of the rows of both is to be divided by. */
  readonly divisor: number;
}

/** Patterns with a common subject. */
interface Star {
  readonly rows: StarRows;
  readonly subject: string;
}

/** A pattern's place in a star. */
interface StarPlace {
  readonly star: number;
  readonly bit: number;
}

export class GroupStatistics {
  private readonly stars: Star[] = [];
  /** By pattern. */
  private readonly places: (StarPlace | null)[];
  private readonly pairs: Pair[][];

  /** `leaves`: null = no pattern; `rows`: of all parts, by which it is worth while to look subjects up for a sample. */
  constructor(
    leaves: readonly (PatternLeaf | null)[],
    rows: number,
    private readonly statistics: Statistics,
  ) {
    this.places = leaves.map(() => null);
    this.pairs = leaves.map(() => []);
    this.findStars(leaves, new LookUps(rows));
    this.findPairs(leaves.slice(0, PAIRED_MAX));
  }

  alone(pattern: number): JoinedPatterns {
    return this.joined({ stars: new Int32Array(this.stars.length), paired: 0 }, pattern);
  }

  joined(before: JoinedPatterns, pattern: number): JoinedPatterns {
    const place = this.places[pattern] ?? null;
    let { stars } = before;
    if (place !== null) {
      stars = Int32Array.from(stars);
      stars[place.star] = (stars[place.star] as number) | (1 << place.bit);
    }
    return { stars, paired: pattern < PAIRED_MAX ? before.paired | (1 << pattern) : before.paired };
  }

  /** By how much the rows of a star's joined patterns change with one more; null where that is not known. */
  starFactor({ stars }: JoinedPatterns, pattern: number): { readonly factor: number; readonly subject: string } | null {
    const place = this.places[pattern] ?? null;
    const joined = place === null ? 0 : (stars[place.star] as number);
    if (place === null || joined === 0) return null;
    const { rows, subject } = this.stars[place.star] as Star;
    const factor = rows.factor(joined, place.bit);
    return factor === null ? null : { factor, subject };
  }

  /** The least divisor that samples of pairs give for a variable; null without one. */
  pairDivisor({ paired }: JoinedPatterns, pattern: number, variable: string): number | null {
    let least: number | null = null;
    for (const pair of this.pairs[pattern] as Pair[]) {
      if (pair.variable !== variable || (paired & pair.bit) === 0) continue;
      if (least === null || pair.divisor < least) least = pair.divisor;
    }
    return least;
  }

  private findStars(leaves: readonly (PatternLeaf | null)[], lookUps: LookUps): void {
    const bySubject = new Map<string, number[]>();
    for (const [at, leaf] of leaves.entries()) {
      const subject = leaf === null ? undefined : starSubject(leaf);
      if (subject === undefined) continue;
      const members = getOrInsert(bySubject, subject, () => []);
      if (members.length < STAR_PATTERNS_MAX) members.push(at);
    }
    for (const [subject, members] of bySubject) {
      if (members.length < 2) continue;
      const rows = this.statistics.starRows(
        members.map((at) => leaves[at] as PatternLeaf),
        lookUps,
      );
      if (rows === null) continue;
      for (const [bit, at] of members.entries()) this.places[at] = { star: this.stars.length, bit };
      this.stars.push({ rows, subject });
    }
  }

  /** Patterns that share one variable, and are not told by a star. */
  private findPairs(leaves: readonly (PatternLeaf | null)[]): void {
    let samples = 0;
    for (const [at, few] of leaves.entries()) {
      if (few === null || few.constants.size < 2 || few.positions.size !== 1) continue;
      const variable = [...few.positions.keys()][0] as string;
      for (const [other, many] of leaves.entries()) {
        if (other === at || many === null || !many.positions.has(variable) || samples === PAIRS_MAX) continue;
        const star = this.places[at]?.star;
        if (star !== undefined && star === this.places[other]?.star) continue;
        const rows = this.statistics.pairs.rows(few, many, variable);
        if (rows === null) continue;
        samples++;
        const divisor = (few.rows * many.rows) / rows;
        this.pairs[at]?.push({ variable, divisor, bit: 1 << other });
        this.pairs[other]?.push({ variable, divisor, bit: 1 << at });
      }
    }
  }
}

/** The variable that is the subject of a pattern with a constant predicate. */
export function starSubject({ constants, positions }: PatternLeaf): string | undefined {
  if (!constants.has('p') || constants.has('s')) return undefined;
  return [...positions].find(([, position]) => position === 's')?.[0];
}
