/** A query as SQL: parsed and rewritten as the engine itself does, translated, held against the dialect, written. */

import type { ParsedQuery } from '../../query/algebra/algebra.js';
import { parseQuery } from '../../query/parse/parse.js';
import { refuseUnknownFunctions } from '../../query/refusals.js';
import { rewriteQuery } from '../../query/rewrites/index.js';
import type { Term } from '../../rdf/terms.js';
import { CURRENT, type TimeSlice } from '../../storage/seam/scan.js';
import type { TableText } from '../lake-engine.js';
import { refuseUnsaid } from './capabilities.js';
import type { Dialect } from './dialects/dialect.js';
import type { LakeKnowledge } from './lake-knowledge.js';
import { type AnswerColumns, translateQuery } from './translate.js';
import { writeSql } from './write-sql.js';

export interface ToSqlOptions {
  readonly baseIri?: string | undefined;
  readonly time?: TimeSlice | undefined;
  readonly now?: Date | undefined;
  /** Which ids the lake has; absent = the text looks them up. */
  readonly idOf?: ((term: Term) => bigint | null) | undefined;
  /** Of the one lake that the text is for. */
  readonly knowledge?: LakeKnowledge | undefined;
  readonly tables?: TableText | undefined;
}

export interface SqlQuery {
  readonly query: ParsedQuery;
  readonly sql: string;
  readonly columns: readonly AnswerColumns[];
}

/** Rewrites whose nodes only the store itself has, or which read a pattern twice in place of once. */
const NOT_HERE: ReadonlySet<string> = new Set(['split-distincts']);

export function rewrittenQuery(text: string, { baseIri }: Pick<ToSqlOptions, 'baseIri'> = {}): ParsedQuery {
  const parsed = parseQuery(text, { baseIri });
  refuseUnknownFunctions(parsed.algebra);
  return rewriteQuery(parsed, NOT_HERE);
}

export function toSql(query: ParsedQuery, dialect: Dialect, options: ToSqlOptions = {}): SqlQuery {
  const { time = CURRENT, now = new Date(), idOf = () => undefined, knowledge, tables } = options;
  const translated = translateQuery(query, { time, idOf, knowledge, now: now.toISOString() });
  refuseUnsaid(translated.relation, dialect);
  return { query, sql: writeSql(translated.relation, dialect, tables), columns: translated.columns };
}
