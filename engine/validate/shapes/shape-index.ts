/** Shapes by their targets, and the data they depend on: made once for a shapes graph, at its first validation. */

import { getOrInsert } from '../../base/maps.js';
import { termKey } from '../../rdf/canonical/lines.js';
import type { NamedNode, Term } from '../../rdf/terms.js';
import { Dependencies } from './dependencies.js';
import type { Shape, Shapes } from './shapes.js';

export interface OfTarget<Target extends Term> {
  readonly target: Target;
  readonly shapes: Shape[];
}

/** The shapes that a target of a kind names, by the text of its term. */
export type ByTarget<Target extends Term = Term> = ReadonlyMap<string, OfTarget<Target>>;

export class ShapeIndex {
  readonly dependencies: Dependencies;
  readonly classes: ByTarget;
  readonly nodes: ByTarget;
  readonly subjectsOf: ByTarget<NamedNode>;
  readonly objectsOf: ByTarget<NamedNode>;

  constructor(shapes: Shapes) {
    this.dependencies = new Dependencies(shapes);
    const [classes, nodes] = [new Map<string, OfTarget<Term>>(), new Map<string, OfTarget<Term>>()];
    const [subjects, objects] = [new Map<string, OfTarget<NamedNode>>(), new Map<string, OfTarget<NamedNode>>()];
    for (const shape of shapes.targeted) {
      for (const target of shape.targets) {
        if (target.kind === 'class') add(classes, target.type, shape);
        else if (target.kind === 'node') add(nodes, target.node, shape);
        else add(target.kind === 'subjectsOf' ? subjects : objects, target.predicate, shape);
      }
    }
    this.classes = classes;
    this.nodes = nodes;
    this.subjectsOf = subjects;
    this.objectsOf = objects;
  }
}

function add<Target extends Term>(map: Map<string, OfTarget<Target>>, target: Target, shape: Shape): void {
  getOrInsert(map, termKey(target), () => ({ target, shapes: [] })).shapes.push(shape);
}

const indexes = new WeakMap<Shapes, ShapeIndex>();

export function indexOf(shapes: Shapes): ShapeIndex {
  return getOrInsert(indexes, shapes, () => new ShapeIndex(shapes));
}
