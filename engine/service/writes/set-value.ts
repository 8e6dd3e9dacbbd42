/**
 * Sets the one value of an entity's predicate in ROOT: the other current values are retracted, the wanted
 * one is asserted unless it is current. What is as wanted already is not written (semantics text 1.10).
 */

import { type BlankNode, type NamedNode, terms } from '../../rdf/terms.js';
import { ROOT_ID } from '../../storage/ids/layout.js';
import { decodeIds, patternOf, ROOT_ONLY, readIds, withSnapshot } from '../../storage/seam/rows.js';
import { CURRENT } from '../../storage/seam/scan.js';
import { type EntityInput, knownEntity, type PredicateInput, toEntity, toPredicate } from '../facts/entity.js';
import { guardBareString, toValue, type Value, type ValueInput } from '../facts/values.js';
import type { WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

/** `source` is `set`; other values end, and a new one begins, at `validFrom`. */
export type SetOptions = Omit<WriteOptions, 'source'>;

export interface SetRequest {
  readonly entity: EntityInput;
  readonly predicate: PredicateInput;
  readonly value: ValueInput;
}

export const setValue: WriteCommand<SetRequest, SetOptions, TransactionResult> = {
  forSomeGraphs: true,
  async run(context, request, options) {
    const entity = toEntity(request.entity);
    const predicate = toPredicate(request.predicate);
    const value = toValue(request.value);
    const settled = context.settle({ ...options, source: 'set' });
    const change = changeOf(entity, predicate, value);
    return toResult(await context.pipeline.transact(change, settled, context.control));
  },
};

function changeOf(entity: NamedNode | BlankNode, predicate: NamedNode, value: Value): StageChange<void> {
  const quad = (object: typeof value.term) => terms.quad(entity, predicate, object as never);
  return async (stage) =>
    withSnapshot(stage.snapshot(), (snapshot) => {
      const s = knownEntity(snapshot, entity, ROOT_ID);
      const p = snapshot.encode(predicate);
      const rows = p === null ? null : { graphs: ROOT_ONLY, pattern: patternOf({ s, p }), time: CURRENT };
      const current = rows === null ? [] : [...readIds(snapshot, rows, 'o')];
      guardBareString(value, decodeIds(snapshot, current));
      const wanted = snapshot.encode(value.term);
      const others = current.filter((id) => id !== wanted);
      stage.retract(decodeIds(snapshot, others).map(quad), stage.validFrom);
      stage.assert([quad(value.term)]);
    });
}
