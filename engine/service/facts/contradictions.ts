/**
 * Contradictions: two assertions in ROOT of the same entity and predicate, with different values, that
 * hold at some instant both. Closed history counts too. A pair is a question, not an error, and is never
 * refused (semantics text 1.5). An interval that is empty holds nowhere and meets nothing.
 *
 * Several values of a predicate are the rule in RDF, so that of the whole of ROOT only predicates of which
 * stored shapes allow one value are examined, unless all are asked for.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { compareCodePoints } from '../../base/text.js';
import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import type { Instant, TermId, TxId } from '../../storage/ids/layout.js';
import { decodeIds, patternOf, ROOT_ONLY, readRows } from '../../storage/seam/rows.js';
import type { ScanPattern, StorageSnapshot } from '../../storage/seam/scan.js';
import { showInstant } from '../options/store-options.js';
import { type EntityInput, type PredicateInput, toEntity, toPredicate } from './entity.js';
import type { TimedFact } from './unravel.js';

export type ContradictingFact = Pick<TimedFact, 'value' | 'validFrom' | 'validTo' | 'tx'>;

export interface Contradiction {
  readonly entity: Term;
  readonly predicate: Term;
  /** The one of the lesser transaction first. */
  readonly facts: readonly [ContradictingFact, ContradictingFact];
}

/** Absent = any. */
export interface ContradictionScope {
  /** Without entity and predicate: also predicates of which no stored shape has `sh:maxCount 1`. */
  readonly allPredicates?: boolean | undefined;
  readonly entity?: EntityInput | undefined;
  readonly predicate?: PredicateInput | undefined;
}

interface Assertion {
  readonly value: TermId;
  readonly validFrom: Instant;
  /** Infinity while open. */
  readonly validTo: number;
  readonly tx: TxId;
}

interface Group {
  readonly s: TermId;
  readonly p: TermId;
  readonly assertions: Assertion[];
}

/** Pairs in the order of entity and predicate ids, within them of (tx, tx). */
export async function* findContradictions(
  snapshot: StorageSnapshot,
  scope: ContradictionScope,
  control: Control,
): AsyncGenerator<Contradiction> {
  const pattern = patternIn(snapshot, scope);
  if (pattern === null) return;
  const only = await examined(snapshot, scope);
  if (only?.size === 0) return;
  for await (const group of groupsOf(snapshot, pattern, only, control)) yield* pairsOf(snapshot, group, control);
}

function patternIn(snapshot: StorageSnapshot, scope: ContradictionScope): ScanPattern | null {
  const { entity, predicate } = scope;
  const s = entity === undefined ? undefined : snapshot.encode(toEntity(entity));
  const p = predicate === undefined ? undefined : snapshot.encode(toPredicate(predicate));
  if (s === null || p === null) return null;
  return patternOf({ s, p });
}

/** The predicates that count; null = all. */
async function examined(snapshot: StorageSnapshot, scope: ContradictionScope): Promise<ReadonlySet<TermId> | null> {
  const { entity, predicate, allPredicates = false } = scope;
  if (entity !== undefined || predicate !== undefined || allPredicates) return null;
  // Loaded when needed: it brings the parser of shapes.
  const { singleValuedPredicates } = await import('./single-valued.js');
  const predicates = await singleValuedPredicates(snapshot);
  return new Set(predicates.map((one) => snapshot.encode(one)).filter((id) => id !== null));
}

/** The assertions of each entity and predicate that have several. */
async function* groupsOf(
  snapshot: StorageSnapshot,
  pattern: ScanPattern,
  only: ReadonlySet<TermId> | null,
  control: Control,
): AsyncGenerator<Group> {
  const columns = ['s', 'p', 'o', 'txFrom', 'validFrom', 'validTo'] as const;
  const request = { graphs: ROOT_ONLY, pattern, time: { kind: 'all' }, order: 'SPOG', columns } as const;
  let group: Group | null = null;
  for (const batch of readRows(snapshot, request)) {
    throwIfStopped(control, 'the search');
    for (let row = 0; row < batch.rows; row++) {
      const [s, p] = [batch.id('s', row), batch.id('p', row)];
      if (only?.has(p) === false) continue;
      if (group === null || group.s !== s || group.p !== p) {
        if (group !== null && group.assertions.length > 1) yield group;
        group = { s, p, assertions: [] };
      }
      const validFrom = batch.instant('validFrom', row) as Instant;
      const validTo = batch.instant('validTo', row) ?? Number.POSITIVE_INFINITY;
      if (validFrom >= validTo) continue;
      group.assertions.push({ value: batch.id('o', row), validFrom, validTo, tx: batch.tx('txFrom', row) as TxId });
    }
    await breathe();
  }
  if (group !== null && group.assertions.length > 1) yield group;
}

async function* pairsOf(snapshot: StorageSnapshot, group: Group, control: Control): AsyncGenerator<Contradiction> {
  const { assertions } = group;
  if (assertions.every(({ value }) => value === assertions[0]?.value)) return;
  const terms = decodeIds(snapshot, [group.s, group.p, ...assertions.map(({ value }) => value)]);
  const [entity, predicate] = terms.splice(0, 2) as [Term, Term];
  const sorted = assertions
    .map((assertion, at) => {
      const value = terms[at] as Term;
      return { assertion, value, text: termToString(value) };
    })
    .sort((a, b) => a.assertion.tx - b.assertion.tx || compareCodePoints(a.text, b.text));
  for (const [at, first] of sorted.entries()) {
    throwIfStopped(control, 'the search');
    for (let other = at + 1; other < sorted.length; other++) {
      const second = sorted[other] as (typeof sorted)[number];
      if (!contradict(first.assertion, second.assertion)) continue;
      yield { entity, predicate, facts: [shown(first.value, first.assertion), shown(second.value, second.assertion)] };
    }
  }
}

/** Touching ends don't meet. */
function contradict(a: Assertion, b: Assertion): boolean {
  return a.value !== b.value && a.validFrom < b.validTo && b.validFrom < a.validTo;
}

function shown(value: Term, { validFrom, validTo, tx }: Assertion): ContradictingFact {
  return {
    value,
    validFrom: showInstant(validFrom),
    validTo: validTo === Number.POSITIVE_INFINITY ? null : showInstant(validTo),
    tx,
  };
}
