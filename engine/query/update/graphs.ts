/**
 * Operations on whole graphs: CLEAR, DROP, CREATE, ADD, COPY, MOVE. Each works on the state before it;
 * what it can't do is an error, unless it is SILENT: then nothing of it is done.
 */

import { SvcError } from '../../base/errors.js';
import { ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import type { QuadColumns } from '../../storage/engine.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import { type Batch, CURRENT, type IdColumn, type StorageSnapshot } from '../../storage/scan.js';
import type { GraphName, GraphTarget, UpdateOperation } from '../algebra/update.js';
import { gather, newColumn } from '../operators/batch.js';
import { QuadCollector } from './quad-collector.js';
import { graphExists, isRegistered, register, registeredGraphs, unregister } from './registry.js';
import type { UpdateRun } from './run.js';
import { graphNode, targetFault } from './targets.js';

type ClearOrDrop = Extract<UpdateOperation, { kind: 'clear' | 'drop' }>;
type Transfer = Extract<UpdateOperation, { kind: 'add' | 'copy' | 'move' }>;

export async function clearOrDrop({ kind, target, silent }: ClearOrDrop, run: UpdateRun): Promise<void> {
  await onSnapshot(run, async (snapshot) => {
    if (target.kind === 'graph' && !graphExists(snapshot, target.iri)) {
      if (silent) return;
      throw unknownGraph(kind, target.iri);
    }
    for (const graph of graphsOf(snapshot, target)) await clear(snapshot, graph, run);
    if (kind === 'clear' || target.kind === 'default') return;
    unregister(run.stage, target.kind === 'graph' ? [target.iri] : registeredGraphs(snapshot));
  });
}

export async function create(
  { graph, silent }: Extract<UpdateOperation, { kind: 'create' }>,
  run: UpdateRun,
): Promise<void> {
  await onSnapshot(run, async (snapshot) => {
    if (!graphExists(snapshot, graph)) register(run.stage, graph);
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
    if (kind !== 'add') await clear(snapshot, idOf(snapshot, to), run);
    await copy(snapshot, idOf(snapshot, from), target, run);
    if (source !== ROOT_GRAPH_IRI && isRegistered(snapshot, source)) {
      if (target !== ROOT_GRAPH_IRI) register(run.stage, target);
      if (kind === 'move') unregister(run.stage, [source]);
    }
    if (kind === 'move') await clear(snapshot, idOf(snapshot, from), run);
  });
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

/** Of the graphs with facts, those that are meant and that an update may write. */
function graphsOf(snapshot: StorageSnapshot, target: GraphTarget): readonly (TermId | null)[] {
  switch (target.kind) {
    case 'default':
      return [ROOT_ID];
    case 'graph':
      return [idOf(snapshot, target.iri)];
    default: {
      const known = snapshot.graphs();
      const ids = known.filter((graph) => target.kind === 'all' || graph !== ROOT_ID);
      const column = newColumn(ids.length);
      for (const [at, id] of ids.entries()) {
        column[2 * at] = lowOf(id);
        column[2 * at + 1] = highOf(id);
      }
      const nodes = snapshot.decode(column, ids.length);
      return ids.filter((_, at) => {
        const node = nodes[at];
        return node?.termType !== 'NamedNode' || targetFault(node.value) === null;
      });
    }
  }
}

async function clear(snapshot: StorageSnapshot, graph: TermId | null, run: UpdateRun): Promise<void> {
  await eachBatch(snapshot, graph, run, 'clear', (quads) => run.stage.retractIds(quads));
}

async function copy(snapshot: StorageSnapshot, from: TermId | null, to: string, run: UpdateRun): Promise<void> {
  let target: TermId | null = null;
  await eachBatch(snapshot, from, run, 'copy', (quads) => {
    target ??= run.stage.intern(graphNode(to));
    fill(quads.g, target, quads.rows);
    run.stage.assertIds(quads);
  });
}

async function eachBatch(
  snapshot: StorageSnapshot,
  graph: TermId | null,
  run: UpdateRun,
  phase: string,
  take: (quads: QuadColumns) => void,
): Promise<void> {
  if (graph === null) return;
  const request = { graphs: { kind: 'one', graph }, pattern: {}, time: CURRENT, order: 'SPOG' } as const;
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
  fill(quads.g, graph, rows);
  return quads;
}

function fill(column: IdColumn, id: TermId, rows: number): void {
  const [low, high] = [lowOf(id), highOf(id)];
  for (let row = 0; row < rows; row++) {
    column[2 * row] = low;
    column[2 * row + 1] = high;
  }
}
