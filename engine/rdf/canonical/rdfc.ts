/**
 * RDFC-1.0: blank nodes get labels that depend on the dataset alone, so that isomorphic datasets give
 * identical bytes. The labelling is `rdf-canonize`'s (the reference of the W3C group; the algorithm in
 * our own code would replace it); lines and their order are ours. Language tags are in lower case, so that datasets
 * that are equal as sets of terms give the same bytes.
 *
 * Graphs made to be hard (or unlucky ones) can take exponential work: N-degree hashing is limited to
 * `hashCallsMax` calls, beyond which there is an error and no result. By default they are fewer where many
 * nodes hang together, since each call is the longer then.
 */

import { hash } from 'node:crypto';
// @ts-expect-error: the package has no types; `Canonizer` says what we use of it
import untypedCanonizer from 'rdf-canonize';
import { type Stop, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { compareCodePoints } from '../../base/text.js';
import { type BlankNode, type Quad, type RDF, type Term, terms } from '../terms.js';
import { canonicalLines, foldedQuad, languageSuffix, quadToLine } from './lines.js';

/** What we use of the package. */
interface Canonizer {
  canonize(
    dataset: readonly Quad[],
    options: {
      readonly algorithm: 'RDFC-1.0';
      readonly createMessageDigest: () => MessageDigest;
      /** Filled with the canonical label of each label. */
      readonly canonicalIdMap: Map<string, string>;
      readonly maxDeepIterations: number;
      readonly signal: { readonly aborted: boolean };
    },
  ): Promise<string>;
}

interface MessageDigest {
  update(text: string): void;
  /** Hex digits. */
  digest(): string;
}

const canonizer = untypedCanonizer as Canonizer;

export const HASH_CALLS_MAX_DEFAULT = 50_000;

/**
 * Such a call copies what it knows of the nodes that hang together with its own. Where nothing else is said all calls
 * together copy no more than this: some seconds, where a ring of ten thousand nodes that look alike would take minutes.
 */
const NODES_COPIED_MAX = 40_000_000;

export interface CanonizeOptions extends Stop {
  readonly hash?: 'SHA-256' | 'SHA-384' | undefined;
  readonly hashCallsMax?: number | undefined;
}

export interface CanonicalDataset {
  /** Canonical N-Quads with canonical labels, sorted by code point. */
  readonly nquads: string;
  /** Label in the input to canonical label (`c14n0` ...). */
  readonly labels: ReadonlyMap<string, string>;
}

export async function canonize(quads: Iterable<Quad>, options: CanonizeOptions = {}): Promise<CanonicalDataset> {
  const dataset = distinct(quads);
  for (const quad of dataset) refuseTripleTerms(quad);
  const labels = await canonicalLabels(dataset, options);
  return { nquads: canonicalLines(relabel(dataset, labels)), labels };
}

/**
 * The canonical label of each blank node by its own. Quads without blank nodes have no say in it and may be left out;
 * a quad may come more than once.
 */
export async function canonicalBlankLabels(
  quads: readonly Quad[],
  options: CanonizeOptions = {},
): Promise<ReadonlyMap<string, string>> {
  if (quads.length === 0) return new Map();
  for (const quad of quads) refuseTripleTerms(quad);
  return canonicalLabels(distinct(quads), options);
}

/**
 * The library takes labels that begin as canonical ones do for canonical already, and would make one node of two. So it
 * sees labels of ours.
 */
async function canonicalLabels(dataset: Quad[], options: CanonizeOptions): Promise<Map<string, string>> {
  const plain = new Map<string, string>();
  const toPlain = (label: string): string => {
    const known = plain.get(label) ?? `b${plain.size}`;
    plain.set(label, known);
    return known;
  };
  const labels = await labelsOfPlain([...relabelBy(dataset, toPlain)].map(hashedQuad), options);
  return new Map([...plain].map(([label, known]) => [label, labels.get(known) ?? label]));
}

/** The library knows no directions: what it hashes has them as a part of the language tag. */
function hashedQuad(quad: Quad): Quad {
  const { object } = quad;
  if (object.termType !== 'Literal' || !object.direction) return quad;
  return terms.quad(quad.subject, quad.predicate, terms.literal(object.value, languageSuffix(object)), quad.graph);
}

const WHAT = 'canonicalization';

async function labelsOfPlain(dataset: Quad[], options: CanonizeOptions): Promise<Map<string, string>> {
  const labels = new Map<string, string>();
  const hashCallsMax = options.hashCallsMax ?? hashCallsFor(dataset);
  const algorithm = (options.hash ?? 'SHA-256').replace('-', '').toLowerCase();
  throwIfStopped(options, WHAT);
  try {
    await canonizer.canonize(dataset, {
      algorithm: 'RDFC-1.0',
      createMessageDigest: () => new TextDigest(algorithm, options),
      canonicalIdMap: labels,
      maxDeepIterations: hashCallsMax,
      signal: new Watched(options),
    });
  } catch (error) {
    if (!(error instanceof Error) || !/deep iterations/i.test(error.message)) throw error;
    throw new SvcError('limit_exceeded', 'the blank nodes of this dataset are too hard to tell apart', {
      cause: error,
      hint: `canonical labels would take more than hashCallsMax (${hashCallsMax}) hash calls`,
    });
  }
  return labels;
}

function hashCallsFor(dataset: readonly Quad[]): number {
  return Math.min(HASH_CALLS_MAX_DEFAULT, Math.ceil(NODES_COPIED_MAX / Math.max(1, largestComponent(dataset))));
}

/** Nodes of the largest set of blank nodes that hang together by quads. */
function largestComponent(dataset: readonly Quad[]): number {
  const parents = new Map<string, string>();
  const sizes = new Map<string, number>();
  const rootOf = (label: string): string => {
    let root = label;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent;
    // Paths become short, so that the next look is.
    for (let at = label; at !== root; ) {
      const next = parents.get(at) as string;
      parents.set(at, root);
      at = next;
    }
    return root;
  };
  let largest = 0;
  for (const { subject, object, graph } of dataset) {
    let whole: string | null = null;
    for (const { termType, value } of [subject, object, graph]) {
      if (termType !== 'BlankNode') continue;
      const root = rootOf(value);
      if (!sizes.has(root)) sizes.set(root, 1);
      if (whole !== null && whole !== root) {
        parents.set(root, whole);
        sizes.set(whole, (sizes.get(whole) as number) + (sizes.get(root) as number));
      }
      whole ??= root;
      largest = Math.max(largest, sizes.get(whole) as number);
    }
  }
  return largest;
}

/** One hash call may go through many thousand permutations: the library asks every few of them. */
class Watched {
  constructor(private readonly stop: Stop) {}

  get aborted(): boolean {
    throwIfStopped(this.stop, WHAT);
    return false;
  }
}

/** Texts are short: hashing them at once is quicker than piece by piece. */
class TextDigest implements MessageDigest {
  #text = '';

  constructor(
    private readonly algorithm: string,
    private readonly stop: Stop,
  ) {}

  update(text: string): void {
    this.#text += text;
  }

  digest(): string {
    throwIfStopped(this.stop, WHAT);
    return hash(this.algorithm, this.#text, 'hex');
  }
}

function distinct(quads: Iterable<Quad>): Quad[] {
  const byLine = new Map<string, Quad>();
  for (const quad of quads) {
    const folded = foldedQuad(quad);
    byLine.set(quadToLine(folded), folded);
  }
  // The order of the input must not be able to show in the result, whatever the library does.
  return [...byLine].sort(([left], [right]) => compareCodePoints(left, right)).map(([, quad]) => quad);
}

function refuseTripleTerms(quad: Quad): void {
  if ((quad.subject as Term).termType !== 'Quad' && quad.object.termType !== 'Quad') return;
  throw new SvcError('unsupported', 'RDFC-1.0 has no canonical form for triple terms');
}

function relabel(dataset: Quad[], labels: ReadonlyMap<string, string>): Generator<Quad> {
  return relabelBy(dataset, (label) => labels.get(label) ?? label);
}

function* relabelBy(dataset: Quad[], labelOf: (label: string) => string): Generator<Quad> {
  const replace = <T extends Term>(term: T): T | BlankNode => {
    if (term.termType !== 'BlankNode') return term;
    return terms.blankNode(labelOf(term.value));
  };
  for (const quad of dataset) {
    yield terms.quad(
      replace(quad.subject),
      quad.predicate,
      replace(quad.object),
      replace(quad.graph) as RDF.Quad_Graph,
    );
  }
}
