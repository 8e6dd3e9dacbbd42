/**
 * A graph of the store as algorithms see it (semantics of reasoning, 10.1): nodes are the IRIs that stand as subject or
 * object of a current fact whose subject and value are IRIs, and each such fact is an edge.
 *
 * Nodes are numbered in the order of their IRIs by code point, and neighbours are listed in that order, so that what an
 * algorithm makes of a projection does not depend on when and how the facts were written.
 */

import { SvcError } from '../../base/errors.js';
import { type Term, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { idIn, pickedRows } from '../../storage/seam/rows.js';
import type { IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';

/** Compressed sparse rows: the neighbours of node v are `ends[starts[v]]` up to `ends[starts[v + 1]]`, ascending. */
export interface Adjacency {
  /** One more than there are nodes. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

export interface Projection {
  readonly nodes: number;
  readonly edges: number;
  /** Targets by source. */
  readonly out: Adjacency;
  /** Sources by target. */
  readonly in: Adjacency;
  /** Of each edge of `out` its predicate, as a place in `predicates`. */
  readonly edgePredicates: Uint32Array;
  readonly predicates: readonly TermId[];
  readonly names: NodeNames;
  /** Of memory. */
  readonly bytes: number;
}

/** Which IRIs the nodes are. */
export class NodeNames {
  readonly #ids: IdColumn;
  /** Of each node the place of its id in ascending order, and the other way round; null = ids are in the order of IRIs. */
  readonly #order: NodeOrder | null;

  /** `ids` ascending. */
  constructor(ids: IdColumn, order: NodeOrder | null) {
    this.#ids = ids;
    this.#order = order;
  }

  get bytes(): number {
    return this.#ids.byteLength + (this.#order === null ? 0 : 2 * this.#order.rankOfPlace.byteLength);
  }

  get count(): number {
    return this.#ids.length / 2;
  }

  /** The ids of some nodes. */
  idsOf(nodes: ArrayLike<number>): IdColumn {
    const order = this.#order;
    if (order === null) return pickedRows(this.#ids, nodes);
    return pickedRows(
      this.#ids,
      Uint32Array.from(nodes, (node) => order.placeOfRank[node] as number),
    );
  }

  /** The IRIs of some nodes; the snapshot is one of the store that the projection is of. */
  irisOf(snapshot: StorageSnapshot, nodes: ArrayLike<number>): string[] {
    return snapshot.decode(this.idsOf(nodes), nodes.length).map(({ value }: Term) => value);
  }

  /** The node of an IRI; null = the projection does not have it. */
  nodeOf(snapshot: StorageSnapshot, iri: string): number | null {
    const id = snapshot.encode(terms.namedNode(iri));
    return id === null ? null : this.nodeOfId(id);
  }

  nodeOfId(id: TermId): number | null {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (idIn(this.#ids, middle) < id) low = middle + 1;
      else high = middle;
    }
    if (low === this.count || idIn(this.#ids, low) !== id) return null;
    return this.#order === null ? low : (this.#order.rankOfPlace[low] as number);
  }
}

/** Two permutations, each the inverse of the other: places in the order of ids, ranks in the order of IRIs. */
export interface NodeOrder {
  readonly rankOfPlace: Uint32Array;
  readonly placeOfRank: Uint32Array;
}

/** Throws when the node of a request is not there. */
export function requiredNode({ names }: Projection, snapshot: StorageSnapshot, iri: string, field: string): number {
  const node = names.nodeOf(snapshot, iri);
  if (node !== null) return node;
  throw new SvcError('not_found_in_store', `'${field}': entity not found: ${iri}`, {
    hint: 'it is no subject and no value of an edge of the projection; check the IRI, the graph and the filters',
  });
}
