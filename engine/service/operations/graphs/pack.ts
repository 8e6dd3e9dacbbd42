/** Packs of current facts: a graph with its shapes and queries in a file, to be given away. */

import { SvcError } from '../../../base/errors.js';
import { iri, oneOf, type Static, Type } from '../../requests/schema.js';
import { actorField, needed, writtenBy, writtenFields } from '../definition/fields.js';
import { defineOperation, type OperationContext } from '../definition/operation.js';

const counts = Type.Object({
  facts: Type.Integer(),
  open: Type.Integer(),
  transactions: Type.Integer(),
  terms: Type.Integer(),
});

const names = (what: string) => Type.Array(Type.String({ minLength: 1 }), what);

const packResponse = Type.Object({
  file: Type.String(),
  ok: Type.Boolean('false: the file is not what its manifest says'),
  graph: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  format: Type.Optional(Type.String()),
  content_hash: Type.Optional(Type.String()),
  counts: Type.Optional(counts),
  shapes: Type.Optional(Type.Integer()),
  queries: Type.Optional(Type.Integer()),
  vectors: Type.Optional(Type.Integer()),
  error: Type.Optional(Type.String()),
});
type PackAnswer = Static<typeof packResponse>;

async function verified({ store, control }: OperationContext, file: string): Promise<PackAnswer> {
  const { ok, graph, format, contentHash, counts: found, error } = await store.verifyPack(file, control);
  if (!ok) return { file, ok, error: error ?? '' };
  return { file, ok, graph, format, content_hash: contentHash, counts: found };
}

export const pack = defineOperation({
  name: 'pack',
  summary: 'Write the current facts of a graph into a file to give away, or verify such a file',
  access: 'admin',
  opens: 'read',
  request: Type.Object({
    graph: Type.Optional(iri({ minLength: 1, description: 'IRI of the graph' })),
    out: Type.Optional(Type.String({ minLength: 1, description: 'the file to write' })),
    verify: Type.Optional(
      Type.String({ minLength: 1, description: 'a pack to be read through and compared with its hash' }),
    ),
    name: Type.Optional(Type.String({ minLength: 1, description: 'what the manifest calls it' })),
    pack_version: Type.Optional(
      Type.String({ minLength: 1, description: 'version of the contents, for the manifest' }),
    ),
    shapes: Type.Optional(names('stored sets of shapes that go along')),
    queries: Type.Optional(names('stored queries that go along')),
    with_vectors: Type.Optional(Type.Boolean('vectors of the entities go along')),
    format: Type.Optional(oneOf(['file', 'turtle'], 'turtle: a directory of Turtle, shapes and queries')),
    actor: Type.Optional(actorField),
  }),
  response: packResponse,
  async handler(context, request) {
    const { verify, graph, out, name, pack_version: version, shapes, queries, format, actor } = request;
    if (verify !== undefined) {
      if (graph !== undefined || out !== undefined) {
        throw new SvcError('usage', '--verify reads a pack, and takes neither a graph nor --out');
      }
      return { kind: 'body', body: await verified(context, verify) };
    }
    const { store, control } = context;
    const path = needed(out, 'out');
    const withVectors = request.with_vectors;
    const options = { ...control, name, version, shapeSets: shapes, queries, withVectors, format, actor };
    const packed = await store.packGraph(needed(graph, 'graph'), path, options);
    const body: PackAnswer = {
      file: path,
      ok: true,
      graph: packed.graph,
      name: packed.name,
      format: 'knowledge/1',
      content_hash: packed.contentHash,
      counts: packed.counts,
      shapes: packed.shapes,
      queries: packed.queries,
      vectors: packed.vectors,
    };
    return { kind: 'body', body };
  },
  projections: {
    cli: {
      command: 'pack',
      positional: [{ field: 'graph', name: 'graph', summary: 'the graph', optional: true }],
      storeless: true,
      notes: [
        'A pack holds current facts, without the history that svc graph freeze keeps. svc unpack writes it into a store.',
        'svc pack --verify FILE reads a pack through, finds its hash anew, and needs no store.',
      ],
      examples: [
        'svc pack http://example.org/g --out g.qpack.db --name inventory --version 2026.1',
        'svc pack http://example.org/g --out g.qpack.db --shapes person,host --queries by-owner',
        'svc pack --verify g.qpack.db',
      ],
      options: {
        out: 'file',
        verify: 'file',
        name: 'text',
        pack_version: 'text',
        shapes: 'names',
        queries: 'names',
        with_vectors: '',
        format: 'form',
        actor: 'name',
      },
      succeeded: ({ ok }) => ok,
      text: (body, { request }) => {
        if (!body.ok) return `pack: HASH MISMATCH\n  ${body.error}\n`;
        if (request.verify !== undefined) return `pack: OK ${body.content_hash}\n`;
        const { facts = 0, transactions = 0, terms = 0 } = body.counts ?? {};
        const lines = [
          `packed ${body.graph} -> ${body.file}`,
          `name: ${body.name}`,
          `content_hash: ${body.content_hash}`,
          `facts: ${facts}  transactions: ${transactions}  terms: ${terms}`,
          `shapes: ${body.shapes}  queries: ${body.queries}${body.vectors ? `  vectors: ${body.vectors}` : ''}`,
        ];
        return `${lines.join('\n  ')}\n`;
      },
    },
  },
});

export const unpack = defineOperation({
  name: 'unpack',
  summary: 'Write the facts, shapes and queries of a pack into the store',
  access: 'admin',
  opens: 'write',
  request: Type.Object({
    file: Type.String({ minLength: 1, description: 'the pack' }),
    into: Type.Optional(iri({ minLength: 1, description: 'the graph; default that of the pack' })),
    ...writtenFields,
  }),
  response: Type.Object({
    file: Type.String(),
    graph: Type.String(),
    facts: Type.Integer(),
    shapes: Type.Integer(),
    queries: Type.Integer(),
    vectors: Type.Integer('of entities, that hold here'),
    vectors_left: Type.Integer('of another model, or of another text than the entity has here'),
    tx_id: Type.Integer(),
  }),
  async handler({ store, control }, { file, into, timestamp, actor }) {
    const options = { ...writtenBy(control, { timestamp, actor }), ...control, into };
    const { graph, facts, shapes, queries, vectors, vectorsLeft, tx } = await store.unpack(file, options);
    const body = { file, graph, facts, shapes, queries, vectors, vectors_left: vectorsLeft, tx_id: tx };
    return { kind: 'body', body, notes: { tx } };
  },
  projections: {
    cli: {
      creates: true,
      command: 'unpack',
      positional: [{ field: 'file', name: 'file', summary: 'the pack' }],
      notes: ['The pack is verified first. Shapes of the store, and those that come along, judge what is written.'],
      examples: ['svc unpack g.qpack.db', 'svc unpack g.qpack.db --into http://example.org/g/copy'],
      options: { into: 'iri', timestamp: 't', actor: 'name' },
      text: (body) =>
        `unpacked ${body.file} into ${body.graph}\n  facts: ${body.facts}  shapes: ${body.shapes}  queries: ${body.queries}${vectorsText(body)}\n`,
    },
  },
});

/** Nothing of a pack without vectors. */
function vectorsText({
  vectors,
  vectors_left: left,
}: {
  readonly vectors: number;
  readonly vectors_left: number;
}): string {
  if (vectors + left === 0) return '';
  const why = left === 0 ? '' : ` (${left} left: of another model, or of another text than the entity has here)`;
  return `  vectors: ${vectors}${why}`;
}
