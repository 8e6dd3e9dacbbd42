/** Classes with all below them by the `rdfs:subClassOf` facts of the data; each is walked once. Cycles are harmless. */

import { getOrInsert } from '../../base/maps.js';
import { highOf, idOfHalves, lowOf } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { DataGraph } from './data-graph.js';
import { eachId, IdList, type IdSet, keep, NO_IDS, union } from './id-columns.js';

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
    const start = new IdList(1);
    start.push(lowOf(type), highOf(type));
    let found = start.toSet();
    for (let fresh = found; fresh.count > 0; ) {
      const lower = this.view.subjects(fresh, this.view.subClassOf);
      const list = new IdList(lower.count);
      list.append(lower.ids, lower.count);
      fresh = keep(list.toSet(), found, false);
      found = union([found, fresh]);
    }
    return found;
  }

  /** Classes with all above them. */
  above(classes: IdSet): IdSet {
    let found = classes;
    for (let fresh = found; fresh.count > 0; ) {
      fresh = keep(this.#upper(fresh), found, false);
      found = union([found, fresh]);
    }
    return found;
  }

  /** Of some types those that are a class or stand below it. */
  typesOf(type: TermId, types: IdSet): IdSet {
    const found = new IdList(types.count);
    for (let at = 0; at < types.count; at++) {
      const [low, high] = [types.ids[2 * at] as number, types.ids[2 * at + 1] as number];
      if (this.#aboveOne(idOfHalves(low, high)).has(type)) found.push(low, high);
    }
    return { ids: found.ids, count: found.count };
  }

  #aboveOne(type: TermId): ReadonlySet<TermId> {
    let found = this.#above.get(type);
    if (found === undefined) {
      const start = new IdList(1);
      start.push(lowOf(type), highOf(type));
      // All of them are read level by level; what is known of a level is not read again.
      found = new Set(eachId(this.above(start.toSet())));
      this.#above.set(type, found);
    }
    return found;
  }

  /** The classes right above some. */
  #upper(classes: IdSet): IdSet {
    const known = this.#parents;
    const fresh = new IdList(classes.count);
    for (let at = 0; at < classes.count; at++) {
      const [low, high] = [classes.ids[2 * at] as number, classes.ids[2 * at + 1] as number];
      if (!known.has(idOfHalves(low, high))) fresh.push(low, high);
    }
    const { ids, rows, count } = this.view.objects({ ids: fresh.ids, count: fresh.count }, this.view.subClassOf);
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
