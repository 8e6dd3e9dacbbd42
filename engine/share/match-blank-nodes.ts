/**
 * Which blank nodes of a base, of ours and of theirs are one node (semantics text 6.10 compares them by canonical label).
 *
 * 1. Components with the same canonical text are the same, node by node. Base and ours come from one store: there those with
 *    the same stored labels go first. A component of theirs is looked for in the base first, then in ours.
 * 2. What is left of the base and of ours is one node when its stored label is the same.
 * 3. What is left of theirs and of the base has changed. Two nodes are one when each is the only one left at some place: the
 *    value of a predicate of a node that is known, or with a value that no other has. What that finds may lead on to more.
 *
 * A node that is found nowhere is another one. So a share that nobody changed changes nothing, what one side changed becomes
 * what that side has, and nodes that both changed are merged triple by triple, as named ones are.
 */

import type { Control } from '../base/control.js';
import { addTo } from '../base/maps.js';
import { type Quad, RDF_NS, type Term } from '../rdf/terms.js';
import { type BlankComponent, componentsOf } from './blank-components.js';
import { canonicalTerm } from './canonical-lines.js';

export interface BlankSides {
  /** Triples with blank nodes; of base and ours with stored labels, of theirs with those of the share. */
  readonly base: readonly Quad[];
  readonly ours: readonly Quad[];
  readonly theirs: readonly Quad[];
}

export interface MatchedNodes {
  /** Labels of ours, by the labels of the same nodes in the base. */
  readonly oursOfBase: ReadonlyMap<string, string>;
  /** Labels of the base, and of ours, by those of the same nodes of theirs. */
  readonly baseOfTheirs: ReadonlyMap<string, string>;
  readonly oursOfTheirs: ReadonlyMap<string, string>;
}

const TYPE = `${RDF_NS}type`;
/** How far the places of found nodes lead on. */
const ROUNDS_MAX = 64;

export async function matchBlankNodes({ base, ours, theirs }: BlankSides, control: Control): Promise<MatchedNodes> {
  const oursOfBase = new Pairs();
  const baseOfTheirs = new Pairs();
  const oursOfTheirs = new Pairs();
  const ofBase = await componentsOf(base, 'the base', control);
  const ofOurs = await componentsOf(ours, 'the store', control);
  const ofTheirs = await componentsOf(theirs, 'the share', control);
  pairEqual(ofBase, ofOurs, oursOfBase, (one, other) => one.labels.join() === other.labels.join());
  const unchanged = ({ labels }: BlankComponent) => labels.every((label) => oursOfBase.has(label));
  pairEqual(
    ofTheirs,
    [...ofBase].sort((one, other) => Number(unchanged(other)) - Number(unchanged(one))),
    baseOfTheirs,
  );
  pairByLabel(base, ours, oursOfBase);
  for (const [their, label] of baseOfTheirs.entries()) {
    const local = oursOfBase.get(label);
    if (local !== undefined) oursOfTheirs.add(their, local);
  }
  const free = ofTheirs.filter(({ labels }) => !labels.some((label) => baseOfTheirs.has(label)));
  pairEqual(
    free,
    ofOurs.filter(({ labels }) => !labels.some((label) => oursOfTheirs.hasValue(label))),
    oursOfTheirs,
  );
  for (const [their, label] of oursOfTheirs.entries()) {
    const inBase = oursOfBase.keyOf(label);
    if (inBase !== undefined && !baseOfTheirs.has(their)) baseOfTheirs.add(their, inBase);
  }
  pairByPlace(theirs, base, baseOfTheirs, (their, label) => {
    const local = oursOfBase.get(label);
    if (oursOfTheirs.has(their)) return local === undefined || oursOfTheirs.get(their) === local;
    if (local === undefined) return true;
    if (oursOfTheirs.hasValue(local)) return false;
    oursOfTheirs.add(their, local);
    return true;
  });
  return { oursOfBase: oursOfBase.map, baseOfTheirs: baseOfTheirs.map, oursOfTheirs: oursOfTheirs.map };
}

/** Pairs in which nobody stands twice. */
class Pairs {
  readonly map = new Map<string, string>();
  readonly #keys = new Map<string, string>();

  add(key: string, value: string): void {
    this.map.set(key, value);
    this.#keys.set(value, key);
  }

  has(key: string): boolean {
    return this.map.has(key);
  }

  hasValue(value: string): boolean {
    return this.#keys.has(value);
  }

  get(key: string): string | undefined {
    return this.map.get(key);
  }

  keyOf(value: string): string | undefined {
    return this.#keys.get(value);
  }

  entries(): [string, string][] {
    return [...this.map];
  }
}

/** Pairs components that say the same: first those that `prefers`, then one after the other. */
function pairEqual(
  some: readonly BlankComponent[],
  others: readonly BlankComponent[],
  pairs: Pairs,
  prefers: ((one: BlankComponent, other: BlankComponent) => boolean) | null = null,
): void {
  const byText = new Map<string, BlankComponent[]>();
  for (const component of others) addTo(byText, component.text, component);
  let left = some;
  if (prefers !== null) {
    left = some.filter((one) => {
      const equal = byText.get(one.text);
      const at = equal?.findIndex((other) => prefers(one, other)) ?? -1;
      if (at === -1) return true;
      pairNodes(one, (equal as BlankComponent[]).splice(at, 1)[0] as BlankComponent, pairs);
      return false;
    });
  }
  for (const equal of byText.values()) equal.reverse();
  for (const one of left) {
    const other = byText.get(one.text)?.pop();
    if (other !== undefined) pairNodes(one, other, pairs);
  }
}

function pairNodes(one: BlankComponent, other: BlankComponent, pairs: Pairs): void {
  for (const [at, label] of one.labels.entries()) pairs.add(label, other.labels[at] as string);
}

function pairByLabel(base: readonly Quad[], ours: readonly Quad[], pairs: Pairs): void {
  const labels = labelsIn(ours);
  for (const label of labelsIn(base)) {
    if (labels.has(label) && !pairs.has(label) && !pairs.hasValue(label)) pairs.add(label, label);
  }
}

function labelsIn(quads: readonly Quad[]): Set<string> {
  const labels = new Set<string>();
  for (const { subject, object } of quads) {
    if (subject.termType === 'BlankNode') labels.add(subject.value);
    if (object.termType === 'BlankNode') labels.add(object.value);
  }
  return labels;
}

/** Pairs nodes that are each the only one left at a place, until no more are found. `accepts` may say no. */
function pairByPlace(
  theirs: readonly Quad[],
  base: readonly Quad[],
  pairs: Pairs,
  accepts: (their: string, label: string) => boolean,
): void {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const [ofTheirs, ofBase] = [
      placesOf(
        theirs,
        (label) => pairs.has(label),
        (label) => pairs.get(label) as string,
      ),
      placesOf(
        base,
        (label) => pairs.hasValue(label),
        (label) => label,
      ),
    ];
    let found = 0;
    for (const [place, their] of ofTheirs) {
      const label = ofBase.get(place);
      if (their === null || label === undefined || label === null) continue;
      if (pairs.has(their) || pairs.hasValue(label) || !accepts(their, label)) continue;
      pairs.add(their, label);
      found++;
    }
    if (found === 0) return;
  }
}

/** The places of nodes that are not known yet, by the only node at each; null = there are several. Values come first. */
function placesOf(
  quads: readonly Quad[],
  isKnown: (label: string) => boolean,
  nameOf: (label: string) => string,
): Map<string, string | null> {
  const places = new Map<string, string | null>();
  const isOpen = ({ termType, value }: Term) => termType === 'BlankNode' && !isKnown(value);
  const textOf = (term: Term) => (term.termType === 'BlankNode' ? `_:${nameOf(term.value)}` : canonicalTerm(term));
  const put = (place: string, label: string): void => {
    const there = places.get(place);
    places.set(place, there === undefined || there === label ? label : null);
  };
  for (const { subject, predicate, object } of quads) {
    if (isOpen(object) && !isOpen(subject)) put(`> ${textOf(subject)} ${predicate.value}`, object.value);
  }
  for (const { subject, predicate, object } of quads) {
    if (!isOpen(subject) || isOpen(object) || predicate.value === TYPE) continue;
    put(`< ${predicate.value} ${textOf(object)}`, subject.value);
  }
  return places;
}
