/**
 * Which graphs names and fields of a request stand for, in one snapshot (semantics of graphs, 2.3, 3, 5): what evaluates a
 * query and what tells of its answer ask here, so that both mean the same graphs.
 *
 *  1. FROM and FROM NAMED beat every field; then a fork; then an overlay; then a graph or a dataset, with graphs of some kinds.
 *  2. A dataset stands for its members that are registered; a graph for itself, whether it is registered or not.
 *  3. The rows of a frozen graph come from the store that it lies in, those of an overlay's view are composed; both may stand
 *     beside stored graphs.
 *  4. `inferred` adds the companion of each graph so found: the rows that rules derived from it.
 *  5. Registration, classes and members are those of the transaction that is asked about; labels and lifecycles are those of now.
 *
 * Answers are kept while the registry says the same; those that rest on facts or unknown terms, as long as nothing is written,
 * and those that rest on labels until the next one expires. One that has not changed stays the same object.
 */

import { SvcError } from '../../../base/errors.js';
import { getOrInsert } from '../../../base/maps.js';
import { ROOT_GRAPH_IRI, type Term, terms } from '../../../rdf/terms.js';
import { type Instant, ROOT_ID, type TermId } from '../../../storage/ids/layout.js';
import { decodeIds, idIn } from '../../../storage/seam/rows.js';
import {
  CURRENT,
  type GraphSet,
  type IdColumn,
  type StorageSnapshot,
  type TimeSlice,
} from '../../../storage/seam/scan.js';
import { sameGraphs } from '../../../storage/seam/source.js';
import type { DatasetClause, TouchedGraphs } from '../../algebra/algebra.js';
import { plainTerm } from '../../algebra/slot.js';
import type { ReadScope } from '../../read-context.js';
import { ascending } from '../../registry/book-part.js';
import { FROZEN_DATASET } from '../../registry/dataset-rows.js';
import { forkGraph } from '../../registry/fork-rows.js';
import type { GraphBook, GraphBooks, KeptScope, ResolvedGraphs } from '../../registry/graph-book.js';
import { composedView, type Precedence } from '../../registry/overlay-rows.js';
import { companionOf, isCompanion, registryId, systemGraphIds } from '../../registry/system-graphs.js';

/** Names, and what is known of them so far. */
interface Named {
  readonly ids: Set<TermId>;
  /** The same where one name stands for registered graphs alone, ascending. */
  only?: readonly TermId[];
  /** Something of it may change with the next transaction, whatever that writes. */
  passing: boolean;
}

/** Of an id in a list, its object and the lists of its set included. */
const ID_BYTES = 48;
/** More graphs without rows than these are looked up in the list of graphs that hold facts. */
const SINGLE_LOOKUPS_MAX = 32;

const ROOT_ONLY: ResolvedGraphs = { graphs: { kind: 'one', graph: ROOT_ID }, ids: [ROOT_ID], members: [ROOT_ID] };
const NO_PARTS: readonly (readonly TermId[])[] = [];

/** A row of the registry. */
interface KnownOverlay {
  readonly id: TermId;
  readonly parent: string;
}

export class GraphScope {
  readonly #snapshot: StorageSnapshot;
  readonly #time: TimeSlice;
  /** At which graphs hold facts that register them. */
  readonly #slice: TimeSlice;
  readonly #books: GraphBooks;
  readonly #now: GraphBook;
  readonly #then: GraphBook;

  constructor(snapshot: StorageSnapshot, time: TimeSlice, books: GraphBooks) {
    this.#snapshot = snapshot;
    this.#time = time;
    this.#slice = 'tx' in time ? { kind: 'asOf', tx: time.tx } : CURRENT;
    this.#books = books;
    this.#now = books.now(snapshot);
    this.#then = books.at(snapshot, time);
  }

  /** Refuses a fork or an overlay that can't be read, also where the text says what is read instead. */
  check({ fork, overlay }: ReadScope): void {
    if (fork !== undefined) this.#checkFork(fork);
    if (overlay !== undefined) this.#overlayOf(overlay);
  }

  /** The default graph. */
  defaults(clause: DatasetClause | null, scope: ReadScope): ResolvedGraphs {
    if (clause !== null) return this.#named(clause.defaultGraphs, true);
    const asked = this.#ofFields(scope);
    return scope.inferred === true ? this.#withCompanions(asked, scope) : asked;
  }

  /** What the fields of a request make the default graph. */
  #ofFields({ fork, overlay, graph, precedence = 'nearest', includeKinds = [] }: ReadScope): ResolvedGraphs {
    if (fork !== undefined) return this.#named([forkGraph(fork)], true);
    if (overlay !== undefined) return this.#composed(overlay, precedence);
    if (includeKinds.length > 0) return this.#withKinds(graph, includeKinds);
    return graph === undefined ? ROOT_ONLY : this.#named([graph], true);
  }

  /** Those of FROM NAMED. */
  named(clause: DatasetClause): ResolvedGraphs {
    return this.#named(clause.namedGraphs, false);
  }

  /** One graph by its IRI. */
  one(graph: TermId): GraphSet {
    return this.#setOf([graph], true) as GraphSet;
  }

  get frozen(): readonly TermId[] {
    return this.#now.frozen(this.#snapshot);
  }

  /** Graphs that a free GRAPH never binds. */
  unbound(): readonly TermId[] {
    const snapshot = this.#snapshot;
    const hidden = this.#then.hidden(snapshot);
    const [frozen, tombstones] = [this.frozen, this.#now.tombstones(snapshot)];
    return [...new Set([...systemGraphIds(snapshot), ...hidden, ...frozen, ...tombstones])];
  }

  /** Graphs that exist, with facts or without: at the time that is asked about. */
  existing(): readonly TermId[] {
    const meta = systemGraphIds(this.#snapshot).filter((id) => id !== registryId(this.#snapshot));
    return [...new Set([...this.#holding(), ROOT_ID, ...meta, ...this.#then.registered(this.#snapshot)])];
  }

  exists(graph: TermId): boolean {
    return this.#then.isRegistered(this.#snapshot, graph, this.#slice);
  }

  /** The graphs that a query could read, in parts: lists that are ascending, the same object as long as they are the same. */
  touched({ readsDefault, named, isFree }: TouchedGraphs, clause: DatasetClause | null, scope: ReadScope) {
    if (readsDefault && named.length === 0 && !isFree) return [this.defaults(clause, scope).members];
    const parts: (readonly TermId[])[] = readsDefault ? [this.defaults(clause, scope).members] : [...NO_PARTS];
    for (const term of named) {
      const graph = this.#snapshot.encode(plainTerm(term) as Term);
      if (graph === null || (clause !== null && !this.named(clause).ids.includes(graph))) continue;
      if (this.exists(graph)) parts.push([graph]);
    }
    if (isFree) parts.push(clause === null ? this.#active() : this.named(clause).members);
    return parts;
  }

  /** Named graphs that a free GRAPH ranges over. */
  #active(): readonly TermId[] {
    return this.#keep('active', () => {
      const unbound = new Set(this.unbound());
      const ids = ascending(this.existing().filter((id) => id !== ROOT_ID && !unbound.has(id)));
      return { resolved: { graphs: null, ids, members: ids }, tx: this.#snapshot.tx };
    }).members;
  }

  #named(names: readonly string[], merged: boolean): ResolvedGraphs {
    if (names.length === 0) return { graphs: null, ids: [], members: [] };
    return this.#keep(JSON.stringify([merged, names]), () => {
      const found: Named = { ids: new Set(), passing: false };
      const [name] = names;
      if (names.length === 1 && name !== undefined) {
        const members = this.#membersOf(name, found);
        if (members === null) this.#find(name, found);
        else found.only = members;
      } else for (const each of names) this.#find(each, found);
      return this.#resolved(found, merged);
    });
  }

  #resolved(found: Named, merged: boolean): Answered {
    const { only } = found;
    // One dataset stands for graphs that are registered.
    const ids = only ?? ascending(found.ids);
    const members = only ?? this.#registered(ids, found);
    return {
      resolved: { graphs: this.#setOf(ids, merged), ids, members },
      tx: found.passing ? this.#snapshot.tx : null,
    };
  }

  #find(name: string, found: Named): void {
    const members = this.#membersOf(name, found);
    if (members !== null) {
      for (const id of members) found.ids.add(id);
      return;
    }
    const id = this.#snapshot.encode(terms.namedNode(name));
    if (id === null) found.passing = true;
    else found.ids.add(id);
  }

  /** The registered members of a dataset, ascending; null = there is none of the name. */
  #membersOf(name: string, found: Named): readonly TermId[] | null {
    if (name === FROZEN_DATASET) return this.#registered(this.frozen, found);
    const members = this.#then.dataset(this.#snapshot, name);
    if (members === null) return null;
    if (!members.whole) found.passing = true;
    return this.#registered(members.ids, found);
  }

  /** Those that are registered, by a row or by facts; the latter may have none with the next transaction, or some. */
  #registered(ids: readonly TermId[], found: Named): readonly TermId[] {
    const snapshot = this.#snapshot;
    const others = this.#then.rowless(snapshot, ids);
    if (others.length === 0) return ids;
    found.passing = true;
    const many = others.length > SINGLE_LOOKUPS_MAX;
    const holding = many ? new Set(this.existing()) : null;
    const absent = new Set(others.filter((id) => !(holding === null ? this.exists(id) : holding.has(id))));
    return absent.size === 0 ? ids : ids.filter((id) => !absent.has(id));
  }

  /** Graphs with rows at the time that is asked about. */
  #holding(): readonly TermId[] {
    if (!('tx' in this.#time)) return this.#snapshot.graphs();
    return this.#then.answer(`holding at ${this.#time.tx}`, () => graphsAt(this.#snapshot, this.#slice));
  }

  /** Several graphs as one, or each by itself. */
  #setOf(ids: readonly TermId[], merged: boolean): GraphSet | null {
    const frozen = this.frozen;
    const isAway = (id: TermId): boolean => this.#now.isFrozen(this.#snapshot, id);
    const away = frozen.length === 0 ? [] : ids.filter(isAway);
    const here = away.length === 0 ? ids : ids.filter((id) => !isAway(id));
    const layers = away.map((graph) => this.#archived(graph));
    if (here.length === 1 && (merged || layers.length > 0)) layers.unshift({ kind: 'one', graph: here[0] as TermId });
    else if (here.length > 0) layers.unshift({ kind: 'some', graphs: here, merged });
    if (layers.length === 0) return null;
    return layers.length === 1 && (merged || away.length === 0)
      ? (layers[0] as GraphSet)
      : { kind: 'layers', layers, merged };
  }

  #archived(graph: TermId): GraphSet {
    const store = this.#now.sourceOf(this.#snapshot, graph);
    const graphs = { kind: 'one', graph } as const;
    return store === null ? graphs : { kind: 'store', store, graphs };
  }

  #withKinds(graph: string | undefined, kinds: readonly string[]): ResolvedGraphs {
    const instant = this.#books.clock();
    return this.#keep(JSON.stringify([graph ?? null, 'with kinds', kinds]), () => {
      const found: Named = { ids: new Set(graph === undefined ? [ROOT_ID] : []), passing: false };
      if (graph !== undefined) this.#find(graph, found);
      const { ids, until } = this.#ofKinds(new Set(kinds), instant);
      for (const id of this.#registered(ids, found)) found.ids.add(id);
      return { ...this.#resolved(found, true), between: [instant, until] };
    });
  }

  /** Committed graphs whose effective kind is one of some, and until when that is so. */
  #ofKinds(kinds: ReadonlySet<string>, now: Instant): { readonly ids: readonly TermId[]; readonly until: Instant } {
    const snapshot = this.#snapshot;
    const ids: TermId[] = kinds.has('archive') ? [...this.frozen] : [];
    let until = Number.POSITIVE_INFINITY;
    for (const [graph, { kind }] of this.#now.allLabels(snapshot)) {
      if (kind === undefined || !kinds.has(kind.value) || this.#now.isFrozen(snapshot, graph)) continue;
      if (kind.validTo !== null && kind.validTo <= now) continue;
      until = Math.min(until, kind.validTo ?? until);
      if (this.#then.isOverlay(snapshot, graph)) continue;
      if (kind.value !== 'quarantine' && this.#now.isQuarantine(snapshot, graph)) continue;
      ids.push(graph);
    }
    return { ids: ascending(ids), until };
  }

  #composed(iri: string, precedence: Precedence): ResolvedGraphs {
    const overlay = this.#overlayOf(iri);
    return this.#keep(JSON.stringify(['overlay', iri, precedence]), () => {
      const graphs = composedView(this.#snapshot, { iri, parent: overlay.parent }, precedence);
      const parent = this.#snapshot.encode(terms.namedNode(overlay.parent));
      const ids = ascending(parent === null ? [overlay.id] : [overlay.id, parent]);
      return { resolved: { graphs, ids, members: ids }, tx: this.#snapshot.tx };
    });
  }

  /** The same with what was derived from each of its graphs; a triple of both is one. */
  #withCompanions(asked: ResolvedGraphs, { overlay }: ReadScope): ResolvedGraphs {
    return this.#keep(`${numberOf(asked)} with companions`, () => {
      const found: Named = { ids: new Set(), passing: false };
      for (const { value } of decodeIds(this.#snapshot, asked.ids)) {
        if (!isCompanion(value)) this.#find(companionOf(value), found);
      }
      const derived = ascending(found.ids);
      const companions = this.#registered(derived, found);
      const ids = ascending(new Set([...asked.ids, ...derived]));
      const members = ascending(new Set([...asked.members, ...companions]));
      // The view of an overlay is composed of its graphs; any other set is the graphs themselves.
      const graphs =
        overlay === undefined ? this.#setOf(ids, true) : inLayers([asked.graphs, this.#setOf(derived, true)]);
      return { resolved: { graphs, ids, members, companions }, tx: found.passing ? this.#snapshot.tx : null };
    });
  }

  #overlayOf(iri: string): KnownOverlay {
    const known = this.#then.answer(`overlay ${iri}`, () => this.#findOverlay(iri));
    if (known !== null) return known;
    const id = this.#snapshot.encode(terms.namedNode(iri));
    const when = 'tx' in this.#time ? ` at transaction ${this.#time.tx}` : '';
    const there = id !== null && this.#then.isRegistered(this.#snapshot, id, this.#slice);
    const what = there ? `the graph <${iri}> is no overlay` : `there is no overlay <${iri}>${when}`;
    throw new SvcError('invalid_request', what, { hint: 'make it with /overlay/create' });
  }

  #findOverlay(iri: string): KnownOverlay | null {
    const id = this.#snapshot.encode(terms.namedNode(iri));
    if (id === null || !this.#then.isOverlay(this.#snapshot, id)) return null;
    return { id, parent: this.#then.parentOf(this.#snapshot, id) ?? ROOT_GRAPH_IRI };
  }

  #checkFork(name: string): void {
    const fork = this.#now.fork(this.#snapshot, name);
    if (fork === null) throw new SvcError('not_found_in_store', `no such fork: ${name}`);
    if (fork.status !== 'dropped') return;
    throw new SvcError('invalid_request', `the fork ${name} is dropped, and can't be read by its name`, {
      hint: `its facts are still there: read the graph ${forkGraph(name)}`,
    });
  }

  #keep(question: string, answer: () => Answered): ResolvedGraphs {
    const { staged, tx } = this.#snapshot;
    if (staged) return answer().resolved;
    const name = 'tx' in this.#time ? `${question} at ${this.#time.tx}` : question;
    const { catalogTx } = this.#now;
    const kept = this.#books.scopes.use(name);
    if (kept !== undefined && kept.catalogTx === catalogTx && (kept.tx === null || kept.tx === tx)) {
      if (kept.between === null || isWithin(this.#books.clock(), kept.between)) return kept.resolved;
    }
    const { between = null, ...found } = answer();
    const resolved = kept !== undefined && sameResolved(kept.resolved, found.resolved) ? kept.resolved : found.resolved;
    const bytes = 2 * name.length + ID_BYTES * (resolved.ids.length + resolved.members.length);
    this.#books.scopes.set(name, { resolved, catalogTx, tx: found.tx, between }, bytes);
    return resolved;
  }
}

/** Sets as one graph; null = none. */
function inLayers(sets: readonly (GraphSet | null)[]): GraphSet | null {
  const layers = sets.filter((set) => set !== null);
  return layers.length > 1 ? { kind: 'layers', layers, merged: true } : (layers[0] ?? null);
}

interface Answered extends Pick<KeptScope, 'resolved' | 'tx'> {
  readonly between?: KeptScope['between'];
}

function isWithin(now: Instant, [from, to]: readonly [Instant, Instant]): boolean {
  return now >= from && now < to;
}

function sameResolved(a: ResolvedGraphs, b: ResolvedGraphs): boolean {
  if (!sameLists(a.ids, b.ids) || !sameGraphs(a.graphs, b.graphs)) return false;
  if (!sameLists(a.companions ?? [], b.companions ?? [])) return false;
  return (a.ids === a.members && b.ids === b.members) || sameLists(a.members, b.members);
}

function sameLists(a: readonly TermId[], b: readonly TermId[]): boolean {
  return a === b || (a.length === b.length && a.every((id, at) => id === b[at]));
}

const numbers = new WeakMap<ResolvedGraphs, number>();
let lastNumber = 0;

/** Tells what names stand for from what they stood for before. */
export function numberOf(resolved: ResolvedGraphs): number {
  return getOrInsert(numbers, resolved, () => {
    lastNumber++;
    return lastNumber;
  });
}

/** Graphs with rows at a time: one seek for each. */
function graphsAt(snapshot: StorageSnapshot, time: TimeSlice): readonly TermId[] {
  const cursor = snapshot.scan({ graphs: { kind: 'all' }, pattern: {}, order: 'GSPO', time, columns: ['g'] });
  const found: TermId[] = [];
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const rows = batch.selection?.length ?? batch.rows;
      for (let at = 0; at < rows; at++) {
        const id = idIn(batch.columns.g as IdColumn, batch.selection?.[at] ?? at);
        if (id !== found.at(-1)) found.push(id);
      }
      cursor.seek([((found.at(-1) as bigint) + 1n) as TermId]);
    }
  } finally {
    cursor.close();
  }
  return found;
}
