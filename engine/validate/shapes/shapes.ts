/**
 * Shapes as they are evaluated: a shapes graph that was read and found well-formed. Shapes refer to each
 * other as objects, so that the whole is a graph that may have cycles.
 */

import type { PreparedQuery } from '../../query/query.js';
import type { Pattern } from '../../query/regex/pattern.js';
import type { Literal, NamedNode, Term } from '../../rdf/terms.js';
import type { Path } from './path.js';
import { SH } from './vocabulary.js';

export const SEVERITIES = ['Violation', 'Warning', 'Info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What names the focus nodes: one of them, their class, or a predicate that they are subjects or objects of. */
export interface Target {
  readonly kind: 'node' | 'class' | 'subjectsOf' | 'objectsOf';
  readonly term: Term;
}

export const NODE_KIND = { blank: 1, iri: 2, literal: 4 } as const;

export type RangeKind = 'minExclusive' | 'minInclusive' | 'maxExclusive' | 'maxInclusive';
export type PairKind = 'equals' | 'disjoint' | 'lessThan' | 'lessThanOrEquals';
export type Comparison = '<' | '<=' | '>' | '>=';

/** One constraint; what has several values in the graph is several constraints. */
export type Constraint =
  | { readonly kind: 'class'; readonly type: Term }
  | { readonly kind: 'datatype'; readonly datatype: string }
  /** Bits of `NODE_KIND`. */
  | { readonly kind: 'nodeKind'; readonly kinds: number; readonly name: string }
  | { readonly kind: 'minCount' | 'maxCount'; readonly count: number }
  | { readonly kind: RangeKind; readonly operator: Comparison; readonly bound: Literal }
  | { readonly kind: 'minLength' | 'maxLength'; readonly length: number }
  | { readonly kind: 'pattern'; readonly text: string; readonly flags: string; readonly pattern: Pattern }
  | { readonly kind: 'languageIn'; readonly ranges: readonly string[] }
  | { readonly kind: 'uniqueLang' }
  | { readonly kind: PairKind; readonly predicate: NamedNode }
  | { readonly kind: 'not' | 'node' | 'property'; readonly shape: Shape }
  | { readonly kind: 'and' | 'or' | 'xone'; readonly shapes: readonly Shape[] }
  | {
      readonly kind: 'qualifiedMinCount' | 'qualifiedMaxCount';
      readonly shape: Shape;
      readonly count: number;
      /** Values that conform to one of these are not counted: the sibling shapes of a disjoint one. */
      readonly siblings: Shape[];
    }
  | { readonly kind: 'closed'; readonly allowed: readonly NamedNode[]; readonly properties: readonly NamedNode[] }
  | { readonly kind: 'hasValue'; readonly value: Term }
  | { readonly kind: 'in'; readonly members: readonly Term[] }
  | { readonly kind: 'sparql'; readonly sparql: SparqlConstraint };

/** A constraint that a SPARQL query decides (SHACL 5 and 6). */
export interface SparqlConstraint {
  /** Local name of the component. */
  readonly component: string;
  /** `select`: each solution is a result. `ask`: each value for which the answer is false. */
  readonly form: 'select' | 'ask';
  readonly query: PreparedQuery;
  /** Parameters of the component by the names of their variables, and the shape as `currentShape`. */
  readonly bindings: ReadonlyMap<string, Term>;
  /** Messages with `{?variable}` and `{$variable}` in them. */
  readonly messages: readonly Literal[];
}

export type ConstraintKind = Constraint['kind'];
export type ConstraintOf<Kind extends ConstraintKind> = Constraint & { readonly kind: Kind };

export interface Shape {
  /** The place among the shapes of the graph. */
  readonly index: number;
  readonly node: Term;
  /** Null = a node shape. */
  readonly path: Path | null;
  readonly pathText: string | null;
  readonly constraints: Constraint[];
  readonly targets: readonly Target[];
  /** Where its results are listed: with another severity than the three of SHACL, among the infos. */
  readonly severity: Severity;
  /** The severity as it stands in the graph. */
  readonly severityTerm: Term;
  readonly messages: readonly Literal[];
  readonly deactivated: boolean;
  /** `svc:onViolation "emit"`: its violations do not block a write. */
  readonly emits: boolean;
  /** The nearest shape with an IRI that refers to this one, or itself; `_:label` where there is none. */
  source: string;
  /** Reaches itself: its conformance is a fixed point. The shapes of one cycle have the same number; -1 = none. */
  cycle: number;
  /** Nodes conform to all shapes of one key, or to none: they say the same (`shape-keys.ts`). */
  key: number;
}

export interface Shapes {
  readonly shapes: readonly Shape[];
  /** Those with targets that are not deactivated, in the order of the graph. */
  readonly targeted: readonly Shape[];
  readonly nodeShapes: number;
}

/** How results name a severity: one of the three of SHACL by its local name, any other by its IRI. */
export function severityName({ severityTerm }: Shape): string {
  return SEVERITIES.find((name) => severityTerm.value === SH + name) ?? severityTerm.value;
}

/** The local name of the component that a constraint belongs to. */
export function componentOf(constraint: Constraint): string {
  const { kind } = constraint;
  if (kind === 'sparql') return constraint.sparql.component;
  return kind === 'property'
    ? 'PropertyShapeComponent'
    : `${kind[0]?.toUpperCase()}${kind.slice(1)}ConstraintComponent`;
}

/** The shapes that a constraint asks about. */
export function shapesIn(constraint: Constraint): readonly Shape[] {
  if ('shapes' in constraint) return constraint.shapes;
  if ('siblings' in constraint) return [constraint.shape, ...constraint.siblings];
  return 'shape' in constraint ? [constraint.shape] : [];
}
