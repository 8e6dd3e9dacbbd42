/** Facts as answers show them: their schemas, and what of a fact stands in them. */

import type { Term } from '../../../rdf/terms.js';
import { termToJson } from '../../requests/json.js';
import { Type, textOrNull } from '../../requests/schema.js';

export const statementFields = { entity: Type.String(), predicate: Type.String(), value: Type.Unknown() };

export function toStatement({ entity, predicate, value }: Readonly<Record<keyof typeof statementFields, Term>>) {
  return { entity: termToJson(entity) as string, predicate: predicate.value, value: termToJson(value) };
}

/** When a fact holds, and which transaction says so. */
export const timeFields = { valid_from: Type.String(), valid_to: textOrNull, tx: Type.Integer() };

interface Timed {
  readonly validFrom: string;
  readonly validTo: string | null;
  readonly tx: number;
}

export function toTimes({ validFrom, validTo, tx }: Timed) {
  return { valid_from: validFrom, valid_to: validTo, tx };
}
