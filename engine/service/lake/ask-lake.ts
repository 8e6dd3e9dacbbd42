/** Questions to a lake: as SQL, and answered by an engine. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { JoinedSignal } from '../../base/joined-signal.js';
import { type EngineName, openEngine } from '../../lake/engines/open-engine.js';
import { queryLake } from '../../lake/query-lake.js';
import { findConstants } from '../../lake/sql/constants.js';
import type { DialectName } from '../../lake/sql/dialects/dialect.js';
import { DIALECTS } from '../../lake/sql/dialects/index.js';
import { rewrittenQuery, toSql } from '../../lake/sql/to-sql.js';
import type { QueryResult } from '../../query/query.js';
import type { TimeSlice } from '../../storage/seam/scan.js';

export interface AskLake {
  readonly signal?: AbortSignal | undefined;
  readonly engine: EngineName;
  readonly lake: string;
  readonly python?: string | undefined;
  readonly baseIri?: string | undefined;
  readonly time: TimeSlice;
  readonly timeoutMs?: number | undefined;
}

export async function askLake(
  text: string,
  { signal, engine: name, lake, timeoutMs, ...options }: AskLake,
): Promise<QueryResult> {
  const joined = new JoinedSignal([signal], timeoutMs);
  const control = { signal: joined.signal };
  try {
    const engine = await openEngine(name, lake, { ...options, ...control });
    try {
      return await queryLake(engine, text, { ...options, ...control, dialect: name });
    } finally {
      await engine.close();
    }
  } catch (error) {
    const { reason } = joined.signal;
    if (joined.signal.aborted && reason instanceof DOMException && reason.name === 'TimeoutError') {
      throw new SvcError('query_timeout', `the query took longer than ${timeoutMs} ms`, {
        cause: error,
        hint: 'raise timeout_ms',
      });
    }
    throw error;
  } finally {
    joined.end();
  }
}

export interface PrintSql extends Control {
  readonly dialect: DialectName;
  readonly lake?: string | undefined;
  readonly baseIri?: string | undefined;
  readonly time: TimeSlice;
}

export async function printSql(text: string, { dialect: name, lake, baseIri, time, ...control }: PrintSql) {
  const dialect = DIALECTS[name];
  const query = rewrittenQuery(text, { baseIri });
  const printed = (idOf?: Awaited<ReturnType<typeof findConstants>>) => {
    const { sql } = toSql(query, dialect, { time, idOf });
    return { dialect: name, sql, variables: [...query.variables] };
  };
  if (lake === undefined) return printed();
  printed();
  // Which engine looks the ids up does not matter.
  const engine = await openEngine('duckdb', lake, control);
  try {
    return printed(await findConstants(query, engine, DIALECTS.duckdb, control));
  } finally {
    await engine.close();
  }
}
