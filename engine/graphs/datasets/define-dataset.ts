/**
 * What a dataset may be called and which members it can have (semantics of graphs, 3). All of a request is checked before anything of
 * it is written, and of many members at once, so that a long list costs no more than a look at each.
 */

import { SvcError, showValue } from '../../base/errors.js';
import { compareCodePoints } from '../../base/text.js';
import { DATASETS, type DatasetMember, type DatasetRow } from '../../query/registry/dataset-rows.js';
import { factsOf, graphExists, hasRow, registeredIds } from '../../query/registry/graph-rows.js';
import { isTombstones, META_GRAPH_IRI, newGraphFault, REGISTRY_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import { targetFault } from '../../query/update/targets.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';
import { ROOT_GRAPH_IRI, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

/** What a request says of a dataset. */
export interface DatasetInput {
  /** An IRI. */
  readonly name: string;
  /** IRIs of graphs, or `{graph, ord}`. */
  readonly members: readonly (string | { readonly graph: string; readonly ord?: number | null | undefined })[];
  /** Takes members that are no registered graphs; they contribute nothing until they are. */
  readonly allowUnregistered?: boolean | undefined;
}

const NAMES = 'urn:svc:dataset:';
const BUILT_IN: ReadonlySet<string> = new Set([ROOT_GRAPH_IRI, META_GRAPH_IRI]);
/** Members that are looked up one by one; of more, all graphs are listed first. */
const FEW = 1000;
/** How many of the members that a refusal is about it names. */
const NAMED_MAX = 3;

/** The row of a request, with its members in the order in which they are shown. */
export function defineDataset({ name, members }: DatasetInput): DatasetRow {
  checkName(name);
  if (!Array.isArray(members) || members.length === 0) {
    throw refused(`a dataset has at least one member; 'members' is a list of IRIs, or of {"graph", "ord"}`);
  }
  const listed = members.map(memberOf);
  const [graphs, ords] = [new Set<string>(), new Map<number, string>()];
  for (const { graph, ord } of listed) {
    if (graphs.has(graph)) throw refused(`the member <${graph}> stands in the list twice`);
    graphs.add(graph);
    if (ord === null) continue;
    const other = ords.get(ord);
    if (other !== undefined) throw refused(`the members <${other}> and <${graph}> have the same ord: ${ord}`);
    ords.set(ord, graph);
  }
  return { name, members: listed.sort(compareMembers) };
}

/** Ranked ones by rank, then the others, by IRI. */
function compareMembers(a: DatasetMember, b: DatasetMember): number {
  const rank = (a.ord ?? Number.POSITIVE_INFINITY) - (b.ord ?? Number.POSITIVE_INFINITY);
  return Number.isNaN(rank) || rank === 0 ? compareCodePoints(a.graph, b.graph) : rank;
}

export function checkName(name: unknown): asserts name is string {
  if (typeof name !== 'string') throw refused(`'name' is ${showValue(name)}; expected an IRI`);
  if (name.startsWith(NAMES))
    throw refused(`names that begin with ${NAMES} are built in, and can not be changed: ${name}`);
  const fault = iriFault(name) ?? targetFault(name) ?? newGraphFault(name);
  if (fault !== null || name === ROOT_GRAPH_IRI) {
    const why = name === ROOT_GRAPH_IRI ? 'is ROOT' : fault;
    throw refused(`the dataset can not be called <${name}>: it ${why}`);
  }
}

/** A member of a request, checked by itself. */
export function memberOf(member: unknown, at: number): DatasetMember {
  const { graph, ord, ...more } = (
    typeof member === 'object' && member !== null ? member : { graph: member }
  ) as Readonly<Record<string, unknown>>;
  const fault = typeof graph === 'string' ? iriFault(graph) : 'is no IRI';
  if (fault !== null || Object.keys(more).length > 0 || Array.isArray(member)) {
    const why = typeof graph === 'string' && fault !== null ? `; <${graph}> ${fault}` : '';
    throw refused(`members[${at}] is ${showValue(member)}; expected an IRI, or {"graph", "ord"}${why}`);
  }
  if (ord !== undefined && ord !== null && !Number.isSafeInteger(ord)) {
    throw refused(`members[${at}]: 'ord' is ${showValue(ord)}; expected an integer`);
  }
  return { graph: graph as string, ord: (ord as number | null | undefined) ?? null };
}

/** What the store has to say about the graphs of a dataset. */
export interface KnownMembers {
  /** In the order of their IRIs. */
  readonly unregistered: readonly string[];
  /** Registered by what they hold alone. */
  readonly rowless: readonly string[];
}

/** Refuses members that are datasets; tells of the others whether they are registered. */
export function lookUpMembers(snapshot: StorageSnapshot, { name, members }: DatasetRow): KnownMembers {
  if (graphExists(snapshot, name)) throw refused(`the dataset can not be called <${name}>: it is a registered graph`);
  const datasets = new Set(DATASETS.names(snapshot)).add(name);
  const known = members.length < FEW ? asked(snapshot) : listed(snapshot);
  const [unregistered, rowless]: [string[], string[]] = [[], []];
  for (const { graph } of members) {
    if (datasets.has(graph) || graph.startsWith(NAMES)) {
      throw refused(`the member <${graph}> is a dataset; the members of a dataset are graphs`);
    }
    if (BUILT_IN.has(graph)) continue;
    const id = snapshot.encode(terms.namedNode(graph));
    const [row, facts] = id === null ? [false, false] : [known.hasRow(id), known.hasFacts(id)];
    if (!(row || facts) || graph === REGISTRY_GRAPH_IRI || isTombstones(graph)) unregistered.push(graph);
    else if (!row) rowless.push(graph);
  }
  return { unregistered: unregistered.sort(compareCodePoints), rowless };
}

/** What is known of graphs by their ids. */
interface KnownGraphs {
  hasRow(graph: TermId): boolean;
  hasFacts(graph: TermId): boolean;
}

/** Looked up one by one. */
function asked(snapshot: StorageSnapshot): KnownGraphs {
  return {
    hasRow: (graph) => hasRow(snapshot, graph),
    hasFacts: (graph) => factsOf(snapshot, graph) > 0,
  };
}

/** Of all graphs at once. */
function listed(snapshot: StorageSnapshot): KnownGraphs {
  const [rows, graphs] = [new Set(registeredIds(snapshot)), new Set(snapshot.graphs())];
  return { hasRow: (graph) => rows.has(graph), hasFacts: (graph) => graphs.has(graph) };
}

export function refuseUnregistered(unregistered: readonly string[]): void {
  const [first, ...others] = unregistered;
  if (first === undefined) return;
  const more =
    others.length < NAMED_MAX ? others : [...others.slice(0, NAMED_MAX - 1), `${others.length + 1 - NAMED_MAX} more`];
  throw new SvcError('not_found_in_store', `unknown graph: ${[first, ...more].join(', ')}`, {
    hint: 'register it first (svc graph create), or say allow_unregistered: true',
  });
}

function refused(message: string): SvcError {
  return new SvcError('invalid_request', message);
}
