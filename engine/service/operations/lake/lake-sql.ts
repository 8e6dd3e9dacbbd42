/** Prints what a query is in the SQL of an engine over a lake. */

import { toTimeSlice } from '../../options/store-options.js';
import { oneOf, Type } from '../../requests/schema.js';
import { queryFields } from '../definition/fields.js';
import { defineFileOperation } from '../definition/operation.js';

const { base, valid_at, tx } = queryFields;

export const lakeSql = defineFileOperation({
  name: 'lake_sql',
  summary: 'Print a SPARQL query as SQL over the tables of a lake',
  access: 'admin',
  request: Type.Object({
    query: Type.String({ minLength: 1, description: 'SPARQL text' }),
    dialect: Type.Optional(oneOf(['duckdb', 'spark', 'trino'], 'whose SQL')),
    lake: Type.Optional(
      Type.String({ minLength: 1, description: 'the folder of a lake: its ids are written in place of look-ups' }),
    ),
    base,
    valid_at,
    tx,
  }),
  response: Type.Object({ dialect: Type.String(), sql: Type.String(), variables: Type.Array(Type.String()) }),
  async handler({ control }, { query: text, dialect = 'duckdb', lake, base: baseIri, valid_at: validAt, tx: at }) {
    const { printSql } = await import('../../lake/ask-lake.js');
    const time = toTimeSlice({ validAt, tx: at });
    return { kind: 'body', body: await printSql(text, { ...control, dialect, lake, baseIri, time }) };
  },
  projections: {
    cli: {
      command: 'lake sql',
      argument: { field: 'query', name: 'sparql', summary: 'the query; - is standard input' },
      errorLabel: 'query error',
      notes: [
        'The text names the tables facts, history and terms of the lake, and stands by itself. What the engine',
        'would answer differently is refused by name.',
      ],
      examples: [
        'svc lake sql "SELECT ?s { ?s a <http://example.org/Person> }"',
        'svc lake sql --dialect spark --file question.rq',
      ],
      options: { dialect: 'name', lake: 'dir', base: 'iri', valid_at: 't', tx: 'n' },
      text: ({ sql }) => `${sql}\n`,
    },
  },
});
