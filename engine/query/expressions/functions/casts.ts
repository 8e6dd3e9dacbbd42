/** Functions named by an IRI: the casts of XSD. No other is known. */

import { SvcError } from '../../../base/errors.js';
import { terms, XSD, XSD_STRING } from '../../../rdf/terms.js';
import { CAST_TYPES, castValue, INTEGER_TYPES, literalOf } from '../../../rdf/values/index.js';
import { Operand } from '../../terms/operand.js';
import type { FunctionDefinition } from './definition.js';
import { ofString, unary } from './definition.js';

const DEFINITIONS = new Map<string, FunctionDefinition>();
for (const iri of CAST_TYPES)
  DEFINITIONS.set(iri, unary(iri === XSD_STRING ? toText : (operand) => cast(iri, operand)));

export function castFunction(iri: string): FunctionDefinition | null {
  return DEFINITIONS.get(iri) ?? null;
}

/** The function of an IRI; one that is not known is refused. */
export function knownFunction(iri: string): FunctionDefinition {
  const definition = castFunction(iri);
  if (definition !== null) return definition;
  throw new SvcError('unsupported', `the function <${iri}> is not known`, {
    hint: 'functions named by an IRI are the casts to datatypes of XSD',
  });
}

/** An IRI, and a literal without a value here, give their text. */
function toText({ term, value }: Operand): Operand | null {
  if (term.termType === 'NamedNode') return ofString(term.value);
  if (value === null) return null;
  if (value.kind === 'langString' || value.kind === 'illTyped' || value.kind === 'opaque') {
    return ofString((term as { value: string }).value);
  }
  const text = castValue(XSD_STRING, value);
  return text === null ? null : Operand.ofValue(text);
}

function cast(iri: string, operand: Operand): Operand | null {
  if (operand.value === null) return null;
  const value = castValue(iri, operand.value);
  if (value === null) return null;
  // Values know the kind, not which of the integer types a literal has.
  if (value.kind !== 'integer' || iri === `${XSD}integer` || !INTEGER_TYPES.has(iri)) return Operand.ofValue(value);
  return new Operand(terms.literal(literalOf(value).value, terms.namedNode(iri)));
}
