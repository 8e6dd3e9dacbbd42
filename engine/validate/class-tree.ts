/** Classes with all below them by the `rdfs:subClassOf` facts of the data; each is walked once. Cycles are harmless. */

import { highOf, lowOf } from '../storage/ids/halves.js';
import type { TermId } from '../storage/ids/layout.js';
import type { DataGraph } from './data-graph.js';
import { distinct, IdList, type IdSet, keep, union } from './id-columns.js';

export class ClassTree {
  readonly #below = new Map<TermId, IdSet>();

  constructor(private readonly view: DataGraph) {}

  /** The class itself among them. */
  below(type: TermId): IdSet {
    let found = this.#below.get(type);
    if (found === undefined) {
      found = this.#walk(type);
      this.#below.set(type, found);
    }
    return found;
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
      const upper = this.view.objects(fresh, this.view.subClassOf);
      fresh = keep(distinct(upper.ids, upper.count), found, false);
      found = union([found, fresh]);
    }
    return found;
  }

  /** Every node that is an instance of the class or of one below it. */
  instances(type: TermId, most = Number.POSITIVE_INFINITY): IdSet {
    const { ids, count } = this.below(type);
    const types = new BigUint64Array(ids.buffer, ids.byteOffset, count);
    return union(Array.from(types, (id) => this.view.instances(id, most)));
  }
}
