/** Answers a SPARQL query, as the JSON extension's body or in a standard result format. */

import type { InferenceReport, TypeReport } from '../../query/query.js';
import { RESULT_FORMAT_NAMES, RESULT_FORMATS } from '../../query/results/formats.js';
import { termToJson } from '../json.js';
import type { GraphAnswer, QueryAnswer, SelectAnswer } from '../query.js';
import { type Static, Type } from '../schema.js';
import { queryFields, refuseLater } from './fields.js';
import { defineOperation } from './operation.js';
import { queryOptions } from './query-options.js';

const LATER = {
  fork: 'reading a fork is',
  include_kinds: 'choosing graphs by kind is',
  federated: 'federated queries are',
};

/** The answer of the command is a table unless it says otherwise; the first of the list is the default. */
const REPRESENTATIONS = RESULT_FORMAT_NAMES.map((name) => {
  const { mediaType, binary } = RESULT_FORMATS[name];
  return { name, mediaType, binary };
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

const triple = Type.Object({ subject: Type.Unknown(), predicate: Type.Unknown(), object: Type.Unknown() });

interface ReadBody {
  variables?: string[];
  rows?: Record<string, unknown>[];
  triples?: { subject: unknown; predicate: unknown; object: unknown }[];
  count?: number;
  truncated?: boolean;
  result?: boolean;
  labels: null;
}

function inferenceOf(report: InferenceReport): Static<typeof inference> {
  const listed = (all: readonly TypeReport[]) =>
    all.map(({ type, subclasses }) => ({ type, subclasses: [...subclasses] }));
  return report.applied
    ? { applied: true, types: listed(report.types) }
    : { applied: false, withheldTypes: listed(report.withheldTypes), note: report.note };
}

/** At most `entriesMax` rows or triples; `truncated` says when there were more. */
async function toBody(answer: QueryAnswer, entriesMax: number): Promise<ReadBody> {
  switch (answer.kind) {
    case 'ask':
      return { result: answer.value, labels: null };
    case 'graph': {
      const { entries, truncated } = await takeFirst(toTriples(answer), entriesMax);
      return { triples: entries, count: entries.length, truncated, labels: null };
    }
    case 'select': {
      const { entries, truncated } = await takeFirst(toRows(answer), entriesMax);
      return { variables: [...answer.variables], rows: entries, count: entries.length, truncated, labels: null };
    }
  }
}

async function takeFirst<Entry>(
  all: AsyncIterable<Entry>,
  entriesMax: number,
): Promise<{ readonly entries: Entry[]; readonly truncated: boolean }> {
  const entries: Entry[] = [];
  for await (const entry of all) {
    if (entries.length === entriesMax) return { entries, truncated: true };
    entries.push(entry);
  }
  return { entries, truncated: false };
}

async function* toRows(answer: SelectAnswer) {
  for await (const terms of answer.rows()) {
    const shown: Record<string, unknown> = {};
    answer.variables.forEach((variable, at) => {
      const term = terms[at];
      if (term) shown[variable] = termToJson(term);
    });
    yield shown;
  }
}

async function* toTriples(answer: GraphAnswer) {
  for await (const { subject, predicate, object } of answer.quads()) {
    yield { subject: termToJson(subject), predicate: termToJson(predicate), object: termToJson(object) };
  }
}

export const read = defineOperation({
  name: 'read',
  summary: 'Answer a SPARQL query',
  access: 'read',
  request: Type.Object({
    query: Type.String({ minLength: 1, description: 'SPARQL text' }),
    ...queryFields,
    verbose: Type.Optional(Type.Boolean()),
    fork: Type.Optional(Type.String()),
    include_kinds: Type.Optional(Type.Array(Type.String())),
    federated: Type.Optional(Type.Boolean()),
  }),
  response: Type.Object({
    variables: Type.Optional(Type.Array(Type.String())),
    rows: Type.Optional(Type.Array(row)),
    triples: Type.Optional(Type.Array(triple)),
    count: Type.Optional(Type.Integer()),
    truncated: Type.Optional(Type.Boolean()),
    result: Type.Optional(Type.Boolean()),
    labels: Type.Null(),
    inference: Type.Optional(inference),
  }),
  representations: REPRESENTATIONS,
  async handler({ store, configuration, control, representation }, request) {
    refuseLater(request, LATER);
    const { max_sparql_rows: rowsMax } = configuration.search;
    const options = queryOptions(configuration, request);
    const answer = await store.query(request.query, { ...options, signal: control.signal });
    const form = REPRESENTATIONS.find(({ name }) => name === representation);
    if (form === undefined) {
      const body = await toBody(answer, rowsMax);
      return {
        kind: 'body',
        body: answer.inference === null ? body : { ...body, inference: inferenceOf(answer.inference) },
      };
    }
    try {
      return { kind: 'document', mediaType: form.mediaType, chunks: answer.encode(form.name) };
    } catch (error) {
      // A form that does not fit: nobody will read the answer.
      if (answer.kind !== 'ask') answer.close();
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
        'hold the graph of CONSTRUCT and DESCRIBE; table shows either.',
      ],
      examples: [
        'svc read "SELECT ?s ?name WHERE { ?s <http://example.org/name> ?name } LIMIT 10"',
        'svc read --file question.rq --format csv > answer.csv',
        'svc read "ASK { ?s ?p 42 }" --valid-at 2026-01-01',
        'svc read "DESCRIBE <http://example.org/ann>" --format turtle',
        'svc read --file ages.rq --format parquet --out ages.parquet',
      ],
      options: { valid_at: 't', tx: 'n', graph: 'iri', timeout_ms: 'n', inference: 'on|off' },
      later: ['fork'],
    },
  },
});
