/**
 * Datasets on a stage: the row in the registry, the same as facts of the meta graph (`<name> a svc:Dataset; svc:includesGraph <g>`),
 * and rows for members that had none, in one transaction.
 */

import { SvcError } from '../../base/errors.js';
import { DATASETS, type DatasetMember, FROZEN_DATASET, INCLUDES_GRAPH } from '../../query/registry/dataset-rows.js';
import type { GraphRegistration } from '../../query/registry/registration.js';
import { META_GRAPH_IRI, SVC_NS } from '../../query/registry/system-graphs.js';
import { type Quad, RDF_NS, terms } from '../../rdf/terms.js';
import type { Stage } from '../../storage/seam/engine.js';
import { lookInto } from '../../storage/seam/rows.js';
import { type DatasetInput, defineDataset, lookUpMembers, refuseUnregistered } from './define-dataset.js';

export interface CreatedDataset {
  readonly members: number;
  /** Members that are no registered graphs, in the order of their IRIs. */
  readonly unregistered: readonly string[];
}

export interface RemovedDataset {
  readonly removed: boolean;
  /** How many members it had. */
  readonly members: number;
}

const META = terms.namedNode(META_GRAPH_IRI);
const TYPE = terms.namedNode(`${RDF_NS}type`);
const DATASET = terms.namedNode(`${SVC_NS}Dataset`);

export function createDataset(stage: Stage, registry: GraphRegistration, input: DatasetInput): CreatedDataset {
  const row = defineDataset(input);
  const { name, members } = row;
  return lookInto(stage.before(), (before) => {
    const { unregistered, rowless } = lookUpMembers(before, row);
    if (input.allowUnregistered !== true) refuseUnregistered(unregistered);
    const replaced = DATASETS.one(before, name);
    if (replaced !== null) stage.retract(metaFacts(name, replaced.members));
    registry.registerKnown(rowless);
    DATASETS.store(stage, registry, row);
    stage.assert(metaFacts(name, members));
    return { members: members.length, unregistered };
  });
}

export function removeDataset(stage: Stage, registry: GraphRegistration, name: string): RemovedDataset {
  if (name === FROZEN_DATASET) {
    throw new SvcError('invalid_request', `the dataset <${name}> is built in, and can not be removed`);
  }
  const row = lookInto(stage.before(), (before) => DATASETS.one(before, name));
  const removed = DATASETS.remove(stage, registry, name);
  if (row !== null) stage.retract(metaFacts(name, row.members));
  return { removed, members: row?.members.length ?? 0 };
}

function* metaFacts(name: string, members: readonly DatasetMember[]): Generator<Quad> {
  const node = terms.namedNode(name);
  yield terms.quad(node, TYPE, DATASET, META);
  for (const { graph } of members) yield terms.quad(node, INCLUDES_GRAPH, terms.namedNode(graph), META);
}
