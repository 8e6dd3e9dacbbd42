/**
 * The nodes that a change touches, for recursive shapes and for shapes that the tree of dependencies does not hold: found
 * from the inner shapes outwards. The shapes of a cycle are repeated until no node is added.
 */

import { addTo } from '../../base/maps.js';
import { termKey } from '../../rdf/canonical/lines.js';
import { type IdSet, NO_IDS, union } from '../data/id-columns.js';
import { type Constraint, type Shape, shapesIn } from '../shapes/shapes.js';
import type { ChangedFacts } from './changed-facts.js';
import type { ChangedPaths } from './changed-paths.js';
import type { RetypedNodes } from './retyped-nodes.js';

export class RecursiveTouched {
  readonly #known = new Map<Shape, IdSet>();
  readonly #cycles = new Map<number, Shape[]>();

  constructor(
    shapes: readonly Shape[],
    private readonly changed: ChangedFacts,
    private readonly paths: ChangedPaths,
    private readonly retyped: RetypedNodes,
  ) {
    for (const shape of shapes) {
      if (shape.cycle < 0) continue;
      addTo(this.#cycles, shape.cycle, shape);
    }
  }

  of(shape: Shape): IdSet {
    const known = this.#known.get(shape);
    if (known !== undefined) return known;
    if (shape.cycle < 0) {
      const found = this.#find(shape);
      this.#known.set(shape, found);
      return found;
    }
    const members = this.#cycles.get(shape.cycle) as Shape[];
    for (const member of members) this.#known.set(member, NO_IDS);
    for (let isChanged = true; isChanged; ) {
      isChanged = false;
      for (const member of members) {
        const found = this.#find(member);
        if (found.count === this.#known.get(member)?.count) continue;
        this.#known.set(member, found);
        isChanged = true;
      }
    }
    return this.#known.get(shape) as IdSet;
  }

  #find({ path, constraints, deactivated }: Shape): IdSet {
    if (deactivated) return NO_IDS;
    const values = union(constraints.map((constraint) => this.#values(constraint)));
    const compared = constraints.flatMap((constraint) =>
      'predicate' in constraint ? [this.changed.ends(constraint.predicate.value, 'subjects')] : [],
    );
    if (path === null) return union([values, ...compared]);
    return union([this.paths.back(values, path), this.paths.onPath(path), ...compared]);
  }

  /** Values for which the answer of a constraint may have changed. */
  #values(constraint: Constraint): IdSet {
    switch (constraint.kind) {
      case 'class':
        return this.retyped.of(termKey(constraint.type));
      case 'closed':
        return this.changed.subjects();
      default:
        return union(shapesIn(constraint).map((shape) => this.of(shape)));
    }
  }
}
