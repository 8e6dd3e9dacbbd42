/** TZ and TIMEZONE of a variable over whole batches: an inlined date or time says its zone by the upper quarter of its id. */

import { TAG } from '../../storage/ids/layout.js';
import type { Expression } from '../algebra/expression.js';
import { copyId, newColumn } from '../runtime/batch.js';
import type { BatchContext } from './batch-context.js';
import type { WriteKnown } from './language.js';
import { compileSpending, writeOperand } from './row-values.js';

const ZONED = new Uint8Array(256);
for (const tag of [TAG.date, TAG.dateTime, TAG.dateTimeMs]) ZONED[tag] = 1;

/** Null for other expressions. */
export function compileZone(expression: Expression, context: BatchContext): WriteKnown | null {
  if (expression.kind !== 'call' || (expression.operator !== 'tz' && expression.operator !== 'timezone')) return null;
  const [argument] = expression.args;
  const column = argument?.kind === 'variable' ? context.columnOf(argument.name) : -1;
  if (column < 0) return null;
  const scalar = compileSpending(expression, (name) => context.reader(name), context);
  const zones = newColumn(256 * 3);
  const places = new Map<number, number>();
  let { generation } = context.terms;
  return (out, rows) => {
    const ids = context.column(column);
    const left: number[] = [];
    if (generation !== context.terms.generation) places.clear();
    generation = context.terms.generation;
    for (let row = 0; row < rows; row++) {
      const high = ids[2 * row + 1] as number;
      if (ZONED[high >>> 24] === 0) {
        left.push(row);
        continue;
      }
      let place = places.get(high >>> 16);
      if (place === undefined) {
        place = places.size;
        writeOperand(scalar(row), zones, place, context);
        places.set(high >>> 16, place);
      }
      copyId(zones, place, out, row);
    }
    return left;
  };
}
