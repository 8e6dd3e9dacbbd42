/** Overlays as a store's callers make and write them; through the pipeline, but outside of shapes, rules and events. */

import { SvcError } from '../../base/errors.js';
import type { OverlayOp } from '../../graphs/overlays.js';
import {
  createOverlay as bindOverlay,
  type CreatedOverlay,
  OVERLAY_OPS,
  writeOverlay as putTriple,
} from '../../graphs/overlays.js';
import { type Quad, ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import { type EntityInput, type PredicateInput, toEntity, toIri, toPredicate } from '../facts/entity.js';
import { toValue, type ValueInput } from '../facts/values.js';
import type { WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

/** `source` is `overlay-create`, `overlay` or `overlay-tombstone`. */
export interface OverlayOptions extends Omit<WriteOptions, 'source' | 'validFrom'> {}

export interface CreateOverlayOptions extends OverlayOptions {
  /** IRI of the graph that it lies over; absent = ROOT. */
  readonly parent?: string | undefined;
}

export interface CreatedOverlayResult extends TransactionResult {
  /** Numbers of the two graphs in this store; 0 is ROOT. */
  readonly number: number;
  readonly parentNumber: number;
  readonly parent: string;
  readonly created: boolean;
}

/** One triple of an overlay, and what becomes of it. */
export interface OverlayChange {
  readonly op: OverlayOp;
  readonly subject: EntityInput;
  readonly predicate: PredicateInput;
  /** A string is a literal, whatever it looks like. */
  readonly object: ValueInput;
}

/** Registers an overlay and binds it to its parent. */
export const createOverlay: WriteCommand<{ readonly overlay: string }, CreateOverlayOptions, CreatedOverlayResult> = {
  forSomeGraphs: true,
  async run(context, { overlay }, { parent = ROOT_GRAPH_IRI, timestamp, actor }) {
    const names = { iri: toIri(overlay, 'overlay').value, parent: toIri(parent, 'parent_branch').value };
    const settled = { ...context.settle({ timestamp, actor, source: 'overlay-create' }), graph: names.iri };
    const change: StageChange<CreatedOverlay> = (stage, registry, events) => {
      events.none();
      return bindOverlay(stage, registry, names);
    };
    const receipt = await context.pipeline.transact(change, settled, context.control);
    return { ...toResult(receipt), ...receipt.result, parent: names.parent };
  },
};

/** Asserts a triple in an overlay, hides one of its parent, or takes back what the overlay says of one. */
export const writeOverlay: WriteCommand<
  { readonly overlay: string; readonly change: OverlayChange },
  OverlayOptions,
  TransactionResult
> = {
  forSomeGraphs: true,
  async run(context, request, { timestamp, actor }) {
    const { op, subject, predicate, object } = request.change;
    if (!OVERLAY_OPS.includes(op)) {
      throw new SvcError('invalid_request', `'op' is ${JSON.stringify(op)}; expected one of ${OVERLAY_OPS.join(', ')}`);
    }
    const overlay = toIri(request.overlay, 'overlay').value;
    const triple = {
      subject: toEntity(subject, 'subject'),
      predicate: toPredicate(predicate),
      object: toValue(object, 'object').term as Quad['object'],
    };
    const source = op === 'tombstone' ? 'overlay-tombstone' : 'overlay';
    const settled = { ...context.settle({ timestamp, actor, source }), graph: overlay };
    const change: StageChange<void> = (stage, registry, events) => {
      events.none();
      putTriple(stage, registry, { overlay, op, triple });
    };
    return toResult(await context.pipeline.transact(change, settled, context.control));
  },
};
