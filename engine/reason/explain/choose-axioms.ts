/**
 * Which of the matches of a fact with an ontology explains it: that of the first family that has one. Within a family base
 * facts come first, then derived facts that rest on base facts without the one that is explained, so that no explanation goes
 * in a circle while another is there. Without any of these, premises that were there when the fact was derived.
 */

import { type FactIds, type FactReader, factKey } from './fact-reader.js';
import { type AxiomIndex, FAMILIES, matchFamily, type OwlFamily, type OwlMatch } from './match-axioms.js';

export interface OwlFacts {
  /** Facts that are there now: base facts, and all. */
  readonly base: FactReader;
  readonly all: FactReader;
  /** With those that were there when the fact was derived. */
  readonly baseBefore: FactReader;
  readonly allBefore: FactReader;
}

/** Null: nothing fits. `path`: keys of the facts whose explanation this is part of. */
export function chooseMatch(
  fact: FactIds,
  index: AxiomIndex,
  facts: OwlFacts,
  path: ReadonlySet<string>,
): OwlMatch | null {
  const search = new Search(index, facts, path);
  const known = (match: OwlMatch): boolean => match.premises.some((premise) => path.has(factKey(premise)));
  return (
    firstOf((family) => search.grounded(family, fact)) ??
    firstOf((family) => search.first(family, fact, facts.baseBefore)) ??
    firstOf((family) => search.first(family, fact, facts.allBefore, (match) => !known(match))) ??
    firstOf((family) => search.first(family, fact, facts.all))
  );
}

function firstOf(find: (family: OwlFamily) => OwlMatch | null): OwlMatch | null {
  for (const family of FAMILIES) {
    const found = find(family);
    if (found !== null) return found;
  }
  return null;
}

class Search {
  /** Facts that are being tried, or were. */
  readonly #tried: Set<string>;
  /** Of these the facts that rest on base facts. */
  readonly #resting = new Set<string>();

  constructor(
    private readonly index: AxiomIndex,
    private readonly facts: OwlFacts,
    path: ReadonlySet<string>,
  ) {
    this.#tried = new Set(path);
  }

  first(
    family: OwlFamily,
    fact: FactIds,
    reader: FactReader,
    test: (match: OwlMatch) => boolean = () => true,
  ): OwlMatch | null {
    for (const match of matchFamily(family, fact, this.index, reader)) if (test(match)) return match;
    return null;
  }

  /** A match whose premises are base facts or rest on such. */
  grounded(family: OwlFamily, fact: FactIds): OwlMatch | null {
    this.#tried.add(factKey(fact));
    const { base, all } = this.facts;
    return this.first(family, fact, base) ?? this.first(family, fact, all, (match) => this.#rests(match));
  }

  #rests({ premises }: OwlMatch): boolean {
    return premises.every((premise) => {
      const key = factKey(premise);
      if (this.facts.base.has(premise)) return true;
      if (this.#tried.has(key)) return this.#resting.has(key);
      const rests = firstOf((family) => this.grounded(family, premise)) !== null;
      if (rests) this.#resting.add(key);
      return rests;
    });
  }
}
