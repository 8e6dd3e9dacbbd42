/**
 * Casts of texts to numbers, dates and the like that surely are errors, told by the first byte of a stored text: most texts
 * that somebody tries to cast are none, and need not be made into strings for that.
 */

import { XSD } from '../../rdf/terms.js';
import { INTEGER_TYPES, TEMPORAL_KINDS } from '../../rdf/values/index.js';
import { lexicalStart } from '../../storage/dictionary/stored-term.js';
import { TAG } from '../../storage/ids/layout.js';
import { BATCH_ROWS, type IdColumn, type StoredTerms } from '../../storage/seam/scan.js';
import type { Expression } from '../algebra/expression.js';
import { copyId } from '../runtime/batch.js';
import type { BatchContext } from './batch-context.js';

/** Marks by 1 those of the first `count` distinct ids whose cast is an error; says nothing of the others. */
export type MarkRefused = (ids: IdColumn, count: number, refused: Uint8Array) => void;

/** What the lexical forms of a type begin with, or more. */
const BEGINNINGS = new Map<string, string>([
  [`${XSD}boolean`, '01tf'],
  ...[...INTEGER_TYPES.keys()].map((iri) => [iri, '+-0123456789'] as const),
  ...['decimal', 'double', 'float'].map((type) => [XSD + type, '+-.0123456789IN'] as const),
  ...TEMPORAL_KINDS.map((kind) => [XSD + kind, '+-0123456789'] as const),
  ...['duration', 'yearMonthDuration', 'dayTimeDuration'].map((type) => [XSD + type, '-P'] as const),
]);
const WHITE_SPACE: ReadonlySet<number> = new Set([...' \t\r\n'].map((space) => space.charCodeAt(0)));

const REFUSED = 1;
const BY_TEXT = 2;

/** Null for all but casts of a variable, or of its STR. */
export function compileRefusals(expression: Expression, context: BatchContext): MarkRefused | null {
  if (expression.kind !== 'function' || expression.args.length !== 1) return null;
  const beginnings = BEGINNINGS.get(expression.iri);
  const [argument] = expression.args;
  const isStr = argument?.kind === 'call' && argument.operator === 'str' && argument.args[0]?.kind === 'variable';
  if (beginnings === undefined || (!isStr && argument?.kind !== 'variable')) return null;
  const tags = new Uint8Array(256);
  tags[TAG.string] = BY_TEXT;
  // Of IRIs and strings with a language only the text can be cast.
  for (const tag of [TAG.iri, TAG.langString, TAG.dirLangString]) tags[tag] = isStr ? BY_TEXT : REFUSED;
  tags[TAG.blank] = REFUSED;
  const begins = Uint8Array.from({ length: 256 }, (_, byte) => Number(beginnings.includes(String.fromCharCode(byte))));
  return (ids, count, refused) => {
    const wanted = new Uint32Array(2 * BATCH_ROWS);
    const rows: number[] = [];
    for (let row = 0; row < count; row++) {
      const answer = tags[(ids[2 * row + 1] as number) >>> 24];
      if (answer === REFUSED) refused[row] = 1;
      else if (answer === BY_TEXT) copyId(ids, row, wanted, rows.push(row) - 1);
    }
    if (rows.length === 0) return;
    context.terms.stored(wanted, rows.length, (terms) => {
      context.terms.scope.spend(terms.count);
      for (let index = 0; index < terms.count; index++) {
        if (!begins[firstByte(terms, index)]) refused[rows[terms.places[index] as number] as number] = 1;
      }
    });
  };
}

/** Of the text behind white space; 0 where there is none. */
function firstByte({ bytes, starts, ends }: StoredTerms, index: number): number {
  const end = ends[index] as number;
  let at = lexicalStart(bytes, starts[index] as number, end);
  while (at < end && WHITE_SPACE.has(bytes[at] as number)) at++;
  return at < end ? (bytes[at] as number) : 0;
}
