/** How many values a predicate of a node may have: the `sh:maxCount` of the shapes that the node is a target of. */

import type { TermId } from '../storage/ids/layout.js';
import { ClassTree } from '../validate/data/class-tree.js';
import type { DataGraph } from '../validate/data/data-graph.js';
import { eachId, type IdSet } from '../validate/data/id-columns.js';
import { targetsAmong } from '../validate/evaluate/targets.js';
import type { Shape, Shapes } from '../validate/shapes/shapes.js';

export interface CountLimit {
  readonly predicate: string;
  readonly most: number;
}

/** What a shape says of the nodes that are its targets, also by shapes that they have to conform to. */
export function limitsOf(shape: Shape): CountLimit[] {
  const limits: CountLimit[] = [];
  collect(shape, new Set(), limits);
  return limits;
}

function collect(shape: Shape, seen: Set<Shape>, limits: CountLimit[]): void {
  if (shape.deactivated || seen.has(shape)) return;
  seen.add(shape);
  const { path } = shape;
  const predicate = path?.kind === 'predicate' ? path.predicate.value : null;
  for (const constraint of shape.constraints) {
    if (constraint.kind === 'maxCount' && predicate !== null) limits.push({ predicate, most: constraint.count });
    // Below a path the nodes are others.
    if (path !== null) continue;
    if (constraint.kind === 'property' || constraint.kind === 'node') collect(constraint.shape, seen, limits);
    if (constraint.kind === 'and') for (const one of constraint.shapes) collect(one, seen, limits);
  }
}

/** The predicates that some shape limits. */
export function limitedPredicates({ targeted }: Shapes): Set<string> {
  return new Set(targeted.flatMap((shape) => limitsOf(shape).map(({ predicate }) => predicate)));
}

/** The least limit of each predicate, by node. */
export function limitsAmong(shapes: Shapes, nodes: IdSet, view: DataGraph): Map<TermId, Map<string, number>> {
  const found = new Map<TermId, Map<string, number>>();
  for (const { shape, nodes: focus } of targetsAmong(shapes, nodes, view, new ClassTree(view))) {
    const limits = limitsOf(shape);
    if (limits.length === 0) continue;
    for (const node of eachId(focus)) {
      const known = found.get(node) ?? new Map<string, number>();
      for (const { predicate, most } of limits) known.set(predicate, Math.min(most, known.get(predicate) ?? most));
      found.set(node, known);
    }
  }
  return found;
}
