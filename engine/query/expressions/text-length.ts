/**
 * STRLEN of a variable, or of its STR, over whole batches: counted in the stored bytes of terms, and for values that are
 * their own ids once for each of them.
 */

import { keeping, threadMemory, whenGivenUp } from '../../kernels/thread-memory.js';
import { inlineLexical } from '../../storage/ids/inline.js';
import { TAG } from '../../storage/ids/layout.js';
import type { Expression } from '../algebra/expression.js';
import { ByteArea } from '../terms/byte-area.js';
import { IdNumbers } from '../terms/id-numbers.js';
import { prefixesOf, type ReadFacts, StoredFacts } from '../terms/stored-facts.js';
import type { BatchContext } from './batch-context.js';
import { ERROR_KIND, INTEGER, type Numbers, numberColumn, OTHER } from './number-column.js';

const TEXTS = [TAG.string, TAG.langString, TAG.dirLangString];
const INLINED = [
  ...[TAG.integer, TAG.decimal, TAG.double, TAG.float],
  ...[TAG.boolean, TAG.date, TAG.dateTime, TAG.dateTimeMs],
];

interface Lengths {
  /** By the upper 16 bits of an id: 1 where the dictionary has the text. */
  readonly stored: Uint8Array;
  /** By tag, what the length is; what the query made, and triple terms, are OTHER. */
  readonly kinds: Uint8Array;
}

function lengthsOf(stored: readonly number[], inlined: readonly number[]): Lengths {
  const kinds = new Uint8Array(256).fill(ERROR_KIND);
  for (const tag of [...stored, ...inlined]) kinds[tag] = INTEGER;
  kinds[TAG.local] = OTHER;
  if (inlined.length > 0) kinds[TAG.triple] = OTHER;
  return { stored: prefixesOf(stored), kinds };
}

const OF_TEXT = lengthsOf(TEXTS, []);
const OF_STR = lengthsOf([...TEXTS, TAG.typed, TAG.iri], INLINED);

/** Null for the length of anything else. */
export function compileTextLength(argument: Expression, context: BatchContext, first: number): Numbers | null {
  const isStr = argument.kind === 'call' && argument.operator === 'str';
  const variable = isStr ? argument.args[0] : argument;
  const column = context.variableColumn(variable);
  if (column < 0) return null;
  const { stored, kinds: kindsByTag } = isStr ? OF_STR : OF_TEXT;
  const lengths = new StoredFacts(context.terms, context.terms.scope, readLengths, stored);
  const known = new IdNumbers();
  return (rows) => {
    const numbers = numberColumn(first);
    const { kinds, values } = numbers;
    const ids = context.column(column);
    known.begin();
    for (let row = 0; row < rows; row++) {
      const high = ids[2 * row + 1] as number;
      kinds[row] = kindsByTag[high >>> 24] as number;
      if (kinds[row] !== INTEGER || stored[high >>> 16] === 1) continue;
      const low = ids[2 * row] as number;
      const before = known.count;
      const entry = known.entryOf(low, high);
      if (entry === before) known.numbers[entry] = inlineLexical(low, high).length;
      values[row] = known.numbers[entry] as number;
    }
    numbers.scales.fill(0, 0, rows);
    lengths.resolve(ids, rows, (row, length) => {
      values[row] = length;
    });
    return numbers;
  };
}

const texts = new ByteArea();
const lengths = new ByteArea();
whenGivenUp(() => {
  texts.forget();
  lengths.forget();
});

/** Lengths of texts in code points. */
const readLengths: ReadFacts = ({ bytes, count, places, starts, ends }, put) => {
  const from = starts[0] as number;
  const to = ends[count - 1] as number;
  const text = keeping(() => texts.reserve(to - from));
  const at = keeping(() => lengths.reserve(12 * count));
  const { bytes: all, words, kernels } = threadMemory();
  all.set(bytes.subarray(from, to), text);
  const first = at >>> 2;
  for (let index = 0; index < count; index++) {
    words[first + index] = (starts[index] as number) - from;
    words[first + count + index] = (ends[index] as number) - from;
  }
  kernels.textLengths(text, at, at + 4 * count, count, at + 8 * count);
  for (let index = 0; index < count; index++) put(places[index] as number, words[first + 2 * count + index] as number);
};
