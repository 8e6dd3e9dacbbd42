/** Operators that find the partners of rows: in a table or a sorted list, in the index, along a path, by an inner plan. */

import { type Expression, formatExpression } from '../algebra/expression.js';
import { ApplyOperator, type ApplySpec } from '../execute/join/apply.js';
import { HashJoinOperator } from '../execute/join/hash-join.js';
import { HashLeftJoinOperator } from '../execute/join/hash-left-join.js';
import { HashSemiJoinOperator } from '../execute/join/hash-semi-join.js';
import { IndexJoinOperator, type ProbeSpec } from '../execute/join/index-join.js';
import { LeapfrogJoinOperator, type LeapfrogSpec } from '../execute/join/leapfrog-join.js';
import { MergeJoinOperator } from '../execute/join/merge-join.js';
import { ClosureJoinOperator } from '../execute/paths/closure-join.js';
import type { ClosureSpec } from '../execute/paths/spec.js';
import type { RangePredicates } from '../execute/range-join/range-index.js';
import type { HashJoinKeys } from '../execute/tables/build-table.js';
import { joinRun, UNORDERED_JOIN } from '../execute/tables/join-run.js';
import { closureDetail, POSITIONS, variablesOfClosure, variablesOfScan } from './leaves.js';
import { always, type Definition, named, never, type PlanNode, readBy, sharedColumns } from './physical-operator.js';

export interface Keyed {
  readonly keys: HashJoinKeys;
  /** What a partner has to meet besides the keys; null = nothing. */
  readonly condition: Expression | null;
}

export interface Relaxed {
  /** Nothing above makes use of the order of the first input's rows. */
  readonly unordered?: boolean;
}

/** Two inputs that come sorted by a variable that they share. */
const mergeJoin: Definition<'mergeJoin', { readonly key: string }> = {
  detail: ({ action }) => `on ?${action.key}`,
  open: ({ action, facts }, input, { budget }) =>
    new MergeJoinOperator(input(0), input(1), action.key, budget, facts.variables),
  pairsRows: always,
  columns: 'joined',
  reads: sharedColumns,
  usesOrder: always,
  matches: sharedColumns,
};

/** The rows of the first input come out in their order; the others are put into tables. */
function keepsFirstOrder(_: unknown, at: number, ordered: boolean): boolean {
  return at === 0 && ordered;
}

function relaxed<Action>(action: Action): Action {
  return { ...action, unordered: true };
}

/** The first input's rows look up their partners in a table of the second's. */
const hashJoin: Definition<'hashJoin', Relaxed & { readonly keys: HashJoinKeys }> = {
  detail: ({ action: { keys } }) => {
    if (keys.certain.length + keys.loose.length === 0) return 'cross product';
    return `on ${named([...keys.certain, ...keys.loose.map((name) => `${name} (may be unbound)`)])}`;
  },
  open: ({ action, facts }, input, { budget }) =>
    new HashJoinOperator(input(0), input(1), action.keys, budget, joinRun(action.unordered), facts.variables),
  pairsRows: always,
  columns: 'joined',
  reads: sharedColumns,
  usesOrder: keepsFirstOrder,
  relaxed,
  matches: sharedColumns,
};

function readsOfKeyed(node: PlanNode<Keyed & { readonly range?: RangePredicates }>): string[] {
  const { condition, range } = node.action;
  const sought = range === undefined ? [] : [range.value, ...range.bounds.map(({ variable }) => variable)];
  return [...sharedColumns(node), ...sought, ...readBy([condition])];
}

function keyedDetail({ keys, condition }: Keyed): string {
  const names = named([...keys.certain, ...keys.loose]);
  return `${names === '' ? '' : ` on ${names}`}${condition === null ? '' : ` if ${formatExpression(condition)}`}`;
}

/** OPTIONAL by a table of the optional side. */
const hashLeftJoin: Definition<'hashLeftJoin', Keyed> = {
  detail: ({ action }) => `OPTIONAL${keyedDetail(action)}`,
  open: ({ action: { keys, condition }, facts }, input, { terms, budget }) =>
    new HashLeftJoinOperator(input(0), input(1), keys, condition, terms, budget, UNORDERED_JOIN, facts.variables),
  pairsRows: always,
  columns: 'joined',
  reads: readsOfKeyed,
  usesOrder: never,
  matches: readsOfKeyed,
};

export interface HashSemiJoin extends Keyed, Relaxed {
  /** Comparisons of the condition by which partners are found. */
  readonly range?: RangePredicates;
  readonly anti: boolean;
  readonly label: string;
}

/** Rows that have, or lack, a partner in a table of the second input: EXISTS, NOT EXISTS and MINUS. */
const hashSemiJoin: Definition<'hashSemiJoin', HashSemiJoin> = {
  detail: ({ action }) => {
    const { range, label } = action;
    const by = range === undefined ? '' : `, by sorted ${formatExpression({ kind: 'variable', name: range.value })}`;
    return `${label}${keyedDetail(action)}${by}`;
  },
  open: ({ action: { keys, anti, unordered, condition, range }, facts }, input, { terms, budget }) => {
    const tested = condition === null ? null : { expression: condition, terms, range: range ?? null };
    const run = joinRun(unordered);
    return new HashSemiJoinOperator(input(0), input(1), keys, anti, budget, run, facts.variables, tested);
  },
  columns: 'joined',
  reads: readsOfKeyed,
  showsInput: (at) => at === 0,
  usesOrder: keepsFirstOrder,
  relaxed,
  matches: readsOfKeyed,
};

/** The first input with a variable that all the others bind, by the lists of these: the last edge of a triangle or a clique. */
const leapfrogJoin: Definition<'leapfrogJoin', Relaxed & { readonly spec: LeapfrogSpec }> = {
  explainedAs: 'intersectJoin',
  detail: ({ action: { spec } }) => `for ?${spec.variable} by ${spec.keys.map(named).join(', ')}`,
  open: ({ action, inputs, facts }, input, { budget }) => {
    const [first, ...lists] = inputs.map((_, at) => input(at)) as [ReturnType<typeof input>];
    return new LeapfrogJoinOperator(first, lists, action.spec, budget, joinRun(action.unordered), facts.variables);
  },
  pairsRows: always,
  columns: 'joined',
  reads: ({ action, inputs }, at) => (at === 0 ? action.spec.keys.flat() : (inputs[at]?.facts.variables ?? [])),
  showsInput: (at) => at === 0,
  /** The lists of the patterns ascend. */
  usesOrder: (_, at, ordered) => at > 0 || ordered,
  relaxed,
  matches: ({ action: { spec } }) => [spec.variable, ...spec.keys.flat()],
};

function readsOfProbe({ action: { probe } }: PlanNode<{ readonly probe: ProbeSpec }>): string[] {
  const keys = probe.parts.flatMap((part) => (part.kind === 'key' ? [part.variable] : []));
  return [...keys, ...probe.residual.map(({ variable }) => variable)];
}

/** Looks a pattern up in the index by what each row binds. */
const indexJoin: Definition<'indexJoin', { readonly probe: ProbeSpec; readonly label: string }> = {
  detail: ({ action: { probe, label } }) => {
    const { order = 'SPOG' } = probe.scan.request;
    const looked = probe.parts.map((part, at) => (part.kind === 'key' ? `?${part.variable}` : POSITIONS[order][at]));
    return `${label}  [${order} by ${looked.join(' ')}]`;
  },
  open: ({ action }, input, { snapshot }) => new IndexJoinOperator(input(0), snapshot, action.probe),
  pairsRows: always,
  columns: 'followed',
  reads: readsOfProbe,
  /** Keys that ascend are looked up by going forward. */
  usesOrder: always,
  matches: (node) => [...readsOfProbe(node), ...variablesOfScan(node.action.probe.scan)],
};

/** Walks a path from an end that the rows of the input bind. */
const closureJoin: Definition<'closureJoin', { readonly spec: ClosureSpec }> = {
  detail: ({ action }) => closureDetail(action.spec, true),
  open: ({ action, facts }, input, { snapshot, budget }) =>
    new ClosureJoinOperator(input(0), snapshot, action.spec, facts.variables, budget),
  pairsRows: always,
  usesOrder: never,
  matches: ({ action }) => variablesOfClosure(action.spec),
  boundToConstants: true,
};

/** Columns of all nodes of a plan. */
function allColumns(plan: PlanNode): string[] {
  return [...plan.facts.variables, ...plan.inputs.flatMap(allColumns)];
}

/** The second input, an inner plan, is run for batches of rows of the first. */
const apply: Definition<'apply', { readonly spec: ApplySpec; readonly label: string }> = {
  detail: ({ action: { label, spec } }) => `${label} for the rows of ${named(spec.outer)}`.trim(),
  open: ({ action }, input, { slots, marks, budget }) =>
    new ApplyOperator(input(0), () => input(1), action.spec, slots, marks, budget),
  pairsRows: ({ action }) => action.spec.kind === 'left',
  usesOrder: never,
  matches: ({ action: { spec }, inputs }) => [
    ...spec.outer,
    ...spec.added,
    ...spec.completed,
    ...allColumns(inputs[1] as PlanNode),
  ],
};

export const JOINS = {
  mergeJoin,
  hashJoin,
  hashLeftJoin,
  hashSemiJoin,
  leapfrogJoin,
  indexJoin,
  closureJoin,
  apply,
};
