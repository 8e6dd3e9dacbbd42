/** Answers a SPARQL query, as the JSON extension's body or in a standard result format. */

import { SvcError } from '../../base/errors.js';
import { termToJson } from '../json.js';
import type { QueryAnswer, ResultFormat } from '../query.js';
import { Type } from '../schema.js';
import { graphField, refuseLater, txField, validAtField } from './fields.js';
import { defineOperation } from './operation.js';

const LATER = {
  fork: 'reading a fork is',
  include_kinds: 'choosing graphs by kind is',
  federated: 'federated queries are',
};

/** The answer of the command is a table unless it says otherwise. */
const REPRESENTATIONS: readonly { readonly name: ResultFormat; readonly mediaType: string }[] = [
  { name: 'table', mediaType: 'text/plain' },
  { name: 'json', mediaType: 'application/sparql-results+json' },
  { name: 'csv', mediaType: 'text/csv' },
  { name: 'tsv', mediaType: 'text/tab-separated-values' },
  { name: 'xml', mediaType: 'application/sparql-results+xml' },
];

const row = Type.Record(Type.String(), Type.Unknown());

interface ReadBody {
  variables?: string[];
  rows?: Record<string, unknown>[];
  count?: number;
  truncated?: boolean;
  result?: boolean;
  labels: null;
}

/** At most `rowsMax` rows; `truncated` says when there were more. */
async function toBody(answer: QueryAnswer, rowsMax: number): Promise<ReadBody> {
  if (answer.kind === 'ask') return { result: answer.value, labels: null };
  const rows: Record<string, unknown>[] = [];
  let truncated = false;
  for await (const terms of answer.rows()) {
    if (rows.length === rowsMax) {
      truncated = true;
      break;
    }
    const shown: Record<string, unknown> = {};
    answer.variables.forEach((variable, at) => {
      const term = terms[at];
      if (term) shown[variable] = termToJson(term);
    });
    rows.push(shown);
  }
  return { variables: [...answer.variables], rows, count: rows.length, truncated, labels: null };
}

export const read = defineOperation({
  name: 'read',
  summary: 'Answer a SPARQL query',
  access: 'read',
  request: Type.Object({
    query: Type.String({ minLength: 1, description: 'SPARQL text' }),
    valid_at: Type.Optional(validAtField),
    tx: Type.Optional(txField),
    graph: Type.Optional(graphField),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 1, description: 'deadline; may lower search.query_timeout_ms, never raise it' }),
    ),
    inference: Type.Optional(Type.Boolean({ description: 'false: asserted types only' })),
    verbose: Type.Optional(Type.Boolean()),
    fork: Type.Optional(Type.String()),
    include_kinds: Type.Optional(Type.Array(Type.String())),
    federated: Type.Optional(Type.Boolean()),
  }),
  response: Type.Object({
    variables: Type.Optional(Type.Array(Type.String())),
    rows: Type.Optional(Type.Array(row)),
    count: Type.Optional(Type.Integer()),
    truncated: Type.Optional(Type.Boolean()),
    result: Type.Optional(Type.Boolean()),
    labels: Type.Null(),
  }),
  representations: REPRESENTATIONS,
  async handler({ store, configuration, control, representation }, request) {
    refuseLater(request, LATER);
    if (request.inference === true) {
      throw new SvcError(
        'unsupported',
        "'inference': subclass inference is not supported yet; asserted types are read",
      );
    }
    const { query_timeout_ms: timeoutMax, max_sparql_rows: rowsMax } = configuration.search;
    const answer = await store.query(request.query, {
      signal: control.signal,
      validAt: request.valid_at,
      tx: request.tx,
      graph: request.graph,
      timeoutMs: Math.min(request.timeout_ms ?? timeoutMax, timeoutMax),
      memoryBudgetBytes: configuration.query.memory_budget_mb * 1024 * 1024,
    });
    const form = REPRESENTATIONS.find(({ name }) => name === representation);
    if (form === undefined) return { kind: 'body', body: await toBody(answer, rowsMax) };
    return { kind: 'document', mediaType: form.mediaType, chunks: answer.encode(form.name) };
  },
  projections: {
    cli: {
      command: 'read',
      aliases: ['query'],
      argument: { field: 'query', name: 'sparql', summary: 'the query; - is standard input' },
      errorLabel: 'query error',
      notes: ['--format json is the SPARQL results format; --json is the body of POST /query.'],
      examples: [
        'svc read "SELECT ?s ?name WHERE { ?s <http://example.org/name> ?name } LIMIT 10"',
        'svc read --file question.rq --format csv > answer.csv',
        'svc read "ASK { ?s ?p 42 }" --valid-at 2026-01-01',
      ],
      options: { valid_at: 't', tx: 'n', graph: 'iri', timeout_ms: 'n' },
      later: ['fork'],
    },
  },
});
