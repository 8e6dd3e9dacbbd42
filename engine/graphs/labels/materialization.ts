/**
 * Where the content of a graph comes from, when a mapping made it of an external source (semantics of graphs, 9): facts of
 * the meta graph on the graph IRI. A record speaks of one transaction, the last that wrote the content. A later write
 * supersedes it, which the registry keeps as a mark, `<graph> svc:materializationSuperseded true`, made with that write:
 * a listing then need not look at the rows of the graph. Freezing moves rows and writes none, so it leaves the record alone.
 */

import { SvcError, showValue } from '../../base/errors.js';
import { findGraph, type GraphRow, idsOf, readRow } from '../../query/registry/graph-rows.js';
import type { GraphRegistration } from '../../query/registry/registration.js';
import {
  isTombstones,
  MATERIALIZED_IN_TX,
  META_GRAPH_IRI,
  REGISTRY,
  SVC_NS,
} from '../../query/registry/system-graphs.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';
import { type NamedNode, type Quad, ROOT_GRAPH_IRI, type Term, terms, XSD } from '../../rdf/terms.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { Stage } from '../../storage/seam/engine.js';
import { decodeIds, exactly, lookInto, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';

/** What a caller states. Hashes are `sha256:` and 64 hex digits; the digits alone serve too. */
export interface MaterializationInput {
  readonly mapping: string;
  readonly mappingClosureHash: string;
  readonly externalTruth: string;
  readonly verifiedSourceHash: string;
  /** The transaction that wrote the content; absent = the last that wrote any. */
  readonly tx?: TxId | undefined;
}

export interface Materialization extends Required<Omit<MaterializationInput, 'tx'>> {
  readonly tx: TxId;
  /** Something was written into the graph since. */
  readonly superseded: boolean;
}

const META = terms.namedNode(META_GRAPH_IRI);
const word = (name: string): NamedNode => terms.namedNode(SVC_NS + name);
const INTEGER = terms.namedNode(`${XSD}integer`);

const PREDICATES = {
  mapping: word('materializedBy'),
  mappingClosureHash: word('mappingClosureHash'),
  externalTruth: word('externalTruth'),
  verifiedSourceHash: word('sourceHash'),
  tx: MATERIALIZED_IN_TX,
} as const;
type Field = keyof typeof PREDICATES;

const OF_RECORDS: ReadonlySet<string> = new Set(Object.values(PREDICATES).map(({ value }) => value));
const SUPERSEDED = word('materializationSuperseded');
const TRUE = terms.literal('true', terms.namedNode(`${XSD}boolean`));
const HASH = /^(?:sha256:)?([0-9a-f]{64})$/i;

/** The input in its normal form, or a refusal. */
export function parseMaterialization(input: MaterializationInput): MaterializationInput {
  const { mapping, mappingClosureHash, externalTruth, verifiedSourceHash, tx } = input;
  if (tx !== undefined && !(Number.isSafeInteger(tx) && tx > 0)) throw unfit('tx', tx, 'the id of a transaction');
  return {
    mapping: iriOf('mapping', mapping),
    mappingClosureHash: hashOf('mapping_closure_hash', mappingClosureHash),
    externalTruth: iriOf('external_truth', externalTruth),
    verifiedSourceHash: hashOf('verified_source_hash', verifiedSourceHash),
    tx,
  };
}

function iriOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || iriFault(value) !== null) throw unfit(name, value, 'an absolute IRI');
  return value;
}

function hashOf(name: string, value: unknown): string {
  const digits = typeof value === 'string' ? HASH.exec(value)?.[1] : undefined;
  if (digits === undefined) throw unfit(name, value, 'sha256: and 64 hex digits');
  return `sha256:${digits.toLowerCase()}`;
}

function unfit(name: string, value: unknown, expected: string): SvcError {
  const is = value === undefined ? 'is missing' : `is ${showValue(value)}`;
  return new SvcError('invalid_request', `'${name}' ${is}; expected ${expected}; nothing was recorded`);
}

/** Refuses graphs whose content no mapping makes; nothing is interned. */
export function checkMaterialized(snapshot: StorageSnapshot, iri: string): GraphRow {
  const row = isTombstones(iri) ? null : findGraph(snapshot, iri);
  if (row === null) throw new SvcError('not_found_in_store', `unknown graph: ${iri}`);
  const what =
    iri === ROOT_GRAPH_IRI
      ? 'ROOT'
      : iri === META_GRAPH_IRI
        ? 'the meta graph'
        : iri.endsWith('#inferred')
          ? 'a companion, which holds derived facts'
          : row.class === 'overlay'
            ? 'an overlay'
            : null;
  if (what !== null) throw new SvcError('invalid_request', `<${iri}> is ${what}, and no mapping makes its content`);
  if (row.lifecycle === 'frozen') {
    throw new SvcError('state_conflict', `<${iri}> is frozen, and its content can not be stated anew`, {
      hint: 'thaw it first',
    });
  }
  return row;
}

/** Records what wrote the content in place of the record before. `last`: the newest transaction that wrote any. */
export function recordMaterialization(
  stage: Stage,
  registry: GraphRegistration,
  graph: string,
  { input, last }: { readonly input: MaterializationInput; readonly last: TxId },
): TxId {
  const tx = input.tx ?? last;
  const before = lookInto(stage.snapshot(), (snapshot) => recordFacts(snapshot, graph));
  stage.retract(before);
  const says = (field: Field, object: Quad['object']): Quad =>
    terms.quad(terms.namedNode(graph), PREDICATES[field], object, META);
  stage.assert(
    [
      says('mapping', terms.namedNode(input.mapping)),
      says('mappingClosureHash', terms.literal(input.mappingClosureHash)),
      says('externalTruth', terms.namedNode(input.externalTruth)),
      says('verifiedSourceHash', terms.literal(input.verifiedSourceHash)),
      says('tx', terms.literal(String(tx), INTEGER)),
    ],
    stage.timestamp,
  );
  registry.writesRows();
  if (tx === last) stage.retract([mark(graph)]);
  else stage.assert([mark(graph)], stage.timestamp);
  return tx;
}

function mark(graph: string): Quad {
  return terms.quad(terms.namedNode(graph), SUPERSEDED, TRUE, REGISTRY);
}

/** The newest transaction that opened or closed a fact of a graph; 0 = none did. */
export function lastWrite(snapshot: StorageSnapshot, iri: string): TxId {
  const graph = snapshot.encode(terms.namedNode(iri));
  let last = 0;
  if (graph === null) return last;
  const rows = { graphs: { kind: 'one', graph }, pattern: {}, time: { kind: 'all' }, unordered: true } as const;
  for (const batch of readRows(snapshot, { ...rows, columns: ['txFrom', 'txTo'] })) {
    for (let row = 0; row < batch.rows; row++) {
      last = Math.max(last, batch.tx('txFrom', row) ?? 0, batch.tx('txTo', row) ?? 0);
    }
  }
  return last;
}

/** The record of a graph; null = there is none, or none that is whole. */
export function readMaterialization(snapshot: StorageSnapshot, graph: string): Materialization | null {
  const facts = recordFacts(snapshot, graph);
  const textOf = (field: Field): string | null => {
    const found = facts.filter(({ predicate }) => predicate.value === PREDICATES[field].value);
    return found.length === 1 ? (found[0] as Quad).object.value : null;
  };
  const [mapping, mappingClosureHash] = [textOf('mapping'), textOf('mappingClosureHash')];
  const [externalTruth, verifiedSourceHash, tx] = [textOf('externalTruth'), textOf('verifiedSourceHash'), textOf('tx')];
  if (mapping === null || mappingClosureHash === null || externalTruth === null) return null;
  if (verifiedSourceHash === null || !/^\d+$/.test(tx ?? '')) return null;
  const superseded = hasMark(snapshot, graph);
  return { mapping, mappingClosureHash, externalTruth, verifiedSourceHash, tx: Number(tx), superseded };
}

function recordFacts(snapshot: StorageSnapshot, iri: string): Quad[] {
  const [graph, s] = [snapshot.encode(META), snapshot.encode(terms.namedNode(iri))];
  if (graph === null || s === null || snapshot.encode(PREDICATES.tx) === null) return [];
  const request = { graphs: { kind: 'one', graph }, pattern: { s: exactly(s) }, time: CURRENT } as const;
  const quads: Quad[] = [];
  for (const batch of readRows(snapshot, { ...request, columns: ['p', 'o'] })) {
    const [predicates, objects] = [batch.column('p'), batch.column('o')].map((column) =>
      snapshot.decode(column, batch.rows),
    ) as [Term[], Term[]];
    for (const [row, predicate] of predicates.entries()) {
      if (!OF_RECORDS.has(predicate.value)) continue;
      quads.push(terms.quad(terms.namedNode(iri), predicate as NamedNode, objects[row] as Quad['object'], META));
    }
  }
  return quads;
}

function hasMark(snapshot: StorageSnapshot, graph: string): boolean {
  const [s, p] = [snapshot.encode(terms.namedNode(graph)), snapshot.encode(SUPERSEDED, true)];
  return s !== null && p !== null && idsOf(snapshot, { s: exactly(s), p: exactly(p) }, ['o']).length > 0;
}

/**
 * Marks the records that a write has superseded; to be called when its content is staged. `touched`: the graphs that it
 * changes, `first`: its first transaction. Frozen and thawed graphs were moved, not written.
 */
export function supersedeRecords(
  stage: Stage,
  registry: GraphRegistration,
  touched: readonly TermId[],
  first: TxId,
): void {
  const old = lookInto(stage.snapshot(), (after) => {
    if (touched.length === 0 || after.encode(PREDICATES.tx) === null) return [];
    return decodeIds(after, touched).flatMap(({ termType, value }) => {
      const record = termType === 'NamedNode' ? readMaterialization(after, value) : null;
      const isOld = record !== null && !record.superseded && record.tx < first;
      return isOld && readRow(after, value)?.lifecycle !== 'frozen' ? [value] : [];
    });
  });
  if (old.length === 0) return;
  const written = lookInto((stage.transactions[0] ?? stage).before(), (before) =>
    old.filter((graph) => readRow(before, graph)?.lifecycle !== 'frozen'),
  );
  if (written.length === 0) return;
  registry.writesRows();
  stage.assert(written.map(mark), stage.timestamp);
}
