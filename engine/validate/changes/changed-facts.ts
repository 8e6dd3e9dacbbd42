/**
 * What a write changed in the data graph, as far as shapes can see it: subjects and objects of the changed facts by
 * predicate, for predicates that the shapes name; of types and subclasses always.
 */

import { getOrInsert } from '../../base/maps.js';
import { IdNumbers } from '../../query/terms/id-numbers.js';
import { idOfHalves } from '../../storage/ids/halves.js';
import type { ChangedRows } from '../../storage/seam/scan.js';
import type { DataGraph } from '../data/data-graph.js';
import { IdList, type IdSet, NO_IDS, placeOf } from '../data/id-columns.js';
import type { Dependencies } from '../shapes/dependencies.js';
import { RDF_TYPE, SUB_CLASS_OF } from '../shapes/vocabulary.js';

/** Subjects and objects of changed facts: a row of both columns is one fact. */
interface Ends {
  readonly subjects: IdList;
  readonly objects: IdList;
}

const NO_ENDS: Ends = { subjects: new IdList(1), objects: new IdList(1) };

export class ChangedFacts {
  readonly #byPredicate = new Map<string, Ends>();
  readonly #sets = new Map<IdList, IdSet>();
  readonly #all = new IdList();
  /** Numbers of the predicates of the changed facts, and by these numbers what is known of them. */
  readonly #predicates = new IdNumbers();
  readonly #endsOf: (Ends | null)[] = [];
  readonly #isOfTypes: boolean[] = [];
  count = 0;

  constructor(
    private readonly dependencies: Dependencies,
    private readonly view: DataGraph,
  ) {}

  add({ rows, columns: { s, p, o, g } }: ChangedRows): void {
    const { wantsAll } = this.dependencies;
    // A graph stays the same for long; predicates take turns, and are few.
    let [graphLow, graphHigh] = [-1, -1];
    let standing = 'none';
    for (let row = 0; row < rows; row++) {
      if (g[2 * row] !== graphLow || g[2 * row + 1] !== graphHigh) {
        graphLow = g[2 * row] as number;
        graphHigh = g[2 * row + 1] as number;
        standing = this.view.standingOf(idOfHalves(graphLow, graphHigh));
      }
      if (standing === 'none') continue;
      const [low, high] = [p[2 * row] as number, p[2 * row + 1] as number];
      const known = this.#predicates.count;
      const entry = this.#predicates.entryOf(low, high);
      if (entry === known) this.#note(entry, low, high);
      const ends = this.#endsOf[entry] ?? null;
      if ((ends === null && !wantsAll) || (standing === 'types' && this.#isOfTypes[entry] !== true)) continue;
      this.count++;
      const [subjectLow, subjectHigh] = [s[2 * row] as number, s[2 * row + 1] as number];
      if (wantsAll) this.#all.push(subjectLow, subjectHigh);
      if (ends === null) continue;
      ends.subjects.push(subjectLow, subjectHigh);
      ends.objects.push(o[2 * row] as number, o[2 * row + 1] as number);
    }
  }

  #note(entry: number, low: number, high: number): void {
    const { value } = this.view.term(low, high);
    const isOfTypes = value === RDF_TYPE.value || value === SUB_CLASS_OF.value;
    this.#isOfTypes[entry] = isOfTypes;
    if (!isOfTypes && !this.dependencies.predicates.has(value)) return;
    const ends = { subjects: new IdList(), objects: new IdList() };
    this.#endsOf[entry] = ends;
    this.#byPredicate.set(value, ends);
  }

  /** IRIs of the predicates of changed facts, of those that shapes name. */
  get predicates(): Iterable<string> {
    return this.#byPredicate.keys();
  }

  /** Subjects, or objects, of changed facts of a predicate. */
  ends(predicate: string, column: keyof Ends): IdSet {
    const list = this.#byPredicate.get(predicate)?.[column];
    return list === undefined || list.count === 0 ? NO_IDS : this.#setOf(list);
  }

  /** The other ends of the changed facts of a predicate that have one of some nodes in a column; some may come twice. */
  across(nodes: IdSet, predicate: string, column: keyof Ends): IdList {
    const found = new IdList();
    const ends = this.#byPredicate.get(predicate) ?? NO_ENDS;
    const others = column === 'subjects' ? ends.objects : ends.subjects;
    const { ids, count } = ends[column];
    for (let at = 0; at < count; at++) {
      if (placeOf(nodes, ids[2 * at] as number, ids[2 * at + 1] as number) < 0) continue;
      found.push(others.ids[2 * at] as number, others.ids[2 * at + 1] as number);
    }
    return found;
  }

  /** Subjects of all changed facts. */
  subjects(): IdSet {
    return this.#setOf(this.#all);
  }

  #setOf(list: IdList): IdSet {
    return getOrInsert(this.#sets, list, () => list.toSet());
  }

  /** Nodes and their types that came or went. */
  get types(): Ends {
    return this.#byPredicate.get(RDF_TYPE.value) ?? NO_ENDS;
  }

  get changesClasses(): boolean {
    return this.ends(SUB_CLASS_OF.value, 'subjects').count > 0;
  }
}
