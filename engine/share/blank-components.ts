/**
 * The blank nodes of a set of triples by what is said of them. Blank nodes that triples join are one component; a component
 * has a canonical text, in which its nodes have canonical labels (RDFC-1.0), so that two components with one text say
 * the same. A component alone is asked, not the whole set: there a single new node would give all others new labels.
 */

import type { Control } from '../base/control.js';
import { throwIfStopped } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import { getOrInsert } from '../base/maps.js';
import { sortByCodePoint } from '../rdf/canonical/lines.js';
import type { CanonicalDataset } from '../rdf/canonical/rdfc.js';
import { type BlankNode, type Quad, type Term, terms } from '../rdf/terms.js';
import { canonicalTriple } from './canonical-lines.js';

export interface BlankComponent {
  /** Equal texts say the same. */
  readonly text: string;
  /** The labels of its nodes, in the order of their canonical ones: equal places are equal nodes of equal components. */
  readonly labels: readonly string[];
}

/** `whose` names the set in the refusal of one that is too hard. */
export async function componentsOf(quads: readonly Quad[], whose: string, control: Control): Promise<BlankComponent[]> {
  const components: BlankComponent[] = [];
  for (const part of partsOf(quads)) {
    throwIfStopped(control, 'the comparison of blank nodes');
    components.push(part.labels.length === 1 ? single(part) : await several(part, whose, control));
  }
  return components;
}

interface Part {
  readonly labels: string[];
  readonly quads: Quad[];
}

/** The triples of each component. */
function partsOf(quads: readonly Quad[]): Iterable<Part> {
  const parents = new Map<string, string>();
  const rootOf = (label: string): string => {
    let root = label;
    for (let up = parents.get(root); up !== undefined && up !== root; up = parents.get(root)) root = up;
    // The way is shortened for those who come next.
    for (let at = label; at !== root; ) {
      const up = parents.get(at) as string;
      parents.set(at, root);
      at = up;
    }
    return root;
  };
  for (const { subject, object } of quads) {
    for (const { termType, value } of [subject, object]) {
      if (termType === 'BlankNode' && !parents.has(value)) parents.set(value, value);
    }
    if (subject.termType === 'BlankNode' && object.termType === 'BlankNode') {
      parents.set(rootOf(subject.value), rootOf(object.value));
    }
  }
  const parts = new Map<string, Part>();
  const partOf = (label: string): Part => getOrInsert(parts, rootOf(label), () => ({ labels: [], quads: [] }));
  for (const label of parents.keys()) partOf(label).labels.push(label);
  for (const quad of quads) {
    const node = quad.subject.termType === 'BlankNode' ? quad.subject : (quad.object as BlankNode);
    partOf(node.value).quads.push(quad);
  }
  return parts.values();
}

/** Most nodes stand alone, and their label says nothing. */
function single({ labels, quads }: Part): BlankComponent {
  const node = terms.blankNode('c14n0');
  const lines = quads.map((quad) => canonicalTriple(renamed(quad, () => node)));
  return { text: sortByCodePoint([...new Set(lines)]).join('\n'), labels };
}

async function several({ labels, quads }: Part, whose: string, control: Control): Promise<BlankComponent> {
  // Labels that look canonical would be taken as such.
  const own = new Map(labels.map((label, at) => [label, terms.blankNode(`n${at}`)]));
  const plain = quads.map((quad) => renamed(quad, (label) => own.get(label) as BlankNode));
  const canonical = await canonicalOf({ labels, quads: plain }, whose, control);
  const sorted = labels
    .map((label, at) => ({ label, number: Number((canonical.labels.get(`n${at}`) as string).slice('c14n'.length)) }))
    .sort((one, other) => one.number - other.number);
  return { text: canonical.nquads, labels: sorted.map(({ label }) => label) };
}

/** A hash call copies what it knows of the nodes of a component; all calls together copy no more than this. */
const NODES_COPIED_MAX = 5_000_000;

async function canonicalOf(
  { labels, quads }: Part,
  whose: string,
  { signal, flag }: Control,
): Promise<CanonicalDataset> {
  const { canonize, HASH_CALLS_MAX_DEFAULT } = await import('../rdf/canonical/rdfc.js');
  // A ring of ten thousand nodes that look alike would take minutes, and gigabytes, before the default bound.
  const hashCallsMax = Math.min(HASH_CALLS_MAX_DEFAULT, Math.ceil(NODES_COPIED_MAX / labels.length));
  try {
    return await canonize(quads, { signal, flag, hashCallsMax });
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'limit_exceeded') throw error;
    throw new SvcError('invalid_request', `${error.message}: those of ${whose}`, {
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
}

/** The triple with its blank nodes as `rename` has them. */
export function renamed({ subject, predicate, object }: Quad, rename: (label: string) => BlankNode): Quad {
  const of = <Given extends Term>(term: Given) => (term.termType === 'BlankNode' ? rename(term.value) : term);
  return terms.quad(of(subject) as Quad['subject'], predicate, of(object) as Quad['object']);
}
