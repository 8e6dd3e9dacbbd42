/** Writes rows of the registry as the operations on graphs do, for tests of what reads them. */

import { DATASETS } from '../../../engine/query/registry/dataset-rows.js';
import { FORKS, type ForkStatus } from '../../../engine/query/registry/fork-rows.js';
import { type GraphRow, plainRow, quadsOfRow, readRow } from '../../../engine/query/registry/graph-rows.js';
import { type Declared, type GraphLabels, labelsOf, quadOfLabels } from '../../../engine/query/registry/label-rows.js';
import type { GraphRegistration } from '../../../engine/query/registry/registration.js';
import { companionOf, tombstonesOf } from '../../../engine/query/registry/system-graphs.js';
import { WritePipeline } from '../../../engine/service/pipeline/pipeline.js';
import type { Stage, StorageEngine } from '../../../engine/storage/seam/engine.js';
import { lookInto } from '../../../engine/storage/seam/rows.js';
import { type Quad, type Store, terms } from '../../../interfaces/library/index.js';

export function engineOf(store: Store): StorageEngine {
  return (store as unknown as { engine: StorageEngine }).engine;
}

/** One transaction that may write the registry. */
export async function writeRegistry(
  store: Store,
  write: (stage: Stage, registry: GraphRegistration) => void,
  timestamp = 1_767_225_600,
): Promise<number> {
  const pipeline = new WritePipeline(engineOf(store), { validateOnWrite: false });
  const { tx } = await pipeline.transact(
    (stage, registry) => {
      registry.writesRows();
      write(stage, registry);
    },
    { timestamp },
  );
  return tx;
}

/** What a rule derives from a graph, as the reasoner writes it: into the companion, under the source of the rule. */
export async function derive(store: Store, graph: string, quads: readonly Quad[], gone: readonly Quad[] = []) {
  const companion = terms.namedNode(companionOf(graph));
  const there = (some: readonly Quad[]) =>
    some.map(({ subject, predicate, object }) => terms.quad(subject, predicate, object, companion));
  const pipeline = new WritePipeline(engineOf(store), { validateOnWrite: false });
  const { tx } = await pipeline.transact(
    (stage, registry) => {
      registry.writesRows();
      if (lookInto(stage.snapshot(), (snapshot) => readRow(snapshot, companion.value)) === null) {
        setRow(stage, companion.value);
      }
      stage.assert(there(quads), stage.timestamp);
      stage.retract(there(gone));
    },
    { timestamp: 1_767_225_600, source: 'reasoner:r1', actor: 'reasoner' },
  );
  return tx;
}

export function setRow(stage: Stage, iri: string, about: Partial<GraphRow> = {}): void {
  const before = lookInto(stage.snapshot(), (snapshot) => readRow(snapshot, iri));
  if (before !== null) stage.retract(quadsOfRow(before));
  stage.assert(quadsOfRow({ ...(before ?? plainRow(iri)), ...about }), stage.timestamp);
}

/** What labels say, all of them without an end unless it is given. */
type Given = {
  readonly [Axis in keyof GraphLabels]: GraphLabels[Axis] extends Declared<infer V> | undefined ? V : never;
};

export function labelled(given: Partial<Given>, validTo: number | null = null): GraphLabels {
  return Object.fromEntries(Object.entries(given).map(([axis, value]) => [axis, { value, validTo }]));
}

export function setLabels(stage: Stage, iri: string, labels: GraphLabels): void {
  const before = lookInto(stage.snapshot(), (snapshot) => ({
    labels: labelsOf(snapshot, iri),
    row: readRow(snapshot, iri),
  }));
  if (Object.keys(before.labels).length > 0) stage.retract([quadOfLabels(iri, before.labels)]);
  if (before.row === null) setRow(stage, iri);
  stage.assert([quadOfLabels(iri, labels)], stage.timestamp);
}

export function label(store: Store, iri: string, given: Partial<Given>, validTo: number | null = null) {
  return writeRegistry(store, (stage) => setLabels(stage, iri, labelled(given, validTo)));
}

export function dataset(store: Store, name: string, graphs: readonly string[]) {
  return writeRegistry(store, (stage, registry) => {
    DATASETS.store(stage, registry, { name, members: graphs.map((graph) => ({ graph, ord: null })) });
  });
}

export function overlay(store: Store, iri: string, parent: string) {
  return writeRegistry(store, (stage) => setRow(stage, iri, { class: 'overlay', parent }));
}

/** Rows of an overlay, past the refusals of those who only write graphs. */
export async function writeOverlay(
  store: Store,
  iri: string,
  { asserted = [], gone = [] }: { readonly asserted?: readonly Quad[]; readonly gone?: readonly Quad[] },
): Promise<number> {
  const into = (graph: string) => (quad: Quad) =>
    terms.quad(quad.subject, quad.predicate, quad.object, terms.namedNode(graph));
  const stage = engineOf(store).stage({ timestamp: 1_767_225_600 });
  stage.assert([...asserted.map(into(iri)), ...gone.map(into(tombstonesOf(iri)))], stage.timestamp);
  const { tx, durable } = stage.commit({ catalog: false });
  await durable;
  return tx;
}

export function fork(store: Store, name: string, status: ForkStatus, tx = 1) {
  return writeRegistry(store, (stage, registry) => {
    FORKS.store(stage, registry, { name, tx, createdTx: tx + 1, status, createdAt: '2026-01-01T00:00:00Z' });
    setRow(stage, `urn:svc:fork:${name}`);
  });
}
