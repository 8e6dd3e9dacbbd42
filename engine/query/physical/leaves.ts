/** What begins a plan: patterns, rows that are known, paths on their own, and rows that an operator above hands down. */

import type { Order, TermColumn } from '../../storage/seam/scan.js';
import { ClosureOperator } from '../execute/paths/closure.js';
import type { ClosureSpec } from '../execute/paths/spec.js';
import { RowsOperator, type RowsSource } from '../execute/scan/rows.js';
import { ScanOperator, type ScanSpec } from '../execute/scan/scan.js';
import { ReplayOperator } from '../execute/tables/replay.js';
import type { QueryBatch } from '../runtime/batch.js';
import { type Definition, none } from './physical-operator.js';

/** Positions of each order, the most significant first. */
export const POSITIONS: Readonly<Record<Order, readonly TermColumn[]>> = {
  SPOG: ['s', 'p', 'o', 'g'],
  POSG: ['p', 'o', 's', 'g'],
  OSPG: ['o', 's', 'p', 'g'],
  GSPO: ['g', 's', 'p', 'o'],
};

/** Variables that a scan binds. */
export function variablesOfScan({ outputs }: ScanSpec): string[] {
  return outputs.map(({ variable }) => variable);
}

/** Reads one pattern from the index. */
const scan: Definition<'scan', { readonly spec: ScanSpec; readonly label: string }> = {
  detail: ({ action }) => `${action.label}  [${action.spec.request.order}]`,
  open: ({ action, facts }, _, { snapshot }) => new ScanOperator(snapshot, action.spec, facts.rows),
  matches: ({ action }) => variablesOfScan(action.spec),
  /** A scan that reads several runs reads one after the other instead of merging them. */
  relaxed: (action) => {
    const request = { ...action.spec.request, unordered: true };
    return { ...action, spec: { ...action.spec, request } };
  },
};

/** A few rows that are known before the query runs, or that one look at storage gives. */
const rows: Definition<'rows', { readonly label: string; readonly source: RowsSource }> = {
  handsOnColumns: true,
  detail: ({ action }) => action.label,
  open: ({ action, facts }, _, resources) => new RowsOperator(facts.variables, action.source, resources),
  matches: ({ facts }) => facts.variables,
};

export function variablesOfClosure({ from, to, graphVariable }: ClosureSpec): string[] {
  const ends = [from, to].flatMap((end) => (end.kind === 'variable' ? [end.name] : []));
  return graphVariable === null ? ends : [...ends, graphVariable];
}

/** Where the walks begin; `joined`: from rows that bind an end. */
export function closureDetail({ label, from, to }: ClosureSpec, joined: boolean): string {
  if (from.kind === 'variable') return `${label}  [${joined ? `from ?${from.name}` : 'all pairs'}]`;
  return `${label}  [${to.kind === 'term' ? 'from end to end' : `towards ?${to.name}`}]`;
}

/** A path of any or optional length, on its own. */
const closure: Definition<'closure', { readonly spec: ClosureSpec }> = {
  detail: ({ action }) => closureDetail(action.spec, false),
  open: ({ action, facts }, _, { snapshot, budget }) =>
    new ClosureOperator(snapshot, action.spec, facts.variables, budget),
  matches: ({ action }) => variablesOfClosure(action.spec),
  boundToConstants: true,
};

/** The rows that an `apply` above hands down: the leaf of its inner plan. */
const correlatedInput: Definition<'correlatedInput', { readonly slot: number }> = {
  explainedAs: 'outer',
  handsOnColumns: true,
  detail: () => 'the rows',
  open: ({ action, facts }, _, { slots }) =>
    new ReplayOperator(facts.variables, slots.get(action.slot) as QueryBatch, null),
  matches: none,
};

export const LEAVES = { scan, rows, closure, correlatedInput };
