/**
 * Where the rows of a pattern come from: graphs as they are stored, or something that is composed of them while it is
 * scanned. Ordered scans, probes, counts and estimates work on either, so an operator of a query need not know which
 * it reads. Nothing is copied: a composed set is a merge of sorted sources.
 *
 * A set is merged when it is one graph made of several: each triple comes once, and its g column is 0. The rows of
 * others keep their graph, and each quad comes once unless a column of time is wanted.
 */

import { getOrInsert } from '../../base/maps.js';
import { type Instant, ROOT_ID, type TermId, type TxId } from '../ids/layout.js';

/**
 * Semantics text 1.4: which rows are visible. A snapshot whose newest transaction is T knows nothing of
 * later ones: to it a row that a later transaction closed is open, and its columns show open ends. The
 * same goes for `asOf` and `asOfValidAt`. `all` is every row that it knows, closed ones with the ends that are known at T.
 */
export type TimeSlice =
  | { readonly kind: 'current' }
  | { readonly kind: 'validAt'; readonly validAt: Instant }
  | { readonly kind: 'asOf'; readonly tx: TxId }
  | { readonly kind: 'asOfValidAt'; readonly tx: TxId; readonly validAt: Instant }
  | {
      readonly kind: 'all';
      /** Only the rows that this transaction opened, or closed, are wanted; others may come, too. */
      readonly openedBy?: TxId | undefined;
      readonly closedBy?: TxId | undefined;
    };

export const CURRENT: TimeSlice = { kind: 'current' };

/**
 * Graphs of the store. `merged: true` is a default graph built of several graphs. `all` is every graph, ROOT included,
 * without those of `except`; `named` leaves out ROOT as well.
 */
export type StoredGraphs =
  | { readonly kind: 'one'; readonly graph: TermId }
  | { readonly kind: 'some'; readonly graphs: readonly TermId[]; readonly merged: boolean }
  | { readonly kind: 'named'; readonly except: readonly TermId[] }
  | { readonly kind: 'all'; readonly except?: readonly TermId[] };

/** What is composed of other sets. */
export type ComposedGraphs =
  /** The rows of all layers. */
  | { readonly kind: 'layers'; readonly layers: readonly GraphSet[]; readonly merged: boolean }
  /** The triples of the base that `removals` does not have, and those of `additions`; merged. */
  | {
      readonly kind: 'overlay';
      readonly base: GraphSet;
      readonly additions: GraphSet;
      readonly removals: GraphSet;
    }
  /** What one transaction asserted or retracted, whatever time is asked about. */
  | { readonly kind: 'changes'; readonly tx: TxId; readonly op: 'assert' | 'retract'; readonly graphs: StoredGraphs }
  /** The same at a time of its own. */
  | { readonly kind: 'timed'; readonly graphs: GraphSet; readonly time: TimeSlice }
  /** The same in another store file that is attached under a name and has this store's term ids. */
  | { readonly kind: 'store'; readonly store: string; readonly graphs: GraphSet };

export type GraphSet = StoredGraphs | ComposedGraphs;

/** True when the triples of a set are those of one graph: equal ones are one. */
export function isMerged(graphs: GraphSet): boolean {
  switch (graphs.kind) {
    case 'some':
    case 'layers':
      return graphs.merged;
    case 'overlay':
      return true;
    case 'timed':
    case 'store':
      return isMerged(graphs.graphs);
    default:
      return false;
  }
}

export function isComposed(graphs: GraphSet): graphs is ComposedGraphs {
  return !(graphs.kind === 'one' || graphs.kind === 'some' || graphs.kind === 'named' || graphs.kind === 'all');
}

/** A set of stored graphs that has part in a composed one, at its time, in the named store; undefined = this one. */
export interface GraphLeaf {
  readonly graphs: StoredGraphs;
  readonly time: TimeSlice;
  readonly store: string | undefined;
}

/** The stored graphs whose rows a set may show; those that only take rows away are left out. */
export function leavesOf(graphs: GraphSet, time: TimeSlice, store?: string): GraphLeaf[] {
  switch (graphs.kind) {
    case 'layers':
      return graphs.layers.flatMap((layer) => leavesOf(layer, time, store));
    case 'overlay':
      return [...leavesOf(graphs.base, time, store), ...leavesOf(graphs.additions, time, store)];
    case 'changes':
      return [{ graphs: graphs.graphs, time: changesTime(graphs), store }];
    case 'timed':
      return leavesOf(graphs.graphs, graphs.time, store);
    case 'store':
      return leavesOf(graphs.graphs, time, graphs.store);
    default:
      return [{ graphs, time, store }];
  }
}

/** The graphs that a set names, whatever becomes of them. */
export function graphsIn(graphs: GraphSet): readonly TermId[] {
  switch (graphs.kind) {
    case 'one':
      return [graphs.graph];
    case 'some':
      return graphs.graphs;
    case 'named':
      return graphs.except;
    case 'all':
      return graphs.except ?? [];
    case 'layers':
      return graphs.layers.flatMap(graphsIn);
    case 'overlay':
      return [graphs.base, graphs.additions, graphs.removals].flatMap(graphsIn);
    default:
      return graphsIn(graphs.graphs);
  }
}

/** Lists of graphs that were looked into: one that comes again may be a long one. */
const listed = new WeakMap<readonly TermId[], ReadonlySet<TermId>>();

/** Whether rows of a graph may be in a set. */
export function graphTest(graphs: GraphSet): (graph: TermId) => boolean {
  switch (graphs.kind) {
    case 'one':
      return (id) => id === graphs.graph;
    case 'some': {
      const wanted = getOrInsert(listed, graphs.graphs, () => new Set(graphs.graphs));
      return (id) => wanted.has(id);
    }
    case 'named': {
      const unwanted = new Set([ROOT_ID, ...graphs.except]);
      return (id) => !unwanted.has(id);
    }
    case 'all': {
      const unwanted = new Set(graphs.except);
      return (id) => !unwanted.has(id);
    }
    default: {
      const tests = leavesOf(graphs, CURRENT).map((leaf) => graphTest(leaf.graphs));
      return (id) => tests.some((test) => test(id));
    }
  }
}

/** The slice that holds what a transaction changed, others' rows perhaps among it. */
export function changesTime({ op, tx }: { readonly op: 'assert' | 'retract'; readonly tx: TxId }): TimeSlice {
  return op === 'assert' ? { kind: 'all', openedBy: tx } : { kind: 'all', closedBy: tx };
}

/** How a set is changed: what becomes of the stored graphs in it, and of the times of its own. */
export interface GraphSetChange {
  readonly stored?: (graphs: StoredGraphs) => StoredGraphs;
  readonly time?: (time: TimeSlice) => TimeSlice;
}

const AS_IT_IS = <Value>(value: Value): Value => value;

/** The set with all that it is composed of changed. */
export function changeGraphs(graphs: GraphSet, change: GraphSetChange): GraphSet {
  const { stored = AS_IT_IS, time = AS_IT_IS } = change;
  const inner = (part: GraphSet): GraphSet => changeGraphs(part, change);
  switch (graphs.kind) {
    case 'layers':
      return { ...graphs, layers: graphs.layers.map(inner) };
    case 'overlay': {
      const { kind, base, additions, removals } = graphs;
      return { kind, base: inner(base), additions: inner(additions), removals: inner(removals) };
    }
    case 'changes':
      return { ...graphs, graphs: stored(graphs.graphs) };
    case 'timed':
      return { ...graphs, graphs: inner(graphs.graphs), time: time(graphs.time) };
    case 'store':
      return { ...graphs, graphs: inner(graphs.graphs) };
    default:
      return stored(graphs);
  }
}

/** True when two sets say the same in the same words. */
export function sameGraphs(a: GraphSet | null, b: GraphSet | null): boolean {
  return samePart(a, b);
}

function samePart(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((part, at) => samePart(part, b[at]));
  }
  const theirs = new Map(Object.entries(b));
  const ours = Object.entries(a);
  return ours.length === theirs.size && ours.every(([key, part]) => samePart(part, theirs.get(key)));
}
