/**
 * Writes current quads as a document in a fixed order: of a graph, of all graphs, of a provenance
 * group, or what a CONSTRUCT or DESCRIBE gives.
 */

import { withoutDeadline } from '../../../base/control.js';
import { SvcError } from '../../../base/errors.js';
import { describeFormat, FORMATS, type Format } from '../../../rdf/formats/registry.js';
import type { Quad } from '../../../rdf/terms.js';
import { oneOf, type Static, Type, textOrNull } from '../../requests/schema.js';
import { graphField } from '../definition/fields.js';
import { defineOperation, inWords, type OperationContext } from '../definition/operation.js';
import { queryOf } from '../query/query-options.js';

const FORMAT_NAMES = FORMATS.map((format) => format.name);
/** What the route writes; the others are for commands and programs. */
const ROUTE_FORMATS: readonly Format[] = ['turtle', 'ntriples'];
/** The document in the format of the request, as the route answers it. */
const DOCUMENT = 'document';
const SCOPES = ['graph', 'group_id', 'construct'] as const;

const request = Type.Object({
  graph: Type.Optional(graphField),
  format: Type.Optional(oneOf(FORMAT_NAMES, `one of ${FORMAT_NAMES.join(', ')}`)),
  group_id: Type.Optional(Type.String({ minLength: 1, description: 'provenance group of episodes' })),
  construct: Type.Optional(Type.String({ minLength: 1, description: 'a CONSTRUCT or DESCRIBE query' })),
});

type Request = Static<typeof request>;

/** Quads of the scope, in batches; holds a snapshot until it is left. */
async function* scopeQuads(context: OperationContext, given: Request, format: Format): AsyncGenerator<readonly Quad[]> {
  const { store, configuration, control } = context;
  if (given.construct !== undefined) {
    yield* constructed(context, given.construct);
    return;
  }
  const { exportedQuads, groupQuads } = await import('../../export/export.js');
  const snapshot = store.renewingSnapshot();
  try {
    if (given.group_id === undefined) yield* exportedQuads(snapshot, format, { ...control, graph: given.graph });
    else yield* groupQuads(snapshot.storage, given.group_id, configuration.base_ns);
  } finally {
    snapshot.close();
  }
}

async function* constructed(context: OperationContext, text: string) {
  const answer = await context.store.answerQuery(text, queryOf(context, {}));
  if (answer.kind !== 'graph') {
    if (answer.kind === 'select') answer.close();
    throw new SvcError(
      'invalid_request',
      `'construct' is a query of the form ${answer.kind.toUpperCase()}; expected CONSTRUCT or DESCRIBE`,
    );
  }
  for await (const quad of answer.quads()) yield [quad];
}

export const exportOperation = defineOperation({
  name: 'export',
  summary: 'Write the current facts as a document, sorted',
  access: 'read',
  request,
  response: Type.Object({
    rdf: Type.String(),
    format: Type.String(),
    graph: textOrNull,
    triples: Type.Integer(),
  }),
  representations: [
    ...FORMATS.map(({ name, mediaTypes, extensions }) => ({
      name,
      mediaType: mediaTypes[0] as string,
      endings: extensions,
    })),
    { name: DOCUMENT, mediaType: 'text/turtle' },
  ],
  async handler(asked, given) {
    const context = { ...asked, control: withoutDeadline(asked.control) };
    const { control, representation } = context;
    const scopes = SCOPES.filter((scope) => given[scope] !== undefined);
    if (scopes.length > 1) {
      throw new SvcError('invalid_request', `pass only one of ${SCOPES.join(', ')}; given: ${scopes.join(', ')}`);
    }
    const format = given.format ?? 'turtle';
    if (representation === DOCUMENT && !ROUTE_FORMATS.includes(format)) {
      throw new SvcError(
        'invalid_request',
        `field 'format' is "${format}"; expected one of ${ROUTE_FORMATS.join(', ')}`,
      );
    }
    const { prepareExport, textOf } = await import('../../export/export.js');
    const document = await prepareExport(scopeQuads(context, given, format), format, control);
    if (representation === 'body') {
      const rdf = await textOf(document);
      const { entries } = document;
      return { kind: 'body', body: { rdf, format, graph: given.graph ?? null, triples: entries }, notes: { entries } };
    }
    const mediaType = `${describeFormat(format).mediaTypes[0]}; charset=utf-8`;
    return { kind: 'document', mediaType, chunks: document.chunks, notes: { entries: document.entries } };
  },
  projections: {
    http: [
      {
        method: 'POST',
        path: '/export',
        request: 'body',
        representation: DOCUMENT,
        mediaTypes: ROUTE_FORMATS.map((name) => describeFormat(name).mediaTypes[0] as string),
        only: { format: ROUTE_FORMATS },
      },
    ],
    mcp: {
      tool: 'export',
      description: [
        'Write current facts out as one RDF document: ROOT, or what one of graph, group_id and construct narrows it to. For handing a part of the graph on; to answer a question use svc_query. Beyond 16 MiB it is refused.',
      ],
      example: { construct: 'DESCRIBE <http://ex.org/ann>', format: 'turtle' },
      parameters: {
        ...inWords({
          graph: 'IRI of a graph',
          group_id: 'a group of episodes',
          construct: 'a CONSTRUCT or DESCRIBE query',
        }),
        format: { description: 'turtle (default) or ntriples', only: ROUTE_FORMATS, default: 'turtle' },
      },
    },
    cli: {
      command: 'export',
      notes: [
        'Without --graph: ROOT; in nquads, trig and jsonld every graph, with ROOT as the default graph.',
        'One of --graph, --group-id and --construct at most. The ending of --out says the format: .nt, .ttl, .rdf,',
        '.nq, .trig, .jsonld, each also with .gz or .zst. Without a single statement the command fails, unless',
        '--allow-empty is given.',
        'Two exports of an unchanged store are the same bytes. Stored labels of blank nodes are kept:',
        'load such a document with --blank-node-scope store to restore them.',
      ],
      examples: [
        'svc export > all.nt',
        'svc export --out all.trig.gz',
        'svc export --graph http://example.org/g --format turtle',
        'svc export --construct "DESCRIBE <http://example.org/ann>" --format turtle',
      ],
      options: { graph: 'iri', format: 'format', group_id: 'name', construct: 'sparql' },
      defaults: { format: 'ntriples' },
      refusesEmpty: true,
    },
  },
});
