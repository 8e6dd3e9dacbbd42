/** The focus nodes of a shape (SHACL 2.1.3): all of them, or those among given nodes. */

import { highOf, lowOf } from '../storage/ids/halves.js';
import type { TermId } from '../storage/ids/layout.js';
import type { ClassTree } from './class-tree.js';
import type { DataGraph, Pairs } from './data-graph.js';
import { distinct, IdList, type IdSet, keep, NO_IDS, placeOf, union } from './id-columns.js';
import type { Shape, Target } from './shapes.js';

export function targetNodes(shape: Shape, view: DataGraph, classes: ClassTree): IdSet {
  return union(shape.targets.map((target) => nodesOf(target, view, classes)));
}

function nodesOf(target: Target, view: DataGraph, classes: ClassTree): IdSet {
  switch (target.kind) {
    case 'node':
      return single(target, view);
    case 'class':
      return classes.instances(view.idOf(target.type));
    case 'subjectsOf':
      return view.ends(view.idOf(target.predicate), 's');
    case 'objectsOf':
      return view.ends(view.idOf(target.predicate), 'o');
  }
}

function single({ node }: Extract<Target, { kind: 'node' }>, view: DataGraph): IdSet {
  const id = view.idOf(node);
  const list = new IdList(1);
  list.push(lowOf(id), highOf(id));
  return list.toSet();
}

/** Which of some nodes are targets of a shape, for one shape after the other: what the nodes are is found once. */
export class TargetsAmong {
  #types: Pairs | null = null;
  /** Classes of the nodes with all above them: no other class has any of the nodes as its instance. */
  #classes: IdSet = NO_IDS;

  constructor(
    private readonly nodes: IdSet,
    private readonly view: DataGraph,
    private readonly tree: ClassTree,
  ) {}

  of(shape: Shape): IdSet {
    if (this.nodes.count === 0) return NO_IDS;
    return union(shape.targets.map((target) => this.#among(target)));
  }

  #among(target: Target): IdSet {
    const { nodes, view } = this;
    switch (target.kind) {
      case 'node':
        return keep(nodes, single(target, view), true);
      case 'class':
        return this.#instancesOf(view.idOf(target.type));
      case 'subjectsOf':
        return rowsWhere(nodes, view.objects(nodes, view.idOf(target.predicate)), () => true);
      case 'objectsOf':
        return rowsWhere(nodes, view.subjects(nodes, view.idOf(target.predicate)), () => true);
    }
  }

  #instancesOf(type: TermId): IdSet {
    if (this.#types === null) {
      this.#types = this.view.objects(this.nodes, this.view.rdfType);
      this.#classes = this.tree.above(distinct(this.#types.ids, this.#types.count));
    }
    if (placeOf(this.#classes, lowOf(type), highOf(type)) < 0) return NO_IDS;
    const wanted = this.tree.below(type);
    return rowsWhere(this.nodes, this.#types, (low, high) => placeOf(wanted, low, high) >= 0);
  }
}

/** The nodes with a pair that passes; pairs are by row. */
function rowsWhere(
  nodes: IdSet,
  { rows, ids, count }: { readonly rows: Uint32Array; readonly ids: Uint32Array; readonly count: number },
  passes: (low: number, high: number) => boolean,
): IdSet {
  const kept = new IdList(nodes.count);
  let last = -1;
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    if (row === last || !passes(ids[2 * at] as number, ids[2 * at + 1] as number)) continue;
    last = row;
    kept.push(nodes.ids[2 * row] as number, nodes.ids[2 * row + 1] as number);
  }
  return { ids: kept.ids, count: kept.count };
}
