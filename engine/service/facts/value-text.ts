/** Values as a command line writes them: the JSON text of what `toValue` takes. */

import { SvcError } from '../../base/errors.js';

export const VALUE_FORMS =
  '"text", {"iri": "..."}, {"str": "text"}, {"int": 42}, {"float": 1.5}, {"bool": true}, ' +
  '{"value": "chat", "lang": "fr"} or {"value": "2026-01-01", "datatype": "..."}';

/** A word that came without the quotes of JSON, which a shell takes for its own. */
function meantBy(text: string): string {
  const isIri = /^[a-z][a-z0-9+.-]*:\S+$/i.test(text);
  const quoted = `'${(isIri ? JSON.stringify({ iri: text }) : JSON.stringify(text)).replaceAll("'", "'\\''")}'`;
  return `to mean this ${isIri ? 'IRI' : 'text'}, write ${quoted}: the quotes of JSON within those of the shell`;
}

/**
 * The JSON text of a value, as a command line has it. An integer keeps all its digits.
 */
export function parseValueText(text: string, name = 'value'): unknown {
  const integer = /^\s*\{\s*"int"\s*:\s*(-?(?:0|[1-9]\d*))\s*\}\s*$/.exec(text);
  if (integer !== null) return { int: BigInt(integer[1] as string) };
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new SvcError('invalid_request', `${name}: ${text} is no JSON; write ${VALUE_FORMS}`, {
      hint: meantBy(text),
      cause: error,
    });
  }
}
