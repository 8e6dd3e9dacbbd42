/** A question to a lake: its constants are looked up, its SQL runs in an engine, its rows become the answer. */

import type { Control } from '../base/control.js';
import type { ParsedQuery, PatternTerm } from '../query/algebra/algebra.js';
import { plainTerm } from '../query/algebra/slot.js';
import type { QueryResult } from '../query/query.js';
import { termKey } from '../rdf/canonical/lines.js';
import type { Term } from '../rdf/terms.js';
import type { TimeSlice } from '../storage/seam/scan.js';
import type { LakeEngine } from './lake-engine.js';
import { answerOf } from './sql/answers.js';
import { findConstants } from './sql/constants.js';
import type { DialectName } from './sql/dialects/dialect.js';
import { DIALECTS } from './sql/dialects/index.js';
import { LakeKnowledge } from './sql/lake-knowledge.js';
import { readAnswer } from './sql/read-answer.js';
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
  const dialect = DIALECTS[options.dialect];
  const query = rewrittenQuery(text, options);
  // What can't be said is refused before anything runs.
  toSql(query, dialect, options);
  const asked = await solutionsOf(engine, query, options);
  if (query.form !== 'describe') return answerOf(query, asked);
  return describedBy(engine, query, asked, options);
}

/** Most solutions that one statement asks about. */
const VALUES_MAX = 500;

/** The triples of what is described, and of the blank nodes that these lead to. */
async function describedBy(
  engine: LakeEngine,
  query: ParsedQuery,
  solutions: readonly (readonly (Term | null)[])[],
  options: LakeQueryOptions,
): Promise<QueryResult> {
  const seen = new Map<string, Term>();
  const left: Term[] = [];
  const note = (term: Term | null | undefined): void => {
    if (term?.termType !== 'NamedNode' && term?.termType !== 'BlankNode') return;
    const key = termKey(term);
    if (!seen.has(key)) left.push(term);
    seen.set(key, term);
  };
  for (const one of query.described) {
    if (one.kind === 'term') note(plainTerm(one.term));
    else for (const row of solutions) note(row[query.variables.indexOf(one.name)]);
  }
  const variables = ['s', 'p', 'o'];
  const [s, p, o] = variables.map((name) => ({ kind: 'variable', name }) as const) as [
    PatternTerm,
    PatternTerm,
    PatternTerm,
  ];
  const triples: (readonly (Term | null)[])[] = [];
  while (left.length > 0) {
    const rows = left.splice(0, VALUES_MAX).map((term) => [term]);
    const algebra = {
      kind: 'join',
      inputs: [
        { kind: 'values', variables: ['s'], rows },
        { kind: 'patterns', patterns: [{ s, p, o, g: null }] },
      ],
    } as const;
    const found = await solutionsOf(engine, { ...query, form: 'select', variables, algebra, described: [] }, options);
    for (const row of found) {
      triples.push(row);
      if (row[2]?.termType === 'BlankNode') note(row[2]);
    }
  }
  return answerOf({ ...query, form: 'construct', variables, described: [], template: [{ s, p, o, g: null }] }, triples);
}

async function solutionsOf(
  engine: LakeEngine,
  query: ParsedQuery,
  options: LakeQueryOptions,
): Promise<readonly (readonly (Term | null)[])[]> {
  const { dialect: name, rowsMax = ROWS_MAX } = options;
  const dialect = DIALECTS[name];
  const idOf = await findConstants(query, engine, dialect, options);
  const knowledge = new LakeKnowledge(engine.content);
  const { sql, columns } = toSql(query, dialect, { ...options, idOf, knowledge, tables: engine.tables });
  return readAnswer(engine, dialect, { sql, columns }, { ...options, rowsMax });
}
