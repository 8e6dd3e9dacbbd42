/**
 * How a graph is reached, step by step: a start, then nodes whose neighbours are asked for, page by page. It fills the
 * model and knows of everything how much there is: what was not fetched is told, never left out silently.
 */
import { count } from '../parts/text.js';
import { STATEMENTS_MAX } from '../wire/net-changes.js';
import type { ScopeFields } from '../wire/scope.js';
import { EDGES_PER_PAGE, type GraphSource, type Part, START_NODES_MAX } from './ask/graph-source.js';
import { ADDED, GraphModel, REMOVED, SAME } from './model/graph-model.js';

/** More than this stops being a picture. What is hidden counts, too. */
export const SHOWN_NODES_MAX = 20_000;
export const SHOWN_EDGES_MAX = 100_000;
/** Edges of a node that one expansion brings. */
export const EXPANSION_EDGES = 300;
/** Nodes that are expanded together: what their edges name in one query. */
const TOGETHER = 250;
/** Edges between the nodes of the start. */
const START_EDGES_MAX = 4000;
/** Two sets of edges are compared: so many nodes at most. */
export const COMPARED_NODES_MAX = 2000;
const COMPARED_EDGES_MAX = 20_000;

export interface StartRequest {
  /** IRIs to begin with; empty = the best connected. */
  readonly focus: readonly string[];
  readonly depth: number;
  /** Types of the nodes to begin with; empty = all. */
  readonly types: readonly string[];
  /** A query whose graph is shown instead. */
  readonly query: string | null;
  /** Nodes to begin with. */
  readonly limit: number;
  /** A transaction: the graph begins with what has changed since. */
  readonly changedSince: number | null;
}

export interface Reached {
  readonly offset: number;
  readonly of: number;
}

export class Exploration {
  readonly model = new GraphModel();
  /** Nodes and edges that there are for what was asked at the start; null when nobody counted. */
  nodesOf: number | null = null;
  edgesOf: number | null = null;
  readonly #source: GraphSource;
  readonly #reached = new Map<string, Reached>();
  /** Nodes whose pages are being read together, and how far. */
  #together: { readonly iris: readonly string[]; readonly reached: Reached | null } | null = null;

  constructor(source: GraphSource) {
    this.#source = source;
  }

  /** Returns what is to be said of it, or ''. */
  async begin({ focus, depth, types, query, limit, changedSince }: StartRequest): Promise<string> {
    if (query !== null) {
      const part = await this.#source.ofQuery(query, SHOWN_EDGES_MAX);
      this.edgesOf = part.edgesOf;
      this.#add(part);
      const cut = part.isCut ? ['The server has cut the answer of the query'] : [];
      const literals = part.literals === 0 ? [] : [`${part.literals} facts with literals are no edges`];
      return [...cut, ...literals].join('; ');
    }
    if (changedSince !== null) return this.#changed(changedSince);
    if (focus.length > 0) {
      await this.#around(focus, depth);
    } else {
      await this.#bestConnected(types, Math.min(limit, START_NODES_MAX));
    }
    return '';
  }

  async #bestConnected(types: readonly string[], limit: number): Promise<void> {
    this.nodesOf = 0;
    for (const type of types.length === 0 ? [null] : types) {
      const { nodes, nodesOf } = await this.#source.start(Math.max(1, Math.floor(limit / (types.length || 1))), type);
      this.nodesOf += nodesOf;
      for (const node of nodes) this.model.addNode(node);
    }
    const part = await this.#source.among(this.model.iris, START_EDGES_MAX);
    this.edgesOf = part.edgesOf;
    this.#add(part);
  }

  async #changed(since: number): Promise<string> {
    const { iris, cut } = await this.#source.changedSince(since);
    if (cut !== null && iris.length === 0) {
      throw new RangeError(
        `Transaction ${count(cut.tx)} changed ${count(cut.statements)} statements, and a picture begins with ${count(STATEMENTS_MAX)} at most: mark what is shown instead, or ask the workbench.`,
      );
    }
    const shown = iris.slice(0, COMPARED_NODES_MAX);
    this.nodesOf = iris.length;
    for (const iri of shown) this.model.addNode({ iri });
    // What is no more has its name in the past.
    for (const node of await this.#source.at({ tx: since }).details(shown)) this.model.addNode(node);
    for (const node of await this.#source.details(shown)) this.model.addNode(node);
    const part = await this.#source.among(shown, START_EDGES_MAX);
    this.edgesOf = part.edgesOf;
    this.#add(part);
    if (cut !== null) return `Up to transaction ${count(cut.tx - 1)}: transaction ${count(cut.tx)} changed too much`;
    return iris.length === 0 ? 'Nothing has changed' : '';
  }

  async #around(focus: readonly string[], depth: number): Promise<void> {
    for (const node of await this.#source.details(focus)) this.model.addNode(node);
    for (const iri of focus) {
      this.model.addNode({ iri });
      await this.expand(iri);
    }
    // Of one node it is known how many there are; those of several would be counted twice where they share them.
    if (focus.length === 1) this.edgesOf = this.reached(focus[0]!)?.of ?? null;
    for (let level = 1; level < depth; level++) await this.expandTogether();
  }

  /** How much of the edges of a node is here; null when it was never expanded. */
  reached(iri: string): Reached | null {
    return this.#reached.get(iri) ?? null;
  }

  /** Brings the next page of the edges of a node. Returns how many edges were new. */
  async expand(iri: string): Promise<number> {
    const reached = this.#reached.get(iri) ?? null;
    const offset = reached?.offset ?? 0;
    if (reached !== null && offset >= reached.of) return 0;
    this.#checkRoom();
    const page = { limit: EXPANSION_EDGES, offset };
    const part = await this.#source.around([iri], page, (one) => this.#isKnown(one), reached?.of ?? null);
    // Edges may have gone since the first page counted them.
    const of = part.edges.length === 0 ? offset : part.edgesOf;
    this.#reached.set(iri, { offset: offset + part.edges.length, of });
    this.model.addNode({ iri, degree: part.edgesOf });
    return this.#add(part);
  }

  /** Nodes whose edges nobody has asked for, or not all of them. */
  get open(): number {
    let open = 0;
    for (let place = 0; place < this.model.nodeCount; place++) if (this.#isOpen(place)) open++;
    return open;
  }

  /** Brings a page of the edges of the best connected nodes that were not expanded yet, many nodes at once. */
  async expandTogether(): Promise<number> {
    this.#checkRoom();
    this.#together ??= { iris: this.#open().slice(0, TOGETHER), reached: null };
    const { iris, reached } = this.#together;
    if (iris.length === 0) {
      this.#together = null;
      return 0;
    }
    const page = { limit: EDGES_PER_PAGE, offset: reached?.offset ?? 0 };
    const part = await this.#source.around(iris, page, (one) => this.#isKnown(one), reached?.of ?? null);
    const offset = page.offset + part.edges.length;
    const isDone = offset >= part.edgesOf || part.edges.length === 0;
    this.#together = isDone ? null : { iris, reached: { offset, of: part.edgesOf } };
    const added = this.#add(part);
    if (isDone) for (const iri of iris) this.#allOf(iri);
    return added;
  }

  /** The nodes that stand on a way between two; those that were not here are fetched with it. Null when there is none. */
  async path(from: string, to: string): Promise<string[] | null> {
    const iris = await this.#source.path(from, to);
    if (iris.length === 0) return null;
    this.#checkRoom();
    for (const node of await this.#source.details(iris.filter((iri) => !this.#isKnown(iri)))) this.model.addNode(node);
    this.#add(await this.#source.among(iris, EDGES_PER_PAGE));
    return iris;
  }

  /** Marks what has come and what has gone since another moment, among the nodes that are here. */
  async compare(since: ScopeFields): Promise<{ readonly added: number; readonly removed: number }> {
    const { model } = this;
    model.forgetChanges();
    const named = model.iris.filter((iri) => !iri.startsWith('_:') && !iri.startsWith('<<'));
    if (named.length > COMPARED_NODES_MAX) {
      throw new RangeError(
        `${named.length} nodes are too many to compare; ${COMPARED_NODES_MAX} are compared at most: begin with fewer, or from one entity`,
      );
    }
    const before = this.#source.at(since);
    const [then, now] = [
      await before.among(named, COMPARED_EDGES_MAX),
      await this.#source.among(named, COMPARED_EDGES_MAX),
    ];
    if (then.edgesOf > COMPARED_EDGES_MAX || now.edgesOf > COMPARED_EDGES_MAX) {
      throw new RangeError(
        `${Math.max(then.edgesOf, now.edgesOf)} edges are too many to compare; ${COMPARED_EDGES_MAX} are compared at most: begin with fewer nodes`,
      );
    }
    const keyOf = (edge: { source: string; predicate: string; target: string }): string =>
      `${edge.source} ${edge.predicate} ${edge.target}`;
    const inThen = new Set(then.edges.map(keyOf));
    const inNow = new Set(now.edges.map(keyOf));
    const added = now.edges.filter((edge) => !inThen.has(keyOf(edge)));
    const removed = then.edges.filter((edge) => !inNow.has(keyOf(edge)));
    for (const edge of added) model.addEdge({ ...edge, change: ADDED });
    for (const edge of removed) model.addEdge({ ...edge, change: REMOVED });
    const [thereThen, thereNow] = [await before.present(named), await this.#source.present(named)];
    for (const iri of named) {
      const change = thereThen.has(iri) === thereNow.has(iri) ? SAME : thereNow.has(iri) ? ADDED : REMOVED;
      model.addNode({ iri, change });
    }
    return { added: added.length, removed: removed.length };
  }

  #isOpen(place: number): boolean {
    const iri = this.model.iris[place]!;
    if (this.model.hidden[place] === 1 || iri.startsWith('_:') || iri.startsWith('<<')) return false;
    const { offset, of } = this.#reached.get(iri) ?? { offset: 0, of: 1 };
    return offset < of;
  }

  #open(): string[] {
    const { model } = this;
    const places = Array.from({ length: model.nodeCount }, (_, place) => place).filter((place) => this.#isOpen(place));
    places.sort((a, b) => model.degree[b]! - model.degree[a]! || a - b);
    return places.map((place) => model.iris[place]!);
  }

  #allOf(iri: string): void {
    const degree = this.model.degree[this.model.placeOf(iri)]!;
    this.#reached.set(iri, { offset: degree, of: degree });
  }

  #isKnown(iri: string): boolean {
    const place = this.model.placeOf(iri);
    return place >= 0 && this.model.labels[place] !== '';
  }

  #add({ nodes, edges }: Part): number {
    let added = 0;
    for (const edge of edges) if (this.model.addEdge(edge)) added++;
    for (const node of nodes) this.model.addNode(node);
    return added;
  }

  #checkRoom(): void {
    const { nodeCount, edgesHere: edgeCount } = this.model;
    if (nodeCount < SHOWN_NODES_MAX && edgeCount < SHOWN_EDGES_MAX) return;
    throw new RangeError(
      `${nodeCount} nodes and ${edgeCount} edges are here; the explorer stops at ${SHOWN_NODES_MAX} and ${SHOWN_EDGES_MAX}: begin from another entity, or ask the workbench`,
    );
  }
}
