/** The focus nodes of a shape (SHACL 2.1.3): all of them, or those among given nodes. */

import { highOf, lowOf } from '../storage/ids/halves.js';
import type { ClassTree } from './class-tree.js';
import type { DataGraph } from './data-graph.js';
import { IdList, type IdSet, keep, placeOf, union } from './id-columns.js';
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

/** Which of the nodes are targets of the shape. */
export function targetsAmong(shape: Shape, nodes: IdSet, view: DataGraph, classes: ClassTree): IdSet {
  if (nodes.count === 0) return nodes;
  return union(shape.targets.map((target) => among(target, nodes, view, classes)));
}

function among(target: Target, nodes: IdSet, view: DataGraph, classes: ClassTree): IdSet {
  switch (target.kind) {
    case 'node':
      return keep(nodes, single(target, view), true);
    case 'class': {
      const wanted = classes.below(view.idOf(target.type));
      const types = view.objects(nodes, view.rdfType);
      return rowsWhere(nodes, types, (low, high) => placeOf(wanted, low, high) >= 0);
    }
    case 'subjectsOf':
      return rowsWhere(nodes, view.objects(nodes, view.idOf(target.predicate)), () => true);
    case 'objectsOf':
      return rowsWhere(nodes, view.subjects(nodes, view.idOf(target.predicate)), () => true);
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
