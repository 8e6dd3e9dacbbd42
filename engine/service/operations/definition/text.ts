/** Values of answers as a person reads them: IRIs, numbers and booleans bare, other literals quoted. */

import { quoted } from '../../../query/results/quoted.js';
import { XSD_STRING } from '../../../rdf/terms.js';
import { LOOKS_LIKE_IRI_OR_BLANK, RawNumber } from '../../requests/json.js';

/** The text of a value as `termToJson` gives it. */
export function valueText(value: unknown): string {
  if (value instanceof RawNumber) return value.text;
  if (typeof value === 'string') return LOOKS_LIKE_IRI_OR_BLANK.test(value) ? value : quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const { value: text, lang, direction, datatype } = value as Readonly<Record<string, string | undefined>>;
  if (text === undefined) return tripleText(value as Readonly<Record<string, unknown>>);
  if (lang !== undefined) return `${quoted(text)}@${lang}${direction === undefined ? '' : `--${direction}`}`;
  return datatype === XSD_STRING ? quoted(text) : `${quoted(text)}^^<${datatype}>`;
}

function tripleText({ subject, predicate, object }: Readonly<Record<string, unknown>>): string {
  return `<<( ${[subject, predicate, object].map(valueText).join(' ')} )>>`;
}

/** `[from -> to]`; an open end is `inf`. */
export function intervalText(from: string, to: string | null): string {
  return `[${from} -> ${to ?? 'inf'}]`;
}

/** What follows a list that was cut. */
export function moreText(truncated: boolean): string {
  return truncated ? 'there are more: --limit, --offset\n' : '';
}

/** A document that is one text. */
export async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}
