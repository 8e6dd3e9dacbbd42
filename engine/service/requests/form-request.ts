/**
 * Parameters as URLs and forms write them. What is percent-encoded is UTF-8 or refused, never mended, so that no text is
 * stored that nobody wrote. Of a form, how many parameters it has is counted before any of them is made.
 */

import { SvcError } from '../../base/errors.js';
import { decodeText } from './json-request.js';

const FORM_PARAMETERS_MAX = 10_000;
const AMPERSAND = '&'.charCodeAt(0);
/** What a decoder puts in place of bytes that are no character; a text may hold it, too. */
const REPLACEMENT = '\ufffd';

/** A sign that begins no pair of digits stands for itself. */
function isUtf8(encoded: string): boolean {
  try {
    decodeURIComponent(encoded.replace(/%(?![\da-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}

export function parseParameters(text: string): URLSearchParams {
  const parameters = new URLSearchParams(text);
  for (const [name, value] of parameters) {
    if (!name.includes(REPLACEMENT) && !value.includes(REPLACEMENT)) continue;
    if (isUtf8(text)) return parameters;
    throw new SvcError('invalid_utf8', 'a parameter is percent-encoded, but not as UTF-8');
  }
  return parameters;
}

/** `names`: the parameters that are wanted, in their order. */
export function parseForm(bytes: Uint8Array, names: readonly string[]): [name: string, text: string][] {
  let count = 1;
  for (let at = bytes.indexOf(AMPERSAND); at >= 0; at = bytes.indexOf(AMPERSAND, at + 1)) {
    if (++count > FORM_PARAMETERS_MAX) {
      throw new SvcError('invalid_request', `the form has more than ${FORM_PARAMETERS_MAX} parameters`);
    }
  }
  const wanted = new Set(names);
  return [...parseParameters(decodeText(bytes))].filter(([name]) => wanted.has(name));
}
