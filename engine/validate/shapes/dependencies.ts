/**
 * Which data the conformance of nodes depends on, for all shapes of a graph together: a tree of paths. Its root stands for
 * the focus nodes, a place below a path for the values of the path. Each place lists the classes that its nodes are tested
 * for, the predicates whose values are compared, and whether every fact of a node counts (closed shapes). Shapes that look
 * at the same data share places, so that a change is followed once for all of them: from the places it touches to the root.
 *
 * Recursive shapes have no finite tree and are listed beside it, as are shapes for which the tree would grow much larger
 * than the graph. What shapes with SPARQL queries depend on is not known; they are listed by themselves.
 */

import { addTo, getOrInsert } from '../../base/maps.js';
import { termKey } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import { type Path, predicatesOf } from './path.js';
import { type Constraint, type Shape, type Shapes, shapesIn, type Target } from './shapes.js';

/** Places of the tree, and visits of shapes at them, for each shape of the graph: a nested shape may be in it many times. */
const VISITS_PER_SHAPE = 16;
const VISITS_LEAST = 1024;

export interface Place {
  /** Null = the root. */
  readonly parent: Place | null;
  /** From the parent to here. */
  readonly path: Path | null;
  readonly depth: number;
  readonly inner: Map<string, Place>;
  /** Keys of the shapes that were put here. */
  readonly keys: Set<number>;
}

/** The shapes that one target is of. */
export interface OfTarget {
  readonly term: Term;
  readonly shapes: Shape[];
}

type Places = Map<string, Set<Place>>;

export class Dependencies {
  readonly root: Place = { parent: null, path: null, depth: 0, inner: new Map(), keys: new Set() };
  /** Classes, as `termKey` writes them, to the places where nodes are tested for being instances. */
  readonly byClass: Places = new Map();
  /** Predicates to the places to which a path leads that names them. */
  readonly byPredicate: Places = new Map();
  /** Predicates to the places whose nodes have values that are compared with others. */
  readonly compared: Places = new Map();
  /** Places where every fact of a node counts. */
  readonly closed = new Set<Place>();
  /** By kind, the targets of shapes by the text of their terms. */
  readonly targets: Readonly<Record<Target['kind'], Map<string, OfTarget>>> = {
    node: new Map(),
    class: new Map(),
    subjectsOf: new Map(),
    objectsOf: new Map(),
  };
  /** Shapes with targets that are not in the tree. */
  readonly beside: Shape[] = [];
  /** Shapes with targets that hold SPARQL queries, or refer to a shape that does. */
  readonly asking: Shape[] = [];
  /** Every predicate that shapes name. */
  readonly predicates = new Set<string>();
  /** True when facts of any predicate count. */
  readonly wantsAll: boolean;
  #visits = 0;

  constructor({ shapes, targeted }: Shapes) {
    for (const shape of shapes) for (const name of namedBy(shape)) this.predicates.add(name);
    const closed = shapes.some((shape) => holds(shape, 'closed'));
    const asking = reaching(shapes, (shape) => holds(shape, 'sparql'));
    this.wantsAll = closed || asking.size > 0;
    const cyclic = reaching(shapes, ({ cycle }) => cycle >= 0);
    const most = VISITS_LEAST + VISITS_PER_SHAPE * shapes.length;
    for (const shape of targeted) {
      this.#addTargets(shape);
      if (asking.has(shape)) this.asking.push(shape);
      if (cyclic.has(shape) || !this.#add(shape, most)) this.beside.push(shape);
    }
  }

  #addTargets(shape: Shape): void {
    for (const { kind, term } of shape.targets) {
      const key = termKey(term);
      getOrInsert(this.targets[kind], key, () => ({ term, shapes: [] })).shapes.push(shape);
      if (kind === 'class') note(this.byClass, key, this.root);
    }
  }

  /** False when the tree would grow too large. What was put into it by then does no harm: some nodes are validated needlessly. */
  #add(root: Shape, most: number): boolean {
    const waiting: [Shape, Place][] = [[root, this.root]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [shape, outer] = next;
      if (shape.deactivated || outer.keys.has(shape.key)) continue;
      if (this.#visits === most) return false;
      this.#visits++;
      outer.keys.add(shape.key);
      const place = shape.path === null ? outer : this.#below(outer, shape.path, shape.pathText as string);
      for (const constraint of shape.constraints) {
        if ('predicate' in constraint) note(this.compared, constraint.predicate.value, outer);
        if (constraint.kind === 'class') note(this.byClass, termKey(constraint.type), place);
        if (constraint.kind === 'closed') this.closed.add(place);
        for (const inner of shapesIn(constraint)) waiting.push([inner, place]);
      }
    }
    return true;
  }

  #below(outer: Place, path: Path, text: string): Place {
    let place = outer.inner.get(text);
    if (place === undefined) {
      place = { parent: outer, path, depth: outer.depth + 1, inner: new Map(), keys: new Set() };
      outer.inner.set(text, place);
      for (const { value } of predicatesOf(path)) note(this.byPredicate, value, place);
    }
    return place;
  }
}

const known = new WeakMap<Shapes, Dependencies>();

/** Made once for a shapes graph, at its first validation. */
export function dependenciesOf(shapes: Shapes): Dependencies {
  return getOrInsert(known, shapes, () => new Dependencies(shapes));
}

function note(places: Places, key: string, place: Place): void {
  getOrInsert(places, key, () => new Set()).add(place);
}

function holds({ constraints }: Shape, kind: Constraint['kind']): boolean {
  return constraints.some((constraint) => constraint.kind === kind);
}

/** The shapes with a property, and all shapes that refer to one of them, directly or through others. */
function reaching(shapes: readonly Shape[], isOne: (shape: Shape) => boolean): ReadonlySet<Shape> {
  const found = new Set(shapes.filter(isOne));
  if (found.size === 0) return found;
  const outer = new Map<Shape, Shape[]>();
  for (const shape of shapes) {
    for (const inner of shape.constraints.flatMap(shapesIn)) {
      addTo(outer, inner, shape);
    }
  }
  // A set gives what is added to it while it is gone through.
  for (const shape of found) for (const one of outer.get(shape) ?? []) found.add(one);
  return found;
}

function namedBy({ path, constraints, targets }: Shape): string[] {
  const inTargets = targets.flatMap(({ kind, term }) => (kind.endsWith('sOf') ? [term.value] : []));
  const inPath = path === null ? [] : predicatesOf(path).map(({ value }) => value);
  const compared = constraints.flatMap((one) => ('predicate' in one ? [one.predicate.value] : []));
  return [...inPath, ...compared, ...inTargets];
}
