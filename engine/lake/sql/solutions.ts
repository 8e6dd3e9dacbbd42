/** Solutions as a relation with, of each variable, the columns that are it; and what joins and unions make of two of them. */

import { TERM_KINDS } from '../layout.js';
import { inlineFields, isInlineTerm, type Prefixes } from './inline-fields.js';
import type { Names } from './names.js';
import { columnsOf, type Named, type Relation, type Sorting, select } from './relations.js';
import {
  all,
  any,
  call,
  coalesce,
  column,
  equal,
  FALSE,
  isNull,
  isSame,
  not,
  nothing,
  type Scalar,
  TRUE,
  visitScalar,
  when,
} from './scalars.js';
import {
  ANY_CLASS,
  FIELD_NAMES,
  FIELDS,
  type Field,
  type Fields,
  identityOf,
  isBound,
  isComputedNumber,
  type KnownTerm,
  NO_FIELDS,
  type SqlTerm,
  sameTerm,
  textOfNumber,
} from './sql-terms.js';

export interface Solutions {
  readonly relation: Relation;
  readonly terms: ReadonlyMap<string, SqlTerm>;
  /** The keys of the ORDER BY that counts here. */
  readonly order: readonly Sorting[];
}

export const UNIT: Solutions = { relation: { kind: 'one' }, terms: new Map(), order: [] };

export function passed(relation: Relation): Named[] {
  return columnsOf(relation).map((name) => ({ name, value: column(name) }));
}

/** The field as the table of terms has it. */
function stored(field: Field): Scalar {
  return field === 'time' ? call('micros', column('time')) : column(field);
}

/** Rows that more columns are brought into. */
export class Rows {
  relation: Relation;
  readonly terms: Map<string, SqlTerm>;
  /** Columns of the table of terms that these rows brought in, and what was made of them. */
  protected readonly lookedUp = new Set<string>();

  constructor(
    { relation, terms }: Pick<Solutions, 'relation' | 'terms'>,
    protected readonly names: Names,
  ) {
    this.relation = relation;
    this.terms = new Map(terms);
  }

  term(name: string): SqlTerm | undefined {
    return this.terms.get(name);
  }

  known(name: string): KnownTerm | undefined {
    const term = this.terms.get(name);
    if (term === undefined) return undefined;
    const known = this.lookUp(term);
    this.terms.set(name, known);
    return known;
  }

  lookUp(term: SqlTerm): KnownTerm {
    if (term.fields !== null) return term as KnownTerm;
    const id = this.names.next('id');
    const columns = FIELD_NAMES.map((field) => ({ field, name: this.names.next(field) }));
    this.join(term, id, [
      { name: id, value: column('id') },
      ...columns.map(({ field, name }) => ({ name, value: stored(field) })),
    ]);
    for (const { name } of columns) this.lookedUp.add(name);
    const fields = Object.fromEntries(columns.map(({ field, name }) => [field, column(name)])) as Record<Field, Scalar>;
    if (!isInlineTerm(term)) return { ...term, fields };
    // The look-up stays for the text alone, and goes where nobody reads it.
    return {
      ...term,
      fields: { ...inlineFields(term.id as Scalar, term.prefixes as Prefixes, term.certain), text: fields.text },
    };
  }

  partsOf(whole: Scalar): Readonly<Record<'subject' | 'predicate' | 'object', SqlTerm>> {
    const id = this.names.next('id');
    const [s, p, o] = ['ts', 'tp', 'to'].map((name) => this.names.next(name)) as [string, string, string];
    this.join({ certain: false, id: whole, fields: null, classes: ANY_CLASS }, id, [
      { name: id, value: column('id') },
      { name: s, value: column('ts') },
      { name: p, value: column('tp') },
      { name: o, value: column('to_') },
    ]);
    const part = (name: string): SqlTerm => ({ certain: false, id: column(name), fields: null, classes: ANY_CLASS });
    return { subject: part(s), predicate: part(p), object: part(o) };
  }

  private join(term: SqlTerm, id: string, columns: readonly Named[]): void {
    this.relation = {
      kind: 'join',
      how: term.certain ? 'inner' : 'left',
      left: this.relation,
      right: select({ kind: 'table', table: 'terms' }, columns),
      on: equal(column(id), term.id as Scalar),
      lookup: true,
    };
  }

  keep(term: KnownTerm): Fields {
    const { fields } = term;
    const made: Named[] = [];
    const isNumber = isComputedNumber(term);
    const kept = Object.fromEntries(
      FIELD_NAMES.map((field) => {
        const value = fields[field];
        if (isNumber && field === 'text') return [field, value];
        if (value.kind !== 'call' && value.kind !== 'case') return [field, value];
        const name = this.names.next(field);
        made.push({ name, value });
        if (this.isLookedUp(value)) this.lookedUp.add(name);
        return [field, column(name)];
      }),
    ) as Record<Field, Scalar>;
    if (made.length > 0) this.relation = select(this.relation, [...passed(this.relation), ...made]);
    // It is made of the columns when it is read.
    return isNumber ? { ...kept, text: textOfNumber(kept) } : kept;
  }

  /** Whether the value can't be had without the table of terms. */
  isLookedUp(value: Scalar): boolean {
    let found = false;
    visitScalar(value, (part) => {
      if (part.kind === 'column' && this.lookedUp.has(part.name)) found = true;
    });
    return found;
  }

  solutions(order: readonly Sorting[] = []): Solutions {
    return { relation: this.relation, terms: this.terms, order };
  }
}

/** The same with every scalar of every term as a column, so that rows without them have nulls. */
export function columnised({ relation, terms, order }: Solutions, names: Names): Solutions {
  const made: Named[] = [];
  const asColumn = (value: Scalar, prefix: string): Scalar => {
    if (value.kind === 'column' || value.kind === 'null') return value;
    const name = names.next(prefix);
    made.push({ name, value });
    return column(name);
  };
  const changed = new Map<string, SqlTerm>();
  for (const [name, term] of terms) {
    const id = term.id === null ? null : asColumn(term.id, 'id');
    const fields =
      term.fields === null
        ? null
        : (Object.fromEntries(
            FIELD_NAMES.map((field) => [field, asColumn((term.fields as Fields)[field], field)]),
          ) as Record<Field, Scalar>);
    changed.set(name, { ...term, id, fields });
  }
  const kept = order.map((key) => ({ ...key, value: asColumn(key.value, 'key') }));
  return made.length === 0
    ? { relation, terms, order }
    : { relation: select(relation, [...passed(relation), ...made]), terms: changed, order: kept };
}

/** Makes both sides of a shared variable comparable: by their ids, or by their fields. */
export function comparable(left: Rows, right: Rows, name: string): void {
  const [a, b] = [left.term(name) as SqlTerm, right.term(name) as SqlTerm];
  if (a.id !== null && b.id !== null) return;
  left.known(name);
  right.known(name);
}

/** Joins rows whose terms the lake may have with their ids; those that it does not have go. */
export function encoded(rows: Rows, name: string, names: Names): void {
  const term = rows.term(name) as KnownTerm;
  const id = names.next('id');
  const columns = FIELD_NAMES.map((field) => ({ field, name: names.next(field) }));
  const found = Object.fromEntries(columns.map((one) => [one.field, column(one.name)])) as Record<Field, Scalar>;
  rows.relation = {
    kind: 'join',
    how: 'inner',
    left: rows.relation,
    right: select({ kind: 'table', table: 'terms' }, [
      { name: id, value: column('id') },
      ...columns.map((one) => ({ name: one.name, value: stored(one.field) })),
    ]),
    on: sameTerm({ ...term, id: null }, { certain: true, id: null, fields: found, classes: term.classes }),
    lookup: false,
  };
  rows.terms.set(name, { ...term, id: column(id) });
}

/** True where the values of both sides agree: they are the same, or one of them is not bound. */
export function agree(a: SqlTerm, b: SqlTerm): Scalar {
  const same = sameTerm(a, b);
  return any(a.certain ? FALSE : not(isBound(a)), b.certain ? FALSE : not(isBound(b)), same);
}

/** The value that a joined row has. */
export function merged(a: SqlTerm, b: SqlTerm, how: 'inner' | 'left'): SqlTerm {
  if (a.certain) return how === 'inner' && b.certain ? narrowedBy(a, b) : { ...a, fields: a.fields ?? null };
  if (b.certain && how === 'inner') return b;
  const classes = new Set([...a.classes, ...b.classes]);
  const certain = how === 'inner' && (a.certain || b.certain);
  if (a.id !== null && b.id !== null) return { certain, id: coalesce(a.id, b.id), fields: null, classes };
  const bound = isBound(a);
  const field = (name: Field): Scalar => when([[bound, (a.fields as Fields)[name]]], (b.fields as Fields)[name]);
  const fields = Object.fromEntries(FIELD_NAMES.map((name) => [name, field(name)])) as Record<Field, Scalar>;
  return { certain, id: null, fields, classes };
}

/** What is known of both sides of a join holds of what they have in common. */
function narrowedBy(a: SqlTerm, b: SqlTerm): SqlTerm {
  const common = new Set([...a.classes].filter((name) => b.classes.has(name)));
  const classes = common.size === 0 ? a.classes : common;
  return { ...a, classes, prefixes: a.prefixes ?? (a.id !== null && b.id !== null ? b.prefixes : undefined) };
}

export function joined(first: Solutions, second: Solutions, names: Names): Solutions {
  if (first.relation.kind === 'one') return { ...second, terms: new Map([...second.terms, ...first.terms]), order: [] };
  if (second.relation.kind === 'one' && second.terms.size === 0) return { ...first, order: [] };
  const [left, right] = [new Rows(first, names), new Rows(second, names)];
  const shared = [...left.terms.keys()].filter((name) => right.terms.has(name));
  for (const name of shared) {
    const [a, b] = [left.term(name) as SqlTerm, right.term(name) as SqlTerm];
    const both = a.certain && b.certain;
    if (both && a.id === null && b.id !== null) encoded(left, name, names);
    else if (both && b.id === null && a.id !== null) encoded(right, name, names);
    else comparable(left, right, name);
  }
  const on = all(...shared.map((name) => agree(left.term(name) as SqlTerm, right.term(name) as SqlTerm)));
  const terms = new Map(left.terms);
  for (const [name, term] of right.terms) {
    const other = left.term(name);
    terms.set(name, other === undefined ? term : merged(other, term, 'inner'));
  }
  return {
    relation: { kind: 'join', how: 'inner', left: left.relation, right: right.relation, on, lookup: false },
    terms,
    order: [],
  };
}

/** One after the other; each variable as an id where all sides have one. */
export function united(inputs: readonly Solutions[], names: Names): Solutions {
  const sides = inputs.map((input) => new Rows(input, names));
  const variables = new Set(sides.flatMap((side) => [...side.terms.keys()]));
  const columns: string[] = [];
  const values: Scalar[][] = sides.map(() => []);
  const terms = new Map<string, SqlTerm>();
  const add = (prefix: string, of: (side: Rows) => Scalar): Scalar => {
    const name = names.next(prefix);
    columns.push(name);
    for (const [at, side] of sides.entries()) values[at]?.push(of(side));
    return column(name);
  };
  for (const variable of variables) {
    const found = sides.flatMap((side) => side.term(variable) ?? []);
    const certain = found.length === sides.length && found.every((term) => term.certain);
    const classes = new Set(found.flatMap((term) => [...term.classes]));
    if (found.every(({ id }) => id !== null)) {
      const id = add('id', (side) => side.term(variable)?.id ?? nothing('bigint'));
      terms.set(variable, { certain, id, fields: null, classes });
      continue;
    }
    const known = new Map(sides.map((side) => [side, side.known(variable)?.fields ?? NO_FIELDS]));
    const fields = Object.fromEntries(
      FIELD_NAMES.map((field) => {
        const given = [...known.values()].map((of) => of[field]);
        if (given.every(({ kind }) => kind === 'null')) return [field, nothing(FIELDS[field])];
        return [field, add(field, (side) => (known.get(side) as Fields)[field])];
      }),
    ) as Record<Field, Scalar>;
    terms.set(variable, { certain, id: null, fields, classes });
  }
  const relation: Relation = {
    kind: 'union',
    columns,
    inputs: sides.map((side, at) => ({ relation: side.relation, values: values[at] as Scalar[] })),
    distinct: false,
  };
  return { relation, terms, order: [] };
}

/** The columns of the variables alone: what tells solutions apart, and what is known of them beside. */
export function narrowed(
  input: Solutions,
  variables: readonly string[],
  names: Names,
): Solutions & { readonly columns: readonly Named[] } {
  const columns: Named[] = [];
  const add = (value: Scalar, prefix: string): Scalar => {
    if (value.kind === 'null') return value;
    const name = names.next(prefix);
    columns.push({ name, value });
    return column(name);
  };
  const terms = new Map<string, SqlTerm>();
  for (const variable of variables) {
    const term = input.terms.get(variable);
    if (term === undefined) continue;
    if (term.id !== null) {
      terms.set(variable, { ...term, id: add(term.id, 'id'), fields: null });
      continue;
    }
    const fields = Object.fromEntries(
      FIELD_NAMES.map((field) => [field, add((term.fields as Fields)[field], field)]),
    ) as Record<Field, Scalar>;
    terms.set(variable, { ...term, fields });
  }
  return { relation: input.relation, terms, order: [], columns };
}

/** Each once. */
export function distinctOf(input: Solutions, variables: readonly string[], names: Names): Solutions {
  const { terms, columns } = narrowed(input, variables, names);
  const made = columns.length > 0 ? columns : [{ name: names.next('one'), value: TRUE }];
  return { relation: select(input.relation, made, { distinct: true }), terms, order: [] };
}

/** True where two terms are the same, or both are not bound. */
export function sameOrUnbound(a: SqlTerm, b: SqlTerm): Scalar {
  if (a.certain && b.certain) return sameTerm(a, b);
  const [first, second] = [identityOf(a), identityOf(b)];
  if (first.length === second.length) return all(...first.map((one, at) => isSame(one, second[at] as Scalar)));
  return any(all(isNull(first[0] as Scalar), isNull(second[0] as Scalar)), coalesce(sameTerm(a, b), FALSE));
}

export { TERM_KINDS };
