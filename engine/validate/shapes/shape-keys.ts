/**
 * Which shapes and constraints mean the same: shapes with one key have the same path and the same constraints, so that a
 * node conforms to all of them or to none, whatever their severities and messages are. Equal constraints that refer to no
 * other shape become one object. Large sets of shapes repeat themselves, and each distinct shape is evaluated once.
 */

import { termKey } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
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
  // A shape of a cycle has a key that no other shape has.
  for (const shape of shapes) if (shape.cycle >= 0) shape.key = -1 - shape.index;
  for (const shape of shapes) {
    if (shape.cycle >= 0) intern(shape);
    else keyOf(shape);
  }
}

/** The same text for constraints that mean the same: every field but those that follow from others. */
function textOf(constraint: Constraint, inner: readonly number[], own: string): string {
  if (constraint.kind === 'sparql') return own;
  const parts: unknown[] = [inner];
  for (const [name, value] of Object.entries(constraint) as [string, unknown][]) {
    if (!KNOWN_OTHERWISE.has(name)) parts.push(Array.isArray(value) ? value.map(partOf) : partOf(value));
  }
  return JSON.stringify(parts);
}

/** Shapes by their keys; a compiled pattern by its text; an operator by the name of its bound. */
const KNOWN_OTHERWISE: ReadonlySet<string> = new Set(['shape', 'shapes', 'siblings', 'pattern', 'operator']);

function partOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'termType' in value ? termKey(value as Term) : value;
}
