/**
 * How many rows patterns of one subject have together: by characteristic sets, and, of those with the star's selection,
 * by subjects of that selection.
 */

import { getOrInsert } from '../../../base/maps.js';
import type { CharacteristicSets } from './characteristic-sets.js';
import type { StarSample } from './star-samples.js';

/** Subjects of characteristic sets that a figure has to rest on. */
const SAMPLED_MIN = 8;
/** The part of a subject that a sample is sure of when nothing in it has all patterns. */
const UNSEEN_SHARE = 0.5;

/** A pattern of a star: its predicate, and the share of the predicate's rows that it matches. */
export interface StarPattern {
  readonly predicate: number;
  readonly share: number;
}

/** Subjects that have the same of a star's patterns. */
interface StarGroup {
  readonly bits: number;
  subjects: number;
  /** By pattern: matches of one subject, on average, times `subjects`. */
  readonly matches: Float64Array;
}

/** Subjects of a selection, told by a sample. */
interface Selected {
  /** Of the selection. */
  readonly bit: number;
  /** Of the patterns that the sample was looked up in. */
  readonly told: number;
  /** Subjects that one of the sample stands for. */
  readonly unit: number;
  readonly groups: readonly StarGroup[];
}

/** Rows of the patterns of one star, by the bits of those that are joined. */
export class StarRows {
  private readonly groups: readonly StarGroup[];
  private readonly selected: readonly Selected[];
  private readonly known = new Map<number, number>();

  constructor(
    private readonly characteristic: CharacteristicSets,
    private readonly patterns: readonly StarPattern[],
    samples: readonly StarSample[] = [],
  ) {
    this.groups = groupsOfSets(characteristic, patterns);
    this.selected = samples.map(selectedBy);
  }

  /**
   * By how much the rows of the joined patterns change with one more; null when neither sample tells.
   * Where too few subjects have all of them, the patterns are taken in pairs.
   */
  factor(joined: number, pattern: number): number | null {
    const bit = 1 << pattern;
    const before = this.rows(joined);
    if (before > 0 && this.isTold(joined | bit)) return this.rows(joined | bit) / before;
    let sum = 0;
    let pairs = 0;
    for (let left = joined; left !== 0; left &= left - 1) {
      const other = left & -left;
      const alone = this.rows(other);
      if (alone === 0) return null;
      const unseen = this.unit(other | bit) * UNSEEN_SHARE * (this.patterns[pattern] as StarPattern).share;
      sum += Math.log(Math.max(this.rows(other | bit), Math.min(alone, unseen)) / alone);
      pairs++;
    }
    const pairwise = Math.exp(sum / pairs);
    const selected = this.selectedOf(joined | bit);
    return before > 0 && selected !== null ? Math.min(pairwise, (selected.unit * UNSEEN_SHARE) / before) : pairwise;
  }

  private isTold(joined: number): boolean {
    if (this.selectedOf(joined) !== null) return this.rows(joined) > 0;
    let subjects = 0;
    for (const group of this.groups) if ((group.bits & joined) === joined) subjects += group.subjects;
    return subjects / this.characteristic.unit >= SAMPLED_MIN;
  }

  /** Subjects that one of the sample stands for. */
  private unit(joined: number): number {
    return (this.selectedOf(joined) ?? this.characteristic).unit;
  }

  /** The smallest selection among the patterns whose sample knows all of them. */
  private selectedOf(joined: number): Selected | null {
    for (const selected of this.selected) {
      if ((joined & selected.bit) !== 0 && (joined & ~selected.told) === 0) return selected;
    }
    return null;
  }

  private rows(joined: number): number {
    let rows = this.known.get(joined);
    if (rows !== undefined) return rows;
    rows = 0;
    for (const { bits, subjects, matches } of this.selectedOf(joined)?.groups ?? this.groups) {
      if ((bits & joined) !== joined) continue;
      let product = subjects;
      for (let left = joined; left !== 0; left &= left - 1) {
        product *= (matches[31 - Math.clz32(left & -left)] as number) / subjects;
      }
      rows += product;
    }
    this.known.set(joined, rows);
    return rows;
  }
}

/** Subjects by what they have of a star's patterns; those that have nothing are left out. */
class Groups {
  private readonly byBits = new Map<number, StarGroup>();

  constructor(private readonly patterns: number) {}

  /** Subjects with so many rows of each pattern; null = none. */
  add(subjects: number, rowsOf: (pattern: number) => number | null): void {
    let bits = 0;
    for (let at = 0; at < this.patterns; at++) if (rowsOf(at) !== null) bits |= 1 << at;
    if (bits === 0) return;
    const group = getOrInsert(this.byBits, bits, () => {
      return { bits, subjects: 0, matches: new Float64Array(this.patterns) };
    });
    group.subjects += subjects;
    for (let at = 0; at < this.patterns; at++) group.matches[at] = (group.matches[at] as number) + (rowsOf(at) ?? 0);
  }

  all(): readonly StarGroup[] {
    return [...this.byBits.values()];
  }
}

function groupsOfSets({ sets }: CharacteristicSets, patterns: readonly StarPattern[]): readonly StarGroup[] {
  const groups = new Groups(patterns.length);
  for (const { rows, subjects } of sets) {
    groups.add(subjects, (at) => {
      const { predicate, share } = patterns[at] as StarPattern;
      const found = rows.get(predicate);
      return found === undefined ? null : found * share;
    });
  }
  return groups.all();
}

function selectedBy({ selection, counts, subjects, unit }: StarSample): Selected {
  const groups = new Groups(counts.length);
  for (let subject = 0; subject < subjects; subject++) {
    groups.add(unit, (at) => {
      const found = counts[at]?.[subject] ?? 0;
      return found === 0 ? null : found * unit;
    });
  }
  const told = counts.reduce((all, found, at) => (found === null ? all : all | (1 << at)), 0);
  return { bit: 1 << selection, told, unit, groups: groups.all() };
}
