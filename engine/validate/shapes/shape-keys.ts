/**
 * Which shapes and constraints say the same: shapes of one key have the same path and constraints of the same meaning, so
 * that a node conforms to all of them or to none, whatever their results are called. Constraints that ask about no
 * other shape and mean the same become one object. Large sets repeat themselves; what is found out for one holds for all.
 */

import { termKey } from '../../rdf/canonical/lines.js';
import { type Constraint, type Shape, shapesIn } from './shapes.js';

type Keyed = { -readonly [Key in keyof Shape]: Shape[Key] };

/** Cycles must be known. */
export function giveKeys(shapes: readonly Keyed[]): void {
  const numbers = new Map<string, number>();
  const constraints = new Map<string, Constraint>();
  const intern = (shape: Keyed): string[] =>
    shape.constraints.map((constraint, at) => {
      const inner = shapesIn(constraint).map((one) => keyOf(one as Keyed));
      const text = textOf(constraint, inner, `${shape.index} ${at}`);
      if (inner.length > 0) return text;
      const known = constraints.get(text);
      if (known === undefined) constraints.set(text, constraint);
      else shape.constraints[at] = known;
      return text;
    });
  const keyed = new Set<Shape>();
  // As deep as shapes nest, which is bounded; members of a cycle have their keys before.
  const keyOf = (shape: Keyed): number => {
    if (shape.cycle >= 0 || keyed.has(shape)) return shape.key;
    keyed.add(shape);
    const text = JSON.stringify([shape.pathText, shape.deactivated, intern(shape)]);
    shape.key = numbers.get(text) ?? numbers.size;
    numbers.set(text, shape.key);
    return shape.key;
  };
  // They are like no other shape.
  for (const shape of shapes) if (shape.cycle >= 0) shape.key = -1 - shape.index;
  for (const shape of shapes) {
    if (shape.cycle >= 0) intern(shape);
    else keyOf(shape);
  }
}

const iriText = ({ value }: { readonly value: string }): string => value;

/** The same for constraints that mean the same. */
function textOf(constraint: Constraint, inner: readonly number[], own: string): string {
  const { kind } = constraint;
  const text = (...parts: readonly unknown[]): string => JSON.stringify([kind, ...parts]);
  switch (kind) {
    case 'class':
      return text(termKey(constraint.type));
    case 'datatype':
      return text(constraint.datatype);
    case 'nodeKind':
      return text(constraint.kinds);
    case 'minCount':
    case 'maxCount':
      return text(constraint.count);
    case 'range':
      return text(constraint.name, termKey(constraint.bound));
    case 'minLength':
    case 'maxLength':
      return text(constraint.length);
    case 'pattern':
      return text(constraint.text, constraint.flags);
    case 'languageIn':
      return text(constraint.ranges);
    case 'uniqueLang':
      return text();
    case 'equals':
    case 'disjoint':
    case 'lessThan':
    case 'lessThanOrEquals':
      return text(constraint.predicate.value);
    case 'not':
    case 'node':
    case 'property':
    case 'and':
    case 'or':
    case 'xone':
      return text(inner);
    case 'qualifiedMinCount':
    case 'qualifiedMaxCount':
      return text(inner, constraint.count);
    case 'closed':
      return text(constraint.allowed.map(iriText), constraint.properties.map(iriText));
    case 'hasValue':
      return text(termKey(constraint.value));
    case 'in':
      return text(constraint.members.map(termKey));
    case 'sparql':
      return text(own);
  }
}
