/** Classes with all below them by the `rdfs:subClassOf` facts of the data; each is walked once. Cycles are harmless. */

import { getOrInsert } from '../../base/maps.js';
import { highOf, idOfHalves, lowOf } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { DataGraph } from './data-graph.js';
import { distinct, eachId, type IdSet, NO_IDS, reached, union, where } from './id-columns.js';

export class ClassTree {
  readonly #below = new Map<TermId, IdSet>();
  readonly #above = new Map<TermId, ReadonlySet<TermId>>();
  /** The classes right above each that was read. */
  readonly #parents = new Map<TermId, IdSet>();

  constructor(private readonly view: DataGraph) {}

  /** The class itself among them. */
  below(type: TermId): IdSet {
    return getOrInsert(this.#below, type, () => this.#walk(type));
  }

  #walk(type: TermId): IdSet {
    return reached(setOf(type), (fresh) => {
      const { ids, count } = this.view.subjects(fresh, this.view.subClassOf);
      return distinct(ids, count);
    });
  }

  /** Classes with all above them. */
  above(classes: IdSet): IdSet {
    return reached(classes, (fresh) => this.#upper(fresh));
  }

  /** Of some types those that are a class or stand below it. */
  typesOf(type: TermId, types: IdSet): IdSet {
    // All that is above a type is read level by level; what is known of a level is not read again.
    const above = (one: TermId) => getOrInsert(this.#above, one, () => new Set(eachId(this.above(setOf(one)))));
    return where(types, (low, high) => above(idOfHalves(low, high)).has(type));
  }

  /** The classes right above some. */
  #upper(classes: IdSet): IdSet {
    const known = this.#parents;
    const fresh = where(classes, (low, high) => !known.has(idOfHalves(low, high)));
    const { ids, rows, count } = this.view.objects(fresh, this.view.subClassOf);
    for (let at = 0, row = 0; row < fresh.count; row++) {
      const from = at;
      while (at < count && rows[at] === row) at++;
      const id = idOfHalves(fresh.ids[2 * row] as number, fresh.ids[2 * row + 1] as number);
      known.set(id, at === from ? NO_IDS : { ids: ids.slice(2 * from, 2 * at), count: at - from });
    }
    return union(eachId(classes).map((id) => known.get(id) as IdSet));
  }

  /** Every node that is an instance of the class or of one below it. */
  instances(type: TermId, most = Number.POSITIVE_INFINITY): IdSet {
    return union(eachId(this.below(type)).map((id) => this.view.instances(id, most)));
  }
}

function setOf(id: TermId): IdSet {
  return { ids: Uint32Array.of(lowOf(id), highOf(id)), count: 1 };
}
