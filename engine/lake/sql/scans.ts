/** Patterns over the tables of facts: which rows a time slice shows, which graphs a query reads, and what a pattern binds. */

import type { DatasetClause, PatternTerm, QuadPattern } from '../../query/algebra/algebra.js';
import { META_GRAPH_IRI, REGISTRY_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import { type Term, terms } from '../../rdf/terms.js';
import { inlineId } from '../../storage/ids/inline.js';
import { ROOT_ID } from '../../storage/ids/layout.js';
import type { TimeSlice } from '../../storage/seam/scan.js';
import type { Estimate } from './join-order.js';
import { classesOf, type LakeKnowledge } from './lake-knowledge.js';
import type { Names } from './names.js';
import { refused } from './refusal.js';
import { type Named, type Relation, select } from './relations.js';
import { all, any, bigint, call, column, equal, FALSE, isNull, not, type Scalar, TRUE } from './scalars.js';
import type { Solutions } from './solutions.js';
import { ANY_CLASS, type Classes, IRIS, RESOURCES, type SqlTerm } from './sql-terms.js';

const MICROS = 1_000_000n;
const POSITIONS = ['g', 's', 'p', 'o'] as const;
type Position = (typeof POSITIONS)[number];

const CLASSES_OF: Readonly<Record<Position, Classes>> = { g: IRIS, s: RESOURCES, p: IRIS, o: ANY_CLASS };

export interface ScanContext {
  readonly names: Names;
  readonly time: TimeSlice;
  readonly dataset: DatasetClause | null;
  /** The id of a constant: null = the lake does not have it, undefined = not known yet. */
  readonly idOf: (term: Term) => bigint | null | undefined;
  /** Of the lake as it is now; absent = the text is to hold for any. */
  readonly knowledge?: LakeKnowledge | undefined;
}

/** The id of a constant as a scalar. */
export function constantId(term: Term, { idOf }: Pick<ScanContext, 'idOf'>): Scalar {
  const own = valueIdOf(term);
  if (own !== null) return bigint(own);
  const id = idOf(term);
  if (id === undefined) return { kind: 'id', term };
  return id === null ? { kind: 'null', type: 'bigint' } : bigint(id);
}

/** The id of a literal that is its own id, whether or not a lake has it. */
export function valueIdOf(term: Term): bigint | null {
  if (term.termType !== 'Literal' || term.language !== '') return null;
  return inlineId(term.datatype.value, term.value);
}

const ROOT = bigint(ROOT_ID);

/** Which graphs the pattern reads; null where none can match. */
function graphTest(g: PatternTerm | null, context: ScanContext): { readonly test: Scalar; readonly merged: boolean } {
  const { dataset } = context;
  const isOne = (iris: readonly string[]): Scalar =>
    any(...iris.map((iri) => equal(column('g'), constantId(terms.namedNode(iri), context))));
  if (g === null) {
    if (dataset === null) return { test: equal(column('g'), ROOT), merged: false };
    const { defaultGraphs } = dataset;
    return { test: isOne(defaultGraphs), merged: defaultGraphs.length > 1 };
  }
  if (g.kind === 'term') {
    const isNamed = dataset === null || dataset.namedGraphs.includes(g.term.value);
    return { test: isNamed ? equal(column('g'), constantId(g.term, context)) : FALSE, merged: false };
  }
  if (dataset !== null) return { test: isOne(dataset.namedGraphs), merged: false };
  return { test: isActive(context), merged: false };
}

/** Of the graphs that `GRAPH ?g` ranges over: not ROOT, nor those that a store keeps for itself. */
function isActive(context: ScanContext): Scalar {
  const own = [META_GRAPH_IRI, REGISTRY_GRAPH_IRI].map((iri) => {
    const id = constantId(terms.namedNode(iri), context);
    if (id.kind === 'null') return FALSE;
    return call('coalesce', equal(column('g'), id), FALSE);
  });
  return all(call('<>', column('g'), ROOT), not(any(...own)));
}

/** Rows that the slice shows, with the columns of the table under other names. */
export function visibleRows(
  columns: readonly Named[],
  where: readonly Scalar[],
  { time }: ScanContext,
  distinct = false,
  predicate?: bigint,
): Relation {
  const from = (table: 'facts' | 'history', test: Scalar): Relation =>
    select({ kind: 'table', table, predicate }, columns, {
      where: [test, ...where].filter((one) => one !== TRUE),
      distinct,
    });
  if (time.kind === 'current') return from('facts', isNull(column('valid_to')));
  const tests = testsOf(time);
  const name = columns.map((one) => one.name);
  return {
    kind: 'union',
    columns: name,
    inputs: [from('facts', tests.open), from('history', tests.closed)].map((relation) => ({
      relation,
      values: name.map(column),
    })),
    // What two rows say of the world may overlap.
    distinct: distinct || 'validAt' in time,
  };
}

function testsOf(time: Exclude<TimeSlice, { readonly kind: 'current' }>): {
  readonly open: Scalar;
  readonly closed: Scalar;
} {
  if (time.kind !== 'asOf' && time.kind !== 'validAt' && time.kind !== 'asOfValidAt')
    throw refused('this view of history');
  const known = 'tx' in time ? call('<=', column('tx_from'), bigint(BigInt(time.tx))) : TRUE;
  const isOpenThen = 'tx' in time ? call('>', column('tx_to'), bigint(BigInt(time.tx))) : FALSE;
  if (!('validAt' in time)) return { open: all(known, isNull(column('valid_to'))), closed: all(known, isOpenThen) };
  const at = bigint(BigInt(time.validAt) * MICROS);
  const began = any(isNull(column('valid_from')), call('<=', column('valid_from'), at));
  const lasts = call('>', column('valid_to'), at);
  return {
    open: all(known, began, any(isNull(column('valid_to')), lasts)),
    closed: all(known, began, any(isOpenThen, lasts)),
  };
}

export function scanOf(pattern: QuadPattern, context: ScanContext): Solutions {
  const { test, merged } = graphTest(pattern.g, context);
  const where: Scalar[] = [test];
  const columns: Named[] = [];
  const bound = new Map<string, SqlTerm>();
  const first = new Map<string, Position>();
  const predicate = predicateOf(pattern, context);
  const prefixes = predicate === undefined ? null : (context.knowledge?.objectsOf(predicate) ?? null);
  for (const position of POSITIONS) {
    const at = pattern[position];
    if (at === null || (position === 'g' && at.kind === 'term')) continue;
    if (at.kind === 'term') {
      where.push(equal(column(position), constantId(at.term, context)));
      continue;
    }
    const before = first.get(at.name);
    if (before !== undefined) {
      where.push(equal(column(position), column(before)));
      const known = bound.get(at.name) as SqlTerm;
      const both = new Set([...known.classes].filter((name) => CLASSES_OF[position].has(name)));
      bound.set(at.name, { ...known, classes: both });
      continue;
    }
    first.set(at.name, position);
    const name = context.names.next(position);
    columns.push({ name, value: column(position) });
    const known = position === 'o' && prefixes !== null ? prefixes : undefined;
    const classes = known === undefined ? CLASSES_OF[position] : classesOf(known);
    bound.set(at.name, { certain: true, id: column(name), fields: null, classes, prefixes: known });
  }
  // A triple in two of the graphs is one; without variables, one row tells that there is some.
  const seen = columns.length > 0 ? columns : [{ name: context.names.next('one'), value: bigint(1n) }];
  const relation = visibleRows(seen, where, context, merged || columns.length === 0, predicate);
  return { relation, terms: bound, order: [] };
}

/** About how many rows a pattern has; null when nothing is known of its predicate. */
export function estimateOf(pattern: QuadPattern, context: ScanContext): Estimate | null {
  const counts = context.knowledge?.countsOf(predicateOf(pattern, context)) ?? null;
  if (counts === null) return null;
  const { s, p, o } = pattern;
  let { rows } = counts;
  if (s.kind === 'term') rows /= Math.max(counts.subjects, 1);
  if (o.kind === 'term') rows /= Math.max(counts.objects, 1);
  const values = new Map<string, number>();
  if (s.kind === 'variable') values.set(s.name, Math.min(counts.subjects, rows));
  if (p.kind === 'variable') values.set(p.name, Math.min(PREDICATES, rows));
  if (o.kind === 'variable') values.set(o.name, Math.min(counts.objects, rows));
  return { rows, values };
}

/** A guess of how many predicates there are. */
const PREDICATES = 100;

function predicateOf({ p }: QuadPattern, { idOf }: ScanContext): bigint | undefined {
  return p.kind === 'term' ? (idOf(p.term) ?? undefined) : undefined;
}

/** The graphs that a group without patterns ranges over, as ids. */
export function graphsOf(name: PatternTerm, context: ScanContext): Solutions {
  if (name.kind === 'term') {
    const column_ = context.names.next('g');
    const { test } = graphTest(name, context);
    return {
      relation: visibleRows([{ name: column_, value: column('g') }], [test], context, true),
      terms: new Map(),
      order: [],
    };
  }
  const column_ = context.names.next('g');
  const { test } = graphTest(name, context);
  const relation = visibleRows([{ name: column_, value: column('g') }], [test], context, true);
  const term: SqlTerm = { certain: true, id: column(column_), fields: null, classes: IRIS };
  return { relation, terms: new Map([[name.name, term]]), order: [] };
}
