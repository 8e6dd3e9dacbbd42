/**
 * What the explorer shows: nodes and edges in typed arrays, each found by its place. Nodes and edges are only added, each
 * once, until the model is emptied; what is hidden or filtered out keeps its place (`visible.ts`). The coordinates of a
 * node are NaN until the layout has given it some.
 */
import { grown } from './growing.js';

/** Places of nodes and predicates together are the key of an edge: 17 + 17 + 16 bits, exact in a double. */
export const NODES_MAX = 1 << 17;
export const PREDICATES_MAX = 1 << 16;

/** How a fact stands to the moment that is compared with. */
export const SAME = 0;
export const ADDED = 1;
export const REMOVED = 2;
export type Change = typeof SAME | typeof ADDED | typeof REMOVED;
/** An edge that was here for a comparison alone, and is no more: it keeps its place and is not shown. */
export const GONE = 3;

export interface NodeFacts {
  /** An IRI, or `_:label` of a blank node. */
  readonly iri: string;
  readonly label?: string | undefined;
  /** The type that it is shown under. */
  readonly type?: string | null | undefined;
  /** All edges of the node in the store; -1 or undefined when nobody has counted them. */
  readonly degree?: number | undefined;
  readonly change?: Change | undefined;
}

export interface EdgeFacts {
  readonly source: string;
  readonly predicate: string;
  readonly target: string;
  readonly change?: Change | undefined;
}

export class GraphModel {
  nodeCount = 0;
  /** Places of edges that are taken; `edgesHere` of them are here. */
  edgeCount = 0;
  edgesHere = 0;
  readonly iris: string[] = [];
  readonly labels: string[] = [];
  /** Places in `types`, -1 for a node without a type. */
  typeOf = new Int32Array(64);
  /** Edges of the node in the store, -1 when unknown. */
  degreeInStore = new Int32Array(64);
  /** Edges of the node in the model. */
  degree = new Uint32Array(64);
  community = new Int32Array(64);
  x = new Float32Array(64);
  y = new Float32Array(64);
  change = new Uint8Array(64);
  hidden = new Uint8Array(64);
  readonly types: string[] = [];
  readonly predicates: string[] = [];
  source = new Uint32Array(256);
  target = new Uint32Array(256);
  /** Places in `predicates`. */
  predicateOf = new Uint32Array(256);
  edgeChange = new Uint8Array(256);
  /** Counts what was added, so that a reader can tell whether anything has changed since. */
  version = 0;
  readonly #placeOf = new Map<string, number>();
  readonly #typePlaces = new Map<string, number>();
  readonly #predicatePlaces = new Map<string, number>();
  readonly #edgePlaces = new Map<number, number>();

  /** The place of a node, -1 when it is not here. */
  placeOf(iri: string): number {
    return this.#placeOf.get(iri) ?? -1;
  }

  /** The place of a type, -1 when no node has it. */
  typePlace(iri: string): number {
    return this.#typePlaces.get(iri) ?? -1;
  }

  predicatePlace(iri: string): number {
    return this.#predicatePlaces.get(iri) ?? -1;
  }

  /** Adds a node, or adds to what is known of it. Returns its place. */
  addNode({ iri, label, type, degree, change }: NodeFacts): number {
    let place = this.placeOf(iri);
    if (place < 0) {
      if (this.nodeCount === NODES_MAX) throw new RangeError(`the explorer holds at most ${NODES_MAX} nodes`);
      place = this.nodeCount++;
      this.#growNodes(this.nodeCount);
      this.#placeOf.set(iri, place);
      this.iris.push(iri);
      this.labels.push('');
      this.typeOf[place] = -1;
      this.degreeInStore[place] = -1;
      this.community[place] = -1;
      this.x[place] = Number.NaN;
      this.y[place] = Number.NaN;
    }
    if (label !== undefined) this.labels[place] = label;
    if (typeof type === 'string') this.typeOf[place] = placeIn(type, this.#typePlaces, this.types);
    if (degree !== undefined && degree >= 0) this.degreeInStore[place] = degree;
    if (change !== undefined) this.change[place] = change;
    this.version++;
    return place;
  }

  /** Adds an edge and the nodes that it needs. Returns whether it was new. */
  addEdge({ source, predicate, target, change = SAME }: EdgeFacts): boolean {
    const from = this.#place(source);
    const to = this.#place(target);
    if (this.predicates.length === PREDICATES_MAX && this.predicatePlace(predicate) < 0) {
      throw new RangeError(`the explorer holds at most ${PREDICATES_MAX} predicates`);
    }
    const by = placeIn(predicate, this.#predicatePlaces, this.predicates);
    const key = (from * NODES_MAX + to) * PREDICATES_MAX + by;
    const known = this.#edgePlaces.get(key);
    this.version++;
    if (known !== undefined) {
      const isBack = this.edgeChange[known] === GONE;
      this.edgeChange[known] = change;
      if (isBack) this.#count(known, 1);
      return isBack;
    }
    const place = this.edgeCount++;
    this.#growEdges(this.edgeCount);
    this.#edgePlaces.set(key, place);
    this.source[place] = from;
    this.target[place] = to;
    this.predicateOf[place] = by;
    this.edgeChange[place] = change;
    this.#count(place, 1);
    return true;
  }

  /** What is drawn as its name: its label, or what of its IRI tells it from others. */
  nameOf(place: number): string {
    const label = this.labels[place];
    const iri = this.iris[place] ?? '';
    if (label !== undefined && label !== '') return label;
    return iri.startsWith('_:') ? iri : localName(iri);
  }

  clear(): void {
    this.nodeCount = 0;
    this.edgeCount = 0;
    this.edgesHere = 0;
    for (const list of [this.iris, this.labels, this.types, this.predicates]) list.length = 0;
    for (const map of [this.#placeOf, this.#typePlaces, this.#predicatePlaces, this.#edgePlaces]) map.clear();
    for (const numbers of [this.degree, this.change, this.hidden]) numbers.fill(0);
    this.version++;
  }

  /** Ends a comparison: nothing is marked any more, and what was removed leaves the picture. */
  forgetChanges(): void {
    this.change.fill(SAME);
    for (let place = 0; place < this.edgeCount; place++) {
      if (this.edgeChange[place] === REMOVED) {
        this.edgeChange[place] = GONE;
        this.#count(place, -1);
      } else if (this.edgeChange[place] === ADDED) this.edgeChange[place] = SAME;
    }
    this.version++;
  }

  #count(edge: number, by: 1 | -1): void {
    const [from, to] = [this.source[edge]!, this.target[edge]!];
    this.edgesHere += by;
    this.degree[from]! += by;
    if (to !== from) this.degree[to]! += by;
  }

  #place(iri: string): number {
    const place = this.placeOf(iri);
    return place < 0 ? this.addNode({ iri }) : place;
  }

  #growNodes(length: number): void {
    this.typeOf = grown(this.typeOf, length);
    this.degreeInStore = grown(this.degreeInStore, length);
    this.degree = grown(this.degree, length);
    this.community = grown(this.community, length);
    this.x = grown(this.x, length);
    this.y = grown(this.y, length);
    this.change = grown(this.change, length);
    this.hidden = grown(this.hidden, length);
  }

  #growEdges(length: number): void {
    this.source = grown(this.source, length);
    this.target = grown(this.target, length);
    this.predicateOf = grown(this.predicateOf, length);
    this.edgeChange = grown(this.edgeChange, length);
  }
}

function placeIn(iri: string, places: Map<string, number>, list: string[]): number {
  const known = places.get(iri);
  if (known !== undefined) return known;
  places.set(iri, list.length);
  list.push(iri);
  return list.length - 1;
}

/** What stands behind the last `#`, `/` or `:` of an IRI, or all of it when that is nothing. */
export function localName(iri: string): string {
  const trimmed = iri.replace(/[#/]+$/, '');
  const at = Math.max(trimmed.lastIndexOf('#'), trimmed.lastIndexOf('/'), trimmed.lastIndexOf(':'));
  return trimmed.slice(at + 1) || iri;
}
