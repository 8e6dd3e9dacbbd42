/**
 * The merge of the triples that have blank nodes: they get names by which equal nodes are equal, and are merged by their
 * texts. A node of theirs that we have keeps the label that it has here; one that we do not have gets the scope of the share, as
 * an import gives it (semantics text 6.8 C).
 */

import type { Control } from '../base/control.js';
import { type BlankNode, type Quad, terms } from '../rdf/terms.js';
import { renamed } from './blank-components.js';
import { canonicalTriple } from './canonical-lines.js';
import { importedLabel } from './line-terms.js';
import { type BlankSides, matchBlankNodes } from './match-blank-nodes.js';
import { mergeKeys, type SetCounts } from './three-way.js';

export interface MergedTriples {
  readonly counts: SetCounts;
  /** To be written: with the labels that the store has, or gives. */
  readonly asserted: readonly Quad[];
  readonly retracted: readonly Quad[];
  /** What makes theirs of the base, in its labels. */
  readonly theirAdditions: readonly Quad[];
  readonly theirRemovals: readonly Quad[];
  /** All of theirs, in the labels of the base. */
  readonly theirsKept: readonly Quad[];
  /** All of the base and of theirs as they would be written, for values that are chosen one by one. */
  readonly base: readonly Quad[];
  readonly theirs: readonly Quad[];
}

/** Of a set that is not ours, a node that is not there any more. No label of a store has a colon in it. */
const GONE = 'gone:';

export async function mergeTerms(sides: BlankSides, shareId: string, control: Control): Promise<MergedTriples> {
  const { oursOfBase, baseOfTheirs, oursOfTheirs } = await matchBlankNodes(sides, control);
  const imported = (label: string) => importedLabel(shareId, Number(label.slice('c14n'.length)));
  const written = (label: string) => oursOfTheirs.get(label) ?? imported(label);
  const theirOf = new Map([...baseOfTheirs].map(([their, label]) => [label, their]));
  const inBase = (label: string): string => {
    const local = oursOfBase.get(label);
    if (local !== undefined) return local;
    const their = theirOf.get(label);
    return their === undefined ? GONE + label : written(their);
  };
  const kept = (label: string) => baseOfTheirs.get(label) ?? written(label);
  const base = keyed(sides.base, inBase);
  const ours = keyed(sides.ours, (label) => label);
  const theirs = keyed(sides.theirs, written);
  const merged = mergeKeys(base, ours, theirs);
  const of = (quads: ReadonlyMap<string, Quad>, keys: readonly string[]) => keys.map((key) => quads.get(key) as Quad);
  return {
    counts: merged.counts,
    asserted: of(theirs, merged.asserted).map((quad) => named(quad, written)),
    retracted: of(ours, merged.retracted),
    theirAdditions: of(theirs, merged.theirAdditions).map((quad) => named(quad, kept)),
    theirRemovals: of(base, merged.theirRemovals),
    theirsKept: [...theirs.values()].map((quad) => named(quad, kept)),
    base: sides.base.map((quad) => named(quad, (label) => shown(inBase(label), label))),
    theirs: [...theirs.values()].map((quad) => named(quad, written)),
  };
}

/** A node that is gone still has the label that it had. */
function shown(name: string, label: string): string {
  return name.startsWith(GONE) ? label : name;
}

/** The triples as they are, by their texts with the names of their nodes. */
function keyed(quads: readonly Quad[], nameOf: (label: string) => string): Map<string, Quad> {
  return new Map(quads.map((quad) => [canonicalTriple(named(quad, nameOf)), quad]));
}

function named(quad: Quad, nameOf: (label: string) => string): Quad {
  return renamed(quad, (label): BlankNode => terms.blankNode(nameOf(label)));
}
