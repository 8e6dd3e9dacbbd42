/** Stored sets of shapes as a store's callers ask for them; they are written through the pipeline like everything else. */

import { SvcError } from '../../base/errors.js';
import { STORED_SHAPES } from '../../graphs/shapes/stored-shapes.js';
import { isRowName } from '../../query/registry/row-name.js';
import { withSnapshot } from '../../storage/seam/rows.js';
import { showInstant } from '../options/store-options.js';
import type { WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import { ruleDocuments } from '../reasoning/stored-documents.js';
import type { WriteCommand, WriteContext } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

export interface LoadedShapesResult extends TransactionResult {
  /** Node shapes of the document. */
  readonly shapes: number;
  /** Rules of the document. */
  readonly rules: number;
}

export interface RemovedShapesResult extends TransactionResult {
  readonly found: boolean;
}

const SOURCE = 'shapes';

export interface ShapesRequest {
  readonly name: string;
  readonly turtle: string;
}

/** What a document holds, and the change that stores it in place of the one of its name. */
export interface ShapesChange {
  readonly shapes: number;
  readonly rules: number;
  readonly change: StageChange<void>;
}

/** Checks a document of shapes by itself; the change checks it beside the sets that are there in its turn. */
export async function shapesChange(context: WriteContext, { name, turtle }: ShapesRequest): Promise<ShapesChange> {
  if (!isRowName(name)) {
    throw new SvcError(
      'invalid_request',
      'the name of a set of shapes is a text of whole characters that is not empty',
    );
  }
  // Loaded when needed: it brings the parser.
  const { checkShapes, checkTogether } = await import('../../graphs/shapes/check-shapes.js');
  const control = { signal: context.control.signal };
  const compiled = context.pipeline.compiledSets;
  const { shapes, rules, prefixes } = await checkShapes(turtle, compiled, control);
  const change: StageChange<void> = async (stage, registry, events) => {
    const loadedAt = showInstant(stage.timestamp);
    STORED_SHAPES.store(stage, registry, { name, turtle, loadedAt, prefixes });
    await withSnapshot(stage.snapshot(), async (after) => {
      await checkTogether(STORED_SHAPES.all(after), compiled, control);
      // The rules of all sets are checked together.
      await context.pipeline.keptRules.of(ruleDocuments(after), context.baseNamespace, control.signal);
    });
    events.add({ type: 'shapes.loaded', subject: name, payload: { name, tx: stage.tx } });
  };
  return { shapes, rules, change };
}

/** Checks a document of shapes and stores it in place of the one of its name. */
export const loadShapes: WriteCommand<ShapesRequest, WriteOptions, LoadedShapesResult> = {
  async run(context, request, options) {
    const settled = context.settle({ ...options, source: SOURCE });
    const { shapes, rules, change } = await shapesChange(context, request);
    const receipt = await context.pipeline.transact(change, settled, context.control);
    return { ...toResult(receipt), shapes, rules };
  },
};

export const removeShapes: WriteCommand<{ readonly name: string }, WriteOptions, RemovedShapesResult> = {
  async run(context, { name }, options) {
    const settled = context.settle({ ...options, source: SOURCE });
    const { pipeline, control } = context;
    const change: StageChange<boolean> = async (stage, registry, events) => {
      const found = STORED_SHAPES.remove(stage, registry, name);
      const { checkTogether } = await import('../../graphs/shapes/check-shapes.js');
      if (!found) return found;
      await withSnapshot(stage.snapshot(), (after) =>
        checkTogether(STORED_SHAPES.all(after), pipeline.compiledSets, { signal: control.signal }),
      );
      events.add({ type: 'shapes.removed', subject: name, payload: { name, tx: stage.tx } });
      return found;
    };
    const receipt = await pipeline.transact(change, settled, control);
    return { ...toResult(receipt), found: receipt.result };
  },
};
