/**
 * Which shapes refer to themselves, directly or through others: the strongly connected components of the graph of
 * shapes (Tarjan 1972, with an explicit stack).
 *
 * SHACL leaves recursion open. A cycle without negation has one greatest solution, every node conforming
 * unless something shows that it does not, and that one is evaluated. Refused are
 *  - cycles through sh:not, sh:xone, sh:qualifiedMaxCount or disjoint siblings, where more conforming nodes
 *    here mean fewer there;
 *  - cycles of sh:property alone, whose results would never end on cyclic data;
 *  - shapes that nest deeper than evaluation goes.
 */

import { type Constraint, type Shape, shapesIn } from './shapes.js';
import { invalidShape } from './shapes-graph.js';

/** Evaluation goes down one call for each shape inside of another. */
export const NESTING_MAX = 200;

export function checkRecursion(shapes: readonly Shape[]): void {
  const asked = new Map(shapes.map((shape) => [shape, shape.constraints.flatMap(shapesIn)]));
  const askedBy = (shape: Shape): readonly Shape[] => asked.get(shape) as readonly Shape[];
  const parts = componentsOf(shapes, askedBy);
  let cycles = 0;
  const depth = new Map<Shape, number>();
  for (const part of parts) {
    const inner = part.length === 1 ? askedBy(part[0] as Shape) : part.flatMap(askedBy);
    const isCycle = part.length > 1 || inner.includes(part[0] as Shape);
    if (isCycle) {
      for (const shape of part) shape.cycle = cycles;
      refuseNegation(part);
      cycles++;
    }
    // Parts come with what they refer to first.
    const below = inner.reduce((deepest, shape) => Math.max(deepest, depth.get(shape) ?? 0), 0);
    // Within a cycle evaluation uses what is known so far, and goes no deeper.
    const deep = below + 1;
    for (const shape of part) depth.set(shape, deep);
    if (deep > NESTING_MAX) throw tooDeep(part[0] as Shape);
  }
  refuseEndless(shapes);
}

function tooDeep({ node }: Shape): Error {
  return invalidShape(node, `shapes inside of it nest more than ${NESTING_MAX} deep`);
}

function refuseNegation(part: readonly Shape[]): void {
  const members = new Set(part);
  for (const shape of part) {
    for (const constraint of shape.constraints) {
      if (!negatedIn(constraint).some((inner) => members.has(inner))) continue;
      throw invalidShape(
        shape.node,
        `it asks about itself through sh:${constraint.kind}, which has no certain meaning`,
        'recursion is evaluated through sh:node, sh:property, sh:and, sh:or and sh:qualifiedMinCount',
      );
    }
  }
}

/** Shapes of which fewer conforming nodes may mean more here. */
function negatedIn(constraint: Constraint): readonly Shape[] {
  switch (constraint.kind) {
    case 'not':
    case 'xone':
    case 'qualifiedMaxCount':
      return shapesIn(constraint);
    case 'qualifiedMinCount':
      return constraint.siblings;
    default:
      return [];
  }
}

function refuseEndless(shapes: readonly Shape[]): void {
  const properties = (shape: Shape): Shape[] =>
    shape.constraints.flatMap((constraint) => (constraint.kind === 'property' ? [constraint.shape] : []));
  const depth = new Map<Shape, number>();
  for (const part of componentsOf(shapes, properties)) {
    const [first] = part as [Shape];
    if (part.length > 1 || properties(first).includes(first)) {
      throw invalidShape(first.node, 'it holds itself through sh:property alone', 'put a sh:node between');
    }
    const deep = 1 + properties(first).reduce((deepest, inner) => Math.max(deepest, depth.get(inner) ?? 0), 0);
    if (deep > NESTING_MAX) throw tooDeep(first);
    depth.set(first, deep);
  }
}

/** Strongly connected parts, each after those that it refers to. */
function componentsOf(shapes: readonly Shape[], next: (shape: Shape) => readonly Shape[]): Shape[][] {
  const order = new Map<Shape, number>();
  const low = new Map<Shape, number>();
  const open = new Set<Shape>();
  const stack: Shape[] = [];
  const parts: Shape[][] = [];
  const enter = (shape: Shape): { shape: Shape; inner: readonly Shape[]; at: number } => {
    order.set(shape, order.size);
    low.set(shape, order.get(shape) as number);
    stack.push(shape);
    open.add(shape);
    return { shape, inner: next(shape), at: 0 };
  };
  const lower = (shape: Shape, to: number): void => {
    if (to < (low.get(shape) as number)) low.set(shape, to);
  };
  for (const root of shapes) {
    if (order.has(root)) continue;
    const calls = [enter(root)];
    for (let call = calls.at(-1); call !== undefined; call = calls.at(-1)) {
      const inner = call.inner[call.at++];
      if (inner === undefined) {
        calls.pop();
        const { shape } = call;
        const caller = calls.at(-1);
        if (caller !== undefined) lower(caller.shape, low.get(shape) as number);
        if (low.get(shape) === order.get(shape)) parts.push(close(shape));
      } else if (!order.has(inner)) calls.push(enter(inner));
      else if (open.has(inner)) lower(call.shape, order.get(inner) as number);
    }
  }
  return parts;

  function close(shape: Shape): Shape[] {
    const part: Shape[] = [];
    for (;;) {
      const member = stack.pop() as Shape;
      open.delete(member);
      part.push(member);
      if (member === shape) return part;
    }
  }
}
