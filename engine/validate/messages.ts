/** Messages of results: the shape's own, or one that is generated from the constraint. */

import type { Term } from '../rdf/terms.js';
import type { RawResult } from './evaluate/results.js';
import { pathText } from './shapes/path.js';
import type { Constraint, Shape } from './shapes/shapes.js';

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

function generated(constraint: Constraint): string {
  switch (constraint.kind) {
    case 'class':
      return `Value does not have class ${short(constraint.type)}`;
    case 'datatype':
      return `Value does not have datatype <${constraint.datatype}>`;
    case 'nodeKind':
      return `Value does not have node kind ${constraint.name}`;
    case 'minCount':
      return `Less than ${values(constraint.count)}`;
    case 'maxCount':
      return `More than ${values(constraint.count)}`;
    case 'qualifiedMinCount':
      return `Less than ${values(constraint.count)} of the shape ${named(constraint.shape)}`;
    case 'qualifiedMaxCount':
      return `More than ${values(constraint.count)} of the shape ${named(constraint.shape)}`;
    case 'range':
      return `Value is not ${constraint.operator} ${constraint.bound.value}`;
    case 'minLength':
      return `Value has less than ${constraint.length} characters`;
    case 'maxLength':
      return `Value has more than ${constraint.length} characters`;
    case 'pattern':
      return `Value does not match pattern "${constraint.text}"`;
    case 'languageIn':
      return `Language is not one of ${listed(constraint.ranges)}`;
    case 'uniqueLang':
      return 'A language has been used for more than one value';
    case 'equals':
      return `Must have the same values as <${constraint.predicate.value}>`;
    case 'disjoint':
      return `Must not share a value with <${constraint.predicate.value}>`;
    case 'lessThan':
      return `Value is not < the value of <${constraint.predicate.value}>`;
    case 'lessThanOrEquals':
      return `Value is not <= the value of <${constraint.predicate.value}>`;
    case 'not':
      return `Value conforms to the shape ${named(constraint.shape)}, which it must not`;
    case 'node':
      return `Value does not conform to the shape ${named(constraint.shape)}`;
    case 'and':
      return `Value does not conform to all of the shapes ${listed(constraint.shapes, named)}`;
    case 'or':
      return `Value does not conform to any of the shapes ${listed(constraint.shapes, named)}`;
    case 'xone':
      return `Value does not conform to exactly one of the shapes ${listed(constraint.shapes, named)}`;
    case 'closed':
      return 'Predicate is not allowed (closed shape)';
    case 'hasValue':
      return `Missing the value ${short(constraint.value)}`;
    case 'in':
      return 'Value not in list';
    case 'sparql':
      return 'Value breaks a SPARQL constraint';
    case 'property':
      return 'Value does not conform to a property shape';
  }
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
