/**
 * Retracts current facts of an entity in ROOT: all of them, those of a predicate, those with a value, or
 * one. What is not there is passed over; without anything to retract no transaction is written.
 */

import { SvcError } from '../../base/errors.js';
import type { BlankNode, NamedNode, Term } from '../../rdf/terms.js';
import { terms } from '../../rdf/terms.js';
import type { Stage } from '../../storage/seam/engine.js';
import { CURRENT, type PositionTest, type ScanPattern, type StorageSnapshot } from '../../storage/seam/scan.js';
import { type EntityInput, entityText, exactly, type PredicateInput, toEntity, toPredicate } from '../facts/entity.js';
import { ROOT_ONLY, readRows, retractMatching, withSnapshot } from '../facts/rows.js';
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
  const pattern = patternOf(snapshot, [entity, predicate, value?.term]);
  const retracted = pattern === null ? 0 : retractMatching(stage, snapshot, { graphs: ROOT_ONLY, pattern });
  if (retracted === 0) {
    if (value !== undefined) guardBareString(value, currentValues(snapshot, entity, predicate));
    return;
  }
  if (allowOrphan || (predicate === undefined && value === undefined)) return;
  assertNoOrphan(snapshot, wanted, pattern as ScanPattern, retracted);
}

/** Null when the store does not know one of the terms, so that nothing matches. */
function patternOf(snapshot: StorageSnapshot, wanted: readonly (Term | undefined)[]): ScanPattern | null {
  const tests: (PositionTest | undefined)[] = [];
  for (const term of wanted) {
    const id = term === undefined ? undefined : snapshot.encode(term);
    if (id === null) return null;
    tests.push(id === undefined ? undefined : exactly(id));
  }
  const [s, p, o] = tests;
  return { ...(s ? { s } : {}), ...(p ? { p } : {}), ...(o ? { o } : {}) };
}

function currentValues(snapshot: StorageSnapshot, entity: Term, predicate: Term | undefined): Term[] {
  const pattern = patternOf(snapshot, [entity, predicate, undefined]);
  if (pattern === null) return [];
  const values: Term[] = [];
  for (const batch of readRows(snapshot, { graphs: ROOT_ONLY, pattern, time: CURRENT, columns: ['o'] })) {
    for (const value of snapshot.decode(batch.column('o'), batch.rows)) values.push(value);
  }
  return values;
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
  if (typesGone === 0 || typesGone < count(patternOf(snapshot, [entity, type, undefined]))) return;
  if (count(patternOf(snapshot, [entity, undefined, undefined])) === rows) return;
  const name = entityText(entity);
  throw new SvcError('invalid_request', `this would take the last rdf:type of ${name}, which keeps other facts`, {
    hint: 'retract the whole entity, or say allow_orphan',
  });
}
