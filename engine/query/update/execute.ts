/**
 * Runs an update on a stage: its operations in their order, each on the state that the ones before it
 * have made. What the text alone shows to be wrong is refused when it is prepared, before anything is
 * staged; an error later leaves the stage to be dropped by its owner.
 */

import { SvcError } from '../../base/errors.js';
import { type Quad, ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import type { GraphChange, Stage } from '../../storage/seam/engine.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { ParsedUpdate, UpdateOperation } from '../algebra/update.js';
import { bindUpdateParameters, type Parameters } from '../parameters/bind.js';
import { parseUpdate } from '../parse/translate-update.js';
import type { GraphRegistration } from '../registry/registration.js';
import { registryId } from '../registry/system-graphs.js';
import { clearOrDrop, create, transfer } from './graphs.js';
import { modify } from './modify.js';
import { type UpdateOptions, UpdateRun } from './run.js';
import { checkOperation, checkTarget } from './targets.js';

const BATCH_QUADS = 4096;

export type { ReadDocument, UpdateOptions } from './run.js';

/** What a request has changed, netted over all of it. */
export interface UpdateChanges {
  readonly inserted: number;
  readonly deleted: number;
  /** IRIs of the graphs whose facts changed, or that were made or dropped; ROOT first. */
  readonly graphs: readonly string[];
}

export interface PreparedUpdate {
  readonly operations: ParsedUpdate['operations'];
  /** Graphs that it makes and drops go through the registration, which its owner settles. */
  run(stage: Stage, registry: GraphRegistration, options: UpdateOptions): Promise<UpdateChanges>;
}

export interface PrepareOptions extends Pick<UpdateOptions, 'using' | 'readDocument'> {
  readonly baseIri?: string | undefined;
  /** Terms for variables of the text. */
  readonly parameters?: Parameters | undefined;
}

export function prepareUpdate(text: string, { baseIri, using, parameters }: PrepareOptions = {}): PreparedUpdate {
  const parsed = parseUpdate(text, { baseIri });
  const { operations } = parameters === undefined ? parsed : bindUpdateParameters(parsed, parameters);
  for (const operation of operations) {
    checkOperation(operation);
    if (using !== undefined) refuseOwnDataset(operation);
  }
  return {
    operations,
    run: (stage, registry, options) => runUpdate(operations, new UpdateRun(stage, registry, { ...options, using })),
  };
}

/** The protocol's dataset replaces what the text may say itself (SPARQL 1.1 Protocol, 2.2.3). */
function refuseOwnDataset(operation: UpdateOperation): void {
  if (operation.kind !== 'modify' || (operation.using === null && operation.with === null)) return;
  const clause = operation.using === null ? 'WITH' : 'USING';
  throw new SvcError('invalid_request', `the update has ${clause} and the request names graphs to use as well`, {
    hint: `leave out either ${clause} or using-graph-uri and using-named-graph-uri`,
  });
}

async function runUpdate(operations: readonly UpdateOperation[], run: UpdateRun): Promise<UpdateChanges> {
  for (const operation of operations) await runOperation(operation, run);
  const snapshot = run.stage.snapshot();
  try {
    return changesOf(run.stage.changes().graphs, run.registry, snapshot);
  } finally {
    snapshot.close();
  }
}

async function runOperation(operation: UpdateOperation, run: UpdateRun): Promise<void> {
  await run.step('update', 0);
  switch (operation.kind) {
    case 'insertData':
      return inBatches(operation.quads, run, (batch) => run.stage.assert(batch));
    case 'deleteData':
      return inBatches(operation.quads, run, (batch) => run.stage.retract(batch));
    case 'modify':
      return modify(operation, run);
    case 'load':
      return silenced(operation.silent, () => loadDocument(operation, run));
    case 'clear':
    case 'drop':
      return clearOrDrop(operation, run);
    case 'create':
      return create(operation, run);
    case 'add':
    case 'copy':
    case 'move':
      return transfer(operation, run);
  }
}

async function inBatches(quads: readonly Quad[], run: UpdateRun, take: (batch: readonly Quad[]) => void) {
  for (let from = 0; from < quads.length; from += BATCH_QUADS) {
    take(quads.slice(from, from + BATCH_QUADS));
    await run.step('write', from);
  }
}

/** The whole document is read before anything of it is written. */
async function loadDocument(
  { source, into }: Extract<UpdateOperation, { kind: 'load' }>,
  run: UpdateRun,
): Promise<void> {
  const { readDocument, signal, flag, onProgress } = run.options;
  if (readDocument === undefined) {
    throw new SvcError('invalid_request', `LOAD <${source}> is not allowed: update.load_from is not set`, {
      hint: 'set update.load_from to a folder of documents, or load the document with knot',
    });
  }
  const quads = await readDocument(source, into ?? ROOT_GRAPH_IRI, { signal, flag, onProgress });
  const named = quads.filter(({ graph }) => graph.termType === 'NamedNode');
  for (const graph of new Set(named.map((quad) => quad.graph.value))) checkTarget(graph);
  await inBatches(quads, run, (batch) => run.stage.assert(batch));
}

/** LOAD reads before it writes, so that one that fails has done nothing. */
async function silenced(silent: boolean, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const passes = !silent || !(error instanceof SvcError) || !['invalid', 'unsupported'].includes(error.kind);
    if (passes) throw error;
  }
}

function changesOf(
  changes: readonly GraphChange[],
  registry: GraphRegistration,
  snapshot: StorageSnapshot,
): UpdateChanges {
  const rows = registryId(snapshot);
  const facts = changes.filter(({ graph }) => graph !== rows);
  const named = decodeIds(
    snapshot,
    facts.map(({ graph }) => graph),
  );
  const graphs = new Set(named.map((node) => (node.termType === 'BlankNode' ? `_:${node.value}` : node.value)));
  for (const iri of registry.changed(snapshot)) graphs.add(iri);
  return {
    inserted: facts.reduce((sum, { asserted }) => sum + asserted, 0),
    deleted: facts.reduce((sum, { retracted }) => sum + retracted, 0),
    graphs: [...graphs].sort(byRootThenName),
  };
}

function byRootThenName(a: string, b: string): number {
  if (a === ROOT_GRAPH_IRI || b === ROOT_GRAPH_IRI) return a === b ? 0 : a === ROOT_GRAPH_IRI ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
