/**
 * The nodes whose conformance to any shape a change can alter (semantics 4.2); never too few.
 *
 *  1. The changed facts are looked up in the dependencies of the shapes (`dependencies.ts`): predicates on paths,
 *     predicates whose values are compared, classes that gained or lost an instance, places where every fact counts.
 *     Shapes that name none of them are not visited.
 *  2. From the places that are found, the deepest first, the touched nodes are followed back over the path to the place
 *     above, up to the focus nodes.
 *  3. Nodes that the change may have made a target, or that are none any more, are focus nodes as well.
 *
 * A step takes facts of the state before and of the state after, so that nothing is missed whichever state a path
 * exists in. Recursive shapes are followed one by one (`recursive-touched.ts`).
 */

import { addTo } from '../../base/maps.js';
import type { ChangedRows } from '../../storage/seam/scan.js';
import { ClassTree } from '../data/class-tree.js';
import { type IdSet, NO_IDS, union } from '../data/id-columns.js';
import { targetNodes } from '../evaluate/targets.js';
import { type Dependencies, dependenciesOf, type Place } from '../shapes/dependencies.js';
import type { Path } from '../shapes/path.js';
import type { Shapes } from '../shapes/shapes.js';
import type { YieldTimer } from '../yield-timer.js';
import { ChangedFacts } from './changed-facts.js';
import { ChangedPaths } from './changed-paths.js';
import { RecursiveTouched } from './recursive-touched.js';
import { RetypedNodes, type States } from './retyped-nodes.js';

/** `rows` are those that the change opened and closed. */
export async function focusNodes(
  shapes: Shapes,
  states: States,
  rows: Iterable<ChangedRows>,
  timer: YieldTimer,
): Promise<IdSet> {
  const dependencies = dependenciesOf(shapes);
  const changed = new ChangedFacts(dependencies, states.after);
  for (const some of rows) {
    changed.add(some);
    if (timer.isDue) await timer.turn();
  }
  if (changed.count === 0) return NO_IDS;
  const retyped = new RetypedNodes(states, changed);
  const paths = new ChangedPaths(states.after, changed);
  const found = [await rootNodes(dependencies, { changed, retyped, paths }, timer), ...targets(dependencies, changed)];
  if (dependencies.beside.length > 0) {
    const touched = new RecursiveTouched(shapes.shapes, changed, paths, retyped);
    for (const shape of dependencies.beside) {
      found.push(touched.of(shape));
      if (timer.isDue) await timer.turn();
    }
  }
  // What a query of a shape reads is not known: all of its targets are focus nodes.
  for (const shape of dependencies.asking) {
    for (const view of [states.before(), states.after]) found.push(targetNodes(shape, view, new ClassTree(view)));
    if (timer.isDue) await timer.turn();
  }
  return union(found);
}

interface Touching {
  readonly changed: ChangedFacts;
  readonly retyped: RetypedNodes;
  readonly paths: ChangedPaths;
}

/** What was touched at each place, brought up to the root. */
async function rootNodes(dependencies: Dependencies, touching: Touching, timer: YieldTimer): Promise<IdSet> {
  const levels: Map<Place, IdSet[]>[] = [];
  const add = (place: Place, nodes: IdSet): void => {
    if (nodes.count === 0) return;
    levels[place.depth] ??= new Map();
    const level = levels[place.depth] as Map<Place, IdSet[]>;
    addTo(level, place, nodes);
  };
  touchPlaces(dependencies, touching, add);
  for (let depth = levels.length - 1; depth > 0; depth--) {
    for (const [place, nodes] of levels[depth] ?? []) {
      add(place.parent as Place, touching.paths.back(union(nodes), place.path as Path));
      if (timer.isDue) await timer.turn();
    }
  }
  return union(levels[0]?.get(dependencies.root) ?? []);
}

function touchPlaces(
  { byPredicate, compared, byClass, closed }: Dependencies,
  { changed, retyped, paths }: Touching,
  add: (place: Place, nodes: IdSet) => void,
): void {
  const onPaths = new Set<Place>();
  for (const predicate of changed.predicates) {
    for (const place of compared.get(predicate) ?? []) add(place, changed.ends(predicate, 'subjects'));
    for (const place of byPredicate.get(predicate) ?? []) onPaths.add(place);
  }
  for (const { parent, path } of onPaths) add(parent as Place, paths.onPath(path as Path));
  for (const type of retyped.classes) for (const place of byClass.get(type) ?? []) add(place, retyped.of(type));
  for (const place of closed) add(place, changed.subjects());
}

/** Subjects and objects of changed facts that predicates make targets. */
function targets({ targets: { subjectsOf, objectsOf } }: Dependencies, changed: ChangedFacts): IdSet[] {
  const found: IdSet[] = [];
  for (const predicate of changed.predicates) {
    const key = `<${predicate}>`;
    if (subjectsOf.has(key)) found.push(changed.ends(predicate, 'subjects'));
    if (objectsOf.has(key)) found.push(changed.ends(predicate, 'objects'));
  }
  return found;
}
