/** The labels of ROOT in a table that is kept from one use to the next. */

import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { type AddRows, KeptTables } from '../kept-tables.js';
import { isLabel, LABEL_PREDICATES } from './label-predicates.js';
import { LabelTable } from './label-table.js';

export class Labels extends KeptTables<LabelTable> {
  protected readonly what = 'the comparison of labels';

  /** `predicates`: IRIs of those whose values are labels. */
  constructor(
    readonly predicates: readonly string[] = LABEL_PREDICATES,
    bytesMax?: number,
  ) {
    super(bytesMax);
  }

  protected make(): LabelTable {
    return new LabelTable();
  }

  protected rowsIn(snapshot: StorageSnapshot) {
    const p = isLabel(snapshot, this.predicates);
    return p === null ? null : ({ pattern: { p }, order: 'POSG', columns: ['s', 'o'] } as const);
  }

  protected adding(table: LabelTable, snapshot: StorageSnapshot): AddRows {
    return (rows, column) => {
      const [s, o] = [column('s'), column('o')];
      for (const [row, label] of snapshot.decode(o, rows).entries()) {
        const at = 2 * row;
        const ids = [s[at] as number, s[at + 1] as number, o[at] as number, o[at + 1] as number] as const;
        if (label.termType === 'Literal') table.add(ids, label.value);
      }
    };
  }
}
