/**
 * Subclass inference (semantics of reasoning, section 3): while the default graph is exactly ROOT, its companion not with it, a
 * pattern `?s rdf:type <C>` of the text finds each subject of C or of a class below C once. It acts on
 * the algebra as it was written, before any rewrite: a class that only a filter names is never expanded,
 * nor is a variable class, nor a step of a property path, nor anything under GRAPH.
 *
 * A query without such a pattern is left alone at no cost; the text decides that, so it is found out once.
 */

import { getOrInsert } from '../../base/maps.js';
import { RDF_NS, type Term } from '../../rdf/terms.js';
import type { StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { type Algebra, mapChildren, type ParsedQuery, type QuadPattern } from '../algebra/algebra.js';
import { mapExists } from '../algebra/expression.js';
import { someNode } from '../algebra/mentioned.js';
import type { CheckPoint, ClassHierarchies, KnownClass } from './hierarchy.js';

const ASSERTED_ONLY = 'asserted types only';
const RDF_TYPE = `${RDF_NS}type`;

export interface TypeReport {
  readonly type: string;
  /** Proper subclasses, by code point. */
  readonly subclasses: readonly string[];
}

/** What an answer says of a query that names a class with subclasses. */
export type InferenceReport =
  | { readonly applied: true; readonly types: readonly TypeReport[] }
  | { readonly applied: false; readonly withheldTypes: readonly TypeReport[]; readonly note: string };

/** A class that a text names, and what was below it. */
export interface NamedClass {
  readonly type: Term;
  readonly below: KnownClass | null;
}

export interface Inferred {
  readonly query: ParsedQuery;
  /** Null when no class that the query names has a proper subclass. */
  readonly report: InferenceReport | null;
  /** The classes that the text names, and what is below them. */
  readonly classes: readonly NamedClass[];
}

export interface InferenceContext {
  readonly snapshot: StorageSnapshot;
  readonly time: TimeSlice;
  readonly hierarchies: ClassHierarchies;
  /** Whether the fields of the request make ROOT the default graph, where the text does not say otherwise. */
  readonly root: 'alone' | 'with others' | 'no';
  /** False: the query stays as it is, and the report says what was withheld. So it does where ROOT is not alone. */
  readonly apply: boolean;
  readonly check: CheckPoint;
}

export async function inferClasses(query: ParsedQuery, context: InferenceContext): Promise<Inferred> {
  const { snapshot, time, hierarchies, root, apply, check } = context;
  const named = root !== 'no' && query.dataset === null ? namedClasses(query.algebra) : NONE;
  const known = new Map<string, KnownClass>();
  const classes: NamedClass[] = [];
  for (const [iri, type] of named) {
    const found = await hierarchies.below(snapshot, time, type, check);
    classes.push({ type, below: found });
    if (found !== null) known.set(iri, found);
  }
  if (known.size === 0) return { query, report: null, classes };
  const types = [...known].map(([type, { subclasses }]) => ({ type, subclasses }));
  if (!apply || root !== 'alone') {
    const note = apply ? `${ASSERTED_ONLY}: the default graph is not ROOT alone` : ASSERTED_ONLY;
    return { query, report: { applied: false, withheldTypes: types, note }, classes };
  }
  const expanded = { ...query, algebra: expandClasses(query.algebra, known) };
  return { query: expanded, report: { applied: true, types }, classes };
}

const NONE: ReadonlyMap<string, Term> = new Map();
/** Parsed queries are kept and asked again. */
const namedBefore = new WeakMap<Algebra, ReadonlyMap<string, Term>>();

/** The constant classes of the query's type patterns, in the order of the text. */
function namedClasses(algebra: Algebra): ReadonlyMap<string, Term> {
  return getOrInsert(namedBefore, algebra, () => {
    const found = new Map<string, Term>();
    someNode(algebra, (node) => {
      const types = node.kind === 'patterns' ? node.patterns.map(classOf) : [];
      for (const type of types) if (type !== null) found.set(type.value, type);
      return false;
    });
    return found;
  });
}

/** The class of a pattern that asks the default graph for the instances of one. */
function classOf({ p, o, g }: QuadPattern): Term | null {
  if (g !== null || p.kind !== 'term' || p.term.value !== RDF_TYPE || p.inPath === true) return null;
  return o.kind === 'term' && o.term.termType === 'NamedNode' ? o.term : null;
}

function expandClasses(node: Algebra, known: ReadonlyMap<string, KnownClass>): Algebra {
  const inner = mapChildren(node, (child) => expandClasses(child, known));
  if (inner.kind === 'patterns') return expandPatterns(inner.patterns, known);
  return mapExists(inner, (pattern) => expandClasses(pattern, known));
}

function expandPatterns(patterns: readonly QuadPattern[], known: ReadonlyMap<string, KnownClass>): Algebra {
  const plain: QuadPattern[] = [];
  const inputs: Algebra[] = [];
  for (const pattern of patterns) {
    const type = classOf(pattern);
    const classes = type === null ? undefined : known.get(type.value);
    if (classes === undefined) plain.push(pattern);
    else inputs.push({ kind: 'instances', subject: pattern.s, classes });
  }
  if (plain.length > 0) inputs.unshift({ kind: 'patterns', patterns: plain });
  return inputs.length === 1 ? (inputs[0] as Algebra) : { kind: 'join', inputs };
}
