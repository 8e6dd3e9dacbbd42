/** No two values of a node have the same language (SHACL 4.4.5). One result for each language that has. */

import { TAG } from '../../storage/ids/layout.js';
import type { DataGraph } from '../data/data-graph.js';
import { IdList } from '../data/id-columns.js';
import { type Check, eachRow } from './check.js';

export function uniqueLangCheck(view: DataGraph): Check {
  return ({ nodes, values, constraint, reporter }) => {
    const tagged = new IdList();
    const rows: number[] = [];
    eachRow(nodes, values, (row, from, to) => {
      const before = rows.length;
      for (let at = from; at < to; at++) {
        const high = values.ids[2 * at + 1] as number;
        const tag = high >>> 24;
        if (tag !== TAG.langString && tag !== TAG.dirLangString && tag !== TAG.local) continue;
        rows.push(row);
        tagged.push(values.ids[2 * at] as number, high);
      }
      // A single value can't repeat a language.
      if (rows.length !== before + 1) return;
      rows.pop();
      tagged.count--;
    });
    const terms = view.decode(tagged.ids, tagged.count);
    for (let at = 0; at < rows.length; ) {
      const row = rows[at] as number;
      const seen = new Map<string, number>();
      for (; rows[at] === row; at++) {
        const term = terms[at];
        const language = term?.termType === 'Literal' ? term.language.toLowerCase() : '';
        if (language !== '') seen.set(language, (seen.get(language) ?? 0) + 1);
      }
      for (const [language, count] of seen) {
        if (count > 1)
          reporter.fail(constraint, row, 0, 0, {
            count,
            message: `Language "${language}" has been used for more than one value`,
          });
      }
    }
  };
}
