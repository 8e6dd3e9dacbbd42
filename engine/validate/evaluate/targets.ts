/** The focus nodes of a shape (SHACL 2.1.3): all of them, or those among given nodes. */

import { termKey } from '../../rdf/canonical/lines.js';
import { idOfHalves } from '../../storage/ids/halves.js';
import type { ClassTree } from '../data/class-tree.js';
import type { DataGraph, Pairs } from '../data/data-graph.js';
import { distinct, IdList, type IdSet, keep, part, placeOf, union } from '../data/id-columns.js';
import { FEW_NODES } from '../data/subject-cache.js';
import { dependenciesOf, type OfTarget } from '../shapes/dependencies.js';
import type { Shape, Shapes, Target } from '../shapes/shapes.js';

/** Up to so many predicates are looked up one by one, without asking first which of them the nodes have. */
const TARGETS_TRIED_MAX = 8;

export function targetNodes(shape: Shape, view: DataGraph, classes: ClassTree): IdSet {
  return union(shape.targets.map((target) => nodesOf(target, view, classes)));
}

function nodesOf({ kind, term }: Target, view: DataGraph, classes: ClassTree): IdSet {
  const id = view.idOf(term);
  switch (kind) {
    case 'node':
      return view.idsOf([term]);
    case 'class':
      return classes.instances(id);
    default:
      return view.ends(id, kind === 'subjectsOf' ? 's' : 'o');
  }
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
  const { targets } = dependenciesOf(shapes);
  const found = new Map<Shape, IdSet>();
  const add = (some: readonly Shape[], focus: IdSet): void => {
    if (focus.count === 0) return;
    for (const shape of some) {
      const known = found.get(shape);
      found.set(shape, known === undefined ? focus : union([known, focus]));
    }
  };
  eachClassOf(targets.class, nodes, view, tree, add);
  eachNode(targets.node, nodes, view, add);
  for (const { term, shapes: some } of subjectTargets(targets.subjectsOf, nodes, view)) {
    add(some, rowsWhere(nodes, view.objects(nodes, view.idOf(term))));
  }
  for (const { term, shapes: some } of targets.objectsOf.values()) {
    add(some, rowsWhere(nodes, view.subjects(nodes, view.idOf(term))));
  }
  return Array.from(found, ([shape, targets]) => ({ shape, nodes: targets })).sort(
    (a, b) => a.shape.index - b.shape.index,
  );
}

type Targets = ReadonlyMap<string, OfTarget>;
type Add = (shapes: readonly Shape[], targets: IdSet) => void;

function eachClassOf(classes: Targets, nodes: IdSet, view: DataGraph, tree: ClassTree, add: Add): void {
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
function subjectTargets(subjectsOf: Targets, nodes: IdSet, view: DataGraph): Iterable<OfTarget> {
  if (subjectsOf.size <= TARGETS_TRIED_MAX || nodes.count > FEW_NODES) return subjectsOf.values();
  const { predicates } = view.facts(nodes);
  const some = predicates.toSet();
  return view.decode(some.ids, some.count).flatMap((name) => subjectsOf.get(termKey(name)) ?? []);
}

/** Looks for the targets among the nodes, or for the nodes among the targets, whichever are fewer. */
function eachNode(targets: Targets, nodes: IdSet, view: DataGraph, add: Add): void {
  if (targets.size === 0) return;
  if (targets.size <= nodes.count) {
    for (const { term, shapes } of targets.values()) add(shapes, keep(nodes, view.idsOf([term]), true));
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
  { rows, ids, count }: Pairs,
  passes: (low: number, high: number) => boolean = () => true,
): IdSet {
  const kept = new IdList(nodes.count);
  let last = -1;
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    if (row === last || !passes(ids[2 * at] as number, ids[2 * at + 1] as number)) continue;
    last = row;
    kept.push(nodes.ids[2 * row] as number, nodes.ids[2 * row + 1] as number);
  }
  return kept;
}
