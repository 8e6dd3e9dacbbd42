/**
 * What a variable or an expression is in SQL: a bundle of columns. The id is the identity of a term that the lake has; the
 * other fields are what the table of terms says, or what was computed. Fields are scalars over the columns of the relation
 * at hand, so that nothing is computed that nobody reads.
 */

import { termToString } from '../../rdf/canonical/lines.js';
import { type Literal, RDF_DIR_LANG_STRING, RDF_LANG_STRING, type Term, XSD, XSD_STRING } from '../../rdf/terms.js';
import { INTEGER_TYPES, isNumeric, isTemporal, parseValue, toDouble } from '../../rdf/values/index.js';
import { type LakeType, TERM_KINDS } from '../layout.js';
import { exactText, timeOf } from '../literal-columns.js';
import {
  all,
  any,
  bigint,
  call,
  coalesce,
  decimal,
  double,
  equal,
  FALSE,
  int,
  isNotNull,
  isOneOf,
  isSame,
  not,
  nothing,
  type Scalar,
  TRUE,
  text,
  when,
} from './scalars.js';

export const FIELDS = {
  kind: 'int',
  text: 'varchar',
  datatype: 'varchar',
  lang: 'varchar',
  dir: 'varchar',
  num: 'double',
  exact: 'decimal',
  /** Microseconds since 1970. */
  time: 'bigint',
  zoned: 'boolean',
  bool: 'boolean',
} as const satisfies Record<string, LakeType>;

export type Field = keyof typeof FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as readonly Field[];

/** Kinds of values that are compared in one way, and never with those of another one. */
export const CLASSES = [
  'iri',
  'blank',
  'triple',
  'number',
  'string',
  'lang',
  'boolean',
  'dateTime',
  'date',
  'other',
  'unknown',
] as const;
/** `other`: times and durations, which the lake does not compute with; `unknown`: what has no value. */
export type ValueClass = (typeof CLASSES)[number];
export type Classes = ReadonlySet<ValueClass>;

export const ANY_CLASS: Classes = new Set(CLASSES);
export const RESOURCES: Classes = new Set(['iri', 'blank']);
export const IRIS: Classes = new Set(['iri']);
export const classes = (...names: readonly ValueClass[]): Classes => new Set(names);

export type Fields = Readonly<Record<Field, Scalar>>;

export interface SqlTerm {
  /** There is a term in every row. */
  readonly certain: boolean;
  /** Null where it was computed; of a row that has none, null. */
  readonly id: Scalar | null;
  /** Null as long as nobody looked them up. */
  readonly fields: Fields | null;
  readonly classes: Classes;
  /** The upper 16 bits that the id may have; absent = any. */
  readonly prefixes?: ReadonlySet<number> | undefined;
}

/** A term whose fields are known: the value of an expression. */
export type KnownTerm = SqlTerm & { readonly fields: Fields };

export const NO_FIELDS: Fields = Object.fromEntries(
  FIELD_NAMES.map((field) => [field, nothing(FIELDS[field])]),
) as Record<Field, Scalar>;

export const UNBOUND_TERM: KnownTerm = { certain: false, id: null, fields: NO_FIELDS, classes: new Set() };

const LITERAL = int(TERM_KINDS.literal);
export const XSD_BOOLEAN = `${XSD}boolean`;
export const XSD_INTEGER = `${XSD}integer`;
export const XSD_DECIMAL = `${XSD}decimal`;
export const XSD_DOUBLE = `${XSD}double`;
export const XSD_FLOAT = `${XSD}float`;
const DATE_TIMES = [`${XSD}dateTime`, `${XSD}dateTimeStamp`];
const OTHERS = [
  'time',
  'gYearMonth',
  'gYear',
  'gMonthDay',
  'gDay',
  'gMonth',
  'duration',
  'yearMonthDuration',
  'dayTimeDuration',
].map((name) => XSD + name);

export function isBound(term: SqlTerm): Scalar {
  if (term.certain) return TRUE;
  if (term.id !== null) return isNotNull(term.id);
  return isNotNull((term.fields as Fields).kind);
}

/** The columns of a constant. */
export function constantFields(term: Term): Fields {
  switch (term.termType) {
    case 'NamedNode':
      return { ...NO_FIELDS, kind: int(TERM_KINDS.iri), text: text(term.value) };
    case 'BlankNode':
      return { ...NO_FIELDS, kind: int(TERM_KINDS.blankNode), text: text(term.value) };
    case 'Literal':
      return literalFields(term);
    case 'Quad':
      return { ...NO_FIELDS, kind: int(TERM_KINDS.tripleTerm), text: text(termToString(term as Term)) };
    default:
      throw new Error(`no columns for a ${term.termType}`);
  }
}

function literalFields(literal: Literal): Fields {
  const value = parseValue(literal);
  const datatype = literal.datatype.value;
  const number = isNumeric(value) ? toDouble(value) : null;
  const exact = exactText(value);
  const time = timeOf(value);
  return {
    ...NO_FIELDS,
    kind: LITERAL,
    text: text(literal.value),
    datatype: text(datatype),
    lang: literal.language === '' ? NO_FIELDS.lang : text(literal.language),
    dir: literal.direction ? text(literal.direction) : NO_FIELDS.dir,
    num: number === null ? NO_FIELDS.num : double(number),
    exact: exact === null ? NO_FIELDS.exact : decimal(exact),
    time: time === null ? NO_FIELDS.time : bigint(time),
    zoned: isTemporal(value) && time !== null ? (value.zone === null ? FALSE : TRUE) : NO_FIELDS.zoned,
    bool: value.kind === 'boolean' ? { kind: 'boolean', value: value.value } : NO_FIELDS.bool,
  };
}

export function classOfConstant(term: Term): ValueClass {
  if (term.termType === 'NamedNode') return 'iri';
  if (term.termType === 'BlankNode') return 'blank';
  if (term.termType !== 'Literal') return 'triple';
  const value = parseValue(term);
  switch (value.kind) {
    case 'integer':
    case 'decimal':
    case 'float':
    case 'double':
      return 'number';
    case 'langString':
      return 'lang';
    case 'illTyped':
    case 'opaque':
      return 'unknown';
    case 'string':
    case 'boolean':
      return value.kind;
    case 'dateTime':
    case 'date':
      return timeOf(value) === null ? 'other' : value.kind;
    default:
      return 'other';
  }
}

export function constantTerm(term: Term, id: bigint | null = null): KnownTerm {
  return {
    certain: true,
    id: id === null ? null : bigint(id),
    fields: constantFields(term),
    classes: new Set([classOfConstant(term)]),
  };
}

// What is computed. Each is null in all its fields where the given value is null.

function literal(value: Scalar, datatype: string, more: Partial<Fields>, klass: ValueClass): KnownTerm {
  const there = isNotNull(value);
  const fields = {
    ...NO_FIELDS,
    kind: when([[there, LITERAL]], nothing('int')),
    datatype: when([[there, text(datatype)]], nothing('varchar')),
    ...more,
  };
  return { certain: there.kind === 'boolean' && there.value, id: null, fields, classes: new Set([klass]) };
}

export function ofBoolean(value: Scalar): KnownTerm {
  const written = when(
    [
      [value, text('true')],
      [not(value), text('false')],
    ],
    nothing('varchar'),
  );
  return literal(value, XSD_BOOLEAN, { text: written, bool: value }, 'boolean');
}

export function ofString(value: Scalar): KnownTerm {
  return literal(value, XSD_STRING, { text: value }, 'string');
}

export function ofIri(value: Scalar): KnownTerm {
  const kind = when([[isNotNull(value), int(TERM_KINDS.iri)]], nothing('int'));
  return { certain: false, id: null, fields: { ...NO_FIELDS, kind, text: value }, classes: IRIS };
}

/** An integer that a function counts. */
export function ofInt(value: Scalar): KnownTerm {
  const exact = call('decimalOfInt', value);
  return ofNumber(int(0), call('doubleOfInt', value), exact, isNotNull(value));
}

/** Types of numbers in the order in which one becomes the other. */
export const RANK = { integer: 0, decimal: 1, float: 2, double: 3 } as const;

/** A computed number of the type that `rank` says; `exact` counts of integers and decimals, `num` of the others. */
export function ofNumber(rank: Scalar, num: Scalar, exact: Scalar, there: Scalar): KnownTerm {
  const isExact = call('<=', rank, int(RANK.decimal));
  const exactly = rank.kind === 'number' ? (Number(rank.text) <= RANK.decimal ? TRUE : FALSE) : isExact;
  const datatype = when(
    [
      [equal(rank, int(RANK.integer)), text(XSD_INTEGER)],
      [equal(rank, int(RANK.decimal)), text(XSD_DECIMAL)],
      [equal(rank, int(RANK.float)), text(XSD_FLOAT)],
      [equal(rank, int(RANK.double)), text(XSD_DOUBLE)],
    ],
    nothing('varchar'),
  );
  return {
    certain: there.kind === 'boolean' && there.value,
    id: null,
    classes: classes('number'),
    fields: {
      ...NO_FIELDS,
      kind: when([[there, LITERAL]], nothing('int')),
      text: when([[there, numberText(exactly, equal(rank, int(RANK.float)), num, exact)]], nothing('varchar')),
      datatype: when([[there, datatype]], nothing('varchar')),
      num,
      exact,
    },
  };
}

function numberText(exactly: Scalar, isFloat: Scalar, num: Scalar, exact: Scalar): Scalar {
  return when(
    [
      [exactly, call('decimalText', exact)],
      [isFloat, call('floatText', num)],
    ],
    call('doubleText', num),
  );
}

/** A number whose text is made of its value. */
export function isComputedNumber({ fields, classes: possible }: KnownTerm): boolean {
  return possible.size === 1 && possible.has('number') && isNumberText(fields.text);
}

function isNumberText(scalar: Scalar): boolean {
  if (scalar.kind === 'call') return /^(double|float|decimal)Text$/.test(scalar.name);
  if (scalar.kind !== 'case') return false;
  const values = [...scalar.whens.map(([, value]) => value), scalar.otherwise].filter(({ kind }) => kind !== 'null');
  return values.length > 0 && values.every(isNumberText);
}

/** The text of a computed number by its other fields. */
export function textOfNumber({ datatype, num, exact }: Fields): Scalar {
  const isExact = any(...[XSD_INTEGER, XSD_DECIMAL].map((one) => equal(datatype, text(one))));
  const written = numberText(isExact, equal(datatype, text(XSD_FLOAT)), num, exact);
  return when([[isNotNull(datatype), written]], nothing('varchar'));
}

/** The rank of a number's type; null of what is no number. */
export function rankOf({ fields, classes: possible }: KnownTerm): Scalar {
  const { datatype, num } = fields;
  if (!possible.has('number')) return nothing('int');
  if (datatype.kind === 'case' && datatype.whens.length === 1 && datatype.otherwise.kind === 'null') {
    const known = datatype.whens[0]?.[1] as Scalar;
    if (known.kind === 'text') return int(rankOfDatatype(known.value));
  }
  if (datatype.kind === 'text') return int(rankOfDatatype(datatype.value));
  return when(
    [
      [not(isNotNull(num)), nothing('int')],
      [equal(datatype, text(XSD_DECIMAL)), int(RANK.decimal)],
      [equal(datatype, text(XSD_DOUBLE)), int(RANK.double)],
      [equal(datatype, text(XSD_FLOAT)), int(RANK.float)],
    ],
    int(RANK.integer),
  );
}

function rankOfDatatype(datatype: string): number {
  if (datatype === XSD_DECIMAL) return RANK.decimal;
  if (datatype === XSD_DOUBLE) return RANK.double;
  return datatype === XSD_FLOAT ? RANK.float : RANK.integer;
}

/** True where the term is of the class; never null. */
export function isClass({ certain, fields, classes: possible }: KnownTerm, name: ValueClass): Scalar {
  if (!possible.has(name)) return FALSE;
  const only = possible.size === 1;
  if (only && certain) return TRUE;
  const has = (condition: Scalar): Scalar => coalesce(condition, FALSE);
  switch (name) {
    case 'iri':
      return has(equal(fields.kind, int(TERM_KINDS.iri)));
    case 'blank':
      return has(equal(fields.kind, int(TERM_KINDS.blankNode)));
    case 'triple':
      return has(equal(fields.kind, int(TERM_KINDS.tripleTerm)));
    case 'number':
      return only ? isNotNull(fields.kind) : isNotNull(fields.num);
    case 'boolean':
      return only ? isNotNull(fields.kind) : isNotNull(fields.bool);
    case 'string':
      return only ? isNotNull(fields.kind) : has(equal(fields.datatype, text(XSD_STRING)));
    case 'lang':
      return isNotNull(fields.lang);
    case 'dateTime':
      if (only) return isNotNull(fields.kind);
      return has(all(isOneOf(fields.datatype, DATE_TIMES), isNotNull(fields.time)));
    case 'date':
      if (only) return isNotNull(fields.kind);
      return has(all(equal(fields.datatype, text(`${XSD}date`)), isNotNull(fields.time)));
    case 'other':
      // A date out of the range of timestamps, or an ill-typed one, is not told apart from it.
      return has(
        any(
          isOneOf(fields.datatype, OTHERS),
          all(isOneOf(fields.datatype, [...DATE_TIMES, `${XSD}date`]), not(isNotNull(fields.time))),
        ),
      );
    case 'unknown':
      return all(
        has(equal(fields.kind, LITERAL)),
        ...[...possible].flatMap((each) =>
          each === 'unknown' ? [] : [not(isClass({ certain: false, id: null, fields, classes: possible }, each))],
        ),
      );
  }
}

/** The parts that tell terms apart. */
export function identityOf(term: SqlTerm): readonly Scalar[] {
  if (term.id !== null) return [term.id];
  const { kind, text: written, datatype, lang, dir } = term.fields as Fields;
  const tag = lang.kind === 'null' ? lang : lang.kind === 'text' ? text(lang.value.toLowerCase()) : call('lower', lang);
  return [kind, written, datatype, tag, dir];
}

/** True where both are there and the same term, false where they differ, null where one is not there. */
export function sameTerm(a: SqlTerm, b: SqlTerm): Scalar {
  if (a.id !== null && b.id !== null) return equal(a.id, b.id);
  const [first, second] = [a, b].map((term) => term.fields as Fields) as [Fields, Fields];
  const identities = [a, b].map((term) => identityOf({ ...term, id: null })) as [readonly Scalar[], readonly Scalar[]];
  return all(
    equal(first.kind, second.kind),
    coalesce(equal(first.text, second.text), FALSE),
    ...[2, 3, 4].map((at) => isSame(identities[0][at] as Scalar, identities[1][at] as Scalar)),
  );
}

export const DATATYPES_OF_INTEGERS: readonly string[] = [...INTEGER_TYPES.keys()];
export const LANGUAGE_TYPES: readonly string[] = [RDF_LANG_STRING, RDF_DIR_LANG_STRING];
