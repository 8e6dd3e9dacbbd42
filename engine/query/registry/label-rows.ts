/**
 * Labels of graphs as the registry keeps them: one quad, `<graph> svc:graphLabels "JSON"`, made of the facts of the meta graph
 * in the transaction that declares them (semantics of graphs, 2.4 and 2.5). The facts count; this is what a query reads,
 * since it has each axis with the moment at which it expires.
 */

import { type Quad, type Term, terms } from '../../rdf/terms.js';
import type { Instant, TermId } from '../../storage/ids/layout.js';
import { decodeIds, exactly } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot, type TimeSlice } from '../../storage/seam/scan.js';
import { idsOf } from './graph-rows.js';
import { REGISTRY, SVC_NS } from './system-graphs.js';

/** Best first. */
export const FRESHNESS = ['fresh', 'recomputing', 'stale'] as const;
export const DURABILITY = ['backed', 'reproducible', 'soleRecord'] as const;
/** Besides what a store adds by its configuration. */
export const GRAPH_KINDS = ['operational', 'archive', 'reference', 'derived', 'staging', 'quarantine'] as const;
export type Freshness = (typeof FRESHNESS)[number];
export type Durability = (typeof DURABILITY)[number];

export interface Trust {
  readonly iri: string;
  readonly chain: string;
  /** Higher = more trusted, within one chain only. */
  readonly rank: number;
}

export interface Declared<Value> {
  readonly value: Value;
  /** From this moment on the axis reads as undeclared; null = it does not expire. */
  readonly validTo: Instant | null;
}

/** What is declared of one graph; an axis that is absent is not declared. */
export interface GraphLabels {
  readonly freshness?: Declared<Freshness>;
  readonly durability?: Declared<Durability>;
  readonly trust?: Declared<Trust>;
  /** Sorted, each once; empty = "no obligations". */
  readonly policy?: Declared<readonly string[]>;
  readonly kind?: Declared<string>;
}

export const AXES = ['freshness', 'durability', 'trust', 'policy', 'kind'] as const;
export type Axis = (typeof AXES)[number];

export const LABELS = terms.namedNode(`${SVC_NS}graphLabels`);

/** The quad of the registry that keeps labels. */
export function quadOfLabels(graph: string, labels: GraphLabels): Quad {
  return terms.quad(terms.namedNode(graph), LABELS, terms.literal(JSON.stringify(labels)), REGISTRY);
}

/** The labels of every graph that has any, by the id of the graph; expired axes among them. */
export function allLabels(snapshot: StorageSnapshot, time: TimeSlice = CURRENT): Map<TermId, GraphLabels> {
  const p = snapshot.encode(LABELS, true);
  const found = new Map<TermId, GraphLabels>();
  if (p === null) return found;
  const rows = idsOf(snapshot, { p: exactly(p) }, ['s', 'o'], time);
  const texts = decodeIds(
    snapshot,
    rows.map((row) => row[1] as TermId),
  );
  for (const [at, row] of rows.entries()) {
    const labels = readLabels((texts[at] as Term).value);
    if (labels !== null) found.set(row[0] as TermId, labels);
  }
  return found;
}

/** The labels of one graph; an empty object where nothing is declared. */
export function labelsOf(snapshot: StorageSnapshot, graph: string): GraphLabels {
  const [s, p] = [snapshot.encode(terms.namedNode(graph)), snapshot.encode(LABELS, true)];
  if (s === null || p === null) return {};
  const [text] = decodeIds(snapshot, idsOf(snapshot, { s: exactly(s), p: exactly(p) }, ['o']).flat());
  return (text === undefined ? null : readLabels(text.value)) ?? {};
}

/** Without the axes that have expired at `now`. */
export function unexpired(labels: GraphLabels, now: Instant): GraphLabels {
  const kept = AXES.filter((axis) => {
    const end = labels[axis]?.validTo;
    return end === null || (end !== undefined && now < end);
  });
  return Object.fromEntries(kept.map((axis) => [axis, labels[axis]]));
}

/** Null for what was not written by us. */
export function readLabels(value: string): GraphLabels | null {
  try {
    const read: unknown = JSON.parse(value);
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as GraphLabels) : null;
  } catch {
    return null;
  }
}
