/**
 * What a write changed in the data graph, as far as shapes can see it: subjects and objects of the changed facts by
 * predicate, for predicates that the shapes name; of types and subclasses always.
 */

import { IdNumbers } from '../query/expressions/id-numbers.js';
import { idOfHalves } from '../storage/ids/halves.js';
import type { TermId } from '../storage/ids/layout.js';
import type { ChangedRows } from '../storage/scan.js';
import type { DataGraph } from './data-graph.js';
import { IdList, type IdSet, NO_IDS } from './id-columns.js';
import { predicatesOf } from './path.js';
import type { Constraint, Shape, Shapes } from './shapes.js';

interface Ends {
  readonly subjects: IdList;
  readonly objects: IdList;
}

export class ChangedFacts {
  readonly #byPredicate = new Map<TermId, Ends>();
  readonly #sets = new Map<IdList, IdSet>();
  readonly #all = new IdList();
  /** Numbers of the predicates of the changed facts, and by these numbers what is known of them. */
  readonly #predicates = new IdNumbers();
  readonly #endsOf: (Ends | null)[] = [];
  readonly #isOfTypes: boolean[] = [];
  readonly #wantsAll: boolean;
  count = 0;

  constructor(
    shapes: Shapes,
    private readonly view: DataGraph,
  ) {
    this.#wantsAll = shapes.shapes.some(({ constraints }) =>
      constraints.some(({ kind }) => kind === 'closed' || kind === 'sparql'),
    );
    const named = new Map(shapes.shapes.flatMap(namedBy).map((term) => [term.value, term]));
    const wanted = [view.rdfType, view.subClassOf, ...[...named.values()].map((term) => view.idOf(term))];
    for (const id of new Set(wanted)) this.#byPredicate.set(id, { subjects: new IdList(1), objects: new IdList(1) });
  }

  add({ rows, columns: { s, p, o, g } }: ChangedRows): void {
    // A graph stays the same for long; predicates take turns, and are few.
    let [graphLow, graphHigh] = [-1, -1];
    let standing = 'none';
    for (let row = 0; row < rows; row++) {
      const [low, high] = [p[2 * row] as number, p[2 * row + 1] as number];
      const known = this.#predicates.count;
      const entry = this.#predicates.entryOf(low, high);
      if (entry === known) this.#note(entry, low, high);
      const ends = this.#endsOf[entry] ?? null;
      if (ends === null && !this.#wantsAll) continue;
      if (g[2 * row] !== graphLow || g[2 * row + 1] !== graphHigh) {
        graphLow = g[2 * row] as number;
        graphHigh = g[2 * row + 1] as number;
        standing = this.view.standingOf(idOfHalves(graphLow, graphHigh));
      }
      if (standing === 'none' || (standing === 'types' && this.#isOfTypes[entry] !== true)) continue;
      this.count++;
      const [subjectLow, subjectHigh] = [s[2 * row] as number, s[2 * row + 1] as number];
      if (this.#wantsAll) this.#all.push(subjectLow, subjectHigh);
      if (ends === null) continue;
      ends.subjects.push(subjectLow, subjectHigh);
      ends.objects.push(o[2 * row] as number, o[2 * row + 1] as number);
    }
  }

  #note(entry: number, low: number, high: number): void {
    const id = idOfHalves(low, high);
    this.#endsOf[entry] = this.#byPredicate.get(id) ?? null;
    this.#isOfTypes[entry] = id === this.view.rdfType || id === this.view.subClassOf;
  }

  /** Subjects, or objects, of changed facts of a predicate. */
  ends(predicate: TermId, column: 'subjects' | 'objects'): IdSet {
    const list = this.#byPredicate.get(predicate)?.[column];
    return list === undefined || list.count === 0 ? NO_IDS : this.#setOf(list);
  }

  /** Subjects of all changed facts. */
  subjects(): IdSet {
    return this.#setOf(this.#all);
  }

  #setOf(list: IdList): IdSet {
    let found = this.#sets.get(list);
    if (found === undefined) {
      found = list.toSet();
      this.#sets.set(list, found);
    }
    return found;
  }

  /** Pairs of a node and its type that came or went: rows of both columns belong together. */
  get types(): Ends {
    return this.#byPredicate.get(this.view.rdfType) as Ends;
  }

  get changesClasses(): boolean {
    return this.ends(this.view.subClassOf, 'subjects').count > 0;
  }
}

function namedBy({ path, constraints, targets }: Shape) {
  const inTargets = targets.flatMap((target) => ('predicate' in target ? [target.predicate] : []));
  return [...(path === null ? [] : predicatesOf(path)), ...constraints.flatMap(predicateIn), ...inTargets];
}

function predicateIn(constraint: Constraint) {
  return 'predicate' in constraint ? [constraint.predicate] : [];
}
