/**
 * What a write changed in the data graph, as far as shapes can see it: subjects and objects of the changed facts by
 * predicate, for predicates that the shapes name; of types and subclasses always.
 */

import { highOf, lowOf } from '../storage/ids/halves.js';
import type { TermId } from '../storage/ids/layout.js';
import type { ChangedRows, IdColumn } from '../storage/scan.js';
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
  readonly #sets = new Map<string, IdSet>();
  readonly #all = new IdList();
  readonly #wantsAll: boolean;
  count = 0;

  constructor(
    shapes: Shapes,
    private readonly view: DataGraph,
  ) {
    this.#wantsAll = shapes.shapes.some(({ constraints }) =>
      constraints.some(({ kind }) => kind === 'closed' || kind === 'sparql'),
    );
    const wanted = [view.rdfType, view.subClassOf, ...shapes.shapes.flatMap(namedBy).map((term) => view.idOf(term))];
    for (const id of wanted) this.#byPredicate.set(id, { subjects: new IdList(), objects: new IdList() });
  }

  add({ rows, columns: { s, p, o, g } }: ChangedRows): void {
    let last: { low: number; high: number; ends: Ends | null; id: TermId } | null = null;
    for (let row = 0; row < rows; row++) {
      const [low, high] = [p[2 * row] as number, p[2 * row + 1] as number];
      if (last === null || last.low !== low || last.high !== high) {
        const id = idAt(p, row);
        last = { low, high, id, ends: this.#byPredicate.get(id) ?? null };
      }
      if ((last.ends === null && !this.#wantsAll) || !this.view.sees(idAt(g, row), last.id)) continue;
      this.count++;
      const [subjectLow, subjectHigh] = [s[2 * row] as number, s[2 * row + 1] as number];
      if (this.#wantsAll) this.#all.push(subjectLow, subjectHigh);
      if (last.ends === null) continue;
      last.ends.subjects.push(subjectLow, subjectHigh);
      last.ends.objects.push(o[2 * row] as number, o[2 * row + 1] as number);
    }
  }

  /** Subjects, or objects, of changed facts of a predicate. */
  ends(predicate: TermId, column: 'subjects' | 'objects'): IdSet {
    const key = `${column} ${predicate}`;
    let found = this.#sets.get(key);
    if (found === undefined) {
      found = this.#byPredicate.get(predicate)?.[column].toSet() ?? NO_IDS;
      this.#sets.set(key, found);
    }
    return found;
  }

  /** Subjects of all changed facts. */
  subjects(): IdSet {
    let found = this.#sets.get('');
    if (found === undefined) {
      found = this.#all.toSet();
      this.#sets.set('', found);
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

function idAt(column: IdColumn, row: number): TermId {
  return (BigInt(column[2 * row + 1] as number) << 32n) | BigInt(column[2 * row] as number);
}

/** Halves of an id as a set of one. */
export function setOf(id: TermId): IdSet {
  return { ids: Uint32Array.of(lowOf(id), highOf(id)), count: 1 };
}

function namedBy({ path, constraints, targets }: Shape) {
  const inTargets = targets.flatMap((target) => ('predicate' in target ? [target.predicate] : []));
  return [...(path === null ? [] : predicatesOf(path)), ...constraints.flatMap(predicateIn), ...inTargets];
}

function predicateIn(constraint: Constraint) {
  return 'predicate' in constraint ? [constraint.predicate] : [];
}
