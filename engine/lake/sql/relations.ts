/**
 * The relational tree between the algebra and the text of SQL. Every column that a node makes has a name of its own in the
 * whole query, so that nodes can be joined without saying which side a column is of.
 */

import { getOrInsert } from '../../base/maps.js';
import type { LAKE_TABLES, LakeType } from '../layout.js';
import { type Scalar, visitScalar } from './scalars.js';

export interface Named {
  readonly name: string;
  readonly value: Scalar;
}

export interface Sorting {
  readonly value: Scalar;
  readonly descending: boolean;
}

export type Relation =
  /** Rows of a table of the lake; its columns are read by the names of the layout. */
  | {
      readonly kind: 'table';
      readonly table: keyof typeof LAKE_TABLES;
      /** Only rows of this one are asked for, so that files of others need not be read. */
      readonly predicate?: bigint | undefined;
    }
  /** One row without columns. */
  | { readonly kind: 'one' }
  | {
      readonly kind: 'select';
      readonly input: Relation;
      readonly columns: readonly Named[];
      readonly where: readonly Scalar[];
      readonly distinct: boolean;
      /** Null = not grouped. */
      readonly groupBy: readonly Scalar[] | null;
      readonly orderBy: readonly Sorting[];
      readonly limit: number | null;
      readonly offset: number;
    }
  | {
      readonly kind: 'join';
      readonly how: 'inner' | 'left';
      readonly left: Relation;
      readonly right: Relation;
      readonly on: Scalar;
      /** The right side has one row for each of the left at most, so that without its columns it goes. */
      readonly lookup: boolean;
    }
  /** Rows of the left side for which there is one of the right, or none. */
  | {
      readonly kind: 'semi';
      readonly negated: boolean;
      readonly left: Relation;
      readonly right: Relation;
      readonly on: Scalar;
    }
  | {
      readonly kind: 'union';
      readonly columns: readonly string[];
      readonly inputs: readonly { readonly relation: Relation; readonly values: readonly Scalar[] }[];
      readonly distinct: boolean;
    }
  | {
      readonly kind: 'values';
      readonly columns: readonly { readonly name: string; readonly type: LakeType }[];
      readonly rows: readonly (readonly Scalar[])[];
    }
  /** A part of the query that stands before it by a name, to be read more than once. */
  | { readonly kind: 'shared'; readonly part: SharedPart; readonly columns: readonly Named[] };

export interface SharedPart {
  readonly name: string;
  /** Of a recursive part the rows to begin with. */
  readonly relation: Relation;
  readonly columns: readonly string[];
  /** More rows from those there are, until there are no new ones; reads the part itself. */
  readonly step: Relation | null;
}

export type RelationOf<Kind extends Relation['kind']> = Extract<Relation, { kind: Kind }>;

export function select(input: Relation, columns: readonly Named[], more: Partial<RelationOf<'select'>> = {}): Relation {
  return {
    kind: 'select',
    input,
    columns,
    where: [],
    distinct: false,
    groupBy: null,
    orderBy: [],
    limit: null,
    offset: 0,
    ...more,
  };
}

/** The names of its columns. */
export function columnsOf(relation: Relation): readonly string[] {
  switch (relation.kind) {
    case 'table':
    case 'one':
      return [];
    case 'select':
    case 'shared':
      return relation.columns.map(({ name }) => name);
    case 'join':
      return [...columnsOf(relation.left), ...columnsOf(relation.right)];
    case 'semi':
      return columnsOf(relation.left);
    case 'union':
      return relation.columns;
    case 'values':
      return relation.columns.map(({ name }) => name);
  }
}

/** The nodes that it is made of. */
export function inputsOf(relation: Relation): readonly Relation[] {
  switch (relation.kind) {
    case 'select':
      return [relation.input];
    case 'join':
    case 'semi':
      return [relation.left, relation.right];
    case 'union':
      return relation.inputs.map((input) => input.relation);
    case 'shared':
      return relation.part.step === null ? [relation.part.relation] : [relation.part.relation, relation.part.step];
    default:
      return [];
  }
}

/** The scalars of the node itself. */
export function scalarsOf(relation: Relation): readonly Scalar[] {
  switch (relation.kind) {
    case 'select': {
      const { columns, where, groupBy, orderBy } = relation;
      return [...columns.map(({ value }) => value), ...where, ...(groupBy ?? []), ...orderBy.map(({ value }) => value)];
    }
    case 'join':
    case 'semi':
      return [relation.on];
    case 'union':
      return relation.inputs.flatMap(({ values }) => values);
    case 'values':
      return relation.rows.flat();
    case 'shared':
      return relation.columns.map(({ value }) => value);
    default:
      return [];
  }
}

/** Calls `visit` for the node and all below it, shared parts once. */
export function visitRelation(relation: Relation, visit: (node: Relation) => void, seen = new Set<SharedPart>()): void {
  visit(relation);
  if (relation.kind === 'shared') {
    if (seen.has(relation.part)) return;
    seen.add(relation.part);
  }
  for (const input of inputsOf(relation)) visitRelation(input, visit, seen);
}

/** The tree without columns that nobody reads, and without look-ups of none. `wanted` are read from outside. */
export function pruned(relation: Relation, wanted: readonly string[]): Relation {
  let tree = relation;
  for (let before = -1, now = sizeOf(tree); before !== now; before = now, now = sizeOf(tree)) {
    tree = without(tree, columnsRead(tree, wanted), new Map());
  }
  return tree;
}

/** Columns that some node reads for more than to hand them on to nodes that don't. */
function columnsRead(tree: Relation, wanted: readonly string[]): ReadonlySet<string> {
  const read = new Set(wanted);
  const add = (scalar: Scalar): void =>
    visitScalar(scalar, (part) => {
      if (part.kind === 'column') read.add(part.name);
    });
  // A part that is read at several places is seen at the first of them.
  for (let before = -1; before !== read.size; ) {
    before = read.size;
    visitRelation(tree, (node) => {
      // Rows are told apart by all of them.
      if (keepsColumns(node)) for (const name of columnsOf(node)) read.add(name);
      if (node.kind === 'shared' && node.part.step !== null) {
        for (const name of [...node.part.columns, ...columnsOf(node.part.step)]) read.add(name);
      }
      for (const scalar of scalarsRead(node, read)) add(scalar);
    });
  }
  return read;
}

/** The scalars of a node without those of columns that nobody reads. */
function scalarsRead(node: Relation, read: ReadonlySet<string>): readonly Scalar[] {
  switch (node.kind) {
    case 'select':
    case 'shared': {
      const columns = node.columns.filter(({ name }) => read.has(name)).map(({ value }) => value);
      if (node.kind === 'shared') return columns;
      return [...columns, ...node.where, ...(node.groupBy ?? []), ...node.orderBy.map(({ value }) => value)];
    }
    case 'union':
      return node.inputs.flatMap(({ values }) => values.filter((_, at) => read.has(node.columns[at] as string)));
    default:
      return scalarsOf(node);
  }
}

function keepsColumns(node: Relation): boolean {
  // Without a column of an aggregate it would be no group.
  if (node.kind === 'select' && node.groupBy?.length === 0) return true;
  return (node.kind === 'select' || node.kind === 'union') && node.distinct;
}

function without(relation: Relation, read: ReadonlySet<string>, parts: Map<SharedPart, SharedPart>): Relation {
  const go = (node: Relation): Relation => without(node, read, parts);
  const used = <One extends { readonly name: string }>(columns: readonly One[]): One[] =>
    columns.filter(({ name }) => read.has(name));
  switch (relation.kind) {
    case 'select':
      return { ...relation, input: go(relation.input), columns: used(relation.columns) };
    case 'join': {
      const right = go(relation.right);
      if (relation.lookup && !columnsOf(right).some((name) => isReadAbove(name, read, relation.on)))
        return go(relation.left);
      return { ...relation, left: go(relation.left), right };
    }
    case 'semi':
      return { ...relation, left: go(relation.left), right: go(relation.right) };
    case 'union': {
      const kept = relation.columns.map((name) => read.has(name));
      return {
        ...relation,
        columns: relation.columns.filter((_, at) => kept[at]),
        inputs: relation.inputs.map(({ relation: input, values }) => ({
          relation: go(input),
          values: values.filter((_, at) => kept[at]),
        })),
      };
    }
    case 'values': {
      const kept = relation.columns.map(({ name }) => read.has(name));
      return {
        ...relation,
        columns: relation.columns.filter((_, at) => kept[at]),
        rows: relation.rows.map((row) => row.filter((_, at) => kept[at])),
      };
    }
    case 'shared': {
      const { part } = relation;
      const recursive = part.step !== null;
      if (recursive && parts.has(part)) return { ...relation, part: parts.get(part) as SharedPart };
      const changed = getOrInsert(parts, part, () => {
        const made = { ...part };
        // The step reads the part itself.
        parts.set(part, made);
        return Object.assign(made, {
          relation: go(part.relation),
          step: part.step === null ? null : go(part.step),
          columns: recursive ? part.columns : part.columns.filter((name) => read.has(name)),
        });
      });
      return { ...relation, part: changed, columns: used(relation.columns) };
    }
    default:
      return relation;
  }
}

/** The key of a look-up is read by its own condition. */
function isReadAbove(name: string, read: ReadonlySet<string>, on: Scalar): boolean {
  if (!read.has(name)) return false;
  let isKey = false;
  visitScalar(on, (part) => {
    if (part.kind === 'column' && part.name === name) isKey = true;
  });
  return !isKey;
}

function sizeOf(relation: Relation): number {
  let size = 0;
  visitRelation(relation, (node) => {
    size += 1 + columnsOf(node).length;
  });
  return size;
}
