/** Functions on terms, texts, numbers and dates. What engines would answer differently is refused: by name, or where such a value comes. */

import type { Expression, Operator } from '../../../query/algebra/expression.js';
import { RDF_DIR_LANG_STRING, RDF_LANG_STRING, terms, XSD, XSD_STRING } from '../../../rdf/terms.js';
import { isLanguageTag } from '../../../rdf/formats/input/term-checks.js';
import { TERM_KINDS } from '../../layout.js';
import { refused } from '../refusal.js';
import {
  all,
  any,
  call,
  coalesce,
  equal,
  FALSE,
  int,
  isNotNull,
  isOneOf,
  isSame,
  not,
  nothing,
  refuse,
  type Scalar,
  TRUE,
  text,
  when,
} from '../scalars.js';
import {
  type Classes,
  classes,
  constantTerm,
  FIELDS,
  type Field,
  IRIS,
  isBound,
  isClass,
  type KnownTerm,
  NO_FIELDS,
  ofBoolean,
  ofInt,
  ofIri,
  ofNumber,
  ofString,
  RANK,
  UNBOUND_TERM,
} from '../sql-terms.js';
import { toNumber } from './casts.js';
import { rounded } from './numbers.js';
import { patternOf } from './patterns.js';
import type { ExpressionScope } from './scope.js';

type Evaluate = (expression: Expression, scope: ExpressionScope) => KnownTerm;

const NO_TEXT = nothing('varchar');

export function evaluateFunction(
  operator: Operator,
  args: readonly Expression[],
  scope: ExpressionScope,
  evaluate: Evaluate,
): KnownTerm {
  if (operator === 'regex') return regex(args, scope, evaluate);
  if (operator === 'replace') return replaced(args, scope, evaluate);
  if (operator === 'subject' || operator === 'predicate' || operator === 'object') return part(operator, args[0] as Expression, scope, evaluate);
  const given = args.map((arg) => evaluate(arg, scope));
  const [a, b, c] = given as [KnownTerm, KnownTerm, KnownTerm];
  switch (operator) {
    case 'isiri':
      return test(a, isClass(a, 'iri'));
    case 'isblank':
      return test(a, isClass(a, 'blank'));
    case 'isliteral':
      return test(a, coalesce(equal(a.fields.kind, int(TERM_KINDS.literal)), FALSE));
    case 'isnumeric':
      return test(a, isClass(a, 'number'));
    case 'istriple':
      return test(a, isClass(a, 'triple'));
    case 'haslang':
      return test(a, isNotNull(a.fields.lang));
    case 'haslangdir':
      return test(a, isNotNull(a.fields.dir));
    case 'str':
      return ofString(when([[any(isLiteral(a), isClass(a, 'iri')), a.fields.text]], NO_TEXT));
    case 'lang':
      return ofString(when([[isLiteral(a), coalesce(a.fields.lang, text(''))]], NO_TEXT));
    case 'langdir':
      return ofString(when([[isLiteral(a), coalesce(a.fields.dir, text(''))]], NO_TEXT));
    case 'datatype':
      return ofIri(when([[isLiteral(a), a.fields.datatype]], NO_TEXT));
    case 'iri':
      return iri(a);
    case 'strlen':
      return ofInt(call('length', textOf(a)));
    case 'ucase':
    case 'lcase':
      return likeText(a, cased(operator, textOf(a)));
    case 'strstarts':
      return ofBoolean(call('startsWith', ...compatible(a, b)));
    case 'strends':
      return ofBoolean(call('endsWith', ...compatible(a, b)));
    case 'contains':
      return ofBoolean(call('contains', ...compatible(a, b)));
    case 'strbefore':
    case 'strafter':
      return aroundText(operator, a, b);
    case 'substr':
      return substring(a, b, c);
    case 'concat':
      return concatenated(given);
    case 'encode_for_uri':
      return ofString(call('encodeForUri', textOf(a)));
    case 'md5':
    case 'sha1':
    case 'sha256':
    case 'sha384':
    case 'sha512':
      return ofString(call(operator, plainText(a)));
    case 'langmatches':
      return ofBoolean(languageMatches(plainText(a), plainText(b)));
    case 'strlang':
      return tagged(a, args[1] as Expression);
    case 'strdt':
      return typed(a, args[1] as Expression);
    case 'abs':
    case 'ceil':
    case 'floor':
    case 'round':
      return rounded(operator, a);
    case 'year':
    case 'month':
    case 'day':
    case 'hours':
    case 'minutes':
      return datePart(operator, a);
    case 'seconds':
      return seconds(a);
    case 'tz':
      return ofString(zone(a));
    case 'now':
      return constantTerm(terms.literal(scope.now, terms.namedNode(`${XSD}dateTime`)));
    case 'rand': {
      const made = call('random');
      return ofNumber(int(RANK.double), made, nothing('decimal'), TRUE);
    }
    case 'uuid':
      return ofIri(call('concat', text('urn:uuid:'), call('uuid')));
    case 'struuid':
      return ofString(call('uuid'));
    default:
      throw refused(`the function ${operator.toUpperCase()}`);
  }
}

function test(term: KnownTerm, answer: Scalar): KnownTerm {
  return ofBoolean(when([[isBound(term), answer]], nothing('boolean')));
}

function isLiteral(term: KnownTerm): Scalar {
  return coalesce(equal(term.fields.kind, int(TERM_KINDS.literal)), FALSE);
}

/** The text of a string, with a language or without; null of any other term. */
function textOf(term: KnownTerm): Scalar {
  return when([[any(isClass(term, 'string'), isClass(term, 'lang')), term.fields.text]], NO_TEXT);
}

function plainText(term: KnownTerm): Scalar {
  return when([[isClass(term, 'string'), term.fields.text]], NO_TEXT);
}

/** A string with the language of another one; null where the text is. */
function likeText(model: KnownTerm, value: Scalar): KnownTerm {
  const there = isNotNull(value);
  const { datatype, lang, dir } = model.fields;
  const of = (field: Scalar): Scalar => when([[there, field]], NO_TEXT);
  const possible: Classes = new Set([...model.classes].filter((name) => name === 'string' || name === 'lang'));
  return {
    certain: false,
    id: null,
    classes: possible,
    fields: {
      ...NO_FIELDS,
      kind: when([[there, int(TERM_KINDS.literal)]], nothing('int')),
      text: value,
      datatype: of(datatype),
      lang: of(lang),
      dir: of(dir),
    },
  };
}

/** The texts of two compatible strings, both null where they are not compatible. */
function compatible(a: KnownTerm, b: KnownTerm): [Scalar, Scalar] {
  const [x, y] = [a.fields, b.fields];
  const low = (tag: Scalar): Scalar => (tag.kind === 'null' ? tag : call('lower', tag));
  const sameLanguage = all(isSame(low(x.lang), low(y.lang)), isSame(x.dir, y.dir));
  const part = when([[any(isClass(b, 'string'), sameLanguage), textOf(b)]], NO_TEXT);
  return [textOf(a), part];
}

/** Other engines have other tables of letters. */
function cased(operator: 'ucase' | 'lcase', written: Scalar): Scalar {
  const change = call(operator === 'ucase' ? 'upper' : 'lower', written);
  return when(
    [
      [not(isNotNull(written)), NO_TEXT],
      [call('isAscii', written), change],
    ],
    refuse('UCASE and LCASE of letters beyond ASCII differ from engine to engine', 'varchar'),
  );
}

function aroundText(operator: 'strbefore' | 'strafter', a: KnownTerm, b: KnownTerm): KnownTerm {
  const [whole, found] = compatible(a, b);
  const at = call('position', whole, found);
  const cut =
    operator === 'strbefore'
      ? call('substring', whole, int(1), call('minus', at, int(1)))
      : call('from', whole, call('plus', at, call('length', found)));
  const isFound = call('>', at, int(0));
  const found_ = likeText(a, when([[isFound, cut]], NO_TEXT));
  const empty = ofString(when([[not(isFound), text('')]], NO_TEXT));
  const fields = Object.fromEntries(
    Object.entries(found_.fields).map(([name, value]) => [
      name,
      when(
        [
          [isFound, value],
          [not(isFound), empty.fields[name as Field]],
        ],
        nothing(FIELDS[name as Field]),
      ),
    ]),
  ) as KnownTerm['fields'];
  return { ...found_, fields, classes: new Set([...found_.classes, 'string']) };
}

/** Positions count from 1 and are rounded; what is not there is left out. */
function substring(a: KnownTerm, start: KnownTerm, length: KnownTerm | undefined): KnownTerm {
  const written = textOf(a);
  const whole = (term: KnownTerm): Scalar => {
    const { num } = term.fields;
    if (num.kind !== 'number') throw refused('SUBSTR with a position or length that is no constant');
    return num;
  };
  const rounded = (scalar: Scalar): number => Math.round(Number((scalar as { text: string }).text));
  const first = rounded(whole(start));
  const end = length === undefined ? Number.POSITIVE_INFINITY : first + rounded(whole(length));
  if (!(first < end)) return likeText(a, when([[isNotNull(written), text('')]], NO_TEXT));
  const from = Math.max(first, 1);
  if (from > Number.MAX_SAFE_INTEGER / 2 ** 22) return likeText(a, when([[isNotNull(written), text('')]], NO_TEXT));
  const cut = end > 2 ** 31 ? call('from', written, int(from)) : call('substring', written, int(from), int(Math.max(end - from, 0)));
  return likeText(a, cut);
}

function concatenated(given: readonly KnownTerm[]): KnownTerm {
  const [model] = given;
  if (model === undefined) return ofString(text(''));
  const joined = given.length === 1 ? textOf(model) : call('concat', ...given.map(textOf));
  const low = (tag: Scalar): Scalar => (tag.kind === 'null' ? tag : call('lower', tag));
  const agree = all(
    ...given.slice(1).flatMap(({ fields }) => [
      isSame(low(fields.lang), low(model.fields.lang)),
      isSame(fields.dir, model.fields.dir),
    ]),
  );
  const same = likeText(model, joined);
  const plain = ofString(joined);
  const fields = Object.fromEntries(
    Object.entries(same.fields).map(([name, value]) => [
      name,
      when([[agree, value]], plain.fields[name as keyof typeof plain.fields]),
    ]),
  ) as KnownTerm['fields'];
  return { ...same, fields, classes: new Set([...same.classes, 'string']) };
}

function languageMatches(tag: Scalar, range: Scalar): Scalar {
  const [have, want] = [call('lower', tag), call('lower', range)];
  return when(
    [
      [any(not(isNotNull(tag)), not(isNotNull(range))), nothing('boolean')],
      [equal(range, text('*')), call('<>', tag, text(''))],
    ],
    all(call('<>', want, text('')), any(equal(have, want), call('startsWith', have, call('concat', want, text('-'))))),
  );
}

function tagged(a: KnownTerm, tag: Expression): KnownTerm {
  const { term } = tag as { term?: { termType: string; value: string; datatype?: { value: string } } };
  if (tag.kind !== 'term' || term === undefined) throw refused('STRLANG with a language that is no constant');
  const isTag = term.termType === 'Literal' && term.datatype?.value === XSD_STRING && isLanguageTag(term.value);
  const written = isTag ? plainText(a) : NO_TEXT;
  const model = constantTerm(terms.literal('', isTag ? term.value : 'en'));
  return likeText(model, written);
}

/** Only types without values of their own: the others are casts. */
function typed(a: KnownTerm, datatype: Expression): KnownTerm {
  if (datatype.kind !== 'term') throw refused('STRDT with a datatype that is no constant');
  const { term } = datatype;
  const written = plainText(a);
  if (term.termType !== 'NamedNode' || term.value === RDF_LANG_STRING || term.value === RDF_DIR_LANG_STRING) {
    return likeText(a, NO_TEXT);
  }
  if (term.value === XSD_STRING) return ofString(written);
  const name = term.value.startsWith(XSD) ? term.value.slice(XSD.length) : null;
  if (name === 'integer' || name === 'decimal' || name === 'double') return numberOfText(name, written, term.value);
  if (name !== null) throw refused(`STRDT to xsd:${name}`, `use the cast xsd:${name}(...)`);
  const made = ofString(written);
  const there = isNotNull(written);
  return {
    ...made,
    classes: classes('unknown'),
    fields: { ...made.fields, datatype: when([[there, text(term.value)]], NO_TEXT) },
  };
}

/** A text with a datatype: it has a value where it is in its form. */
function numberOfText(name: 'integer' | 'decimal' | 'double', written: Scalar, datatype: string): KnownTerm {
  const { fields } = toNumber(name, ofString(written), false);
  const there = isNotNull(written);
  const made = ofString(written).fields;
  return {
    certain: false,
    id: null,
    classes: classes('number', 'unknown'),
    fields: { ...made, datatype: when([[there, text(datatype)]], NO_TEXT), num: fields.num, exact: fields.exact },
  };
}

const IRI_PATTERN = '^[A-Za-z][A-Za-z0-9+.-]*:[^\\x00-\\x20<>"{}|\\\\^`]*$';

/** Of a string only what is an absolute IRI already. */
function iri(term: KnownTerm): KnownTerm {
  const written = plainText(term);
  return ofIri(
    when(
      [
        [isClass(term, 'iri'), term.fields.text],
        [not(isNotNull(written)), NO_TEXT],
        [call('matches', written, text(IRI_PATTERN)), written],
      ],
      refuse('IRI() of a text that is no absolute IRI is not resolved in SQL', 'varchar'),
    ),
  );
}

function regex(args: readonly Expression[], scope: ExpressionScope, evaluate: Evaluate): KnownTerm {
  const [subject, pattern, flags] = args as [Expression, Expression, Expression | undefined];
  const written = textOf(evaluate(subject, scope));
  const compiled = patternOf(pattern, flags);
  if (compiled === null) return ofBoolean(nothing('boolean'));
  return ofBoolean(call('matches', written, text(compiled)));
}

/** Only of a replacement that is taken as it is. */
function replaced(args: readonly Expression[], scope: ExpressionScope, evaluate: Evaluate): KnownTerm {
  const [subject, pattern, replacement, flags] = args as [Expression, Expression, Expression, Expression | undefined];
  const model = evaluate(subject, scope);
  const compiled = patternOf(pattern, flags);
  if (replacement.kind !== 'term') throw refused('REPLACE with a replacement that is no constant');
  const { term } = replacement;
  const isPlain = term.termType === 'Literal' && term.datatype.value === XSD_STRING;
  // By the standard a pattern that matches nothing at all can replace nothing.
  if (compiled === null || !isPlain || new RegExp(compiled.replace(/^\(\?i\)/, ''), 'u').test('')) return likeText(model, NO_TEXT);
  if (/[\\$]/.test(term.value)) throw refused('REPLACE with groups in the replacement');
  return likeText(model, call('replaceAll', textOf(model), text(compiled), text(term.value)));
}

const DATES = [`${XSD}dateTime`, `${XSD}dateTimeStamp`, `${XSD}date`];

/** Where a part stands in the lexical form, and the datatypes that have it, those beside dates refused. */
const PARTS = {
  year: ['^(-?[0-9]+)-', DATES],
  month: ['^-?[0-9]+-([0-9][0-9])', DATES],
  day: ['^-?[0-9]+-[0-9][0-9]-([0-9][0-9])', DATES],
  hours: ['T([0-9][0-9]):', DATES.slice(0, 2)],
  minutes: ['T[0-9][0-9]:([0-9][0-9])', DATES.slice(0, 2)],
} as const;

function datePart(name: keyof typeof PARTS, term: KnownTerm): KnownTerm {
  const [pattern, datatypes] = PARTS[name];
  const isDate = isDated(term, datatypes);
  return ofInt(when([[isDate, call('intOfText', call('extract', term.fields.text, text(pattern)))]], nothing('int')));
}

/** True for dates that have a part in their form; midnight as 24:00:00 and other times are refused. */
function isDated(term: KnownTerm, datatypes: readonly string[]): Scalar {
  const refusal = refuse('parts of times, of durations, of dates beyond the year 9999 and of 24:00:00 are not read in SQL', 'boolean');
  return when(
    [
      [isClass(term, 'other'), refusal],
      [not(any(isClass(term, 'dateTime'), isClass(term, 'date'))), FALSE],
      [call('contains', term.fields.text, text('T24')), refusal],
    ],
    coalesce(isOneOf(term.fields.datatype, datatypes), FALSE),
  );
}

function seconds(term: KnownTerm): KnownTerm {
  const isDate = isDated(term, DATES.slice(0, 2));
  const digits = call('extract', term.fields.text, text('T[0-9][0-9]:[0-9][0-9]:([0-9][0-9](\\.[0-9]+)?)'));
  const exact = when([[isDate, call('decimalOfText', digits)]], nothing('decimal'));
  return ofNumber(int(RANK.decimal), call('doubleOfDecimal', exact), exact, isDate);
}

function zone(term: KnownTerm): Scalar {
  const zoned = call('extract', term.fields.text, text('(Z|[+-][0-9][0-9]:[0-9][0-9])$'));
  return when(
    [
      [isClass(term, 'other'), refuse('TZ of times and parts of dates is not read in SQL', 'varchar')],
      [not(any(isClass(term, 'dateTime'), isClass(term, 'date'))), NO_TEXT],
      [term.fields.zoned, zoned],
    ],
    text(''),
  );
}

function part(name: 'subject' | 'predicate' | 'object', arg: Expression, scope: ExpressionScope, evaluate: Evaluate): KnownTerm {
  const whole = arg.kind === 'variable' ? scope.term(arg.name) : evaluate(arg, scope);
  if (whole === undefined || !whole.classes.has('triple')) return UNBOUND_TERM;
  if (whole.id === null) throw refused(`${name.toUpperCase()} of what no pattern has found`);
  const found = scope.partsOf(whole.id)[name];
  return { ...scope.lookUp(found), classes: name === 'predicate' ? IRIS : found.classes };
}
