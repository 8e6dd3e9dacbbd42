/** Messages of results: the shape's own, or one that is generated from the constraint. */

import type { Term } from '../rdf/terms.js';
import type { RawResult } from './evaluate/results.js';
import { pathText } from './shapes/path.js';
import type { ConstraintKind, ConstraintOf, RangeKind, Shape } from './shapes/shapes.js';

/** Most members of a list that a message names. */
const LISTED_MAX = 20;

/** Of several messages of the shape one without a language or in English is taken first. */
export function messageOf({ shape, constraint, notes }: RawResult): string {
  const [message] = [...shape.messages].sort((a, b) => rank(a.language) - rank(b.language));
  // A SPARQL constraint has messages of its own.
  if (constraint.kind === 'sparql' && notes?.message !== undefined) return notes.message;
  return message?.value ?? notes?.message ?? generated(constraint);
}

function rank(language: string): number {
  return language === '' ? 0 : /^en\b/i.test(language) ? 1 : 2;
}

/** What a message says by the kind of its constraint. */
const GENERATED: { readonly [Kind in ConstraintKind]: (constraint: ConstraintOf<Kind>) => string } = {
  class: ({ type }) => `Value does not have class ${short(type)}`,
  datatype: ({ datatype }) => `Value does not have datatype <${datatype}>`,
  nodeKind: ({ name }) => `Value does not have node kind ${name}`,
  minCount: ({ count }) => `Less than ${values(count)}`,
  maxCount: ({ count }) => `More than ${values(count)}`,
  qualifiedMinCount: ({ count, shape }) => `Less than ${values(count)} of the shape ${named(shape)}`,
  qualifiedMaxCount: ({ count, shape }) => `More than ${values(count)} of the shape ${named(shape)}`,
  minExclusive: beyond,
  minInclusive: beyond,
  maxExclusive: beyond,
  maxInclusive: beyond,
  minLength: ({ length }) => `Value has less than ${length} characters`,
  maxLength: ({ length }) => `Value has more than ${length} characters`,
  pattern: ({ text }) => `Value does not match pattern "${text}"`,
  languageIn: ({ ranges }) => `Language is not one of ${listed(ranges)}`,
  uniqueLang: () => 'A language has been used for more than one value',
  equals: ({ predicate }) => `Must have the same values as <${predicate.value}>`,
  disjoint: ({ predicate }) => `Must not share a value with <${predicate.value}>`,
  lessThan: ({ predicate }) => `Value is not < the value of <${predicate.value}>`,
  lessThanOrEquals: ({ predicate }) => `Value is not <= the value of <${predicate.value}>`,
  not: ({ shape }) => `Value conforms to the shape ${named(shape)}, which it must not`,
  node: ({ shape }) => `Value does not conform to the shape ${named(shape)}`,
  and: ({ shapes }) => `Value does not conform to all of the shapes ${listed(shapes, named)}`,
  or: ({ shapes }) => `Value does not conform to any of the shapes ${listed(shapes, named)}`,
  xone: ({ shapes }) => `Value does not conform to exactly one of the shapes ${listed(shapes, named)}`,
  closed: () => 'Predicate is not allowed (closed shape)',
  hasValue: ({ value }) => `Missing the value ${short(value)}`,
  in: () => 'Value not in list',
  sparql: () => 'Value breaks a SPARQL constraint',
  property: () => 'Value does not conform to a property shape',
};

function generated<Kind extends ConstraintKind>(constraint: ConstraintOf<Kind>): string {
  return GENERATED[constraint.kind as Kind](constraint);
}

function beyond({ operator, bound }: ConstraintOf<RangeKind>): string {
  return `Value is not ${operator} ${bound.value}`;
}

/** The first of them, and how many there are. */
function listed<Item>(items: readonly Item[], nameOf: (item: Item) => string = String): string {
  const shown = items.slice(0, LISTED_MAX).map(nameOf).join(', ');
  return items.length > LISTED_MAX ? `${shown}, ... (${items.length} in all)` : shown;
}

function values(count: number): string {
  return `${count} ${count === 1 ? 'value' : 'values'}`;
}

function short(term: Term): string {
  return term.termType === 'NamedNode' ? `<${term.value}>` : `"${term.value}"`;
}

function named(shape: Shape): string {
  if (shape.node.termType === 'NamedNode') return `<${shape.node.value}>`;
  return shape.path === null ? '(blank)' : `of ${pathText(shape.path)}`;
}

/** An IRI or lexical form; a blank node as `_:label`. */
export function termText(term: Term): string {
  return term.termType === 'BlankNode' ? `_:${term.value}` : term.value;
}
