/** Several patterns of one subject, a variable of the input, or a constant (then without an input), read together. */

import { invariant } from '../../base/errors.js';
import { HashJoinOperator } from '../execute/join/hash-join.js';
import { HashLeftJoinOperator } from '../execute/join/hash-left-join.js';
import { IndexJoinOperator, type ProbePart } from '../execute/join/index-join.js';
import { isStar, predicateOf, StarJoinOperator, type StarLeg, type StarSpec } from '../execute/join/star-join.js';
import { ScanOperator } from '../execute/scan/scan.js';
import { joinRun, UNORDERED_JOIN } from '../execute/tables/join-run.js';
import type { Operator } from '../runtime/operator.js';
import { always, type Definition, type PlanNode, type Resources } from './physical-operator.js';
import { variablesOfScan } from './scan.js';

function readsOf({ action: { spec } }: PlanNode<{ readonly spec: StarSpec }>): string[] {
  return spec.subject.kind === 'key' ? [spec.subject.variable] : [];
}

export const starJoin: Definition<'starJoin', { readonly spec: StarSpec }> = {
  detail: (node) => {
    const [subject] = readsOf(node);
    const legs = node.action.spec.legs.map(({ label }) => label).join(' ; ');
    return `${legs}  [SPOG by ${subject === undefined ? 's' : `?${subject}`} p]`;
  },
  open: ({ action: { spec }, inputs }, input, resources) => {
    const below = inputs.length === 0 ? null : input(0);
    if (!isStar(spec)) return openApart(below, spec, resources);
    return new StarJoinOperator(below, resources.snapshot, spec, resources.budget);
  },
  pairsRows: always,
  columns: 'followed',
  reads: readsOf,
  /** Keys that ascend are looked up by going forward. */
  usesOrder: always,
  matches: (node) => [...readsOf(node), ...node.action.spec.legs.flatMap(({ scan }) => variablesOfScan(scan))],
};

const NO_KEYS = { certain: [], loose: [] };

/** Where other constants have made two of the predicates the same: one operator for each pattern. */
function openApart(input: Operator | null, { subject, legs }: StarSpec, resources: Resources): Operator {
  // Plans with a test of existence, whose classes are no constants, serve no other constants.
  invariant(
    legs.every(({ need }) => need !== 'exists'),
    'a star with tests of existence is a star',
  );
  if (subject.kind === 'key') {
    invariant(input !== null, 'a star by a variable has an input');
    return legs.reduce((below: Operator, leg) => lookup(below, leg, subject.variable, resources), input);
  }
  const [first, ...others] = legs as [StarLeg, ...StarLeg[]];
  return others.reduce<Operator>(
    (left, leg) => multiplied(left, leg, resources),
    new ScanOperator(resources.snapshot, first.scan),
  );
}

function lookup(input: Operator, { scan, need }: StarLeg, variable: string, { snapshot }: Resources): Operator {
  const { o } = scan.request.pattern;
  const parts: ProbePart[] = [
    { kind: 'key', variable, position: 's' },
    { kind: 'constant', id: predicateOf({ scan }) },
  ];
  if (o?.kind === 'id') parts.push({ kind: 'constant', id: o.id });
  const request = { ...scan.request, order: 'SPOG' as const };
  const optional = need === 'optional';
  return new IndexJoinOperator(input, snapshot, { scan: { ...scan, request }, parts, residual: [], optional });
}

function multiplied(left: Operator, { scan, need }: StarLeg, { snapshot, terms, budget }: Resources): Operator {
  const right = new ScanOperator(snapshot, scan);
  const variables = [...left.variables, ...right.variables];
  return need === 'optional'
    ? new HashLeftJoinOperator(left, right, NO_KEYS, null, terms, budget, UNORDERED_JOIN, variables)
    : new HashJoinOperator(left, right, NO_KEYS, budget, joinRun(undefined), variables);
}
