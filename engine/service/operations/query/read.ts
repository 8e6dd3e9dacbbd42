/** Answers a SPARQL query, as the JSON extension's body or in a standard result format. */

import type { InferenceReport } from '../../../query/query.js';
import { RESULT_FORMAT_NAMES, RESULT_FORMATS, type ResultFormat, takesKind } from '../../../query/results/formats.js';
import type { InferredReport, QueryAnswer } from '../../reads/query.js';
import { type AnswerNotes, JSON_MEDIA_TYPE } from '../../requests/operation-answer.js';
import { nullable, type Static, Type } from '../../requests/schema.js';
import { answerOperation } from '../definition/answer-operation.js';
import { answerLabels, queryFields } from '../definition/fields.js';
import {
  type AnswerDocument,
  asTheyAre,
  defineOperation,
  inWords,
  type Operation,
  type OperationContext,
} from '../definition/operation.js';
import type { Join, JoinRequest } from './joined.js';
import { queryOf } from './query-options.js';
import { checkScope, isUnion, scopeFields, VIEW_OPTIONS } from './query-scope.js';

/** The answer of the command is a table unless it says otherwise; the first of the list is the default. */
const REPRESENTATIONS = RESULT_FORMAT_NAMES.map((name) => {
  const { mediaType, binary, extensions } = RESULT_FORMATS[name];
  return { name, mediaType, binary, endings: extensions };
});

const row = Type.Record(Type.String(), Type.Unknown());

const types = Type.Array(Type.Object({ type: Type.String(), subclasses: Type.Array(Type.String()) }));

/** Present when a class that the query names has classes below it. */
const inference = Type.Object({
  applied: Type.Boolean(),
  types: Type.Optional(types),
  withheldTypes: Type.Optional(types),
  note: Type.Optional(Type.String()),
});

/** Present when the request says `inferred: true`. */
const inferred = Type.Object({
  applied: Type.Boolean(),
  graphs: Type.Optional(Type.Array(Type.String(), 'the companions that there are, by IRI: at most 100')),
  graphs_truncated: Type.Optional(Type.Boolean('there are more of them')),
  note: Type.Optional(Type.String()),
});

function inferredOf(report: InferredReport): Static<typeof inferred> {
  if (!report.applied) return report;
  const { graphs, graphsTruncated } = report;
  return { applied: true, graphs, ...(graphsTruncated ? { graphs_truncated: true } : {}) };
}

const triple = Type.Object({ subject: Type.Unknown(), predicate: Type.Unknown(), object: Type.Unknown() });

function inferenceOf(report: InferenceReport): Static<typeof inference> {
  return report.applied
    ? { applied: true, types: report.types }
    : { applied: false, withheldTypes: report.withheldTypes, note: report.note };
}

/**
 * The form in which the answer is written; null = the body. Of several that would do, the first that can hold such an
 * answer, and the body where none can; the only one that is wanted is refused where it does not fit.
 */
function formFor(answer: QueryAnswer, { representation, acceptable }: OperationContext): ResultFormat | null {
  const kind = answer.kind === 'select' ? 'rows' : answer.kind === 'ask' ? 'boolean' : 'graph';
  for (const wanted of acceptable ?? [representation]) {
    const form = REPRESENTATIONS.find(({ name }) => name === wanted);
    if (form === undefined) return null;
    if (acceptable === undefined || takesKind(form.name, kind)) return form.name;
  }
  return null;
}

function documentIn(format: ResultFormat, answer: QueryAnswer): AnswerDocument {
  const chunks = answer.encode(format);
  const notesAtEnd = () => (answer.kind === 'ask' ? {} : { entries: answer.rowsRead });
  return { kind: 'document', mediaType: RESULT_FORMATS[format].mediaType, chunks, notesAtEnd };
}

/** The JSON body, written as the rows come. */
function bodyOf(
  answer: QueryAnswer,
  { verbose = false, limit }: { readonly verbose?: boolean; readonly limit?: number },
  context: OperationContext,
  join: Join | null,
): AnswerDocument {
  const { configuration, shortenBy, ignoredFields = [] } = context;
  // A verdict has no IRIs, and its snapshot is given back already.
  const isWhole = verbose || answer.kind === 'ask';
  let notes: AnswerNotes = {};
  const chunks = answer.encodeBody({
    entriesMax: Math.min(limit ?? configuration.search.max_sparql_rows, configuration.search.max_sparql_rows),
    curies: isWhole ? null : (shortenBy?.(answer.snapshot.storage) ?? null),
    members: (entries) => ({
      labels: answer.labels,
      inference: answer.inference === null ? undefined : inferenceOf(answer.inference),
      inferred: answer.inferred === null ? undefined : inferredOf(answer.inferred),
      ...join?.about(answer, entries),
      ignored_fields: ignoredFields.length === 0 ? undefined : ignoredFields,
    }),
    onEnd: (entries, truncated) => {
      notes = { entries, truncated };
      if (join !== null) notes = { ...notes, labels: join.about(answer, entries).labels, members: join.figures };
    },
  });
  return { kind: 'document', mediaType: JSON_MEDIA_TYPE, chunks, notesAtEnd: () => notes };
}

function closeUnread(answer: QueryAnswer): void {
  if (answer.kind !== 'ask') answer.close();
}

/** What became of a member of the federation. */
const provider = Type.Object({
  name: Type.String(),
  ok: Type.Boolean(),
  rows: Type.Integer('rows of it in the answer'),
  error: nullable(Type.String('why it gave none')),
  label: Type.Unknown(),
});

async function joinOf(context: OperationContext, request: JoinRequest): Promise<Join> {
  const { Join, refuseOtherAnswers } = await import('./joined.js');
  refuseOtherAnswers(context);
  return new Join(context, request);
}

/** The question to this store that a federated query begins with. */
function inBody(context: OperationContext): OperationContext {
  return { ...context, representation: 'body', acceptable: undefined, ignoredFields: undefined };
}

export const read: Operation = defineOperation({
  name: 'read',
  summary: 'Answer a SPARQL query',
  access: 'read',
  request: Type.Object({
    query: Type.String({ minLength: 1, description: 'SPARQL text' }),
    ...queryFields,
    ...scopeFields,
    verbose: Type.Optional(Type.Boolean('IRIs in full, never as CURIEs')),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'most rows or triples of the JSON body; at most search.max_sparql_rows',
      }),
    ),
  }),
  response: Type.Object({
    variables: Type.Optional(Type.Array(Type.String())),
    rows: Type.Optional(Type.Array(row)),
    triples: Type.Optional(Type.Array(triple)),
    count: Type.Optional(Type.Integer()),
    truncated: Type.Optional(Type.Boolean()),
    result: Type.Optional(Type.Boolean()),
    labels: answerLabels,
    ignored_fields: Type.Optional(Type.Array(Type.String())),
    inference: Type.Optional(inference),
    inferred: Type.Optional(inferred),
    providers: Type.Optional(Type.Array(provider, 'of a federated query: its members')),
    complete: Type.Optional(Type.Boolean('of a federated query: every member gave all that it has')),
  }),
  inServer: ({ federated }) => isUnion(federated),
  representations: REPRESENTATIONS,
  async handler(context, request) {
    checkScope(request, context.configuration);
    if (isUnion(request.federated)) {
      const { answerFederated } = await import('./federated.js');
      return answerFederated(context, request, (own) => answerOperation(read, own, inBody(context)));
    }
    const join = request.federated === 'join' ? await joinOf(context, request) : null;
    const query = join === null ? queryOf(context, request) : join.query(context, request);
    const answer = await context.store.answerQuery(request.query, query);
    try {
      const format = join === null ? formFor(answer, context) : null;
      // Values of other stores are told in full.
      const shown = join === null ? request : { ...request, verbose: true };
      const document = format === null ? bodyOf(answer, shown, context, join) : documentIn(format, answer);
      const notes = {
        queryForm: answer.form,
        inference: answer.inference,
        inferred: answer.inferred,
        labels: join === null ? answer.labels : undefined,
        graphsRead: answer.graphsRead,
      };
      return { ...document, notes, close: () => closeUnread(answer) };
    } catch (error) {
      closeUnread(answer);
      throw error;
    }
  },
  projections: {
    cli: {
      command: 'read',
      aliases: ['query'],
      argument: { field: 'query', name: 'sparql', summary: 'the query; - is standard input' },
      errorLabel: 'query error',
      notes: [
        '--format json is the SPARQL results format; --json is the body of POST /query.',
        'json, xml, csv, tsv, arrow and parquet hold rows; turtle, trig, ntriples, nquads, jsonld and rdfxml',
        'hold the graph of CONSTRUCT and DESCRIBE; table shows either. The ending of --out says the form:',
        '.csv, .tsv, .json, .parquet, .ttl, .nq and the others, each also with .gz or .zst.',
      ],
      examples: [
        'svc read "SELECT ?s ?name WHERE { ?s <http://example.org/name> ?name } LIMIT 10"',
        'svc read --file question.rq --format csv > answer.csv',
        'svc read "ASK { ?s ?p 42 }" --valid-at 2026-01-01',
        'svc read "DESCRIBE <http://example.org/ann>" --format turtle',
        'svc read --file ages.rq --out ages.parquet',
        'svc read "SELECT * { ?s ?p ?o }" --graph http://example.org/dataset --include-kinds archive',
      ],
      options: {
        valid_at: 't',
        tx: 'n',
        ...VIEW_OPTIONS,
        base: 'iri',
        timeout_ms: 'n',
        inference: 'on|off',
        verbose: '',
        federated: 'how',
      },
    },
    http: [
      { method: 'GET', path: '/query', request: 'protocol' },
      { method: 'POST', path: '/query', request: 'protocol' },
    ],
    mcp: {
      tool: 'query',
      description: [
        'Answer a SPARQL 1.1 query (SELECT, ASK, CONSTRUCT or DESCRIBE); it never writes. Use it once you know the IRIs to ask by; to find them, begin with svc_unified_search or svc_report.',
        'The default graph is ROOT; other graphs (svc_graph_list) are read by GRAPH <iri> { ... } or the argument graph, the past by valid_at and tx. Declare every PREFIX, also of short names (ex:ann) in answers.',
        'Rows hold IRIs and text as strings, numbers and booleans as JSON, other literals as objects with value and datatype or lang. At most 50 rows unless limit, or LIMIT in the query, says otherwise; truncated comes with next, which says how to go on. Queries end after 30 s.',
      ],
      example: { query: 'SELECT ?s ?label WHERE { ?s <http://www.w3.org/2000/01/rdf-schema#label> ?label } LIMIT 10' },
      parameters: {
        ...inWords({
          query: 'the SPARQL text, with its PREFIX lines',
          graph: 'IRI of a graph, or name of a dataset, in place of ROOT',
          fork: 'name of a fork, in place of ROOT',
          include_kinds: 'with graphs of these kinds, as archive',
          inference: 'false: asserted types only, without subclasses',
          federated: 'ask the configured remote stores as well',
          timeout_ms: 'a deadline before that of the server',
        }),
        ...asTheyAre('valid_at', 'tx'),
        federated: { schema: Type.Boolean('ask the configured remote stores as well') },
        ...asTheyAre('verbose', 'limit'),
      },
    },
  },
});
