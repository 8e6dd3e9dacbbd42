/** Operators over the rows of one input: chosen, computed, grouped, sorted, made triples of; and one input after the other. */

import { type Aggregate, namesOf, type QuadPattern, type SortKey, termsOf } from '../algebra/algebra.js';
import { type Expression, formatExpression, formatTerm } from '../algebra/expression.js';
import { AggregateOperator } from '../execute/group/aggregate.js';
import { DistinctOperator } from '../execute/group/distinct.js';
import type { AggregateSpec } from '../execute/group/group-table.js';
import { MinMaxPrefilterOperator, type MinMaxPrefilterSpec } from '../execute/range-join/min-max-prefilter.js';
import { DescribeOperator, type DescribeSpec } from '../execute/rows/describe.js';
import { ExtendOperator } from '../execute/rows/extend.js';
import { FilterOperator } from '../execute/rows/filter.js';
import { ProjectOperator } from '../execute/rows/project.js';
import { ServiceOperator, type ServiceSpec } from '../execute/rows/service.js';
import { SliceOperator } from '../execute/rows/slice.js';
import { TemplateOperator } from '../execute/rows/template.js';
import { UnionOperator } from '../execute/rows/union.js';
import { SortOperator } from '../execute/sort/sort.js';
import { always, type Definition, isComputed, matchedBy, named, never, none, readBy } from './physical-operator.js';

/** Rows that meet all conditions. */
const filter: Definition<'filter', { readonly conditions: readonly Expression[] }> = {
  detail: ({ action }) => action.conditions.map(formatExpression).join(' and '),
  open: ({ action }, input, { terms }) => new FilterOperator(input(0), action.conditions, terms),
  columns: 'followed',
  reads: ({ action }) => readBy(action.conditions),
  matches: ({ action }) => matchedBy(action.conditions),
  handsOnRows: always,
};

export interface Extend {
  readonly variable: string;
  readonly expression: Expression;
  /** The value is never matched with stored terms: its id is the query's own. */
  readonly local?: boolean;
  /** Nothing below computes terms. */
  readonly first?: boolean;
}

/** A computed column. */
const extend: Definition<'extend', Extend> = {
  handsOnColumns: true,
  detail: ({ action }) => `?${action.variable} := ${formatExpression(action.expression)}`,
  open: ({ action: { variable, expression, local = false, first = false } }, input, { terms }) =>
    new ExtendOperator(input(0), variable, expression, terms, first, local),
  columns: 'followed',
  reads: ({ action }) => readBy([action.expression]),
  matches: ({ action }) => matchedBy([action.expression]),
  computes: ({ action }) => (isComputed(action.expression) ? 'passing' : null),
  handsOnRows: always,
};

/** Columns of the input, chosen and put in order; what the input does not have is unbound. */
const project: Definition<'project'> = {
  handsOnColumns: true,
  detail: ({ facts }) => named(facts.variables),
  open: ({ facts }, input) => new ProjectOperator(input(0), facts.variables),
  columns: 'own',
  reads: ({ facts }) => facts.variables,
  matches: none,
  handsOnRows: always,
};

/** OFFSET and LIMIT. */
const slice: Definition<'slice', { readonly offset: number; readonly limit: number | null }> = {
  handsOnColumns: true,
  detail: ({ action: { offset, limit } }) =>
    `${offset > 0 ? `offset ${offset} ` : ''}${limit === null ? '' : `limit ${limit}`}`.trim(),
  open: ({ action }, input) => new SliceOperator(input(0), action.offset, action.limit),
  columns: 'followed',
  matches: none,
  handsOnRows: always,
};

/** The rows of the inputs one after the other; each is opened when its turn comes. */
const union: Definition<'union'> = {
  handsOnColumns: true,
  detail: () => '',
  open: ({ inputs, facts }, input) => new UnionOperator(facts.variables, inputs.length, input),
  usesOrder: never,
  matches: none,
  handsOnRows: always,
};

export interface Distinct {
  /** Equal rows come one after the other. */
  readonly adjacent?: boolean;
}

/** Each row once. */
const distinct: Definition<'distinct', Distinct> = {
  detail: () => '',
  open: ({ action }, input, { budget }) => new DistinctOperator(input(0), budget, action.adjacent === true),
  usesOrder: ({ action }, _, ordered) => ordered || action.adjacent === true,
  matches: none,
};

/** ORDER BY, of the first rows alone where a LIMIT stands above. */
const sort: Definition<'sort', { readonly keys: readonly SortKey[]; readonly limit: number | null }> = {
  detail: ({ action: { keys, limit } }) => {
    const by = keys.map((key) => `${formatExpression(key.expression)}${key.descending ? ' DESC' : ''}`);
    return `by ${by.join(', ')}${limit === null ? '' : `, first ${limit}`}`;
  },
  open: ({ action: { keys, limit } }, input, { terms, budget }) =>
    new SortOperator(input(0), keys, limit, terms, budget),
  columns: 'followed',
  reads: ({ action }) => readBy(action.keys.map(({ expression }) => expression)),
  usesOrder: never,
  /** Variables are sorted by their values. */
  matches: ({ action }) => matchedBy(action.keys.map(({ expression }) => expression).filter(isComputed)),
  computes: ({ action }) => (action.keys.some(({ expression }) => isComputed(expression)) ? 'kept' : null),
};

/** Aggregates that keep numbers and texts, not terms. */
const KEEPING_NO_TERM: ReadonlySet<Aggregate['function']> = new Set(['count', 'sum', 'avg', 'group_concat']);

function keepsTerms({ distinct, function: name }: Aggregate): boolean {
  return distinct || !KEEPING_NO_TERM.has(name);
}

/** GROUP BY and aggregates. */
const aggregate: Definition<'aggregate', AggregateSpec> = {
  detail: ({ action: { keys, sorted } }) =>
    keys.length === 0 ? 'one group' : `by ${named(keys)}${sorted ? ', sorted' : ''}`,
  open: ({ action }, input, { terms, budget }) => new AggregateOperator(input(0), action, terms, budget),
  columns: 'own',
  reads: ({ action: { keys, aggregates }, inputs }) => {
    const wholeRows = aggregates.some(({ distinct, expression }) => distinct && expression === null);
    const counted = readBy(aggregates.map(({ expression }) => expression));
    return [...keys, ...counted, ...(wholeRows ? (inputs[0]?.facts.variables ?? []) : [])];
  },
  usesOrder: ({ action }) => action.sorted || action.aggregates.some(({ adjacent }) => adjacent === true),
  /** MIN, MAX and SAMPLE look for the values that they give. */
  matches: ({ action: { aggregates } }) => [
    ...aggregates.map(({ variable }) => variable),
    ...matchedBy(aggregates.map(({ expression }) => expression).filter(isComputed)),
  ],
  computes: ({ action: { aggregates } }) =>
    aggregates.some((one) => isComputed(one.expression) && keepsTerms(one)) ? 'kept' : 'passing',
  /** One group, of which no term is kept. */
  handsOnRows: ({ action: { keys, aggregates } }) => keys.length === 0 && !aggregates.some(keepsTerms),
};

/** Rows that may have the least or greatest value of their keys. */
const minMaxPrefilter: Definition<'minMaxPrefilter', { readonly spec: MinMaxPrefilterSpec }> = {
  explainedAs: 'extremes',
  detail: ({ action: { spec } }) => `${spec.greatest ? 'greatest' : 'least'} ?${spec.value} by ${named(spec.keys)}`,
  open: ({ action }, input, { budget }) => new MinMaxPrefilterOperator(input(0), action.spec, budget),
  usesOrder: never,
  matches: ({ action: { spec } }) => [spec.value, ...spec.keys],
};

/** Asks another endpoint, for everything or for the rows of the input. */
const service: Definition<'service', { readonly spec: ServiceSpec }> = {
  detail: ({ action: { spec } }) => {
    const bound = spec.keys === null ? [] : [...spec.keys.certain, ...spec.keys.loose];
    return `${spec.silent ? 'SILENT ' : ''}<${spec.endpoint}>${bound.length === 0 ? '' : ` for ${named(bound)}`}`;
  },
  open: ({ action, inputs }, input, { service: client, terms, budget }) =>
    new ServiceOperator(inputs.length === 0 ? null : input(0), action.spec, client, terms, budget),
  matches: ({ action }) => action.spec.variables.map(({ variable }) => variable),
  computes: () => 'kept',
  boundToConstants: true,
};

/** The triples of a CONSTRUCT template for each row. */
const template: Definition<'template', { readonly template: readonly QuadPattern[] }> = {
  detail: ({ action }) => `of ${action.template.length} triples`,
  open: ({ action }, input, { terms }) => new TemplateOperator(input(0), action.template, terms),
  matches: ({ action, facts }) => [...facts.variables, ...namesOf(action.template.flatMap(termsOf))],
  computes: () => 'kept',
};

/** The triples around the resources that the rows and the query name. */
const describe: Definition<'describe', { readonly spec: DescribeSpec }> = {
  detail: ({ action }) =>
    action.spec.described.map((term) => (term.kind === 'variable' ? `?${term.name}` : formatTerm(term.term))).join(' '),
  open: ({ action }, input, { snapshot, terms, budget }) =>
    new DescribeOperator(input(0), action.spec, snapshot, terms, budget),
  matches: ({ action, facts }) => [...facts.variables, ...namesOf(action.spec.described)],
};

export const ROW_OPERATORS = {
  filter,
  extend,
  project,
  slice,
  union,
  distinct,
  sort,
  aggregate,
  minMaxPrefilter,
  service,
  template,
  describe,
};
