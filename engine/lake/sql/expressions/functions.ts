/** Functions on terms, texts, numbers and dates. What engines would answer differently is refused: by name, or where such a value comes. */

import type { Expression, Operator } from '../../../query/algebra/expression.js';
import { isLanguageTag } from '../../../rdf/formats/input/term-checks.js';
import { RDF_DIR_LANG_STRING, RDF_LANG_STRING, terms, XSD, XSD_STRING } from '../../../rdf/terms.js';
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
  not,
  nothing,
  refuse,
  type Scalar,
  TRUE,
  text,
  when,
} from '../scalars.js';
import {
  classes,
  constantTerm,
  IRIS,
  isBound,
  isClass,
  type KnownTerm,
  ofBoolean,
  ofInt,
  ofIri,
  ofNumber,
  ofString,
  RANK,
  UNBOUND_TERM,
} from '../sql-terms.js';
import { toNumber } from './casts.js';
import { datePart, seconds, zone } from './dates.js';
import { rounded } from './numbers.js';
import { patternOf } from './patterns.js';
import type { ExpressionScope } from './scope.js';
import { aroundText, cased, compatible, concatenated, likeText, plainText, substring, textOf } from './texts.js';

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
  if (operator === 'subject' || operator === 'predicate' || operator === 'object')
    return part(operator, args[0] as Expression, scope, evaluate);
  const given = args.map((arg) => evaluate(arg, scope));
  const [a] = given as [KnownTerm, KnownTerm, KnownTerm];
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
    case 'abs':
    case 'ceil':
    case 'floor':
    case 'round':
      return rounded(operator, a);
    case 'now':
      return constantTerm(terms.literal(scope.now, terms.namedNode(`${XSD}dateTime`)));
    case 'rand':
      return ofNumber(int(RANK.double), call('random'), nothing('decimal'), TRUE);
    case 'uuid':
      return ofIri(call('concat', text('urn:uuid:'), call('uuid')));
    case 'struuid':
      return ofString(call('uuid'));
    default:
      return ofTexts(operator, args, given) ?? ofDates(operator, a);
  }
}

/** Null for what is no function on texts. */
function ofTexts(operator: Operator, args: readonly Expression[], given: readonly KnownTerm[]): KnownTerm | null {
  const [a, b, c] = given as [KnownTerm, KnownTerm, KnownTerm];
  switch (operator) {
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
    default:
      return null;
  }
}

function ofDates(operator: Operator, a: KnownTerm): KnownTerm {
  switch (operator) {
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
  if (compiled === null || !isPlain || new RegExp(compiled.replace(/^\(\?i\)/, ''), 'u').test(''))
    return likeText(model, NO_TEXT);
  if (/[\\$]/.test(term.value)) throw refused('REPLACE with groups in the replacement');
  return likeText(model, call('replaceAll', textOf(model), text(compiled), text(term.value)));
}

function part(
  name: 'subject' | 'predicate' | 'object',
  arg: Expression,
  scope: ExpressionScope,
  evaluate: Evaluate,
): KnownTerm {
  const whole = arg.kind === 'variable' ? scope.term(arg.name) : evaluate(arg, scope);
  if (whole === undefined || !whole.classes.has('triple')) return UNBOUND_TERM;
  if (whole.id === null) throw refused(`${name.toUpperCase()} of what no pattern has found`);
  const triple = scope.lookUp(whole);
  const found = scope.partsOf(whole.id)[name];
  const { fields } = scope.lookUp(found);
  const id = found.id as Scalar;
  // A term that stands in triple terms alone has no id.
  const isLost = all(isClass(triple, 'triple'), not(isNotNull(id)));
  const refusal = (type: 'int' | 'bigint'): Scalar =>
    refuse('a part of a triple term that stands nowhere else has no row of its own in a lake', type);
  return {
    ...found,
    id: when([[isLost, refusal('bigint')]], id),
    fields: { ...fields, kind: when([[isLost, refusal('int')]], fields.kind) },
    classes: name === 'predicate' ? IRIS : found.classes,
  };
}
