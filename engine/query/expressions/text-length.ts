/**
 * STRLEN of a variable, or of its STR, over whole batches: counted in the stored bytes of terms, and for values that are
 * their own ids once for each of them.
 */

import { inlineLexical } from '../../storage/ids/inline.js';
import { TAG } from '../../storage/ids/layout.js';
import type { Expression } from '../algebra/expression.js';
import { IdNumbers } from '../terms/id-numbers.js';
import type { BatchContext } from './batch-context.js';
import { ERROR_KIND, INTEGER, type Numbers, numberColumn, OTHER } from './number-column.js';
import { readLengths, StoredFacts } from './stored-facts.js';

const TEXTS = [TAG.string, TAG.langString, TAG.dirLangString];
const INLINED = [
  ...[TAG.integer, TAG.decimal, TAG.double, TAG.float],
  ...[TAG.boolean, TAG.date, TAG.dateTime, TAG.dateTimeMs],
];

interface Lengths {
  /** By tag: 1 where the dictionary has the text. */
  readonly stored: Uint8Array;
  /** By tag: 1 where the id is the text. */
  readonly inlined: Uint8Array;
  /** By tag, what the length is; what the query made, and triple terms, are OTHER. */
  readonly kinds: Uint8Array;
}

function lengthsOf(stored: readonly number[], inlined: readonly number[]): Lengths {
  const flags = (tags: readonly number[]) => Uint8Array.from({ length: 256 }, (_, tag) => Number(tags.includes(tag)));
  const kinds = new Uint8Array(256).fill(ERROR_KIND);
  for (const tag of [...stored, ...inlined]) kinds[tag] = INTEGER;
  kinds[TAG.local] = OTHER;
  if (inlined.length > 0) kinds[TAG.triple] = OTHER;
  return { stored: flags(stored), inlined: flags(inlined), kinds };
}

const OF_TEXT = lengthsOf(TEXTS, []);
const OF_STR = lengthsOf([...TEXTS, TAG.typed, TAG.iri], INLINED);

/** Null for the length of anything else. */
export function compileTextLength(argument: Expression, context: BatchContext, first: number): Numbers | null {
  const isStr = argument.kind === 'call' && argument.operator === 'str';
  const variable = isStr ? argument.args[0] : argument;
  const column = variable?.kind === 'variable' ? context.columnOf(variable.name) : -1;
  if (column < 0) return null;
  const { stored, inlined, kinds: kindsByTag } = isStr ? OF_STR : OF_TEXT;
  const lengths = new StoredFacts(context, 'whole', readLengths);
  const known = new IdNumbers();
  return (rows) => {
    const numbers = numberColumn(first);
    const { kinds, values } = numbers;
    const ids = context.column(column);
    known.begin();
    for (let row = 0; row < rows; row++) {
      const high = ids[2 * row + 1] as number;
      kinds[row] = kindsByTag[high >>> 24] as number;
      if (inlined[high >>> 24] === 0) continue;
      const low = ids[2 * row] as number;
      const before = known.count;
      const entry = known.entryOf(low, high);
      if (entry === before) known.numbers[entry] = inlineLexical(low, high).length;
      values[row] = known.numbers[entry] as number;
    }
    numbers.scales.fill(0, 0, rows);
    lengths.resolve(ids, rows, stored, (row, length) => {
      values[row] = length;
    });
    return numbers;
  };
}
