/**
 * GROUP BY with the aggregates of SPARQL. An aggregate that looks at each value once, or at one of them, has a relation of
 * its own, which is joined by the keys; the others are computed in one go.
 */

import type { Aggregate, NodeOf } from '../../query/algebra/algebra.js';
import type { ExpressionRows } from './expression-rows.js';
import { kept, operand } from './expressions/evaluate.js';
import { isExactRank } from './expressions/numbers.js';
import { isInlineTerm, orderOfIds, type Prefixes } from './inline-fields.js';
import type { Names } from './names.js';
import { refused } from './refusal.js';
import { columnsOf, type Named, type Relation, type SharedPart, type Sorting, select } from './relations.js';
import {
  all,
  any,
  call,
  coalesce,
  column,
  equal,
  FALSE,
  int,
  isNotNull,
  isNull,
  isSame,
  not,
  nothing,
  refuse,
  type Scalar,
  TRUE,
  text,
  when,
} from './scalars.js';
import { Rows, type Solutions } from './solutions.js';
import { flatOrder, orderKeys } from './sorts.js';
import {
  FIELD_NAMES,
  FIELDS,
  type Field,
  identityOf,
  isBound,
  isClass,
  type KnownTerm,
  ofNumber,
  ofString,
  RANK,
  rankOf,
  type SqlTerm,
} from './sql-terms.js';

/** One value of an aggregate: the row's own, and whether there is one. */
interface Counted {
  readonly aggregate: Aggregate;
  readonly term: KnownTerm | null;
}

/** `order` is that of the rows, by which GROUP_CONCAT goes: what it joins has the sequence of a subquery. */
export function groupOf(
  node: NodeOf<'group'>,
  rows: ExpressionRows,
  order: readonly Sorting[],
  names: Names,
): Solutions {
  const keys = node.keys.filter((key) => rows.term(key) !== undefined);
  const counted = node.aggregates.map((aggregate): Counted => {
    const { expression } = aggregate;
    if (expression === null) return { aggregate, term: null };
    return { aggregate, term: kept(operand(expression, rows), rows) };
  });
  const input = sharedInput(rows.solutions(order), counted, names);
  // A key that is never bound makes one group of all rows, and none where there are none.
  const grouping: Grouping = { keys, whole: node.keys.length === 0 };
  const plain = counted.filter((one) => !standsApart(one));
  let grouped = aggregated(input, grouping, plain, names);
  for (const one of counted.filter(standsApart)) {
    grouped = joinedByKeys(grouped, apart(input, grouping, one, names), keys, names);
  }
  return { ...grouped, order: [] };
}

interface Grouping {
  readonly keys: readonly string[];
  /** All rows are one group, also where there are none. */
  readonly whole: boolean;
}

function standsApart({ aggregate: { function: name, distinct, expression }, term }: Counted): boolean {
  if (term !== null && isExtremeOfIds(name, term)) return false;
  if (name === 'min' || name === 'max' || name === 'sample') return true;
  return distinct && (name !== 'count' || expression === null);
}

/** Several relations read the same rows. */
function sharedInput(input: Solutions, counted: readonly Counted[], names: Names): Solutions {
  if (!counted.some(standsApart)) return input;
  const { relation } = input;
  const columns = columnsOf(relation);
  const part: SharedPart = { name: names.next('rows'), relation, columns, step: null };
  return {
    ...input,
    relation: { kind: 'shared', part, columns: columns.map((name) => ({ name, value: column(name) })) },
  };
}

interface Keys {
  readonly columns: readonly Named[];
  readonly groupBy: readonly Scalar[];
  readonly terms: Map<string, SqlTerm>;
}

function keysOf({ terms }: Solutions, keys: readonly string[], names: Names): Keys {
  const columns: Named[] = [];
  const groupBy: Scalar[] = [];
  const made = new Map<string, SqlTerm>();
  const add = (value: Scalar, prefix: string): Scalar => {
    if (value.kind !== 'column' && value.kind !== 'call' && value.kind !== 'case') return value;
    const name = names.next(prefix);
    columns.push({ name, value });
    groupBy.push(value);
    return column(name);
  };
  for (const key of keys) {
    const term = terms.get(key) as SqlTerm;
    if (term.id !== null) made.set(key, { ...term, id: add(term.id, 'id'), fields: null });
    else {
      const fields = Object.fromEntries(
        FIELD_NAMES.map((field) => [field, add((term as KnownTerm).fields[field], field)]),
      ) as Record<Field, Scalar>;
      made.set(key, { ...term, fields });
    }
  }
  return { columns, groupBy, terms: made };
}

function aggregated(input: Solutions, { keys, whole }: Grouping, counted: readonly Counted[], names: Names): Solutions {
  const { columns, groupBy, terms } = keysOf(input, keys, names);
  const made: Named[] = [...columns];
  const make = (value: Scalar, prefix: string): Scalar => {
    const name = names.next(prefix);
    made.push({ name, value });
    return column(name);
  };
  for (const { aggregate, term } of counted) {
    terms.set(aggregate.variable, aggregateOf(aggregate, term, { whole, order: input.order }, make));
  }
  if (made.length === 0) make(call('countRows'), 'rows');
  // Keys that are constants leave no group behind where there is no row.
  const relation = select(input.relation, made, whole || groupBy.length > 0 ? { groupBy } : { groupBy: [TRUE] });
  return { relation, terms, order: [] };
}

type Make = (value: Scalar, prefix: string) => Scalar;

function aggregateOf(
  { function: name, distinct, separator }: Aggregate,
  term: KnownTerm | null,
  { whole, order }: { readonly whole: boolean; readonly order: readonly Sorting[] },
  make: Make,
): SqlTerm {
  if (name === 'count') {
    if (term === null) return countTerm(make(call('countRows'), 'count'));
    const [first] = identityOf(term);
    if (!distinct && term.certain) return countTerm(make(call('countRows'), 'count'));
    if (!distinct) return countTerm(make(call('count', first as Scalar), 'count'));
    return countTerm(make(call('countDistinct', keyText(term)), 'count'));
  }
  if (name === 'sum' || name === 'avg') return sumOf(name, term as KnownTerm, whole, make);
  if (name === 'min' || name === 'max') return extremeId(name, term as KnownTerm, make);
  if (name === 'group_concat') return concatOf(term as KnownTerm, separator ?? ' ', order, make);
  throw refused(`the aggregate ${name.toUpperCase()}`);
}

function countTerm(count: Scalar): KnownTerm {
  const exact = call('decimalOfInt', count);
  return { ...ofNumber(int(RANK.integer), call('doubleOfInt', count), exact, TRUE), certain: true };
}

/** One scalar that is different for different terms; null where there is none. */
export function keyText(term: SqlTerm): Scalar {
  if (term.id !== null) return term.id;
  const [kind, written, datatype, lang, dir] = identityOf(term) as [Scalar, Scalar, Scalar, Scalar, Scalar];
  const or = (value: Scalar): Scalar => coalesce(value, text(''));
  // None of the parts before the last has a space.
  const parts = [call('textOfInt', kind), or(datatype), or(lang), or(dir)].flatMap((part) => [part, text(' ')]);
  return when([[isNotNull(kind), call('concat', ...parts, or(written))]], nothing('varchar'));
}

/** Anything that is no number makes it an error; nothing at all is the integer 0. */
function sumOf(name: 'sum' | 'avg', term: KnownTerm, whole: boolean, make: Make): KnownTerm {
  const rank = rankOf(term);
  const isNumber = isClass(term, 'number');
  const rows = make(call('countRows'), 'rows');
  const numbers = isNumber === TRUE ? rows : make(call('count', when([[isNumber, int(1)]], nothing('int'))), 'numbers');
  const isStatic = rank.kind === 'number';
  // Only the group of all rows may have none.
  const isEmpty = whole ? equal(rows, int(0)) : FALSE;
  const greatest = isStatic ? rank : coalesce(make(call('max', rank), 'rank'), int(RANK.integer));
  const highest = when([[isEmpty, int(RANK.integer)]], greatest);
  const { exact, num } = term.fields;
  const isExact = coalesce(isExactRank(rank), { kind: 'boolean', value: false });
  const isMissing = isInlineTerm(term) ? FALSE : all(isNumber, isExact, isNull(exact));
  const missing =
    isMissing === FALSE ? null : make(call('count', when([[isMissing, int(1)]], nothing('int'))), 'missing');
  const exactSum = coalesce(make(call('sum', exact), 'sum'), { kind: 'number', type: 'decimal', text: '0' });
  const looseSum = coalesce(make(call('sum', num), 'sum'), { kind: 'number', type: 'double', text: '0' });
  const count = call('decimalOfInt', numbers);
  const averages = name === 'avg';
  const there = when(
    [
      [rows === numbers ? FALSE : call('<>', rows, numbers), FALSE],
      [equal(highest, int(RANK.float)), refuse('sums of floats differ by the sequence of rows', 'boolean')],
      [
        missing === null ? FALSE : all(isExactRank(highest), call('>', missing, int(0))),
        refuse('a number of more digits than DECIMAL(38, 18) is not summed in SQL', 'boolean'),
      ],
    ],
    TRUE,
  );
  const divided = averages
    ? when([[isEmpty, { kind: 'number', type: 'decimal', text: '0' }]], call('divideDecimals', exactSum, count))
    : exactSum;
  const resultRank = averages
    ? when(
        [
          [isEmpty, int(RANK.integer)],
          [equal(highest, int(RANK.integer)), int(RANK.decimal)],
        ],
        highest,
      )
    : highest;
  const sum = when([[all(there, isExactRank(highest)), divided]], nothing('decimal'));
  const loose = averages ? call('over', looseSum, call('doubleOfInt', numbers)) : looseSum;
  const double = when(
    [
      [not(there), nothing('double')],
      [isExactRank(highest), call('doubleOfDecimal', sum)],
    ],
    loose,
  );
  return ofNumber(resultRank, double, sum, there);
}

/** MIN and MAX of values whose ids tell their order. */
function isExtremeOfIds(name: Aggregate['function'], { certain, id, prefixes }: KnownTerm): boolean {
  return (
    (name === 'min' || name === 'max') &&
    certain &&
    id !== null &&
    prefixes !== undefined &&
    orderOfIds(prefixes) !== null
  );
}

function extremeId(name: 'min' | 'max', term: KnownTerm, make: Make): SqlTerm {
  const { classes, prefixes, fields } = term;
  const id = term.id as Scalar;
  const pair = name === 'min' ? 'leastPair' : 'greatestPair';
  const found = orderOfIds(prefixes as Prefixes) === 'id' ? call(name, id) : call(pair, fields.num, id);
  return { certain: false, id: make(found, 'id'), fields: null, classes, prefixes };
}

function concatOf(term: KnownTerm, separator: string, order: readonly Sorting[], make: Make): KnownTerm {
  const written = when([[any(isClass(term, 'iri'), equalsLiteral(term)), term.fields.text]], nothing('varchar'));
  const rows = make(call('countRows'), 'rows');
  const texts = make(call('count', written), 'texts');
  const joined = make(call('joinTexts', written, text(separator), ...flatOrder(order)), 'joined');
  return ofString(when([[equal(rows, texts), coalesce(joined, text(''))]], nothing('varchar')));
}

function equalsLiteral({ fields }: KnownTerm): Scalar {
  return coalesce(equal(fields.kind, int(2)), { kind: 'boolean', value: false });
}

/** An aggregate by itself: over each value once, or of the first row in some order. */
function apart(input: Solutions, grouping: Grouping, { aggregate, term }: Counted, names: Names): Solutions {
  if (aggregate.function === 'min' || aggregate.function === 'max' || aggregate.function === 'sample') {
    return extremeOf(input, grouping, aggregate, term as KnownTerm, names);
  }
  const once = distinctValues(input, grouping.keys, aggregate, term, names);
  const plain: Aggregate = { ...aggregate, distinct: false };
  return aggregated(once.input, grouping, [{ aggregate: plain, term: once.term }], names);
}

/** The values of each group once. */
function distinctValues(
  input: Solutions,
  keys: readonly string[],
  { expression }: Aggregate,
  term: KnownTerm | null,
  names: Names,
): { readonly input: Solutions; readonly term: KnownTerm | null } {
  const columns: Named[] = [];
  const add = (value: Scalar, prefix: string): Scalar => {
    if (value.kind !== 'column' && value.kind !== 'call' && value.kind !== 'case') return value;
    const name = names.next(prefix);
    columns.push({ name, value });
    return column(name);
  };
  const copy = (from: SqlTerm): SqlTerm => {
    const id = from.id === null ? null : add(from.id, 'id');
    const { fields } = from;
    if (fields === null) return { ...from, id };
    const copied = Object.fromEntries(FIELD_NAMES.map((field) => [field, add(fields[field], field)])) as Record<
      Field,
      Scalar
    >;
    return { ...from, id, fields: copied };
  };
  const terms = new Map(keys.map((key) => [key, copy(input.terms.get(key) as SqlTerm)]));
  const value = term === null ? null : (copy(term) as KnownTerm);
  if (expression === null) {
    for (const [name, one] of input.terms) if (!name.startsWith('_:') && !terms.has(name)) terms.set(name, copy(one));
  }
  if (columns.length === 0) add(call('coalesce', TRUE, TRUE), 'one');
  return { input: { relation: select(input.relation, columns, { distinct: true }), terms, order: [] }, term: value };
}

/** MIN, MAX and SAMPLE: the row that is first in a group. An error in one row makes MIN and MAX errors. */
function extremeOf(
  input: Solutions,
  { keys, whole }: Grouping,
  { function: name, variable }: Aggregate,
  term: KnownTerm,
  names: Names,
): Solutions {
  const { columns, groupBy, terms } = keysOf(input, keys, names);
  const descending = name === 'max';
  const strictly = [...orderKeys(term), term.fields.datatype, term.fields.text];
  const sorted = name === 'sample' ? identityOf(term) : strictly;
  const failed = not(isBound(term));
  // Rows without a value come first, so that the first row tells of them; of SAMPLE last.
  const keysOfOrder = [
    { value: when([[failed, int(name === 'sample' ? 1 : 0)]], int(name === 'sample' ? 0 : 1)), descending: false },
    ...sorted.filter((value) => value.kind !== 'null').map((value) => ({ value, descending })),
  ];
  const place = names.next('place');
  const fields = FIELD_NAMES.map((field) => ({ field, name: names.next(field) }));
  const id = term.id === null ? null : names.next('id');
  const value: Scalar = {
    kind: 'call',
    name: 'rowNumber',
    args: [
      int(groupBy.length),
      ...groupBy,
      ...keysOfOrder.flatMap((key) => [key.value, { kind: 'boolean', value: key.descending } as const]),
    ],
  };
  const numbered = select(input.relation, [
    ...columns,
    ...fields.map((one) => ({ name: one.name, value: term.fields[one.field] })),
    ...(id === null ? [] : [{ name: id, value: term.id as Scalar }]),
    { name: place, value },
  ]);
  const renamed = columnsOf(numbered).filter((one) => one !== place);
  const first = select(
    numbered,
    renamed.map((one) => ({ name: one, value: column(one) })),
    { where: [equal(column(place), int(1))] },
  );
  const made = Object.fromEntries(fields.map((one) => [one.field, column(one.name)])) as Record<Field, Scalar>;
  terms.set(variable, { certain: false, id: id === null ? null : column(id), fields: made, classes: term.classes });
  const relation = whole ? atLeastOne(first, names) : first;
  return { relation, terms, order: [] };
}

/** Without keys there is one group, also of no rows. */
function atLeastOne(relation: Relation, names: Names): Relation {
  const one = select({ kind: 'one' }, [{ name: names.next('one'), value: TRUE }]);
  return { kind: 'join', how: 'left', left: one, right: relation, on: TRUE, lookup: false };
}

function joinedByKeys(first: Solutions, second: Solutions, keys: readonly string[], names: Names): Solutions {
  const [left, right] = [new Rows(first, names), new Rows(second, names)];
  const on = all(
    ...keys.map((key) => {
      const [a, b] = [left.term(key), right.term(key)] as [SqlTerm, SqlTerm];
      const [x, y] = [identityOf(a), identityOf(b)];
      return all(...x.map((one, at) => isSame(one, y[at] as Scalar)));
    }),
  );
  const terms = new Map(left.terms);
  for (const [name, term] of right.terms) if (!keys.includes(name)) terms.set(name, term);
  return {
    relation: { kind: 'join', how: 'inner', left: left.relation, right: right.relation, on, lookup: false },
    terms,
    order: [],
  };
}

export { FIELDS };
