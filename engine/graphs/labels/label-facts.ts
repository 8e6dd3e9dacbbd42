/**
 * Declared labels as facts of the meta graph (semantics of graphs, 2.4 and 2.5), which are what counts:
 *
 * | Axis | Facts on the graph IRI |
 * |---|---|
 * | freshness, durability, kind | `svc:freshness`, `svc:durability`, `svc:dataKind`, one literal each |
 * | trust | `svc:trust`, an IRI, which itself has `svc:inChain` and `svc:trustRank` |
 * | policy | `svc:policyClass`, a literal for each token; for none at all `svc:policyNone true` |
 *
 * A declaration with an end has rows that end from birth, which nothing closes later. What an axis says is therefore: its
 * current facts where it has some, else the rows with an end that the newest transaction wrote. An axis that has expired
 * keeps saying what it said, with its end: reads leave it out, and no older declaration comes back.
 */

import { addTo, getOrInsert } from '../../base/maps.js';
import { compareCodePoints } from '../../base/text.js';
import {
  AXES,
  type Axis,
  type Declared,
  DURABILITY,
  FRESHNESS,
  type GraphLabels,
  type Trust,
} from '../../query/registry/label-rows.js';
import { META_GRAPH_IRI, SVC_NS } from '../../query/registry/system-graphs.js';
import { type NamedNode, type Quad, type Term, terms, XSD } from '../../rdf/terms.js';
import type { Instant, TermId, TxId } from '../../storage/ids/layout.js';
import { exactly, type RowBatch, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import type { LabelValues } from './parse-labels.js';

const META = terms.namedNode(META_GRAPH_IRI);
const word = (name: string): NamedNode => terms.namedNode(SVC_NS + name);

const POLICY_NONE = word('policyNone');
const IN_CHAIN = word('inChain');
const TRUST_RANK = word('trustRank');
const TRUE = terms.literal('true', terms.namedNode(`${XSD}boolean`));
const INTEGER = terms.namedNode(`${XSD}integer`);

/** The predicates of each axis. */
const PREDICATES: Readonly<Record<Axis, readonly NamedNode[]>> = {
  freshness: [word('freshness')],
  durability: [word('durability')],
  trust: [word('trust')],
  policy: [word('policyClass'), POLICY_NONE],
  kind: [word('dataKind')],
};

/** The axis of a predicate by its IRI. */
const AXIS_OF = new Map(AXES.flatMap((axis) => PREDICATES[axis].map(({ value }) => [value, axis] as const)));

/** The facts that say a value of an axis about a graph. */
export function factsOfAxis<Name extends Axis>(graph: string, axis: Name, value: LabelValues[Name]): Quad[] {
  const says = (predicate: NamedNode, object: Quad['object']): Quad =>
    terms.quad(terms.namedNode(graph), predicate, object, META);
  const [predicate] = PREDICATES[axis] as [NamedNode];
  if (axis === 'trust') return [says(predicate, terms.namedNode((value as Trust).iri))];
  if (axis !== 'policy') return [says(predicate, terms.literal(value as string))];
  const tokens = value as readonly string[];
  return tokens.length === 0 ? [says(POLICY_NONE, TRUE)] : tokens.map((token) => says(predicate, terms.literal(token)));
}

/** What a trust IRI is, whichever graph it is declared of. */
export function factsOfTrust({ iri, chain, rank }: Trust): Quad[] {
  const about = terms.namedNode(iri);
  return [
    terms.quad(about, IN_CHAIN, terms.namedNode(chain), META),
    terms.quad(about, TRUST_RANK, terms.literal(String(rank), INTEGER), META),
  ];
}

/** What the facts say of a trust IRI; null = it is not known. More than one chain or rank is none of ours, and none that can be told. */
export function knownTrust(snapshot: StorageSnapshot, iri: string): Trust | null {
  const [chains, ranks] = [IN_CHAIN, TRUST_RANK].map((predicate) => currentObjects(snapshot, iri, predicate));
  const [chain, rank] = [chains?.[0]?.value, Number(ranks?.[0]?.value)];
  const isOne = chains?.length === 1 && ranks?.length === 1;
  return isOne && chain !== undefined && Number.isSafeInteger(rank) ? { iri, chain, rank } : null;
}

function currentObjects(snapshot: StorageSnapshot, iri: string, predicate: NamedNode): Term[] {
  const graph = snapshot.encode(META);
  const [s, p] = [snapshot.encode(terms.namedNode(iri)), snapshot.encode(predicate)];
  if (graph === null || s === null || p === null) return [];
  const pattern = { s: exactly(s), p: exactly(p) };
  const rows = readRows(snapshot, { graphs: { kind: 'one', graph }, pattern, time: CURRENT, columns: ['o'] });
  return [...rows].flatMap((batch) => snapshot.decode(batch.column('o'), batch.rows));
}

/** The current facts of an axis of a graph. */
export function openFacts(snapshot: StorageSnapshot, graph: string, axis: Axis): Quad[] {
  return PREDICATES[axis].flatMap((predicate) =>
    currentObjects(snapshot, graph, predicate).map((object) =>
      terms.quad(terms.namedNode(graph), predicate, object as Quad['object'], META),
    ),
  );
}

/** A row about a graph that takes part in its labels. */
interface LabelRow {
  readonly predicate: string;
  readonly object: Term;
  readonly tx: TxId;
  /** Null = it is current. */
  readonly validTo: Instant | null;
}

/** What the facts of the meta graph declare of a graph, expired axes among it. */
export function labelsInFacts(snapshot: StorageSnapshot, graph: string): GraphLabels {
  const subject = snapshot.encode(terms.namedNode(graph));
  if (subject === null) return {};
  const trustOf = (iri: string) => knownTrust(snapshot, iri);
  for (const [, rows] of rowsBySubject(snapshot, subject)) return labelsOfRows(trustOf, rows);
  return {};
}

/** The same for every graph that anything is declared of, one after the other, by the id of the graph. */
export function* allLabelsInFacts(snapshot: StorageSnapshot): Generator<readonly [TermId, GraphLabels]> {
  const known = new Map<string, Trust | null>();
  const trustOf = (iri: string) => getOrInsert(known, iri, () => knownTrust(snapshot, iri));
  for (const [subject, rows] of rowsBySubject(snapshot)) {
    const labels = labelsOfRows(trustOf, rows);
    if (Object.keys(labels).length > 0) yield [subject, labels];
  }
}

const COLUMNS = ['s', 'p', 'o', 'txFrom', 'txTo', 'validTo'] as const;

/** Rows of the meta graph that are current, or have an end from birth; of one subject at a time. */
function* rowsBySubject(snapshot: StorageSnapshot, only?: TermId): Generator<readonly [TermId, LabelRow[]]> {
  const graph = snapshot.encode(META);
  if (graph === null) return;
  const names = axisPredicates(snapshot);
  let subject: TermId | null = null;
  let found: LabelRow[] = [];
  const pattern = only === undefined ? {} : { s: exactly(only) };
  const graphs = { kind: 'one', graph } as const;
  for (const batch of readRows(snapshot, { graphs, pattern, order: 'SPOG', time: { kind: 'all' }, columns: COLUMNS })) {
    const objects = snapshot.decode(batch.column('o'), batch.rows);
    for (let row = 0; row < batch.rows; row++) {
      const predicate = names.get(batch.id('p', row));
      const ended = endOf(batch, row);
      if (predicate === undefined || ended === undefined) continue;
      const about = batch.id('s', row);
      if (subject !== null && about !== subject) {
        yield [subject, found];
        found = [];
      }
      subject = about;
      found.push({ predicate, object: objects[row] as Term, ...ended });
    }
  }
  if (subject !== null) yield [subject, found];
}

/** Undefined for a row that was closed: it says nothing any more. */
function endOf(batch: RowBatch, row: number): Pick<LabelRow, 'tx' | 'validTo'> | undefined {
  const [tx, closed] = [batch.tx('txFrom', row) as TxId, batch.tx('txTo', row)];
  if (closed === null) return { tx, validTo: null };
  return closed === tx ? { tx, validTo: batch.instant('validTo', row) } : undefined;
}

function axisPredicates(snapshot: StorageSnapshot): ReadonlyMap<TermId, string> {
  const names = new Map<TermId, string>();
  for (const predicate of Object.values(PREDICATES).flat()) {
    const id = snapshot.encode(predicate);
    if (id !== null) names.set(id, predicate.value);
  }
  return names;
}

type TrustOf = (iri: string) => Trust | null;

function labelsOfRows(trustOf: TrustOf, rows: readonly LabelRow[]): GraphLabels {
  const byAxis = new Map<Axis, LabelRow[]>();
  for (const row of rows) addTo(byAxis, AXIS_OF.get(row.predicate) as Axis, row);
  const labels = AXES.flatMap((axis) => {
    const declared = declaredBy(trustOf, axis, speaking(byAxis.get(axis) ?? []));
    return declared === null ? [] : [[axis, declared] as const];
  });
  return Object.fromEntries(labels) as GraphLabels;
}

/** Those that count of the rows of an axis. */
function speaking(rows: readonly LabelRow[]): readonly LabelRow[] {
  const current = rows.filter(({ validTo }) => validTo === null);
  if (current.length > 0) return current;
  const newest = Math.max(...rows.map(({ tx }) => tx));
  return rows.filter(({ tx }) => tx === newest);
}

/** Null where the rows say nothing that a declaration could have written. */
function declaredBy(trustOf: TrustOf, axis: Axis, rows: readonly LabelRow[]): Declared<unknown> | null {
  const [first] = rows;
  if (first === undefined) return null;
  const { validTo } = first;
  const { value: text } = first.object;
  if (axis === 'policy') {
    const tokens = rows.filter(({ predicate }) => predicate !== POLICY_NONE.value).map(({ object }) => object.value);
    return { value: [...new Set(tokens)].sort(compareCodePoints), validTo };
  }
  if (rows.length > 1) return null;
  if (axis === 'trust') {
    const trust = trustOf(text);
    return trust === null ? null : { value: trust, validTo };
  }
  const words: readonly string[] | null = axis === 'freshness' ? FRESHNESS : axis === 'durability' ? DURABILITY : null;
  return words === null || words.includes(text) ? { value: text, validTo } : null;
}
