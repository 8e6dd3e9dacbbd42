/** Answers a SPARQL query from a lake, by an engine that reads its tables. */

import type { QueryResult } from '../../../query/query.js';
import { RESULT_FORMAT_NAMES, RESULT_FORMATS, takesKind } from '../../../query/results/formats.js';
import { toTimeSlice } from '../../options/store-options.js';
import { JSON_MEDIA_TYPE } from '../../requests/operation-answer.js';
import { oneOf, Type } from '../../requests/schema.js';
import { queryFields } from '../definition/fields.js';
import { type AnswerDocument, defineFileOperation, type FileContext } from '../definition/operation.js';

const REPRESENTATIONS = RESULT_FORMAT_NAMES.map((name) => {
  const { mediaType, binary, extensions } = RESULT_FORMATS[name];
  return { name, mediaType, binary, endings: extensions };
});

const { base, valid_at, tx } = queryFields;
const row = Type.Record(Type.String(), Type.Unknown());
const triple = Type.Object({ subject: Type.Unknown(), predicate: Type.Unknown(), object: Type.Unknown() });

async function documentOf(
  answer: QueryResult,
  { representation, acceptable, configuration }: FileContext,
): Promise<AnswerDocument> {
  const { encodeBody, encodeResult } = await import('../../../query/results/encode.js');
  const kind = answer.kind === 'select' ? 'rows' : answer.kind === 'ask' ? 'boolean' : 'graph';
  const form = (acceptable ?? [representation])
    .map((wanted) => REPRESENTATIONS.find(({ name }) => name === wanted))
    .find((found) => found !== undefined && (acceptable === undefined || takesKind(found.name, kind)));
  if (form !== undefined)
    return { kind: 'document', mediaType: form.mediaType, chunks: encodeResult(answer, form.name) };
  const entriesMax = configuration.search.max_sparql_rows;
  return {
    kind: 'document',
    mediaType: JSON_MEDIA_TYPE,
    chunks: encodeBody(answer, { entriesMax, curies: null, members: {} }),
  };
}

export const lakeQuery = defineFileOperation({
  name: 'lake_query',
  summary: 'Answer a SPARQL query from a lake, by DuckDB or Spark',
  access: 'admin',
  request: Type.Object({
    query: Type.String({ minLength: 1, description: 'SPARQL text' }),
    lake: Type.String({ minLength: 1, description: 'the folder of the lake' }),
    engine: Type.Optional(oneOf(['duckdb', 'spark', 'trino'], 'what reads it: duckdb unless named')),
    python: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'for spark: the interpreter that has pyspark; SVC_PYTHON, else python3',
      }),
    ),
    base,
    valid_at,
    tx,
    timeout_ms: Type.Optional(Type.Integer({ minimum: 1, description: 'deadline' })),
  }),
  response: Type.Object({
    variables: Type.Optional(Type.Array(Type.String())),
    rows: Type.Optional(Type.Array(row)),
    triples: Type.Optional(Type.Array(triple)),
    count: Type.Optional(Type.Integer()),
    truncated: Type.Optional(Type.Boolean()),
    result: Type.Optional(Type.Boolean()),
  }),
  representations: REPRESENTATIONS,
  async handler(
    context,
    { query: text, lake, engine = 'duckdb', python, base: baseIri, valid_at: validAt, tx: at, timeout_ms: timeoutMs },
  ) {
    const { askLake } = await import('../../lake/ask-lake.js');
    const time = toTimeSlice({ validAt, tx: at });
    const { signal } = context.control;
    const answer = await askLake(text, { signal, engine, lake, python, baseIri, time, timeoutMs });
    return { ...(await documentOf(answer, context)), notes: { queryForm: answer.form }, close: () => answer.close() };
  },
  projections: {
    cli: {
      command: 'lake query',
      argument: { field: 'query', name: 'sparql', summary: 'the query; - is standard input' },
      errorLabel: 'query error',
      notes: [
        '--format json is the SPARQL results format; --json is the body of POST /query. The forms are those of',
        'svc read. What the engine would answer differently is refused by name, before it runs or where such a',
        'value comes.',
      ],
      examples: [
        'svc lake query --lake lake "SELECT ?s ?name { ?s <http://example.org/name> ?name } LIMIT 10"',
        'svc lake query --lake lake --engine spark --file question.rq --format csv',
      ],
      options: {
        lake: 'dir',
        engine: 'name',
        python: 'path',
        base: 'iri',
        valid_at: 't',
        tx: 'n',
        timeout_ms: 'n',
      },
    },
  },
});
