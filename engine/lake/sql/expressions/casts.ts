/** Casts to datatypes of XSD, as far as they are read alike everywhere. */

import { XSD, XSD_STRING } from '../../../rdf/terms.js';
import { refused } from '../refusal.js';
import { all, any, call, int, isNotNull, not, nothing, refuse, type Scalar, text, when } from '../scalars.js';
import { isClass, type KnownTerm, ofBoolean, ofNumber, ofString, RANK, rankOf } from '../sql-terms.js';
import { exactOf, isExactRank, truthOf } from './numbers.js';

const TARGETS = ['integer', 'decimal', 'float', 'double'] as const;
type Target = (typeof TARGETS)[number];

export function cast(iri: string, args: readonly KnownTerm[]): KnownTerm {
  const [term] = args as [KnownTerm];
  const name = iri.startsWith(XSD) ? iri.slice(XSD.length) : null;
  if (iri === XSD_STRING) return toText(term);
  if (name === 'boolean') return toBoolean(term);
  if ((TARGETS as readonly (string | null)[]).includes(name)) return toNumber(name as Target, term);
  throw refused(name === null ? `the function <${iri}>` : `the cast to xsd:${name}`);
}

/** Of numbers their canonical form, doubles of middle size without an exponent, which is refused. */
function toText(term: KnownTerm): KnownTerm {
  const { fields } = term;
  const rank = rankOf(term);
  return ofString(
    when(
      [
        [isClass(term, 'iri'), fields.text],
        [any(isClass(term, 'string'), isClass(term, 'lang'), isClass(term, 'unknown')), fields.text],
        [isClass(term, 'boolean'), when([[fields.bool, text('true')]], text('false'))],
        [all(isClass(term, 'number'), isExactRank(rank)), call('decimalText', exactOf(term))],
        [
          any(isClass(term, 'number'), isClass(term, 'dateTime'), isClass(term, 'date'), isClass(term, 'other')),
          refuse('the cast of doubles, dates and times to xsd:string is not done in SQL', 'varchar'),
        ],
      ],
      nothing('varchar'),
    ),
  );
}

const TRIMMED = '^[ \\t\\r\\n]*(.*?)[ \\t\\r\\n]*$';

function toBoolean(term: KnownTerm): KnownTerm {
  const written = call('extract', term.fields.text, text(TRIMMED));
  const read = when(
    [
      [any(call('=', written, text('true')), call('=', written, text('1'))), { kind: 'boolean', value: true }],
      [any(call('=', written, text('false')), call('=', written, text('0'))), { kind: 'boolean', value: false }],
    ],
    nothing('boolean'),
  );
  return ofBoolean(
    when(
      [
        [isClass(term, 'string'), read],
        [any(isClass(term, 'boolean'), isClass(term, 'number')), truthOf(term)],
      ],
      nothing('boolean'),
    ),
  );
}

const INTEGER = '^[+-]?[0-9]+$';
const DECIMAL = '^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)$';
const DOUBLE = '^([+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?INF|NaN)$';
/** Longer ones may not fit. */
const SHORT_NUMBER = '^.{1,19}$';

/** `trims`: white space around a text does not count. */
export function toNumber(target: Target, term: KnownTerm, trims = true): KnownTerm {
  const rank = int(RANK[target]);
  const { fields } = term;
  const isExact = RANK[target] <= RANK.decimal;
  const trimmed = trims ? call('extract', fields.text, text(TRIMMED)) : fields.text;
  const isForm = call(
    'matches',
    trimmed,
    text(target === 'integer' ? INTEGER : target === 'decimal' ? DECIMAL : DOUBLE),
  );
  const bool = (one: Scalar, zero: Scalar): Scalar => when([[fields.bool, one]], zero);
  const there = when(
    [
      [
        any(isClass(term, 'number'), isClass(term, 'boolean')),
        target === 'integer' || target === 'decimal' ? isFiniteNumber(term) : { kind: 'boolean', value: true },
      ],
      [isClass(term, 'string'), isForm],
    ],
    { kind: 'boolean', value: false },
  );
  if (!isExact) {
    const plain = target === 'float' ? (value: Scalar) => call('toFloat', value) : (value: Scalar) => value;
    const num = when(
      [
        [not(there), nothing('double')],
        [
          isClass(term, 'boolean'),
          bool({ kind: 'number', type: 'double', text: '1' }, { kind: 'number', type: 'double', text: '0' }),
        ],
        [isClass(term, 'number'), plain(fields.num)],
      ],
      plain(call('doubleOfText', trimmed)),
    );
    return ofNumber(rank, num, nothing('decimal'), there);
  }
  const whole = target === 'integer';
  const ofDouble = call('decimalOfDouble', whole ? call('truncateDouble', fields.num) : fields.num);
  const ofExact = whole ? call('truncateDecimal', exactOf(term)) : exactOf(term);
  const number = when([[isExactRank(rankOf(term)), ofExact]], ofDouble);
  const zero = { kind: 'number', type: 'decimal', text: '0' } as const;
  const exact = when(
    [
      [not(there), nothing('decimal')],
      [isClass(term, 'boolean'), bool({ kind: 'number', type: 'decimal', text: '1' }, zero)],
      [isClass(term, 'number'), number],
      [call('matches', trimmed, text(SHORT_NUMBER)), call('decimalOfText', trimmed)],
    ],
    refuse('a number of more than 19 characters is not read in SQL', 'decimal'),
  );
  return ofNumber(rank, call('doubleOfDecimal', exact), exact, there);
}

/** Neither NaN nor infinite, where it is a number. */
function isFiniteNumber(term: KnownTerm): Scalar {
  if (!term.classes.has('number')) return { kind: 'boolean', value: true };
  const { num } = term.fields;
  const infinite = (value: string): Scalar => call('=', num, { kind: 'number', type: 'double', text: value });
  return when(
    [
      [not(isNotNull(num)), { kind: 'boolean', value: true }],
      [isExactRank(rankOf(term)), { kind: 'boolean', value: true }],
    ],
    not(any(call('isNaN', num), infinite('Infinity'), infinite('-Infinity'))),
  );
}
