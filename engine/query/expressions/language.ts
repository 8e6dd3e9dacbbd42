/** LANG of a variable over whole batches: by the tag of the id, or by the language that the dictionary has with it. */

import { terms } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { TAG } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import type { Expression } from '../algebra/expression.js';
import type { BatchContext } from './batch-context.js';
import { languageReader, StoredFacts } from './stored-facts.js';

/** Writes the ids of the first `rows` rows, 0 for errors; gives the rows that are left. */
export type WriteKnown = (out: IdColumn, rows: number) => readonly number[];

const WITH_LANGUAGE = new Uint8Array(256);
WITH_LANGUAGE[TAG.langString] = 1;
WITH_LANGUAGE[TAG.dirLangString] = 1;
/** Tags of literals that have none. */
const WITHOUT = new Uint8Array(256);
for (let tag: number = TAG.string; tag <= TAG.float; tag++) WITHOUT[tag] = WITH_LANGUAGE[tag] === 0 ? 1 : 0;

/** Null for other expressions. */
export function compileLanguage(expression: Expression, context: BatchContext): WriteKnown | null {
  if (expression.kind !== 'call' || expression.operator !== 'lang') return null;
  const [argument] = expression.args;
  const column = argument?.kind === 'variable' ? context.columnOf(argument.name) : -1;
  if (column < 0) return null;
  const languages: string[] = [''];
  const ids: [low: number, high: number][] = [];
  const idOf = (number: number): [low: number, high: number] => {
    let halves = ids[number];
    if (halves === undefined) {
      const id = context.terms.encode(terms.literal(languages[number] as string));
      halves = [lowOf(id), highOf(id)];
      ids[number] = halves;
    }
    return halves;
  };
  const facts = new StoredFacts(context, 'qualifiers', languageReader(languages));
  return (out, rows) => {
    const from = context.column(column);
    const left: number[] = [];
    for (let row = 0; row < rows; row++) {
      const tag = (from[2 * row + 1] as number) >>> 24;
      const [low, high] = WITHOUT[tag] === 1 ? idOf(0) : [0, 0];
      out[2 * row] = low;
      out[2 * row + 1] = high;
      if (tag === TAG.local) left.push(row);
    }
    const numbers = new Uint32Array(rows);
    facts.resolve(from, rows, WITH_LANGUAGE, (row, number) => {
      numbers[row] = number;
    });
    // Not while terms are handed out: to look for an id would use the dictionary again.
    for (let row = 0; row < rows; row++) {
      if (WITH_LANGUAGE[(from[2 * row + 1] as number) >>> 24] === 1) out.set(idOf(numbers[row] as number), 2 * row);
    }
    return left;
  };
}
