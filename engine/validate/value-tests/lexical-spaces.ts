/**
 * Lexical spaces of XSD datatypes that have no values in `rdf/values` (XSD 1.1 Part 2, 3.3 and 3.4). For a datatype that
 * is not listed every text counts as a lexical form.
 */

import { XSD } from '../../rdf/terms.js';

const NAME_START =
  ':A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}';
const NAME_CHARACTER = `${NAME_START}\\-.0-9\\u00b7\\u0300-\\u036f\\u203f\\u2040`;

const SPACES: ReadonlyMap<string, RegExp> = new Map([
  [`${XSD}hexBinary`, /^(?:[0-9a-fA-F]{2})*$/],
  [`${XSD}base64Binary`, /^(?:(?:[A-Za-z0-9+/] ?){4})*(?:(?:[A-Za-z0-9+/] ?){2}(?:[A-Za-z0-9+/] ?=|= ?=))?$/],
  [`${XSD}language`, /^[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*$/],
  [`${XSD}normalizedString`, /^[^\t\r\n]*$/],
  [`${XSD}token`, /^(?:[^\t\r\n ]+(?: [^\t\r\n ]+)*)?$/],
  [`${XSD}Name`, new RegExp(`^[${NAME_START}][${NAME_CHARACTER}]*$`, 'u')],
  [`${XSD}NCName`, new RegExp(`^(?!.*:)[${NAME_START}][${NAME_CHARACTER}]*$`, 'u')],
  [`${XSD}NMTOKEN`, new RegExp(`^[${NAME_CHARACTER}]+$`, 'u')],
]);

export function isInLexicalSpace(datatype: string, lexical: string): boolean {
  return SPACES.get(datatype)?.test(lexical) ?? true;
}
