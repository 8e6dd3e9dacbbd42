/** What a transaction changed in some graphs. */

import { idOfHalves } from '../ids/halves.js';
import type { TermId } from '../ids/layout.js';
import type { ChangedRows, IdColumn } from './scan.js';

/** Of the changes those in the graphs that are wanted; the changes themselves where that is all of them. */
export function inGraphs(changed: ChangedRows, isWanted: (graph: TermId) => boolean): ChangedRows {
  const { op, rows, columns } = changed;
  const chosen: number[] = [];
  let wanted = false;
  for (let row = 0; row < rows; row++) {
    const same =
      row > 0 && columns.g[2 * row] === columns.g[2 * row - 2] && columns.g[2 * row + 1] === columns.g[2 * row - 1];
    if (!same) wanted = isWanted(idOfHalves(columns.g[2 * row] as number, columns.g[2 * row + 1] as number));
    if (wanted) chosen.push(row);
  }
  if (chosen.length === rows) return changed;
  const picked = (column: IdColumn): IdColumn => {
    const ids = new Uint32Array(2 * chosen.length);
    for (const [at, row] of chosen.entries()) ids.set(column.subarray(2 * row, 2 * row + 2), 2 * at);
    return ids;
  };
  const { s, p, o, g, validFrom, validTo } = columns;
  const kept = { s: picked(s), p: picked(p), o: picked(o), g: picked(g) };
  return { op, rows: chosen.length, columns: { ...kept, validFrom: picked(validFrom), validTo: picked(validTo) } };
}
