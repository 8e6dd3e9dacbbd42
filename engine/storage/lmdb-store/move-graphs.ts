/** Makes the moves of a stage while it is published: what becomes of the runs, of the counts, and of the list of graphs that left. */

import type { Control } from '../../base/control.js';
import type { TermId, TxId } from '../ids/layout.js';
import { type Relocation, type Relocations, readRelocations } from '../log/relocations.js';
import type { Pack } from '../packs/pack-reader.js';
import { type MoveContext, type Moved, relocateGraph } from '../packs/relocate.js';
import { restoreGraph } from '../packs/restore.js';
import type { FileSink } from '../runs/file-sink.js';
import { FORMAT_RELOCATED, type Manifest, type RunRecord } from '../runs/manifest.js';
import type { SnapshotContext } from '../snapshot/context.js';
import type { GraphMove } from '../stage/graph-moves.js';

export interface MovedGraphs {
  readonly manifest: Manifest;
  readonly gone: readonly RunRecord[];
  /** Change of the current rows of each graph. */
  readonly perGraph: readonly (readonly [TermId, number])[];
  /** Absent = as before. */
  readonly relocations?: Relocations | undefined;
}

export interface MovesBelow {
  readonly context: SnapshotContext;
  readonly sink: FileSink;
  readonly moves?: readonly GraphMove[];
}

export async function moveGraphs(
  { context: { file, memory }, sink, moves = [] }: MovesBelow,
  before: Manifest,
  tx: TxId,
  control: Control,
): Promise<MovedGraphs> {
  if (moves.length === 0) return { manifest: before, gone: [], perGraph: [] };
  const relocations = new Map(readRelocations(file));
  const context: MoveContext = { file, memory, sink, control };
  let manifest = before;
  const gone: RunRecord[] = [];
  const perGraph: [TermId, number][] = [];
  for (const move of moves) {
    // What was written so far is read by the next.
    sink.flush();
    const { moved, relocation } = await moveOne(context, manifest, move, relocations, tx);
    manifest = moved.manifest;
    gone.push(...moved.gone);
    const open = relocation.rows - relocation.historyRows;
    perGraph.push([move.graph, move.kind === 'relocate' ? -open : open]);
    if (move.kind === 'relocate') relocations.set(move.graph, relocation);
    else relocations.delete(move.graph);
  }
  manifest = { ...manifest, format: Math.max(manifest.format, FORMAT_RELOCATED) };
  return { manifest, gone, perGraph, relocations };
}

interface OneMove {
  readonly moved: Moved;
  readonly relocation: Relocation;
}

async function moveOne(
  context: MoveContext,
  manifest: Manifest,
  move: GraphMove,
  relocations: Relocations,
  tx: TxId,
): Promise<OneMove> {
  if (move.kind === 'relocate') {
    const { relocation, ...moved } = await relocateGraph(context, manifest, move.graph, tx);
    return { moved, relocation };
  }
  const relocation = relocations.get(move.graph) as Relocation;
  return { moved: await restoreGraph(context, manifest, move.pack as Pack, relocation), relocation };
}
