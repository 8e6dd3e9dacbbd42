/**
 * Asks a server for parts of its graph, at one time and in one graph. The start comes from `/graph` where that knows what is
 * asked (now, ROOT), everything else from queries. Whatever was cut says of how many.
 */
import { type Row, type SvcClient, SvcError, type Term } from '../../../../clients/typescript/src/index.js';
import { type NetChanges, netChanges } from '../../wire/net-changes.js';
import type { ScopeFields } from '../../wire/scope.js';
import type { EdgeFacts, NodeFacts } from '../model/graph-model.js';
import * as queries from './queries.js';

/** What `/graph` gives at most. */
export const START_NODES_MAX = 2000;
/** Edges of one request. */
export const EDGES_PER_PAGE = 2000;
/** Nodes that one request names: some 100 kB of IRIs. */
const NODES_PER_REQUEST = 2000;

/** Later than any transaction. */
const LAST_TX = Number.MAX_SAFE_INTEGER;

export interface Part {
  readonly nodes: readonly NodeFacts[];
  readonly edges: readonly EdgeFacts[];
  /** Edges that there are; `edges` may be fewer. */
  readonly edgesOf: number;
}

export interface QueriedPart extends Part {
  /** Facts of the answer that are no edge, since their value is a literal. */
  readonly literals: number;
  /** The server has cut the answer: there is more of it. */
  readonly isCut: boolean;
}

export interface Start {
  readonly nodes: readonly NodeFacts[];
  /** Nodes that there are. */
  readonly nodesOf: number;
}

export class GraphSource {
  readonly #client: SvcClient;
  readonly #fields: ScopeFields;
  readonly #signal: AbortSignal;
  /** Requests that were sent. */
  requests = 0;

  constructor(client: SvcClient, fields: ScopeFields, signal: AbortSignal) {
    this.#client = client;
    this.#fields = fields;
    this.#signal = signal;
  }

  /** The same graph at another time. */
  at(fields: ScopeFields): GraphSource {
    return new GraphSource(this.#client, { ...this.#fields, ...fields }, this.#signal);
  }

  /** Entities that a transaction after `since` said something of, or of which it took something back, and nodes that such a fact leads to. */
  async changedSince(since: number): Promise<{ readonly iris: readonly string[]; readonly cut: NetChanges['cut'] }> {
    const { tx = LAST_TX, graph } = this.#fields;
    const span = { after: since, until: tx };
    const scope = graph === undefined ? {} : { graph };
    const { changes, cut } = await netChanges(this.#client, span, scope, this.#signal);
    const links = changes.filter(({ predicate, value }) => value.type === 'uri' && predicate !== queries.RDF_TYPE);
    // Ends of links first: a link is what a graph shows.
    const iris = new Set(links.flatMap(({ entity, value }) => [entity, nameOf(value)]));
    for (const { entity } of changes) iris.add(entity);
    return { iris: [...iris].filter(queries.isIri), cut };
  }

  async start(limit: number, type: string | null): Promise<Start> {
    if (Object.keys(this.#fields).length > 0) return this.#startByQuery(limit, type);
    this.requests++;
    const request = type === null ? { limit } : { limit, type };
    const answer = await this.#client.call('graph', request, { signal: this.#signal }).catch((error: unknown) => {
      // The route holds all links in memory; a query counts them as they pass.
      if (error instanceof SvcError && error.code === 'query_complexity') return null;
      throw error;
    });
    if (answer === null) return this.#startByQuery(limit, type, type === null ? await this.#entities() : null);
    const { nodes, truncated } = answer;
    // The route gives the smallest label, in whatever language.
    const known = await this.details(nodes.map(({ iri }) => iri));
    const labels = new Map(known.map(({ iri, label }) => [iri, label]));
    return {
      nodes: nodes.map(({ iri, label, type: shown, deg }) => {
        return { iri, label: labels.get(iri) ?? label, type: shown, degree: deg };
      }),
      nodesOf: truncated.of,
    };
  }

  /** As the store counts them beside its writes: now, and in ROOT. */
  async #entities(): Promise<number> {
    return (await this.#client.call('stats', {}, { signal: this.#signal })).entities;
  }

  /** `counted`: where it is known how many nodes there are, so that they need not be told apart. */
  async #startByQuery(limit: number, type: string | null, counted: number | null = null): Promise<Start> {
    const [rows, nodesOf] = await Promise.all([
      this.#rows(queries.bestConnected(limit, type)),
      counted ?? this.#count(queries.countConnected(type)),
    ]);
    const nodes = rows.map((row) => ({ iri: nameOf(row.e), degree: numberOf(row.degree) }));
    const known = await this.details(nodes.map(({ iri }) => iri));
    const byIri = new Map(known.map((node) => [node.iri, node]));
    return { nodes: nodes.map((node) => ({ ...byIri.get(node.iri), ...node })), nodesOf };
  }

  /** Edges between some nodes. */
  async among(iris: readonly string[], limit: number): Promise<Part> {
    const named = iris.filter(queries.isIri);
    if (named.length === 0) return { nodes: [], edges: [], edgesOf: 0 };
    const edgesOf = await this.#count(queries.countAmong(named));
    const edges: EdgeFacts[] = [];
    for (let offset = 0; offset < Math.min(edgesOf, limit); offset += EDGES_PER_PAGE) {
      const page = { limit: Math.min(EDGES_PER_PAGE, limit - offset), offset };
      edges.push(...(await this.#edges(queries.edgesAmong(named, page))));
    }
    return { nodes: [], edges, edgesOf };
  }

  /** A page of the edges of some nodes, with what is known of the nodes at their ends. `counted`: what a page before has said of `edgesOf`. */
  async around(
    iris: readonly string[],
    page: queries.Page,
    isKnown: (iri: string) => boolean,
    counted: number | null,
  ): Promise<Part> {
    const [edges, edgesOf] = await Promise.all([
      this.#edges(queries.edgesAround(iris, page)),
      counted ?? this.#count(queries.countAround(iris)),
    ]);
    const ends = new Set([...iris, ...edges.flatMap(({ source, target }) => [source, target])]);
    const nodes = await this.details([...ends].filter((iri) => !isKnown(iri)));
    return { nodes, edges, edgesOf };
  }

  /** Labels and types. Blank nodes have no name to ask for: they are left as they are. */
  async details(iris: readonly string[]): Promise<NodeFacts[]> {
    const named = iris.filter(queries.isIri);
    const nodes: NodeFacts[] = [];
    for (let at = 0; at < named.length; at += NODES_PER_REQUEST) {
      const rows = await this.#rows(queries.details(named.slice(at, at + NODES_PER_REQUEST)));
      for (const { e, label, type } of rows) {
        if (e !== undefined) nodes.push({ iri: nameOf(e), label: textOf(label), type: textOf(type) ?? null });
      }
    }
    return nodes;
  }

  /** Entities that a text finds, the best first. Searches know times, and ROOT alone. */
  async find(text: string, limit: number): Promise<string[]> {
    const { graph: _, ...time } = this.#fields;
    this.requests++;
    const request = { query: text, limit, verbose: true, ...time };
    const { nodes } = await this.#client.call('search_nodes', request, { signal: this.#signal });
    return nodes.map(({ iri }) => iri);
  }

  /** Those of the nodes that stand in a fact here. */
  async present(iris: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    const named = iris.filter(queries.isIri);
    for (let at = 0; at < named.length; at += NODES_PER_REQUEST) {
      for (const { e } of await this.#rows(queries.present(named.slice(at, at + NODES_PER_REQUEST))))
        found.add(nameOf(e));
    }
    return found;
  }

  /** Nodes of a shortest way along the edges, the other way round when there is none; empty when there is none at all. */
  async path(from: string, to: string): Promise<string[]> {
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      const rows = await this.#rows(queries.pathBetween(one, other));
      if (rows.length > 0) return rows.map(({ e }) => nameOf(e));
    }
    return [];
  }

  /** The edges that a query gives as `?s ?p ?o`, or as triples. */
  async ofQuery(text: string, limit: number): Promise<QueriedPart> {
    const edges: EdgeFacts[] = [];
    let edgesOf = 0;
    let literals = 0;
    this.requests++;
    const answer = await this.#client.query(text, { ...this.#fields, verbose: true }, { signal: this.#signal });
    for (const { s, p, o } of triplesOf(answer)) {
      if (typeof s !== 'string' || typeof p !== 'string' || typeof o !== 'string' || !isName(s) || !isName(o)) {
        literals++;
        continue;
      }
      edgesOf++;
      if (edges.length < limit) edges.push({ source: s, predicate: p, target: o });
    }
    const ends = new Set(edges.flatMap(({ source, target }) => [source, target]));
    return {
      nodes: await this.details([...ends]),
      edges,
      edgesOf,
      literals,
      isCut: 'truncated' in answer && answer.truncated === true,
    };
  }

  async facts(iri: string, limit: number): Promise<{ rows: Row[]; out: number; in: number }> {
    const [rows, counts] = await Promise.all([
      this.#rows(queries.factsOf(iri, limit)),
      this.#rows(queries.countFacts(iri)),
    ]);
    const of = (way: string): number => numberOf(counts.find((row) => textOf(row.way) === way)?.n);
    return { rows, out: of('out'), in: of('in') };
  }

  async #edges(query: string): Promise<EdgeFacts[]> {
    const rows = await this.#rows(query);
    return rows.map(({ s, p, o }) => ({ source: nameOf(s), predicate: nameOf(p), target: nameOf(o) }));
  }

  async #count(query: string): Promise<number> {
    return numberOf((await this.#rows(query))[0]?.n);
  }

  async #rows(query: string): Promise<Row[]> {
    this.requests++;
    const rows: Row[] = [];
    for await (const row of this.#client.rows(query, this.#fields, { signal: this.#signal })) rows.push(row);
    return rows;
  }
}

/** IRIs as they are, blank nodes as `_:label`. */
function nameOf(term: Term | undefined): string {
  if (term?.type === 'uri') return term.value;
  if (term?.type === 'bnode') return `_:${term.value}`;
  if (term?.type === 'triple') {
    const { subject, predicate, object } = term.value;
    return `<<( ${nameOf(subject)} ${nameOf(predicate)} ${nameOf(object)} )>>`;
  }
  return JSON.stringify(term?.value ?? '');
}

function textOf(term: Term | undefined): string | undefined {
  return term === undefined || term.type === 'triple' ? undefined : term.value;
}

function numberOf(term: Term | undefined): number {
  const number = Number(textOf(term) ?? 0);
  return Number.isFinite(number) ? number : 0;
}

/** A string of the JSON answer that is an IRI or a blank node. */
function isName(text: string): boolean {
  return /^([A-Za-z][A-Za-z0-9+.-]*|_):\S*$/.test(text);
}

type Answer = Awaited<ReturnType<SvcClient['query']>>;

function triplesOf(answer: Answer): Iterable<{ readonly s: unknown; readonly p: unknown; readonly o: unknown }> {
  if ('triples' in answer && Array.isArray(answer.triples)) {
    return answer.triples.map(({ subject, predicate, object }) => ({ s: subject, p: predicate, o: object }));
  }
  if ('rows' in answer && Array.isArray(answer.rows)) {
    const { variables } = answer;
    if (['s', 'p', 'o'].every((name) => variables?.includes(name))) {
      return answer.rows.map(({ s, p, o }) => ({ s, p, o }));
    }
  }
  throw new TypeError(
    'a graph is drawn of a CONSTRUCT or DESCRIBE, or of a SELECT with the variables ?s ?p ?o; write one of these',
  );
}
