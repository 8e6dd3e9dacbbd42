/** The nodes that a change made instances of a class, or that are none any more. */

import { getOrInsert } from '../../base/maps.js';
import { termKey } from '../../rdf/canonical/lines.js';
import type { TermId } from '../../storage/ids/layout.js';
import { ClassTree } from '../data/class-tree.js';
import type { DataGraph } from '../data/data-graph.js';
import { eachId, IdList, type IdSet, keep, NO_IDS, placeOf, reached, union } from '../data/id-columns.js';
import { SUB_CLASS_OF } from '../shapes/vocabulary.js';
import type { ChangedFacts } from './changed-facts.js';

/** The state after a change, and the state before it, which is opened at the first call. */
export interface States {
  readonly after: DataGraph;
  readonly before: () => DataGraph;
}

export class RetypedNodes {
  readonly #known = new Map<string, IdSet>();
  readonly #after: ClassTree;
  #before: ClassTree | null = null;
  /** Classes that may have gained or lost an instance, by their texts. */
  readonly #classes: ReadonlyMap<string, TermId>;
  /** The types that came or went. */
  readonly #types: IdSet;

  constructor(
    private readonly states: States,
    private readonly changed: ChangedFacts,
  ) {
    this.#after = new ClassTree(states.after);
    this.#types = changed.types.objects.toSet();
    this.#classes = this.#findClasses();
  }

  /** As `termKey` writes them. */
  get classes(): Iterable<string> {
    return this.#classes.keys();
  }

  /** Nodes by the text of the class. */
  of(type: string): IdSet {
    const id = this.#classes.get(type);
    return id === undefined ? NO_IDS : getOrInsert(this.#known, type, () => this.#find(id));
  }

  /** Those of types that came or went, and those above a class that did, with all that are above them in either state. */
  #findClasses(): ReadonlyMap<string, TermId> {
    const { changed, states } = this;
    const all = reached(union([this.#types, changed.ends(SUB_CLASS_OF.value, 'objects')]), (fresh) =>
      union([this.#after.above(fresh), changed.across(fresh, SUB_CLASS_OF.value, 'subjects').toSet()]),
    );
    const ids = eachId(all);
    return new Map(states.after.decode(all.ids, all.count).map((term, at) => [termKey(term), ids[at] as TermId]));
  }

  #find(type: TermId): IdSet {
    if (!this.changed.changesClasses) return this.#withTypes(this.#after.typesOf(type, this.#types));
    this.#before ??= new ClassTree(this.states.before());
    const [before, after] = [this.#before.below(type), this.#after.below(type)];
    const moved = eachId(union([keep(before, after, false), keep(after, before, false)]));
    const views = [this.states.before(), this.states.after];
    const instances = moved.flatMap((id) => views.map((view) => view.instances(id)));
    return union([this.#withTypes(union([before, after])), ...instances]);
  }

  /** Nodes that got or lost one of some types. */
  #withTypes(wanted: IdSet): IdSet {
    const { subjects, objects } = this.changed.types;
    const found = new IdList(subjects.count);
    for (let at = 0; at < subjects.count; at++) {
      if (placeOf(wanted, objects.ids[2 * at] as number, objects.ids[2 * at + 1] as number) < 0) continue;
      found.push(subjects.ids[2 * at] as number, subjects.ids[2 * at + 1] as number);
    }
    return found.toSet();
  }
}
