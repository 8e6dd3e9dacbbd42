/** A question to a lake: its constants are looked up, its SQL runs in an engine, its rows become the answer. */

import { type Control, throwIfAborted } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import type { QueryResult } from '../query/query.js';
import type { Term } from '../rdf/terms.js';
import type { TimeSlice } from '../storage/seam/scan.js';
import type { LakeEngine } from './engines/engine.js';
import { answerOf, termOf } from './sql/answers.js';
import { findConstants } from './sql/constants.js';
import { DIALECTS } from './sql/dialects/index.js';
import type { DialectName } from './sql/dialects/dialect.js';
import { refused } from './sql/refusal.js';
import { rewrittenQuery, toSql } from './sql/to-sql.js';

export interface LakeQueryOptions extends Control {
  readonly dialect: DialectName;
  readonly baseIri?: string | undefined;
  readonly time?: TimeSlice | undefined;
  readonly now?: Date | undefined;
  /** Most solutions that an answer may have, which are all kept in memory. */
  readonly rowsMax?: number | undefined;
}

const ROWS_MAX = 10_000_000;

export async function queryLake(engine: LakeEngine, text: string, options: LakeQueryOptions): Promise<QueryResult> {
  const { dialect: name, rowsMax = ROWS_MAX } = options;
  const dialect = DIALECTS[name];
  const query = rewrittenQuery(text, options);
  if (query.form === 'describe') throw refused('DESCRIBE');
  // What can't be said is refused before anything runs.
  toSql(query, dialect, options);
  const idOf = await findConstants(query, engine, dialect, options);
  const { sql, columns } = toSql(query, dialect, { ...options, idOf });
  const names = columns.flatMap(({ fields }) => Object.values(fields));
  const places = new Map(names.map((column, at) => [column, at]));
  const rows: (Term | null)[][] = [];
  for await (const batch of engine.rows(sql, names.length === 0 ? ['one'] : names, options)) {
    throwIfAborted(options.signal, 'the query');
    for (const cells of batch) {
      rows.push(columns.map((column) => termOf(column, (field) => cells[places.get(field) as number] ?? null)));
    }
    if (rows.length > rowsMax) {
      throw new SvcError('limit_exceeded', `the answer has more than ${rowsMax} solutions`, { hint: 'add a LIMIT' });
    }
  }
  return answerOf(query, rows);
}
