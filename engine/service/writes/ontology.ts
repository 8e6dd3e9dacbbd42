/** Loaded ontologies as a store's callers ask for them, and full runs of what they entail. */

import { SvcError } from '../../base/errors.js';
import { STORED_ONTOLOGIES, type StoredOntology } from '../../graphs/ontologies/stored-ontologies.js';
import { isRowName } from '../../query/registry/row-name.js';
import type { AxiomSummary } from '../../reason/owl/axioms.js';
import type { MaterializedCounts } from '../../reason/owl/difference.js';
import { lookInto } from '../../storage/seam/rows.js';
import { showInstant } from '../options/store-options.js';
import type { WriteOptions } from '../options/write-options.js';
import { OWL_SOURCE } from '../pipeline/derived-transactions.js';
import { type FullRun, OWL_ACTOR } from '../pipeline/owl-maintainer.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

export interface OntologyOptions extends Omit<WriteOptions, 'source' | 'validFrom'> {}
/** A materialization is written by nobody else. */
export interface MaterializeOptions extends Omit<OntologyOptions, 'actor'> {}

export interface LoadedOntologyResult extends TransactionResult {
  /** How many axioms of each kind the document declares. */
  readonly axioms: AxiomSummary;
  readonly materialized: MaterializedCounts;
}

export interface RemovedOntologyResult extends TransactionResult {
  readonly removed: boolean;
}

export interface MaterializedResult extends TransactionResult {
  /** How many are loaded. */
  readonly ontologies: number;
  /** Null: no ontology is loaded. */
  readonly materialized: MaterializedCounts | null;
}

const SOURCE = 'ontology';

export interface OntologyRequest {
  readonly name: string;
  readonly turtle: string;
}

/** Stores an ontology in place of the one of its name, and writes what follows, in one commit. */
export const loadOntology: WriteCommand<OntologyRequest, OntologyOptions, LoadedOntologyResult> = {
  async run(context, { name, turtle }, options) {
    const { pipeline, control } = context;
    pipeline.owl.assertOn('an ontology');
    const settled = context.settle({ ...options, source: SOURCE });
    if (!isRowName(name)) {
      throw new SvcError('invalid_request', 'the name of an ontology is a text of whole characters that is not empty');
    }
    // Loaded when needed: it brings the parser.
    const { readOntology } = await import('../../graphs/ontologies/read-ontology.js');
    const { summary } = await readOntology(turtle, 'turtle', control.signal);
    const change: StageChange<FullRun> = (stage, registry, events) => {
      const row: StoredOntology = { name, turtle, loadedAt: showInstant(stage.timestamp), axioms: summary };
      STORED_ONTOLOGIES.store(stage, registry, row);
      events.add({ type: 'ontology.loaded', subject: name, payload: { name, tx: stage.tx } });
      return pipeline.owl.ask(stage);
    };
    const receipt = await pipeline.transact(change, settled, control);
    return { ...toResult(receipt), axioms: summary, materialized: receipt.result.counts as MaterializedCounts };
  },
};

/** Takes an ontology away, and with it what follows no more. */
export const removeOntology: WriteCommand<{ readonly name: string }, OntologyOptions, RemovedOntologyResult> = {
  async run(context, { name }, options) {
    const { pipeline, control } = context;
    pipeline.owl.assertOn('an ontology');
    const settled = context.settle({ ...options, source: SOURCE });
    const change: StageChange<boolean> = (stage, registry, events) => {
      const removed = STORED_ONTOLOGIES.remove(stage, registry, name);
      if (!removed) return false;
      events.add({ type: 'ontology.removed', subject: name, payload: { name, tx: stage.tx } });
      pipeline.owl.ask(stage);
      return true;
    };
    const receipt = await pipeline.transact(change, settled, control);
    return { ...toResult(receipt), removed: receipt.result };
  },
};

/** Makes a full run and writes the difference. */
export const materializeOntologies: WriteCommand<object, MaterializeOptions, MaterializedResult> = {
  async run(context, _, options) {
    const { pipeline, control } = context;
    pipeline.owl.assertOn('a materialization');
    const settled = { ...context.settle(options), source: OWL_SOURCE, actor: OWL_ACTOR };
    const change: StageChange<{ readonly run: FullRun; readonly ontologies: number }> = (stage) => {
      const ontologies = lookInto(stage.snapshot(), (snapshot) => STORED_ONTOLOGIES.ids(snapshot).length);
      return { run: pipeline.owl.ask(stage), ontologies };
    };
    const receipt = await pipeline.transact(change, settled, control);
    const { run, ontologies } = receipt.result;
    return { ...toResult(receipt), ontologies, materialized: run.counts };
  },
};
