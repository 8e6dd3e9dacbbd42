/**
 * What an answer says of the graphs that its query could read, and the refusal of a query whose graphs are below a floor
 * (semantics of graphs, 2.7 and 2.8). Labels of a list of graphs are kept while the registry says the same and nothing of them
 * expires.
 */

import { compareCodePoints } from '../../base/text.js';
import type { AskedGraphs } from '../../query/registry/asked-graphs.js';
import type { GraphBook } from '../../query/registry/graph-book.js';
import {
  AXES,
  type Durability,
  type Freshness,
  type GraphLabels,
  type Trust,
  unexpired,
} from '../../query/registry/label-rows.js';
import type { Instant, TermId, TxId } from '../../storage/ids/layout.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import {
  ALL_UNDECLARED,
  type Composed,
  type ComposedLabels,
  type Coverage,
  composeLabels,
  labelOfOne,
  NO_GRAPHS,
} from './compose.js';
import { checkFloors, floorRefusal, hasFloors, type LabelFloors, type Shortfall, shortfallOf } from './floors.js';

/** The label of an answer; null when none of its graphs declares anything. */
export type AnswerLabels =
  | {
      readonly freshness: Composed<Freshness>;
      readonly durability: Composed<Durability>;
      readonly trust: Composed<Trust>;
      readonly policy: Composed<readonly string[]>;
      readonly kind: Composed<readonly string[]>;
    }
  /** Its graphs are ranked in two chains, so that it can't be stated. */
  | { readonly error: string }
  | null;

/** What a list of graphs came to, as long as it holds. */
interface Kept {
  readonly catalogTx: TxId;
  readonly from: Instant;
  readonly until: Instant;
  readonly composed: ComposedLabels;
  /** By floors, the first graph that is below them. */
  readonly below: Map<string, Below | null>;
}

/** The first graph below some floors, by IRI, and all that are below them. */
interface Below {
  readonly graph: TermId;
  readonly iri: string;
  readonly shortfall: Shortfall;
  /** Ascending. */
  readonly all: readonly TermId[];
}

/** How one snapshot is read at one moment. */
interface Reading {
  readonly snapshot: StorageSnapshot;
  readonly book: GraphBook;
  readonly now: Instant;
}

const READ_ANOTHER = 'label the graph, or read another one with graph, FROM or GRAPH';

/** Lists of so many graphs are composed again each time: looking up what was kept costs as much. */
const SHORT_MAX = 2;

export class LabelKeeper {
  readonly #kept = new WeakMap<readonly TermId[], Kept>();

  /** The label of an answer. Throws when a graph is below a floor. */
  labelsOf({ snapshot, books, parts, endpoints }: AskedGraphs, floors: LabelFloors | undefined): AnswerLabels {
    const reading = { snapshot, book: books.now(snapshot), now: books.clock() };
    if (floors !== undefined && hasFloors(floors)) {
      checkFloors(floors);
      this.#refuse(parts, floors, reading);
      refuseUndeclared(endpoints, floors);
    }
    let composed = NO_GRAPHS;
    for (const part of parts) composed = composeLabels(composed, this.#composed(part, reading));
    if (endpoints.length > 0) composed = composeLabels(composed, ALL_UNDECLARED);
    return shownComposed(composed);
  }

  #composed(graphs: readonly TermId[], reading: Reading): ComposedLabels {
    if (graphs.length > SHORT_MAX) return this.#keptFor(graphs, reading).composed;
    return composeAll(graphs.map((graph) => effectiveLabels(graph, reading)));
  }

  #keptFor(graphs: readonly TermId[], reading: Reading): Kept {
    const { snapshot, book, now } = reading;
    const known = this.#kept.get(graphs);
    const { catalogTx } = book;
    if (known !== undefined && known.catalogTx === catalogTx && now >= known.from && now < known.until) return known;
    book.prepareLabels(snapshot);
    const distinct = distinctLabels(graphs, reading);
    let until = Number.POSITIVE_INFINITY;
    for (const { declared } of distinct) {
      for (const axis of AXES) {
        const end = declared?.[axis]?.validTo ?? null;
        if (end !== null && end > now) until = Math.min(until, end);
      }
    }
    const labels = distinct.map((one) => effective(one, now));
    const kept = { catalogTx, from: now, until, composed: composeAll(labels), below: new Map() };
    if (!snapshot.staged) this.#kept.set(graphs, kept);
    return kept;
  }

  #refuse(parts: AskedGraphs['parts'], floors: LabelFloors, reading: Reading): void {
    const found = parts.map((part) => this.#below(part, floors, reading)).filter((one) => one !== null);
    const [first] = found.sort((a, b) => compareCodePoints(a.iri, b.iri));
    if (first !== undefined) throw floorRefusal(`the graph <${first.iri}>`, first.shortfall, READ_ANOTHER);
  }

  #below(graphs: readonly TermId[], floors: LabelFloors, reading: Reading): Below | null {
    if (graphs.length <= SHORT_MAX) return firstBelow(graphs, floors, reading, null);
    const earlier = this.#kept.get(graphs)?.below;
    const { below } = this.#keptFor(graphs, reading);
    const name = JSON.stringify(floors);
    const known = below.get(name);
    if (known !== undefined) return known;
    const found = firstBelow(graphs, floors, reading, earlier?.get(name) ?? null);
    below.set(name, found);
    return found;
  }
}

/** What a graph is declared as, perhaps no more, and whether it is frozen. */
interface Given {
  readonly declared: GraphLabels | null;
  readonly isFrozen: boolean;
}

/** What graphs are declared as, each once: graphs with the same text have the same object. */
function distinctLabels(graphs: readonly TermId[], { snapshot, book }: Reading): Given[] {
  const [live, frozen] = [new Set<GraphLabels | null>(), new Set<GraphLabels | null>()];
  const someFrozen = book.frozen(snapshot).length > 0;
  for (const graph of graphs) {
    (someFrozen && book.isFrozen(snapshot, graph) ? frozen : live).add(book.labels(snapshot, graph));
  }
  const toGiven = (isFrozen: boolean) => (declared: GraphLabels | null) => ({ declared, isFrozen });
  return [...[...live].map(toGiven(false)), ...[...frozen].map(toGiven(true))];
}

/** What that comes to now; a graph that is frozen is an archive, whatever was declared. */
function effective({ declared, isFrozen }: Given, now: Instant): GraphLabels {
  const left = declared === null ? NO_LABELS : unexpired(declared, now);
  return isFrozen ? { ...left, kind: { value: 'archive', validTo: null } } : left;
}

function effectiveLabels(graph: TermId, { snapshot, book, now }: Reading): GraphLabels {
  return effective({ declared: book.labels(snapshot, graph), isFrozen: book.isFrozen(snapshot, graph) }, now);
}

const NO_LABELS: GraphLabels = {};

function composeAll(labels: readonly GraphLabels[]): ComposedLabels {
  let composed = NO_GRAPHS;
  const seen = new Set<GraphLabels>();
  for (const one of labels) {
    // Composing is idempotent: what was composed already changes nothing.
    if (seen.has(one)) continue;
    if (one === NO_LABELS) seen.add(one);
    composed = composeLabels(composed, one === NO_LABELS ? ALL_UNDECLARED : labelOfOne(one));
  }
  return composed;
}

/** `earlier`: what was found before, whose graphs need not be named again; an id never names another graph. */
function firstBelow(
  graphs: readonly TermId[],
  floors: LabelFloors,
  reading: Reading,
  earlier: Below | null,
): Below | null {
  const shortfalls = new Map<TermId, Shortfall>();
  for (const graph of graphs) {
    const shortfall = shortfallOf(effectiveLabels(graph, reading), floors);
    if (shortfall !== null) shortfalls.set(graph, shortfall);
  }
  if (shortfalls.size === 0) return null;
  const all = [...shortfalls.keys()];
  const known = earlier !== null && shortfalls.has(earlier.graph) ? earlier : null;
  const unknown = known === null ? all : missingIn(all, known.all);
  const names = decodeIds(reading.snapshot, unknown).map(({ value }, at) => [unknown[at] as TermId, value] as const);
  if (known !== null) names.push([known.graph, known.iri]);
  const [graph, iri] = names.reduce((first, one) => (compareCodePoints(one[1], first[1]) < 0 ? one : first));
  return { graph, iri, shortfall: shortfalls.get(graph) as Shortfall, all };
}

/** Those of an ascending list that another one has not. */
function missingIn(ids: readonly TermId[], others: readonly TermId[]): TermId[] {
  let at = 0;
  return ids.filter((id) => {
    while (at < others.length && (others[at] as TermId) < id) at++;
    return others[at] !== id;
  });
}

/** An endpoint of SERVICE is below every floor: nobody declares what it holds. */
function refuseUndeclared([endpoint]: readonly string[], floors: LabelFloors): void {
  const shortfall = endpoint === undefined ? null : shortfallOf(NO_LABELS, floors);
  if (shortfall !== null) throw floorRefusal(`the endpoint <${endpoint}>`, shortfall, 'ask without SERVICE');
}

/** A composed label as answers show it. */
export function shownComposed({ trust, ...others }: ComposedLabels): AnswerLabels {
  if (trust.value === null && Object.values(others).every(({ value }) => value === null)) return null;
  const [only, other] = trust.value ?? [];
  if (only !== undefined && other !== undefined) {
    const chains = `<${only.chain}> and <${other.chain}>`;
    return {
      error: `the labels can not be composed: trust is declared in two chains, ${chains}, whose ranks do not compare`,
    };
  }
  const { freshness, durability, policy, kind } = others;
  return { freshness, durability, trust: oneTrust(only ?? null, trust.coverage), policy, kind };
}

/** What the label of an answer over so many graphs was composed to; null where it can't be stated. */
export function composedOf(labels: AnswerLabels, graphs: number): ComposedLabels | null {
  if (labels === null) return graphs === 0 ? NO_GRAPHS : ALL_UNDECLARED;
  if ('error' in labels) return null;
  const { trust, ...others } = labels;
  return { ...others, trust: { value: trust.value === null ? null : [trust.value], coverage: trust.coverage } };
}

function oneTrust(value: Trust | null, coverage: Coverage): Composed<Trust> {
  return { value, coverage };
}
