/**
 * Whether a text is a lexical form of a datatype. Of the XSD datatypes that have no values in `rdf/values`, the lexical
 * spaces stand here (XSD 1.1 Part 2, 3.3 and 3.4). For any other datatype every text counts as a lexical form.
 */

import { isLanguageTag, isXmlName } from '../../rdf/formats/input/term-checks.js';
import { XSD } from '../../rdf/terms.js';
import { parseLexical } from '../../rdf/values/index.js';

/** A colon may stand wherever an underscore may. */
const withoutColons = (text: string): string => text.replaceAll(':', '_');

const SPACES: ReadonlyMap<string, (text: string) => boolean> = new Map([
  [`${XSD}hexBinary`, matching(/^(?:[0-9a-fA-F]{2})*$/)],
  [`${XSD}base64Binary`, matching(/^(?:(?:[A-Za-z0-9+/] ?){4})*(?:(?:[A-Za-z0-9+/] ?){2}(?:[A-Za-z0-9+/] ?=|= ?=))?$/)],
  [`${XSD}language`, isLanguageTag],
  [`${XSD}normalizedString`, matching(/^[^\t\r\n]*$/)],
  [`${XSD}token`, matching(/^(?:[^\t\r\n ]+(?: [^\t\r\n ]+)*)?$/)],
  [`${XSD}Name`, (text) => isXmlName(withoutColons(text))],
  [`${XSD}NCName`, isXmlName],
  [`${XSD}NMTOKEN`, (text) => text !== '' && isXmlName(`_${withoutColons(text)}`)],
]);

export function isLexicalForm(datatype: string, lexical: string): boolean {
  const { kind } = parseLexical(datatype, lexical);
  return kind === 'opaque' ? (SPACES.get(datatype)?.(lexical) ?? true) : kind !== 'illTyped';
}

function matching(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}
