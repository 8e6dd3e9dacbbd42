/** The current facts of a pack, with its shapes and queries, written into a graph in one transaction that every gate judges. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { STORED_QUERIES } from '../../graphs/queries/stored-queries.js';
import { STORED_SHAPES } from '../../graphs/shapes/stored-shapes.js';
import { refuseOverlay } from '../../graphs/targets.js';
import { refuseFrozen } from '../../query/registry/frozen.js';
import { findGraph } from '../../query/registry/graph-rows.js';
import type { GraphRegistration } from '../../query/registry/registration.js';
import { checkTarget } from '../../query/update/targets.js';
import { type Quad, terms } from '../../rdf/terms.js';
import type { Stage, StorageEngine } from '../../storage/seam/engine.js';
import type { PackDocument, PackFact, PackManifest } from '../../storage/seam/pack.js';
import { lookInto, withSnapshot } from '../../storage/seam/rows.js';
import { unpackSource } from '../archives/knowledge-pack.js';
import { showInstant } from '../options/store-options.js';
import type { WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand, WriteContext } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

export interface UnpackOptions extends Omit<WriteOptions, 'source' | 'validFrom'>, Control {
  /** The graph; default that of the pack. It is made when it is not there. */
  readonly into?: string | undefined;
}

export interface UnpackedResult extends TransactionResult {
  readonly graph: string;
  /** Current facts of the pack. */
  readonly facts: number;
  readonly shapes: number;
  readonly queries: number;
  /** That hold here now, and that do not: of another model, or of another text than the entity has here. */
  readonly vectors: number;
  readonly vectorsLeft: number;
}

export const unpack: WriteCommand<{ readonly path: string }, UnpackOptions, UnpackedResult> = {
  what: 'the unpacking',
  async run(context, { path }, options) {
    const { engine, pipeline, control } = context;
    const settled = context.settle({ ...options, source: unpackSource(path) });
    const { manifest } = await engine.packs.read(path, control);
    const graph = options.into ?? manifest.graph;
    checkTarget(graph);
    const { shapes = [], queries = [] } = manifest;
    const change: StageChange<number> = async (stage, registry, events) => {
      openTarget(stage, registry, graph);
      let facts = 0;
      for await (const batch of engine.packs.facts(path, control)) facts += assertFacts(stage, graph, batch);
      await storeShapes(context, stage, registry, shapes);
      for (const { name } of shapes) {
        events.add({ type: 'shapes.loaded', subject: name, payload: { name, tx: stage.tx } });
      }
      await storeQueries(stage, registry, queries);
      return facts;
    };
    const receipt = await pipeline.transact(change, settled, control);
    const counts = { facts: receipt.result, shapes: shapes.length, queries: queries.length };
    const { kept, left } = await vectorsOf(manifest, engine, control);
    return { ...toResult(receipt), graph, ...counts, vectors: kept, vectorsLeft: left };
  },
};

/** Vectors are outside of transactions: they are written when the facts that they are of are there. */
async function vectorsOf({ vectors }: PackManifest, engine: StorageEngine, control: Control) {
  if (vectors === undefined) return { kept: 0, left: 0 };
  const { unpackVectors } = await import('../archives/packed-vectors.js');
  return unpackVectors(engine, vectors, control);
}

function openTarget(stage: Stage, registry: GraphRegistration, graph: string): void {
  lookInto(stage.snapshot(), (snapshot) => {
    const known = findGraph(snapshot, graph);
    refuseOverlay(known);
    refuseFrozen(known);
    if (known === null) registry.create(snapshot, graph, { source: 'unpack' });
  });
}

/** The open facts of a batch, each with the start of its validity. */
function assertFacts(stage: Stage, graph: string, batch: readonly PackFact[]): number {
  const node = terms.namedNode(graph);
  const byStart = new Map<number, Quad[]>();
  let facts = 0;
  for (const { quad, txTo, validFrom } of batch) {
    if (txTo !== null) continue;
    const quads = byStart.get(validFrom) ?? [];
    byStart.set(validFrom, quads);
    quads.push(terms.quad(quad.subject, quad.predicate, quad.object, node));
    facts++;
  }
  for (const [validFrom, quads] of byStart) stage.assert(quads, validFrom);
  return facts;
}

async function storeShapes(
  { pipeline, control }: WriteContext,
  stage: Stage,
  registry: GraphRegistration,
  documents: readonly PackDocument[],
): Promise<void> {
  if (documents.length === 0) return;
  // Loaded when needed: it brings the parser.
  const { checkShapes, checkTogether } = await import('../../graphs/shapes/check-shapes.js');
  const stop = { signal: control.signal };
  for (const { name, text: turtle } of documents) {
    const { prefixes } = await checkShapes(turtle, pipeline.compiledSets, stop);
    STORED_SHAPES.store(stage, registry, { name, turtle, loadedAt: showInstant(stage.timestamp), prefixes });
  }
  await withSnapshot(stage.snapshot(), (after) => checkTogether(STORED_SHAPES.all(after), pipeline.compiledSets, stop));
}

async function storeQueries(
  stage: Stage,
  registry: GraphRegistration,
  documents: readonly PackDocument[],
): Promise<void> {
  if (documents.length === 0) return;
  const { defineQuery } = await import('../../graphs/queries/query-definition.js');
  for (const { name, text } of documents) {
    const { description, dataset, ...given } = parsed(name, text);
    const query = { ...given, name, description: description ?? undefined, dataset: dataset ?? undefined };
    STORED_QUERIES.store(stage, registry, defineQuery(query as Parameters<typeof defineQuery>[0]));
  }
}

function parsed(name: string, text: string): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === 'object' && read !== null) return { ...read };
  } catch {
    // Told below.
  }
  throw new SvcError('invalid_request', `the query '${name}' of the pack is no JSON object`);
}
