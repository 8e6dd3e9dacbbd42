/** What the planner chose and believed and, after a run, what happened: the plan as an object. */

import { formatExpression, formatTerm } from '../algebra/expression.js';
import { POSITIONS } from '../plan/context/leaf.js';
import type { Traced } from '../runtime/operator.js';
import type { Plan, PlanAction } from './plan.js';

/** What an operator did. Sums over its runs, where it was opened more than once. */
export interface ActualWork {
  readonly rows: number;
  readonly batches: number;
  readonly calls: number;
  readonly runs: number;
  /** Read to its end; false where a LIMIT, or the other side of a join, needed no more. */
  readonly complete: boolean;
  /** With the inputs. */
  readonly timeMs: number;
  /** Without them. */
  readonly ownTimeMs: number;
  readonly blocksRead: number;
}

export interface ExplainNode {
  readonly operator: string;
  readonly detail: string;
  readonly estimatedRows: number;
  readonly estimatedCost: number;
  readonly variables: readonly string[];
  /** Variables whose ids the rows come sorted by. */
  readonly order: readonly string[];
  /** Null before a run, and where the run never came here. */
  readonly actual: ActualWork | null;
  readonly inputs: readonly ExplainNode[];
}

export function explainPlan(plan: Plan, operator: Traced | null): ExplainNode {
  const { facts, action } = plan;
  const inputs = partsOf(plan).map((input, index) => explainPlan(input, operator?.traces[index] ?? null));
  return {
    operator: action.kind,
    detail: detailOf(action, plan),
    estimatedRows: Math.round(facts.rows),
    estimatedCost: Math.round(facts.cost),
    variables: facts.variables,
    order: facts.order,
    actual: operator === null ? null : actualWork(operator, inputs),
    inputs,
  };
}

function actualWork({ statistics }: Traced, inputs: readonly ExplainNode[]): ActualWork {
  const below = inputs.reduce((sum, { actual }) => sum + (actual?.timeMs ?? 0), 0);
  return { ...statistics, ownTimeMs: Math.max(0, statistics.timeMs - below) };
}

function partsOf(plan: Plan): readonly Plan[] {
  return plan.action.kind === 'apply' ? [...plan.inputs, plan.action.inner] : plan.inputs;
}

function detailOf(action: PlanAction, plan: Plan): string {
  switch (action.kind) {
    case 'scan':
      return `${action.label}  [${action.spec.request.order}]`;
    case 'service': {
      const { endpoint, silent, keys } = action.spec;
      const bound = keys === null ? [] : [...keys.certain, ...keys.loose].map((name) => `?${name}`);
      return `${silent ? 'SILENT ' : ''}<${endpoint}>${bound.length === 0 ? '' : ` for ${bound.join(' ')}`}`;
    }
    case 'rows':
      return action.label;
    case 'closure':
    case 'closureJoin':
      return `${action.spec.label}${fromText(action)}`;
    case 'mergeJoin':
      return `on ?${action.key}`;
    case 'intersectJoin':
      return `for ?${action.spec.variable} by ${action.spec.keys.map((keys) => keys.map((key) => `?${key}`).join(' ')).join(', ')}`;
    case 'indexJoin': {
      const { order } = action.probe.scan.request;
      const looked = action.probe.parts.map((part, index) =>
        part.kind === 'key' ? `?${part.variable}` : (POSITIONS[order ?? 'SPOG'][index] ?? ''),
      );
      return `${action.label}  [${order} by ${looked.join(' ')}]`;
    }
    case 'starJoin': {
      const { subject, legs } = action.spec;
      const by = subject.kind === 'key' ? `?${subject.variable}` : 's';
      return `${legs.map(({ label }) => label).join(' ; ')}  [SPOG by ${by} p]`;
    }
    case 'hashLeftJoin': {
      const { certain, loose } = action.keys;
      const condition = action.condition === null ? '' : ` if ${formatExpression(action.condition)}`;
      return `OPTIONAL on ${[...certain, ...loose].map((name) => `?${name}`).join(' ')}${condition}`;
    }
    case 'hashSemiJoin': {
      const { certain, loose } = action.keys;
      const condition = action.condition === null ? '' : ` if ${formatExpression(action.condition)}`;
      const keys = [...certain, ...loose].map((name) => `?${name}`).join(' ');
      const sorted =
        action.range === undefined
          ? ''
          : `, by sorted ${formatExpression({ kind: 'variable', name: action.range.value })}`;
      return `${action.label}${keys === '' ? '' : ` on ${keys}`}${condition}${sorted}`;
    }
    case 'apply':
      return `${action.label} for the rows of ${action.spec.outer.map((name) => `?${name}`).join(' ')}`.trim();
    case 'outer':
      return 'the rows';
    case 'union':
      return '';
    case 'hashJoin': {
      const { certain, loose } = action.keys;
      if (certain.length + loose.length === 0) return 'cross product';
      return `on ${[...certain, ...loose.map((name) => `${name} (may be unbound)`)].map((name) => `?${name}`).join(' ')}`;
    }
    case 'filter':
      return action.conditions.map(formatExpression).join(' and ');
    case 'extend':
      return `?${action.variable} := ${formatExpression(action.expression)}`;
    case 'project':
      return plan.facts.variables.map((name) => `?${name}`).join(' ');
    case 'extremes': {
      const { keys, value, greatest } = action.spec;
      return `${greatest ? 'greatest' : 'least'} ?${value} by ${keys.map((name) => `?${name}`).join(' ')}`;
    }
    case 'distinct':
      return '';
    case 'sort': {
      const keys = action.keys.map((key) => `${formatExpression(key.expression)}${key.descending ? ' DESC' : ''}`);
      return `by ${keys.join(', ')}${action.limit === null ? '' : `, first ${action.limit}`}`;
    }
    case 'aggregate':
      return action.keys.length === 0
        ? 'one group'
        : `by ${action.keys.map((key) => `?${key}`).join(' ')}${action.sorted ? ', sorted' : ''}`;
    case 'template':
      return `of ${action.template.length} triples`;
    case 'describe':
      return action.spec.described
        .map((term) => (term.kind === 'variable' ? `?${term.name}` : formatTerm(term.term)))
        .join(' ');
    case 'slice':
      return `${action.offset > 0 ? `offset ${action.offset} ` : ''}${action.limit === null ? '' : `limit ${action.limit}`}`.trim();
  }
}

/** Where the walks of a path begin. */
function fromText({ kind, spec }: Extract<PlanAction, { kind: 'closure' | 'closureJoin' }>): string {
  if (spec.from.kind === 'variable') return kind === 'closureJoin' ? `  [from ?${spec.from.name}]` : '  [all pairs]';
  return spec.to.kind === 'term' ? '  [from end to end]' : `  [towards ?${spec.to.name}]`;
}
