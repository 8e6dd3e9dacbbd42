/** A plan to running operators: the one list of which operator does what. */

import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { AggregateOperator } from '../execute/group/aggregate.js';
import { DistinctOperator } from '../execute/group/distinct.js';
import { ApplyOperator, type MarkIds } from '../execute/join/apply.js';
import { OuterOperator, type OuterSlots } from '../execute/join/correlated-input.js';
import { HashJoinOperator } from '../execute/join/hash-join.js';
import { HashLeftJoinOperator } from '../execute/join/hash-left-join.js';
import { HashSemiJoinOperator } from '../execute/join/hash-semi-join.js';
import { IndexJoinOperator } from '../execute/join/index-join.js';
import { IntersectJoinOperator } from '../execute/join/leapfrog-join.js';
import { MergeJoinOperator } from '../execute/join/merge-join.js';
import { ClosureOperator } from '../execute/paths/closure.js';
import { ClosureJoinOperator } from '../execute/paths/closure-join.js';
import { ExtremesOperator } from '../execute/range-join/min-max-prefilter.js';
import { DescribeOperator } from '../execute/rows/describe.js';
import { ExtendOperator } from '../execute/rows/extend.js';
import { FilterOperator } from '../execute/rows/filter.js';
import { ProjectOperator } from '../execute/rows/project.js';
import { ServiceOperator } from '../execute/rows/service.js';
import { SliceOperator } from '../execute/rows/slice.js';
import { TemplateOperator } from '../execute/rows/template.js';
import { UnionOperator } from '../execute/rows/union.js';
import { RowsOperator } from '../execute/scan/rows.js';
import { ScanOperator } from '../execute/scan/scan.js';
import { SortOperator } from '../execute/sort/sort.js';
import { joinRun, UNORDERED_JOIN } from '../execute/tables/join-run.js';
import { computesBelow } from '../plan/passes/transient-terms.js';
import type { MemoryBudget } from '../runtime/memory.js';
import type { Operator } from '../runtime/operator.js';
import type { ServiceClient } from '../service/client.js';
import type { QueryTerms } from '../terms/terms.js';
import { openStar } from './open-star.js';
import type { Plan, PlanAction } from './plan.js';

export interface Resources {
  readonly snapshot: StorageSnapshot;
  readonly terms: QueryTerms;
  readonly budget: MemoryBudget;
  /** Rows handed down to inner plans. */
  readonly slots: OuterSlots;
  readonly marks: MarkIds;
  /** Who asks other endpoints. */
  readonly service: ServiceClient;
  /** search.max_join_rows; infinite = no ceiling. */
  readonly joinRowsMax: number;
}

/** Those that give rows of both sides; `apply` is one for OPTIONAL only. */
const JOINS: ReadonlySet<Plan['action']['kind']> = new Set([
  'mergeJoin',
  'indexJoin',
  'starJoin',
  'closureJoin',
  'hashJoin',
  'intersectJoin',
  'hashLeftJoin',
]);

function isJoin({ action }: Plan): boolean {
  return JOINS.has(action.kind) || (action.kind === 'apply' && action.spec.kind === 'left');
}

export function openPlan(plan: Plan, resources: Resources): Operator {
  const operator = makeOperator(plan, resources);
  if (isJoin(plan)) operator.rowsMax = resources.joinRowsMax;
  return operator;
}

function makeOperator(plan: Plan, resources: Resources): Operator {
  const { snapshot, terms, budget } = resources;
  const { action, facts } = plan;
  if (action.kind === 'union') {
    const open = (index: number) => openPlan(plan.inputs[index] as Plan, resources);
    return new UnionOperator(facts.variables, plan.inputs.length, open);
  }
  const inputs = plan.inputs.map((input) => openPlan(input, resources));
  const [first, second] = inputs as [Operator, Operator];
  switch (action.kind) {
    case 'scan':
      return new ScanOperator(snapshot, action.spec, facts.rows);
    case 'rows':
      return new RowsOperator(facts.variables, action.source, resources);
    case 'mergeJoin':
      return new MergeJoinOperator(first, second, action.key, budget, facts.variables);
    case 'indexJoin':
      return new IndexJoinOperator(first, snapshot, action.probe);
    case 'closure':
      return new ClosureOperator(snapshot, action.spec, facts.variables, budget);
    case 'starJoin':
      return openStar(first ?? null, action.spec, resources);
    case 'closureJoin':
      return new ClosureJoinOperator(first, snapshot, action.spec, facts.variables, budget);
    case 'hashJoin':
      return new HashJoinOperator(first, second, action.keys, budget, joinRun(action.unordered), facts.variables);
    case 'intersectJoin':
      return new IntersectJoinOperator(
        first,
        inputs.slice(1),
        action.spec,
        budget,
        joinRun(action.unordered),
        facts.variables,
      );
    case 'service':
      return new ServiceOperator(first ?? null, action.spec, resources.service, terms, budget);
    case 'hashLeftJoin':
      return new HashLeftJoinOperator(
        first,
        second,
        action.keys,
        action.condition,
        terms,
        budget,
        UNORDERED_JOIN,
        facts.variables,
      );
    case 'hashSemiJoin':
      return openSemiJoin(first, second, action, plan, resources);
    case 'apply': {
      const openInner = () => openPlan(action.inner, resources);
      return new ApplyOperator(first, openInner, action.spec, resources.slots, resources.marks, budget);
    }
    case 'outer':
      return new OuterOperator(facts.variables, resources.slots, action.slot);
    case 'filter':
      return new FilterOperator(first, action.conditions, terms);
    case 'extend':
      return new ExtendOperator(
        first,
        action.variable,
        action.expression,
        terms,
        !computesBelow(plan),
        action.apart === true,
      );
    case 'project':
      return new ProjectOperator(first, facts.variables);
    case 'extremes':
      return new ExtremesOperator(first, action.spec, budget);
    case 'distinct':
      return new DistinctOperator(first, budget, action.adjacent === true);
    case 'sort':
      return new SortOperator(first, action.keys, action.limit, terms, budget);
    case 'aggregate':
      return new AggregateOperator(first, action, terms, budget);
    case 'slice':
      return new SliceOperator(first, action.offset, action.limit);
    case 'template':
      return new TemplateOperator(first, action.template, terms);
    case 'describe':
      return new DescribeOperator(first, action.spec, snapshot, terms, budget);
  }
}

function openSemiJoin(
  input: Operator,
  partners: Operator,
  { keys, anti, unordered, condition, range }: Extract<PlanAction, { kind: 'hashSemiJoin' }>,
  { facts }: Plan,
  { terms, budget }: Resources,
): Operator {
  const tested = condition === null ? null : { expression: condition, terms, range: range ?? null };
  return new HashSemiJoinOperator(input, partners, keys, anti, budget, joinRun(unordered), facts.variables, tested);
}
