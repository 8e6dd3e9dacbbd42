/** Parts of dates and times, read from their lexical forms. */

import { XSD } from '../../../rdf/terms.js';
import { any, call, coalesce, FALSE, int, isOneOf, not, nothing, refuse, type Scalar, text, when } from '../scalars.js';
import { isClass, type KnownTerm, ofInt, ofNumber, RANK } from '../sql-terms.js';

const NO_TEXT = nothing('varchar');

const DATES = [`${XSD}dateTime`, `${XSD}dateTimeStamp`, `${XSD}date`];

/** Where a part stands in the lexical form, and the datatypes that have it, those beside dates refused. */
const PARTS = {
  year: ['^(-?[0-9]+)-', DATES],
  month: ['^-?[0-9]+-([0-9][0-9])', DATES],
  day: ['^-?[0-9]+-[0-9][0-9]-([0-9][0-9])', DATES],
  hours: ['T([0-9][0-9]):', DATES.slice(0, 2)],
  minutes: ['T[0-9][0-9]:([0-9][0-9])', DATES.slice(0, 2)],
} as const;

export function datePart(name: keyof typeof PARTS, term: KnownTerm): KnownTerm {
  const [pattern, datatypes] = PARTS[name];
  const isDate = isDated(term, datatypes);
  return ofInt(when([[isDate, call('intOfText', call('extract', term.fields.text, text(pattern)))]], nothing('int')));
}

/** True for dates that have a part in their form; midnight as 24:00:00 and other times are refused. */
function isDated(term: KnownTerm, datatypes: readonly string[]): Scalar {
  const refusal = refuse(
    'parts of times, of durations, of dates beyond the year 9999 and of 24:00:00 are not read in SQL',
    'boolean',
  );
  return when(
    [
      [isClass(term, 'other'), refusal],
      [not(any(isClass(term, 'dateTime'), isClass(term, 'date'))), FALSE],
      [call('contains', term.fields.text, text('T24')), refusal],
    ],
    coalesce(isOneOf(term.fields.datatype, datatypes), FALSE),
  );
}

export function seconds(term: KnownTerm): KnownTerm {
  const isDate = isDated(term, DATES.slice(0, 2));
  const digits = call('extract', term.fields.text, text('T[0-9][0-9]:[0-9][0-9]:([0-9][0-9](\\.[0-9]+)?)'));
  const exact = when([[isDate, call('decimalOfText', digits)]], nothing('decimal'));
  return ofNumber(int(RANK.decimal), call('doubleOfDecimal', exact), exact, isDate);
}

export function zone(term: KnownTerm): Scalar {
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
