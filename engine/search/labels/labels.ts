/** The labels of ROOT in a table that is kept from one use to the next. */

import { RDFS, terms } from '../../rdf/terms.js';
import { exactly } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { type AddRows, KeptTables } from '../kept-tables.js';
import { LabelTable } from './label-table.js';

export const RDFS_LABEL = terms.namedNode(`${RDFS}label`);

export class Labels extends KeptTables<LabelTable> {
  protected readonly what = 'the comparison of labels';

  protected make(): LabelTable {
    return new LabelTable();
  }

  protected rowsIn(snapshot: StorageSnapshot) {
    const p = snapshot.encode(RDFS_LABEL);
    return p === null ? null : ({ pattern: { p: exactly(p) }, order: 'POSG', columns: ['s', 'o'] } as const);
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
