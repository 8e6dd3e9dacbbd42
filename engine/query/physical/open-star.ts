/** A star to running operators: one, or, where other constants have made two of its predicates the same, one for each pattern. */

import { invariant } from '../../base/errors.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { HashJoinOperator } from '../execute/join/hash-join.js';
import { HashLeftJoinOperator } from '../execute/join/hash-left-join.js';
import { IndexJoinOperator, type ProbePart } from '../execute/join/index-join.js';
import { isStar, predicateOf, StarJoinOperator, type StarLeg, type StarSpec } from '../execute/join/star-join.js';
import { ScanOperator } from '../execute/scan/scan.js';
import { joinRun, UNORDERED_JOIN } from '../execute/tables/join-run.js';
import type { MemoryBudget } from '../runtime/memory.js';
import type { Operator } from '../runtime/operator.js';
import type { QueryTerms } from '../terms/terms.js';

export interface StarResources {
  readonly snapshot: StorageSnapshot;
  readonly terms: QueryTerms;
  readonly budget: MemoryBudget;
}

const NO_KEYS = { certain: [], loose: [] };

export function openStar(input: Operator | null, spec: StarSpec, resources: StarResources): Operator {
  const { snapshot, budget } = resources;
  if (isStar(spec)) return new StarJoinOperator(input, snapshot, spec, budget);
  const { subject, legs } = spec;
  // Plans with a test of existence, whose classes are no constants, serve no other constants.
  invariant(
    legs.every(({ need }) => need !== 'exists'),
    'a star with tests of existence is a star',
  );
  if (subject.kind === 'key') {
    return legs.reduce((below, leg) => lookup(below, leg, subject.variable, resources), input as Operator);
  }
  const [first, ...others] = legs as [StarLeg, ...StarLeg[]];
  return others.reduce<Operator>(
    (left, leg) => multiplied(left, leg, resources),
    new ScanOperator(snapshot, first.scan),
  );
}

function lookup(input: Operator, { scan, need }: StarLeg, variable: string, { snapshot }: StarResources): Operator {
  const { o } = scan.request.pattern;
  const parts: ProbePart[] = [
    { kind: 'key', variable, position: 's' },
    { kind: 'constant', id: predicateOf({ scan }) },
  ];
  if (o?.kind === 'id') parts.push({ kind: 'constant', id: o.id as TermId });
  const request = { ...scan.request, order: 'SPOG' as const };
  return new IndexJoinOperator(input, snapshot, {
    scan: { ...scan, request },
    parts,
    residual: [],
    optional: need === 'optional',
  });
}

function multiplied(left: Operator, { scan, need }: StarLeg, { snapshot, terms, budget }: StarResources): Operator {
  const right = new ScanOperator(snapshot, scan);
  const variables = [...left.variables, ...right.variables];
  return need === 'optional'
    ? new HashLeftJoinOperator(left, right, NO_KEYS, null, terms, budget, UNORDERED_JOIN, variables)
    : new HashJoinOperator(left, right, NO_KEYS, budget, joinRun(undefined), variables);
}
