/**
 * Operations on whole graphs: CLEAR, DROP, CREATE, ADD, COPY, MOVE. Each works on the state before it;
 * what it can't do is an error, unless it is SILENT: then nothing of it is done.
 */

import { SvcError } from '../../base/errors.js';
import { ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import type { QuadColumns } from '../../storage/seam/engine.js';
import { decodeIds } from '../../storage/seam/rows.js';
import { type Batch, CURRENT, type GraphSet, type IdColumn, type StorageSnapshot } from '../../storage/seam/scan.js';
import type { GraphName, GraphTarget, UpdateOperation } from '../algebra/update.js';
import { homeOf } from '../registry/freeze-rows.js';
import { refuseFrozen } from '../registry/frozen.js';
import { graphExists, readRow, registeredIds } from '../registry/graph-rows.js';
import { fillId, gather, newColumn } from '../runtime/batch.js';
import { QuadCollector } from './quad-collector.js';
import type { UpdateRun } from './run.js';
import { graphNode, targetFault } from './targets.js';

type ClearOrDrop = Extract<UpdateOperation, { kind: 'clear' | 'drop' }>;
type Transfer = Extract<UpdateOperation, { kind: 'add' | 'copy' | 'move' }>;

export async function clearOrDrop({ kind, target, silent }: ClearOrDrop, run: UpdateRun): Promise<void> {
  await onSnapshot(run, async (snapshot) => {
    if (target.kind === 'graph') {
      if (!graphExists(snapshot, target.iri)) {
        if (silent) return;
        throw unknownGraph(kind, target.iri);
      }
      refuseUnwritable(snapshot, target.iri);
    }
    const graphs = graphsOf(snapshot, target);
    for (const { id } of graphs) await clear(snapshot, id, run);
    if (kind === 'drop') run.registry.unregister(snapshot, namesOf(graphs));
  });
}

export async function create(
  { graph, silent }: Extract<UpdateOperation, { kind: 'create' }>,
  run: UpdateRun,
): Promise<void> {
  await onSnapshot(run, async (snapshot) => {
    if (!graphExists(snapshot, graph)) run.registry.create(snapshot, graph);
    else if (!silent) {
      throw new SvcError('invalid_request', `CREATE: the graph <${graph}> exists already`, {
        hint: 'leave it out, or write CREATE SILENT',
      });
    }
  });
}

export async function transfer({ kind, from, to, silent }: Transfer, run: UpdateRun): Promise<void> {
  await onSnapshot(run, async (snapshot) => {
    const [source, target] = [graphNode(from).value, graphNode(to).value];
    if (!graphExists(snapshot, source)) {
      if (silent) return;
      throw unknownGraph(kind, source);
    }
    if (source === target) return;
    if (kind === 'move') refuseUnwritable(snapshot, source);
    refuseUnwritable(snapshot, target);
    if (kind !== 'add') await clear(snapshot, idOf(snapshot, to), run);
    await copy(snapshot, from, target, run);
    // What is named is made, however little it gets.
    if (source !== ROOT_GRAPH_IRI && !graphExists(snapshot, target)) run.registry.create(snapshot, target);
    if (kind !== 'move') return;
    if (source !== ROOT_GRAPH_IRI) run.registry.unregister(snapshot, [source]);
    await clear(snapshot, idOf(snapshot, from), run);
  });
}

function refuseUnwritable(snapshot: StorageSnapshot, iri: string): void {
  const row = readRow(snapshot, iri);
  refuseFrozen(row);
  if (row?.class !== 'overlay') return;
  throw new SvcError('invalid_request', `the graph <${iri}> can not be written: it is an overlay`);
}

function unknownGraph(kind: string, iri: string): SvcError {
  const word = kind.toUpperCase();
  return new SvcError('invalid_request', `${word}: there is no graph <${iri}>`, {
    hint: `check the IRI, or write ${word} SILENT`,
  });
}

async function onSnapshot(run: UpdateRun, work: (snapshot: StorageSnapshot) => Promise<void>): Promise<void> {
  const snapshot = run.stage.snapshot();
  try {
    await work(snapshot);
  } finally {
    snapshot.close();
  }
}

function idOf(snapshot: StorageSnapshot, name: GraphName): TermId | null {
  return snapshot.encode(graphNode(name));
}

interface NamedGraphId {
  readonly iri: string;
  readonly id: TermId | null;
}

function namesOf(graphs: readonly NamedGraphId[]): string[] {
  return graphs.flatMap(({ iri }) => (iri === ROOT_GRAPH_IRI ? [] : [iri]));
}

/** Of the graphs that there are, those that are meant and that an update may write. */
function graphsOf(snapshot: StorageSnapshot, target: GraphTarget): readonly NamedGraphId[] {
  switch (target.kind) {
    case 'default':
      return [{ iri: ROOT_GRAPH_IRI, id: ROOT_ID }];
    case 'graph':
      return [{ iri: target.iri, id: idOf(snapshot, target.iri) }];
    default: {
      const known = [...new Set([...snapshot.graphs(), ...registeredIds(snapshot)])];
      const ids = known.filter((graph) => target.kind === 'all' || graph !== ROOT_ID);
      const graphs = decodeIds(snapshot, ids).map((node, at) => ({ node, iri: node.value, id: ids[at] as TermId }));
      return graphs.filter(({ node, iri }) => node.termType !== 'NamedNode' || isWritable(snapshot, iri));
    }
  }
}

/** Of all graphs, those that are the service's own, overlays and frozen ones are passed over. */
function isWritable(snapshot: StorageSnapshot, iri: string): boolean {
  const row = readRow(snapshot, iri);
  return targetFault(iri) === null && row?.class !== 'overlay' && row?.lifecycle !== 'frozen';
}

async function clear(snapshot: StorageSnapshot, graph: TermId | null, run: UpdateRun): Promise<void> {
  if (graph === null) return;
  await eachBatch(snapshot, { graph, home: { kind: 'one', graph } }, run, 'clear', (quads) =>
    run.stage.retractIds(quads),
  );
}

async function copy(snapshot: StorageSnapshot, from: GraphName, to: string, run: UpdateRun): Promise<void> {
  const graph = idOf(snapshot, from);
  if (graph === null) return;
  const home = homeOf(snapshot, graph);
  let target: TermId | null = null;
  await eachBatch(snapshot, { graph, home }, run, 'copy', (quads) => {
    target ??= run.stage.intern(graphNode(to));
    fillId(quads.g, quads.rows, lowOf(target), highOf(target));
    run.stage.assertIds(quads);
  });
}

async function eachBatch(
  snapshot: StorageSnapshot,
  { graph, home }: { readonly graph: TermId; readonly home: GraphSet },
  run: UpdateRun,
  phase: string,
  take: (quads: QuadColumns) => void,
): Promise<void> {
  const request = { graphs: home, pattern: {}, time: CURRENT, order: 'SPOG' } as const;
  const cursor = snapshot.scan({ ...request, columns: ['s', 'p', 'o'] });
  const collector = new QuadCollector(take);
  let done = 0;
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const quads = quadsOf(batch, graph);
      collector.add(quads);
      done += quads.rows;
      await run.step(phase, done);
    }
    collector.flush();
  } finally {
    cursor.close();
  }
}

/** The rows of a batch that count, as the stage takes them. */
function quadsOf({ rows: all, columns, selection }: Batch, graph: TermId): QuadColumns {
  const rows = selection?.length ?? all;
  const picked = (ids: IdColumn | null): IdColumn => {
    const column = newColumn(rows);
    if (selection === null) column.set((ids as IdColumn).subarray(0, 2 * rows));
    else gather(ids as IdColumn, selection, rows, column);
    return column;
  };
  const quads = { rows, s: picked(columns.s), p: picked(columns.p), o: picked(columns.o), g: newColumn(rows) };
  fillId(quads.g, rows, lowOf(graph), highOf(graph));
  return quads;
}
