/**
 * The nodes whose conformance to any shape a change can alter (semantics 4.2); never too few.
 *
 * What alters whether a node conforms to a shape is found from the inside out. A value is touched when a type
 * changed that `sh:class` asks for, when facts changed that `sh:closed` looks at, or when a shape inside is
 * touched at it. A node is touched when one of its values is, when a changed fact lies on the path, or when the
 * facts of a property changed that the values are compared with. From a value or a fact to the nodes that
 * reach it the path is walked backwards, each step in the state before and in the state after. Shapes that ask about
 * themselves are gone through until nothing is added.
 */

import type { Control } from '../base/control.js';
import { highOf, lowOf } from '../storage/ids/halves.js';
import type { TermId } from '../storage/ids/layout.js';
import type { ChangedRows } from '../storage/scan.js';
import { ChangedFacts } from './changed-facts.js';
import { ClassTree } from './class-tree.js';
import { DataGraph } from './data-graph.js';
import { IdList, type IdSet, keep, NO_IDS, placeOf, union } from './id-columns.js';
import { Pace } from './pace.js';
import type { Path } from './path.js';
import { type Constraint, type Shape, type Shapes, shapesIn, type Target } from './shapes.js';
import { targetNodes } from './targets.js';
import type { Data } from './validate.js';

/** A change: the graph before and after it, and the rows that it opened and closed. */
export interface Change {
  readonly before: Data;
  readonly after: Data;
  readonly rows: Iterable<ChangedRows>;
}

export async function focusNodes(shapes: Shapes, change: Change, control: Control): Promise<IdSet> {
  const pace = new Pace(control);
  const check = (): void => pace.check();
  const after = new DataGraph(change.after.snapshot, change.after.graph, check);
  const before = new DataGraph(change.before.snapshot, change.before.graph, check, after.names);
  try {
    const changed = new ChangedFacts(shapes, after);
    for (const rows of change.rows) {
      changed.add(rows);
      await pace.turn();
    }
    if (changed.count === 0) return NO_IDS;
    let focus = NO_IDS;
    const touched = new Touched(shapes, before, after, changed);
    for (const shape of shapes.targeted) {
      await pace.turn();
      focus = union([focus, touched.of(shape), ...shape.targets.map((target) => touched.targets(target))]);
      if (asksQueries(shape)) focus = union([focus, ...touched.allTargets(shape)]);
    }
    return focus;
  } finally {
    before.close();
    after.close();
  }
}

/** Nobody knows what a query looks at. */
function asksQueries(root: Shape): boolean {
  const seen = new Set([root]);
  for (const { constraints } of seen) {
    if (constraints.some(({ kind }) => kind === 'sparql')) return true;
    for (const shape of constraints.flatMap(shapesIn)) seen.add(shape);
  }
  return false;
}

class Touched {
  readonly #known = new Map<Shape, IdSet>();
  readonly #states: readonly { readonly view: DataGraph; readonly classes: ClassTree }[];
  readonly #cycles = new Map<number, Shape[]>();
  readonly #byClass = new Map<TermId, IdSet>();
  #classes: IdSet | null = null;

  constructor(
    shapes: Shapes,
    before: DataGraph,
    private readonly after: DataGraph,
    private readonly changed: ChangedFacts,
  ) {
    this.#states = [before, after].map((view) => ({ view, classes: new ClassTree(view) }));
    for (const shape of shapes.shapes) {
      if (shape.cycle < 0) continue;
      const members = this.#cycles.get(shape.cycle) ?? [];
      members.push(shape);
      this.#cycles.set(shape.cycle, members);
    }
  }

  /** Every node that is a target in either state. */
  allTargets(shape: Shape): IdSet[] {
    return this.#states.map(({ view, classes }) => targetNodes(shape, view, classes));
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
      'predicate' in constraint ? [this.changed.ends(this.after.idOf(constraint.predicate), 'subjects')] : [],
    );
    if (path === null) return union([values, ...compared]);
    return union([this.#back(values, path, false), this.#onPath(path, false), ...compared]);
  }

  /** Values at which a constraint may have changed its mind. */
  #values(constraint: Constraint): IdSet {
    switch (constraint.kind) {
      case 'class':
        return this.#retyped(this.after.idOf(constraint.type));
      case 'closed':
        return this.changed.subjects();
      default:
        return union(shapesIn(constraint).map((shape) => this.of(shape)));
    }
  }

  /** Nodes that became instances of a class, or are none any more. */
  #retyped(type: TermId): IdSet {
    let found = this.#byClass.get(type);
    if (found === undefined) {
      found = this.#findRetyped(type);
      this.#byClass.set(type, found);
    }
    return found;
  }

  /** The classes of types that came or went, with all above them: by these no other class has gained or lost an instance. */
  #mentioned(): IdSet {
    if (this.#classes === null) {
      const direct = this.changed.types.objects.toSet();
      this.#classes = union(this.#states.map(({ classes }) => classes.above(direct)));
    }
    return this.#classes;
  }

  #findRetyped(type: TermId): IdSet {
    if (!this.changed.changesClasses && placeOf(this.#mentioned(), lowOf(type), highOf(type)) < 0) return NO_IDS;
    const [before, after] = this.#states.map(({ classes }) => classes.below(type)) as [IdSet, IdSet];
    const classes = union([before, after]);
    const { subjects, objects } = this.changed.types;
    const retyped = new IdList();
    for (let at = 0; at < subjects.count; at++) {
      if (placeOf(classes, objects.ids[2 * at] as number, objects.ids[2 * at + 1] as number) < 0) continue;
      retyped.push(subjects.ids[2 * at] as number, subjects.ids[2 * at + 1] as number);
    }
    if (!this.changed.changesClasses) return retyped.toSet();
    const moved = union([keep(before, after, false), keep(after, before, false)]);
    const instances = eachId(moved).flatMap((id) => this.#states.map(({ view }) => view.instances(id)));
    return union([retyped.toSet(), ...instances]);
  }

  /** Nodes that the change may have made a target, or that are none any more. */
  targets(target: Target): IdSet {
    switch (target.kind) {
      case 'node':
        return NO_IDS;
      case 'class':
        return this.#retyped(this.after.idOf(target.type));
      case 'subjectsOf':
        return this.changed.ends(this.after.idOf(target.predicate), 'subjects');
      case 'objectsOf':
        return this.changed.ends(this.after.idOf(target.predicate), 'objects');
    }
  }

  /** Nodes from which a changed fact lies on the path. */
  #onPath(path: Path, backwards: boolean): IdSet {
    switch (path.kind) {
      case 'predicate': {
        const id = this.after.idOf(path.predicate);
        return this.changed.ends(id, backwards ? 'objects' : 'subjects');
      }
      case 'inverse':
        return this.#onPath(path.path, !backwards);
      case 'alternative':
        return union(path.paths.map((part) => this.#onPath(part, backwards)));
      case 'sequence': {
        // From the last part on: what touches the rest is walked back over the part before it.
        const parts = backwards ? [...path.paths].reverse() : path.paths;
        return parts.reduceRight<IdSet>(
          (rest, part) => union([this.#onPath(part, backwards), this.#back(rest, part, backwards)]),
          NO_IDS,
        );
      }
      case 'zeroOrOne':
        return this.#onPath(path.path, backwards);
      case 'zeroOrMore':
      case 'oneOrMore':
        return this.#closure(this.#onPath(path.path, backwards), path.path, backwards);
    }
  }

  /** Nodes from which the path leads to one of a set, with facts of either state in any step. */
  #back(nodes: IdSet, path: Path, backwards: boolean): IdSet {
    if (nodes.count === 0) return nodes;
    switch (path.kind) {
      case 'predicate':
        return this.#step(nodes, this.after.idOf(path.predicate), backwards);
      case 'inverse':
        return this.#back(nodes, path.path, !backwards);
      case 'alternative':
        return union(path.paths.map((part) => this.#back(nodes, part, backwards)));
      case 'sequence': {
        const parts = backwards ? [...path.paths].reverse() : path.paths;
        return parts.reduceRight((reached, part) => this.#back(reached, part, backwards), nodes);
      }
      case 'zeroOrOne':
        return union([nodes, this.#back(nodes, path.path, backwards)]);
      case 'zeroOrMore':
        return this.#closure(nodes, path.path, backwards);
      case 'oneOrMore':
        return this.#back(this.#closure(nodes, path.path, backwards), path.path, backwards);
    }
  }

  #closure(nodes: IdSet, path: Path, backwards: boolean): IdSet {
    let reached = nodes;
    for (let fresh = nodes; fresh.count > 0; ) {
      fresh = keep(this.#back(fresh, path, backwards), reached, false);
      reached = union([reached, fresh]);
    }
    return reached;
  }

  #step(nodes: IdSet, predicate: TermId, backwards: boolean): IdSet {
    const found = new IdList(nodes.count);
    for (const { view } of this.#states) {
      const { ids, count } = backwards ? view.objects(nodes, predicate) : view.subjects(nodes, predicate);
      found.append(ids, count);
    }
    return found.toSet();
  }
}

function eachId({ ids, count }: IdSet): TermId[] {
  return Array.from(new BigUint64Array(ids.buffer, ids.byteOffset, count));
}
