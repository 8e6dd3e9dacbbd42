/**
 * Two graphs that are aligned (semantics of reasoning, 7): the graph that relates their entities, and the version of the state
 * that a decision rests on. Neither graph is changed by it.
 */

import { createHash } from 'node:crypto';
import { SvcError } from '../../base/errors.js';
import { findGraph } from '../../query/registry/graph-rows.js';
import { isTombstones, SVC_NS } from '../../query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI, terms } from '../../rdf/terms.js';
import type { Pace } from '../../reason/graph/pace.js';
import { ROOT_ID, type TermId, type TxId } from '../../storage/ids/layout.js';
import { readRows } from '../../storage/seam/rows.js';
import type { StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { toIri } from '../facts/entity.js';
import { OWL } from '../facts/prefixes.js';

export const SAME_AS = terms.namedNode(`${OWL}sameAs`);
export const DISTINCT_FROM = terms.namedNode(`${SVC_NS}distinctFrom`);

const PREFIX = 'urn:svc:graph:alignment:';
const HASH_DIGITS = 16;

export interface GraphPair {
  readonly left: string;
  readonly right: string;
  /** The graph of what is decided of the two, in this order. */
  readonly alignmentGraph: string;
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** The two graphs of a request. */
export function toPair(left: string, right: string): GraphPair {
  const [one, other] = [toIri(left, 'left').value, toIri(right, 'right').value];
  if (one === other) {
    throw new SvcError('invalid_request', `left and right are the same graph: ${one}`, {
      hint: 'alignment relates the entities of two graphs',
    });
  }
  const alignmentGraph = PREFIX + sha256Hex(`${one}|${other}`).slice(0, HASH_DIGITS);
  return { left: one, right: other, alignmentGraph };
}

/** The id of a graph that can be aligned. */
export function alignedGraph(snapshot: StorageSnapshot, iri: string): TermId {
  const row = findGraph(snapshot, iri);
  if (row === null || isTombstones(iri)) throw new SvcError('not_found_in_store', `unknown graph: ${iri}`);
  if (row.class === 'overlay') {
    throw new SvcError('invalid_request', `the graph <${iri}> can not be aligned: it is an overlay`, {
      hint: `align its parent, <${row.parent}>`,
    });
  }
  if (row.lifecycle === 'frozen') {
    throw new SvcError('invalid_request', `the graph <${iri}> can not be aligned: it is frozen`, {
      hint: 'thaw it first (POST /graph/thaw, svc graph thaw)',
    });
  }
  return iri === ROOT_GRAPH_IRI ? ROOT_ID : (snapshot.encode(terms.namedNode(iri)) as TermId);
}

/** V(L,R): another text as soon as a fact of one of the three graphs is written. */
export async function versionOf(snapshot: StorageSnapshot, pair: GraphPair, pace: Pace): Promise<string> {
  const { left, right, alignmentGraph } = pair;
  const parts: (string | number)[] = [];
  for (const iri of [left, right, alignmentGraph]) parts.push(iri, await newestWrite(snapshot, iri, pace));
  return versionText(parts);
}

/** The same after a transaction that has written the alignment graph alone. */
export async function versionAfter(
  snapshot: StorageSnapshot,
  { left, right, alignmentGraph }: GraphPair,
  tx: TxId,
  pace: Pace,
): Promise<string> {
  const [ofLeft, ofRight] = [await newestWrite(snapshot, left, pace), await newestWrite(snapshot, right, pace)];
  return versionText([left, ofLeft, right, ofRight, alignmentGraph, tx]);
}

function versionText(parts: readonly (string | number)[]): string {
  return `v1:${sha256Hex(parts.join('|'))}`;
}

/** Transactions that are looked back over, before all rows are read. */
const LOOK_BACK = [16, 4096] as const;

/** The newest transaction that opened or closed a fact of a graph; 0 = none did. */
async function newestWrite(snapshot: StorageSnapshot, iri: string, pace: Pace): Promise<TxId> {
  const graph = iri === ROOT_GRAPH_IRI ? ROOT_ID : snapshot.encode(terms.namedNode(iri));
  if (graph === null) return 0;
  for (const back of LOOK_BACK) {
    const since = snapshot.tx - back;
    if (since <= 0) break;
    const found = Math.max(
      await newestIn(snapshot, graph, { kind: 'all', openedSince: since }, pace),
      await newestIn(snapshot, graph, { kind: 'all', closedSince: since }, pace),
    );
    // What is older may have come along by chance, and is not all that is older.
    if (found >= since) return found;
  }
  return newestIn(snapshot, graph, { kind: 'all' }, pace);
}

async function newestIn(snapshot: StorageSnapshot, graph: TermId, time: TimeSlice, pace: Pace): Promise<TxId> {
  let newest = 0;
  const rows = { graphs: { kind: 'one', graph }, pattern: {}, time, unordered: true } as const;
  for (const batch of readRows(snapshot, { ...rows, columns: ['txFrom', 'txTo'] })) {
    for (let row = 0; row < batch.rows; row++) {
      newest = Math.max(newest, batch.tx('txFrom', row) ?? 0, batch.tx('txTo', row) ?? 0);
    }
    pace.check();
    if (pace.spend(10 * (batch.rows + 1))) await pace.turn();
  }
  return newest;
}

/** What a request that decides or applies has to bring. */
export function neededVersion(given: unknown): string {
  if (typeof given === 'string' && given !== '') return given;
  throw new SvcError('invalid_request', "missing 'expected_version' parameter", {
    hint: 'it stands in the answer of align_propose, and of align_decide',
  });
}

/** The refusal of decisions other than those that a version was given for. */
export function decisionsConflict(): SvcError {
  return new SvcError('version_conflict', 'the decisions are not those that expected_version was given for', {
    hint: 'hand on decided and expected_version as align_decide answered them',
  });
}

/** The refusal of a decision on a state that is not there any more. */
export function versionConflict(given: string, now: string): SvcError {
  return new SvcError('version_conflict', `expected_version is '${given}', and the graphs are at '${now}'`, {
    hint: 'something was written since: propose again, and decide on what holds now',
  });
}
