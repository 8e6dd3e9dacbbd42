/** A share bundle as one answer: canonical triples of a scope, shapes, and the manifest that vouches for both. */

import { SvcError } from '../../../base/errors.js';
import { iri, nullable, oneOf, type Static, Type } from '../../requests/schema.js';
import { answerLabels } from '../definition/fields.js';
import { asTheyAre, defineOperation } from '../definition/operation.js';
import { queryOf } from '../query/query-options.js';

const scopeField = Type.Union(
  [
    iri({ minLength: 1 }),
    Type.Object({
      graph: Type.Optional(iri({ minLength: 1, description: 'that graph' })),
      group_id: Type.Optional(Type.String({ minLength: 1, description: 'a provenance group of episodes' })),
      construct: Type.Optional(Type.String({ minLength: 1, description: 'what a CONSTRUCT or DESCRIBE gives' })),
      root: Type.Optional(Type.Boolean('true: ROOT')),
    }),
  ],
  'what is shared: IRI of a graph, or an object with one of graph, group_id, construct, root; absent: ROOT',
);

const request = Type.Object({
  scope: Type.Optional(scopeField),
  shapes: Type.Optional(Type.Array(Type.String({ minLength: 1 }), 'stored sets of shapes that go along; absent: all')),
  no_shapes: Type.Optional(Type.Boolean('no shapes go along')),
  parent_share: Type.Optional(Type.String('id of the share that this one follows')),
  max_bytes: Type.Optional(Type.Integer('bytes of all files together; at most, and by default, 8388608')),
  turtle_view: Type.Optional(Type.Boolean('view.ttl too: the same triples in Turtle, for people')),
});

const file = Type.Object({ sha256: Type.String(), bytes: Type.Integer() });

export const manifestSchema = Type.Object({
  version: Type.String(),
  share_id: Type.String(),
  scope: Type.Object({ kind: oneOf(['root', 'graph', 'group', 'construct']), value: nullable(Type.String()) }),
  files: Type.Object({ 'export.nt': file, 'shapes.ttl': file }),
  counts: Type.Object({ triples: Type.Integer(), blank_nodes: Type.Integer(), shapes: Type.Integer() }),
  shapes: Type.Array(Type.String()),
  lineage: Type.Object({
    store: Type.String(),
    anchor_tx: nullable(Type.Integer()),
    parent_share: nullable(Type.String()),
  }),
  canonicalization: Type.String(),
  generator: Type.String(),
});

interface ScopeOptions {
  readonly graph?: string | undefined;
  readonly groupId?: string | undefined;
  readonly construct?: string | undefined;
}

const SCOPES = ['graph', 'group_id', 'construct', 'root'] as const;

function scopeOf(scope: Static<typeof request>['scope']): ScopeOptions {
  if (scope === undefined) return {};
  if (typeof scope === 'string') return { graph: scope };
  const unknown = Object.keys(scope).filter((key) => !SCOPES.some((name) => name === key));
  if (unknown.length > 0)
    throw new SvcError('invalid_request', `'scope' has no '${unknown[0]}'; it is one of ${SCOPES.join(', ')}`);
  const given = SCOPES.filter((name) => scope[name] !== undefined);
  if (given.length !== 1) {
    const told = given.length === 0 ? 'none is given' : `given: ${given.join(', ')}`;
    throw new SvcError('invalid_request', `'scope' holds exactly one of ${SCOPES.join(', ')}; ${told}`);
  }
  if (scope.root === false)
    throw new SvcError('invalid_request', "'scope.root' is false; expected true, or another scope");
  return { graph: scope.graph, groupId: scope.group_id, construct: scope.construct };
}

export const share = defineOperation({
  name: 'share',
  summary: 'Answer with a share bundle: canonical triples of a graph, shapes, and a manifest with their hashes',
  access: 'read',
  listsIgnored: false,
  request,
  response: Type.Object({
    share_id: Type.String(),
    manifest: manifestSchema,
    files: Type.Object({
      'export.nt': Type.String(),
      'shapes.ttl': Type.String(),
      'manifest.json': Type.String(),
      'view.ttl': Type.Optional(Type.String()),
    }),
    bytes: Type.Integer(),
    labels: answerLabels,
  }),
  async handler(context, given) {
    const { store, configuration, control } = context;
    const options = {
      ...scopeOf(given.scope),
      shapeSets: given.shapes,
      noShapes: given.no_shapes,
      parent: given.parent_share,
      turtleView: given.turtle_view,
      maxBytes: given.max_bytes,
      identifierPolicy: configuration.share.identifier_policy,
      ...control,
    };
    const shared = await store.shareFor(options, queryOf(context, {}));
    const { shareId, manifest, files, bytes, labels } = shared;
    const body = { share_id: shareId, manifest, files, bytes, labels };
    return { kind: 'body', body, notes: { entries: manifest.counts.triples } };
  },
  projections: {
    http: [{ method: 'POST', path: '/share', request: 'body' }],
    mcp: {
      tool: 'share',
      extra: true,
      description: [
        'Make a share bundle of current facts: {"share_id", "manifest", "files": {"export.nt", "shapes.ttl", "manifest.json"}, "bytes", "labels"}.',
        'export.nt holds the triples in canonical N-Triples, so that an unchanged graph always gives the same bytes and the same id.',
        'Without arguments: ROOT with all loaded shapes. scope names a graph, a group_id of episodes or a construct query instead.',
        'Nothing is written. A bundle of more than 8 MiB is refused (code too_large), as is one with an identifier that the policy of the operator blocks (code identifier_blocked).',
      ],
      example: { scope: { graph: 'http://ex.org/g' }, no_shapes: true },
      parameters: asTheyAre('scope', 'shapes', 'no_shapes', 'parent_share', 'max_bytes', 'turtle_view'),
    },
  },
});
