/**
 * Retracts current facts of an entity in ROOT: all of them, those of a predicate, those with a value, or
 * one. What is not there is passed over; without anything to retract no transaction is written.
 */

import { SvcError } from '../../base/errors.js';
import type { BlankNode, NamedNode, Term } from '../../rdf/terms.js';
import { terms } from '../../rdf/terms.js';
import type { Stage } from '../../storage/seam/engine.js';
import {
  decodeIds,
  exactly,
  patternOf,
  ROOT_ONLY,
  readIds,
  retractMatching,
  withSnapshot,
} from '../../storage/seam/rows.js';
import { CURRENT, type ScanPattern, type StorageSnapshot } from '../../storage/seam/scan.js';
import { type EntityInput, entityText, type PredicateInput, toEntity, toPredicate } from '../facts/entity.js';
import { guardBareString, RDF_TYPE, toValue, type Value, type ValueInput } from '../facts/values.js';
import type { WriteOptions } from '../options/write-options.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

/** `source` is `retract`. */
export interface RetractOptions extends Omit<WriteOptions, 'source' | 'validFrom'> {
  /** Absent = facts of every predicate. */
  readonly predicate?: PredicateInput | undefined;
  /** Absent = facts with every value. */
  readonly value?: ValueInput | undefined;
  /** Takes the last type of an entity that keeps other facts. */
  readonly allowOrphan?: boolean | undefined;
}

interface Wanted {
  readonly entity: NamedNode | BlankNode;
  readonly predicate: NamedNode | undefined;
  readonly value: Value | undefined;
}

export const retractFacts: WriteCommand<{ readonly entity: EntityInput }, RetractOptions, TransactionResult> = {
  forSomeGraphs: true,
  async run(context, { entity }, { timestamp, actor, predicate, value, allowOrphan = false }) {
    const wanted: Wanted = {
      entity: toEntity(entity),
      predicate: predicate === undefined ? undefined : toPredicate(predicate),
      value: value === undefined ? undefined : toValue(value),
    };
    const settled = context.settle({ timestamp, actor, source: 'retract' });
    const change = (stage: Stage) =>
      withSnapshot(stage.snapshot(), (snapshot) => retractWanted(stage, snapshot, wanted, allowOrphan));
    return toResult(await context.pipeline.transact(change, settled, context.control));
  },
};

function retractWanted(stage: Stage, snapshot: StorageSnapshot, wanted: Wanted, allowOrphan: boolean): void {
  const { entity, predicate, value } = wanted;
  const pattern = patternIn(snapshot, [entity, predicate, value?.term]);
  const retracted = pattern === null ? 0 : retractMatching(stage, snapshot, { graphs: ROOT_ONLY, pattern });
  if (retracted === 0) {
    if (value !== undefined) guardBareString(value, currentValues(snapshot, entity, predicate));
    return;
  }
  if (allowOrphan || (predicate === undefined && value === undefined)) return;
  assertNoOrphan(snapshot, wanted, pattern as ScanPattern, retracted);
}

/** Null when the store does not know one of the terms, so that nothing matches. */
function patternIn(snapshot: StorageSnapshot, wanted: readonly (Term | undefined)[]): ScanPattern | null {
  const [s, p, o] = wanted.map((term) => (term === undefined ? undefined : snapshot.encode(term)));
  return s === null || p === null || o === null ? null : patternOf({ s, p, o });
}

function currentValues(snapshot: StorageSnapshot, entity: Term, predicate: Term | undefined): Term[] {
  const pattern = patternIn(snapshot, [entity, predicate, undefined]);
  if (pattern === null) return [];
  return decodeIds(snapshot, [...readIds(snapshot, { graphs: ROOT_ONLY, pattern, time: CURRENT }, 'o')]);
}

/** Refuses to take the last type of an entity that keeps other facts. The snapshot is from before. */
function assertNoOrphan(snapshot: StorageSnapshot, wanted: Wanted, retracted: ScanPattern, rows: number): void {
  const { entity, predicate } = wanted;
  const type = terms.namedNode(RDF_TYPE);
  if (predicate !== undefined && predicate.value !== RDF_TYPE) return;
  const typeId = snapshot.encode(type);
  if (typeId === null) return;
  const count = (pattern: ScanPattern | null) =>
    pattern === null ? 0 : snapshot.count({ graphs: ROOT_ONLY, pattern, time: CURRENT });
  const typesGone = count({ ...retracted, p: exactly(typeId) });
  if (typesGone === 0 || typesGone < count(patternIn(snapshot, [entity, type, undefined]))) return;
  if (count(patternIn(snapshot, [entity, undefined, undefined])) === rows) return;
  const name = entityText(entity);
  throw new SvcError('invalid_request', `this would take the last rdf:type of ${name}, which keeps other facts`, {
    hint: 'retract the whole entity, or say allow_orphan',
  });
}
