/**
 * What the engine has to know of one kind of plan node. The files beside this one define them, by family; `plan.ts` lists them.
 * Everything that goes over plans (opening, EXPLAIN, passes, other constants) asks the definition, and knows no kind by name.
 */

import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { Expression } from '../algebra/expression.js';
import { collectVariables } from '../algebra/mentioned.js';
import type { CorrelatedSlots, MarkIds } from '../execute/join/apply.js';
import type { CallResources } from '../runtime/call-resources.js';
import type { MemoryBudget } from '../runtime/memory.js';
import type { MorselLimits } from '../runtime/morsels/morsel-run.js';
import type { Operator } from '../runtime/operator.js';
import type { ServiceClient } from '../service/client.js';
import type { FederatedRun } from '../service/members.js';
import type { QueryTerms } from '../terms/terms.js';

export interface PlanFacts {
  /** Columns of the batches, in order. */
  readonly variables: readonly string[];
  /** Variables that every row binds. */
  readonly certain: ReadonlySet<string>;
  /** The rows come sorted by the ids of these variables, the first one first. */
  readonly order: readonly string[];
  readonly rows: number;
  /** Cost before the first row comes, and of all rows. */
  readonly startup: number;
  readonly cost: number;
  /** Distinct values by variable, where a guess is better than the number of rows. */
  readonly distinct: ReadonlyMap<string, number>;
  /** The share of the rows that leave a variable unbound, where that can be told. */
  readonly unbound?: ReadonlyMap<string, number>;
  /** Of rows that come from several plans which bind different variables: those. */
  readonly alternatives?: readonly PlanFacts[];
}

/** A node of a plan, as far as the definition of its operator looks at it. */
export interface PlanNode<Action = unknown> {
  readonly action: Action;
  readonly inputs: readonly PlanNode[];
  readonly facts: PlanFacts;
}

/** What one run has for its operators. */
export interface Resources {
  readonly snapshot: StorageSnapshot;
  readonly terms: QueryTerms;
  readonly budget: MemoryBudget;
  /** Rows handed down to inner plans. */
  readonly slots: CorrelatedSlots;
  readonly marks: MarkIds;
  /** Who asks other endpoints. */
  readonly service: ServiceClient;
  /** Of a federated join: the other members. */
  readonly members: FederatedRun | undefined;
  /** What functions that give rows are called with. */
  readonly calls: CallResources;
  /** search.max_join_rows; infinite = no ceiling. */
  readonly joinRowsMax: number;
  /** Threads that may work on the query, and from when on. */
  readonly morsels: MorselLimits;
}

export type OpenInput = (at: number) => Operator;
type Names = Iterable<string>;

/** Members that are absent stand for what their comment calls usual. */
export interface PhysicalOperator<Action> {
  /** The name in EXPLAIN; usually the kind. */
  readonly explainedAs?: string;
  /** What EXPLAIN says besides. */
  detail(node: PlanNode<Action>): string;
  open(node: PlanNode<Action>, input: OpenInput, resources: Resources): Operator;
  /** Its rows are pairs of rows of both sides: search.max_join_rows counts them. Usually not. */
  pairsRows?(node: PlanNode<Action>): boolean;
  /** It hands on columns of its input, or has no more than one of its own. Usually it fills batches of its own. */
  readonly handsOnColumns?: true;

  /**
   * Which columns it has, when columns that nothing above reads are left out below it: `followed` by the first input's and
   * its own; `joined`, those of both sides that are read; `own` ones, all of which stay. Usually it reads all of every input.
   */
  readonly columns?: 'followed' | 'joined' | 'own';
  /** Columns of an input that it reads itself. Usually none. */
  reads?(node: PlanNode<Action>, at: number): Names;
  /** Columns of the input come out of it. Usually of each. */
  showsInput?(at: number): boolean;

  /** It relies on the order of an input's rows; `ordered`: what stands above relies on the order of its own. Usually the same. */
  usesOrder?(node: PlanNode<Action>, at: number, ordered: boolean): boolean;
  /** The action where nothing above relies on the order of its rows. Usually the same. */
  relaxed?(action: Action): Action;

  /** Variables whose ids it compares with those of stored terms, or binds to such ids, or hands on to where that is unknown. */
  matches(node: PlanNode<Action>): Names;
  /** It computes terms: they only pass through, or it keeps them in a table. Usually none. */
  computes?(node: PlanNode<Action>): 'passing' | 'kept' | null;
  /** It is done with a batch of an input when it asks for the next one. Usually it keeps what it is given. */
  handsOnRows?(node: PlanNode<Action>): boolean;

  /** Its action has something that was made of constants of the query, so that it serves no others. Usually ids and terms only. */
  readonly boundToConstants?: true;
}

/** The definition of an operator: the kind of its nodes, and what else their action has. */
export type Definition<Kind extends string, Fields = unknown> = PhysicalOperator<{ readonly kind: Kind } & Fields>;

export function always(): true {
  return true;
}

export function never(): false {
  return false;
}

export function none(): readonly string[] {
  return [];
}

/** The variables that expressions read; null = no expression. */
export function readBy(expressions: Iterable<Expression | null>): Set<string> {
  const names = new Set<string>();
  for (const expression of expressions) if (expression !== null) collectVariables(expression, names);
  return names;
}

/** Columns of the two inputs of a join that both have. */
export function sharedColumns({ inputs }: PlanNode): string[] {
  const [first, second] = inputs as [PlanNode, PlanNode];
  return first.facts.variables.filter((name) => second.facts.variables.includes(name));
}

export function isComputed(expression: Expression | null): boolean {
  return expression !== null && expression.kind !== 'variable' && expression.kind !== 'term';
}

/** Functions that hand on a value, or compare by ids. */
const HANDING_ON: ReadonlySet<string> = new Set(['if', 'coalesce', 'sameterm', 'in', 'notin']);

/** Variables whose ids an expression hands on, or compares: it does more than look at their values. */
export function matchedBy(expressions: Iterable<Expression | null>): Set<string> {
  const names = new Set<string>();
  for (const expression of expressions) if (expression !== null) addMatched(expression, names);
  return names;
}

function addMatched(expression: Expression, names: Set<string>): void {
  if (expression.kind === 'variable' || expression.kind === 'exists') collectVariables(expression, names);
  else if (expression.kind !== 'term') {
    const handsOn = expression.kind === 'call' && HANDING_ON.has(expression.operator);
    for (const arg of expression.args) if (arg.kind !== 'variable' || handsOn) addMatched(arg, names);
  }
}

export function named(names: Iterable<string>): string {
  return [...names].map((name) => `?${name}`).join(' ');
}

export interface Relaxed {
  /** Nothing above makes use of the order of the first input's rows. */
  readonly unordered?: boolean;
}

/** The rows of the first input come out in their order; the others are put into tables. */
export function keepsFirstOrder(_: unknown, at: number, ordered: boolean): boolean {
  return at === 0 && ordered;
}

export function relaxed<Action>(action: Action): Action {
  return { ...action, unordered: true };
}
