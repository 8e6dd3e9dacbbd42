/**
 * Replaces what a snapshot key owns in a graph by the documents of a load, in one transaction
 * (semantics text 1.8).
 *
 * 1. The documents are read before the write takes its turn; a malformed one changes nothing.
 * 2. What the key owns is retracted, then the documents are asserted. Netting does the rest: what they
 *    repeat stays untouched, with its transaction and its start; what they do not repeat is closed.
 * 3. A label that was closed so is opened again (which nets to nothing) when its entity is gone from the
 *    documents, has no other label, and another producer still mentions it.
 *
 * Known limit: a fact that two producers state belongs to the first; when that one drops it, it closes,
 * and the second restores it at its next load.
 */

import { throwIfAborted } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import { type Quad, RDFS, ROOT_GRAPH_IRI, type Term, terms } from '../../rdf/terms.js';
import { readSources } from '../../storage/documents/read-sources.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { LoadOptions, LoadSource, Stage, StorageEngine } from '../../storage/seam/engine.js';
import { decodeIds, exactly, readRows, withSnapshot } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { entityText } from '../facts/entity.js';
import { type Owners, ownersOf } from '../facts/owned-rows.js';
import { ownedStatements } from '../facts/owned-statements.js';
import type { WritePipeline } from '../pipeline/pipeline.js';
import type { WriteControl } from '../pipeline/write-control.js';
import { takeQuads } from './quads.js';
import { type StagedReceipt, stageDocuments } from './small-load.js';

const RDFS_LABEL = terms.namedNode(`${RDFS}label`);

export async function replaceSnapshot(
  engine: StorageEngine,
  pipeline: WritePipeline,
  sources: readonly LoadSource[],
  options: LoadOptions,
  control: WriteControl,
  check: (before: StorageSnapshot) => void = () => undefined,
): Promise<StagedReceipt> {
  const { snapshotKey } = options;
  if (snapshotKey === undefined || snapshotKey.trim() === '') {
    throw new SvcError('invalid_request', "'replace_snapshot' needs a 'snapshot' key that is not empty");
  }
  const { quads, bytesRead } = await readSources(sources, options, control);
  throwIfAborted(control.signal, 'the load');
  const source = `snapshot:${snapshotKey}`;
  const graph = terms.namedNode(options.graph ?? ROOT_GRAPH_IRI);
  const read = { quads, bytesRead, sources: sources.length };
  return stageDocuments(pipeline, read, { ...options, source }, control, async (stage) => {
    await withSnapshot(stage.snapshot(), check);
    await replaceOwned(engine, stage, { source, graph }, async () => {
      await takeQuads(quads, (batch) => stage.assert(batch), control.signal);
      const subjects = subjectsOf(quads, graph.value);
      return (subject) => subjects.has(entityText(subject));
    });
  });
}

/** Whether something is said of an entity in what takes the place of what was owned. */
export type IsSubject = (entity: Term) => boolean;

/** Retracts what a source owns in a graph, lets `put` assert what takes its place, and opens labels again that are to stay. */
export async function replaceOwned(
  engine: StorageEngine,
  stage: Stage,
  { source, graph }: { readonly source: string; readonly graph: Quad['graph'] },
  put: () => IsSubject | Promise<IsSubject>,
): Promise<void> {
  const owners = ownersOf(engine, source);
  const closed = await withSnapshot(stage.snapshot(), (before) => retractOwned(stage, before, graph, owners));
  const isSubject = await put();
  if (closed.labels.length === 0) return;
  const isForeign = foreignTo(engine, source, [stage.tx, ...owners.all]);
  const kept = await withSnapshot(stage.snapshot(), (after) => labelsToKeep(after, closed, isSubject, isForeign));
  stage.assert(kept);
}

interface Closed {
  readonly graph: TermId;
  /** Label statements that were retracted, perhaps to be asserted again. */
  readonly labels: readonly Quad[];
}

function retractOwned(stage: Stage, before: StorageSnapshot, graph: Quad['graph'], owners: Owners): Closed {
  const id = before.encode(graph);
  const labels: Quad[] = [];
  if (id === null) return { graph: 0n, labels };
  const label = before.encode(RDFS_LABEL);
  for (const batch of ownedStatements(before, id, owners)) {
    stage.retractIds(batch.quads);
    for (let row = 0; row < batch.rows; row++) {
      if (batch.id('p', row) !== label) continue;
      const [subject, object] = decodeIds(before, [batch.id('s', row), batch.id('o', row)]);
      labels.push(terms.quad(subject as Quad['subject'], RDFS_LABEL, object as Quad['object'], graph));
    }
  }
  return { graph: id, labels };
}

function subjectsOf(quads: readonly Quad[], graph: string): ReadonlySet<string> {
  const subjects = new Set<string>();
  for (const quad of quads) if (quad.graph.value === graph) subjects.add(entityText(quad.subject));
  return subjects;
}

/** `after` shows the replacement without any preserved label. */
function labelsToKeep(
  after: StorageSnapshot,
  { graph, labels }: Closed,
  isSubject: IsSubject,
  isForeign: IsForeign,
): Quad[] {
  const label = after.encode(RDFS_LABEL);
  const verdicts = new Map<string, boolean>();
  const isKept = (subject: Term): boolean => {
    const id = after.encode(subject);
    return !isSubject(subject) && id !== null && label !== null && mayKeep(after, graph, id, label, isForeign);
  };
  return labels.filter(({ subject }) => getOrInsert(verdicts, entityText(subject), () => isKept(subject)));
}

function mayKeep(after: StorageSnapshot, graph: TermId, entity: TermId, label: TermId, isForeign: IsForeign): boolean {
  const graphs = { kind: 'one', graph } as const;
  const time = CURRENT;
  if (after.count({ graphs, pattern: { s: exactly(entity), p: exactly(label) }, time }) > 0) return false;
  for (const pattern of [{ o: exactly(entity) }, { s: exactly(entity) }]) {
    for (const batch of readRows(after, { graphs, pattern, time, columns: ['txFrom'] })) {
      for (let row = 0; row < batch.rows; row++) {
        if (isForeign(batch.tx('txFrom', row) as TxId)) return true;
      }
    }
  }
  return false;
}

type IsForeign = (tx: TxId) => boolean;

/**
 * Which transactions were written by another producer. `own`: transactions of that source; those that are not on the disk
 * yet are found in no list.
 */
function foreignTo(engine: StorageEngine, source: string, own: Iterable<TxId>): IsForeign {
  const boundary = producerBoundary(source);
  const known = new Map<TxId, boolean>();
  for (const tx of own) known.set(tx, false);
  const isForeign = (tx: TxId): boolean => {
    const [record] = engine.transactions({ since: tx - 1, limit: 1 });
    return record?.id !== tx || record.source === null || producerBoundary(record.source) !== boundary;
  };
  return (tx) => getOrInsert(known, tx, () => isForeign(tx));
}

const CODE_KEY = /^(snapshot:code:[^:]+)(?::.*)?$/s;

/** The key of a repository and the keys of its partitions are one producer; every other source is one by itself. */
export function producerBoundary(source: string): string {
  return CODE_KEY.exec(source)?.[1] ?? source;
}
