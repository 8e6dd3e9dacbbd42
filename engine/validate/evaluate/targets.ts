/** The focus nodes of a shape (SHACL 2.1.3): all of them, or those among given nodes. */

import { termKey } from '../../rdf/canonical/lines.js';
import type { NamedNode } from '../../rdf/terms.js';
import { highOf, idOfHalves, lowOf } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { ClassTree } from '../data/class-tree.js';
import type { DataGraph } from '../data/data-graph.js';
import { distinct, IdList, type IdSet, keep, part, placeOf, union } from '../data/id-columns.js';
import { FEW_NODES } from '../data/subject-cache.js';
import { indexOf, type OfTarget, type ShapeIndex } from '../shapes/shape-index.js';
import type { Shape, Shapes, Target } from '../shapes/shapes.js';

/** So many predicates are looked up one by one. */
const TARGETS_TRIED_MAX = 8;

export function targetNodes(shape: Shape, view: DataGraph, classes: ClassTree): IdSet {
  return union(shape.targets.map((target) => nodesOf(target, view, classes)));
}

function nodesOf(target: Target, view: DataGraph, classes: ClassTree): IdSet {
  switch (target.kind) {
    case 'node':
      return oneId(view.idOf(target.node));
    case 'class':
      return classes.instances(view.idOf(target.type));
    case 'subjectsOf':
      return view.ends(view.idOf(target.predicate), 's');
    case 'objectsOf':
      return view.ends(view.idOf(target.predicate), 'o');
  }
}

function oneId(id: TermId): IdSet {
  return { ids: Uint32Array.of(lowOf(id), highOf(id)), count: 1 };
}

/** Shapes with those of their focus nodes that are among some nodes. */
export interface FocusOf {
  readonly shape: Shape;
  readonly nodes: IdSet;
}

/**
 * Which of some nodes are targets of which shapes. Only what is known of the nodes is looked at - their classes with all
 * above, their terms - and the shapes that name it are looked up. Shapes with the same target get the same set.
 */
export function targetsAmong(shapes: Shapes, nodes: IdSet, view: DataGraph, tree: ClassTree): FocusOf[] {
  if (nodes.count === 0) return [];
  const index = indexOf(shapes);
  const found = new Map<Shape, IdSet>();
  const add = (some: readonly Shape[], targets: IdSet): void => {
    if (targets.count === 0) return;
    for (const shape of some) {
      const known = found.get(shape);
      found.set(shape, known === undefined ? targets : union([known, targets]));
    }
  };
  eachClassOf(index, nodes, view, tree, add);
  eachNode(index, nodes, view, add);
  for (const { target, shapes: some } of subjectTargets(index, nodes, view)) {
    add(
      some,
      rowsWhere(nodes, view.objects(nodes, view.idOf(target)), () => true),
    );
  }
  for (const { target, shapes: some } of index.objectsOf.values()) {
    add(
      some,
      rowsWhere(nodes, view.subjects(nodes, view.idOf(target)), () => true),
    );
  }
  return Array.from(found, ([shape, targets]) => ({ shape, nodes: targets })).sort(
    (a, b) => a.shape.index - b.shape.index,
  );
}

type Add = (shapes: readonly Shape[], targets: IdSet) => void;

function eachClassOf({ classes }: ShapeIndex, nodes: IdSet, view: DataGraph, tree: ClassTree, add: Add): void {
  if (classes.size === 0) return;
  const pairs = view.objects(nodes, view.rdfType);
  const types = distinct(pairs.ids, pairs.count);
  const above = tree.above(types);
  const names = view.decode(above.ids, above.count);
  for (const [at, name] of names.entries()) {
    const known = classes.get(termKey(name));
    if (known === undefined) continue;
    const wanted = tree.typesOf(idOfHalves(above.ids[2 * at] as number, above.ids[2 * at + 1] as number), types);
    add(
      known.shapes,
      rowsWhere(nodes, pairs, (low, high) => placeOf(wanted, low, high) >= 0),
    );
  }
}

/** All of them; of few nodes only those that one of the nodes has. */
function subjectTargets({ subjectsOf }: ShapeIndex, nodes: IdSet, view: DataGraph): Iterable<OfTarget<NamedNode>> {
  if (subjectsOf.size <= TARGETS_TRIED_MAX || nodes.count > FEW_NODES) return subjectsOf.values();
  const { predicates } = view.facts(nodes);
  const some = predicates.toSet();
  return view.decode(some.ids, some.count).flatMap((name) => subjectsOf.get(termKey(name)) ?? []);
}

/** Either way round, whichever are fewer. */
function eachNode({ nodes: targets }: ShapeIndex, nodes: IdSet, view: DataGraph, add: Add): void {
  if (targets.size === 0) return;
  if (targets.size <= nodes.count) {
    for (const { target, shapes } of targets.values()) add(shapes, keep(nodes, oneId(view.idOf(target)), true));
    return;
  }
  for (const [at, name] of view.decode(nodes.ids, nodes.count).entries()) {
    const known = targets.get(termKey(name));
    if (known !== undefined) add(known.shapes, part(nodes, at, at + 1));
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
