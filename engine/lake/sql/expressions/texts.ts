/** Functions on texts, which keep the language of a text where SPARQL does. */

import { TERM_KINDS } from '../../layout.js';
import { refused } from '../refusal.js';
import { all, any, call, int, isNotNull, isSame, not, nothing, refuse, type Scalar, text, when } from '../scalars.js';
import { type Classes, FIELDS, type Field, isClass, type KnownTerm, NO_FIELDS, ofString } from '../sql-terms.js';

const NO_TEXT = nothing('varchar');

/** The text of a string, with a language or without; null of any other term. */
export function textOf(term: KnownTerm): Scalar {
  return when([[any(isClass(term, 'string'), isClass(term, 'lang')), term.fields.text]], NO_TEXT);
}

export function plainText(term: KnownTerm): Scalar {
  return when([[isClass(term, 'string'), term.fields.text]], NO_TEXT);
}

/** A string with the language of another one; null where the text is. */
export function likeText(model: KnownTerm, value: Scalar): KnownTerm {
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
export function compatible(a: KnownTerm, b: KnownTerm): [Scalar, Scalar] {
  const [x, y] = [a.fields, b.fields];
  const low = (tag: Scalar): Scalar => (tag.kind === 'null' ? tag : call('lower', tag));
  const sameLanguage = all(isSame(low(x.lang), low(y.lang)), isSame(x.dir, y.dir));
  const part = when([[any(isClass(b, 'string'), sameLanguage), textOf(b)]], NO_TEXT);
  return [textOf(a), part];
}

/** Other engines have other tables of letters. */
export function cased(operator: 'ucase' | 'lcase', written: Scalar): Scalar {
  const change = call(operator === 'ucase' ? 'upper' : 'lower', written);
  return when(
    [
      [not(isNotNull(written)), NO_TEXT],
      [call('isAscii', written), change],
    ],
    refuse('UCASE and LCASE of letters beyond ASCII differ from engine to engine', 'varchar'),
  );
}

export function aroundText(operator: 'strbefore' | 'strafter', a: KnownTerm, b: KnownTerm): KnownTerm {
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
export function substring(a: KnownTerm, start: KnownTerm, length: KnownTerm | undefined): KnownTerm {
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
  const cut =
    end > 2 ** 31
      ? call('from', written, int(from))
      : call('substring', written, int(from), int(Math.max(end - from, 0)));
  return likeText(a, cut);
}

export function concatenated(given: readonly KnownTerm[]): KnownTerm {
  const [model] = given;
  if (model === undefined) return ofString(text(''));
  const joined = given.length === 1 ? textOf(model) : call('concat', ...given.map(textOf));
  const low = (tag: Scalar): Scalar => (tag.kind === 'null' ? tag : call('lower', tag));
  const agree = all(
    ...given
      .slice(1)
      .flatMap(({ fields }) => [
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
