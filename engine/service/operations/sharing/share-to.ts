/** A share bundle in a directory, as git keeps it, or in an archive. */

import { iri, Type } from '../../requests/schema.js';
import { actorField } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';
import { manifestSchema } from './share.js';

const response = Type.Object({
  share_id: Type.String(),
  output: Type.String(),
  unchanged: Type.Boolean('the same share stood there already'),
  manifest: manifestSchema,
  replaced: Type.Boolean('a share of another store or scope, or something that is none, stood there'),
  signed_by: Type.Optional(Type.String('IRI of the verifier')),
  warnings: Type.Array(
    Type.Object({ entry: Type.String(), texts: Type.Integer() }),
    'entries of tier warn of the identifier policy that matched, with how many texts',
  ),
  tx_id: Type.Integer('the transaction that notes the share; 0: it was noted already'),
});

export const shareTo = defineOperation({
  name: 'share_to',
  summary: 'Write a share bundle of current facts: canonical triples, shapes, and a manifest with their hashes',
  access: 'admin',
  opens: 'write',
  request: Type.Object({
    output: Type.String({ minLength: 1, description: 'a directory, or an archive where it ends with .qpack.tar.gz' }),
    graph: Type.Optional(iri({ minLength: 1, description: 'that graph in place of ROOT' })),
    group_id: Type.Optional(Type.String({ minLength: 1, description: 'a provenance group of episodes' })),
    construct: Type.Optional(Type.String({ minLength: 1, description: 'what a CONSTRUCT or DESCRIBE gives' })),
    shapes: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), 'stored sets of shapes that go along; absent: all'),
    ),
    no_shapes: Type.Optional(Type.Boolean('no shapes go along')),
    parent: Type.Optional(Type.String('id of the share that this one follows; default the one that stands there')),
    turtle_view: Type.Optional(Type.Boolean('view.ttl too: the same triples in Turtle, for people')),
    identifier_policy: Type.Optional(
      Type.String({ minLength: 1, description: 'what must not be shared; default share.identifier_policy' }),
    ),
    sign: Type.Optional(Type.Boolean('signature.json too, by the key of SVC_SIGNING_KEY or signing.key_path')),
    actor: Type.Optional(actorField),
  }),
  response,
  async handler({ store, configuration, control }, request) {
    const {
      output,
      graph,
      group_id: groupId,
      construct,
      shapes: shapeSets,
      no_shapes: noShapes,
      parent,
      actor,
    } = request;
    const { key_path: keyPath, verifier } = configuration.signing;
    const shared = await store.shareTo(output, {
      ...control,
      graph,
      groupId,
      construct,
      shapeSets,
      noShapes,
      parent,
      actor,
      turtleView: request.turtle_view,
      identifierPolicy: request.identifier_policy ?? configuration.share.identifier_policy,
      sign: request.sign === true ? { keyPath, verifier } : undefined,
    });
    const { shareId, unchanged, replaced, signedBy, warnings, manifest, tx } = shared;
    const body = {
      share_id: shareId,
      output,
      unchanged,
      manifest,
      replaced,
      ...(signedBy === null ? {} : { signed_by: signedBy }),
      warnings: [...warnings].map(([entry, texts]) => ({ entry, texts })),
      tx_id: tx,
    };
    return { kind: 'body', body, notes: { tx } };
  },
  projections: {
    cli: {
      command: 'share',
      notes: [
        'The directory is one for git: export.nt (canonical N-Triples, sorted), shapes.ttl and manifest.json. A graph that has',
        'not changed gives the same bytes, and svc share leaves the files alone; one that has changed names the share that',
        'stood there as its parent. An archive holds at most 64 MiB.',
        'An identifier policy with an entry of tier "block" is needed (exit 2 without one); a match of such an entry ends the',
        'command with exit 1, and nothing is written.',
      ],
      examples: [
        'svc share --output shared/inventory',
        'svc share --output inventory.qpack.tar.gz --graph http://example.org/g --no-shapes',
        'svc share --output shared/people --construct "DESCRIBE <http://example.org/ann>" --turtle-view',
        'svc share --output shared/inventory --identifier-policy policy.json --sign',
      ],
      options: {
        output: 'dir|file',
        graph: 'iri',
        group_id: 'name',
        construct: 'sparql',
        shapes: 'name',
        no_shapes: '',
        parent: 'id',
        turtle_view: '',
        identifier_policy: 'file',
        sign: '',
        actor: 'name',
      },
      repeated: { shapes: 'shapes' },
      text: ({ share_id, output, unchanged, manifest }) =>
        `${unchanged ? 'unchanged' : `shared ${manifest.counts.triples} triples -> ${output}`}\nshare id: ${share_id}\n`,
      notice: ({ warnings, replaced, output, signed_by: signer }) => {
        const lines = warnings.map(
          ({ entry, texts }) => `identifier policy: ${entry} matches ${textsOf(texts)} (tier warn)`,
        );
        if (replaced)
          lines.push(`${output} held no share of this store and scope; it was replaced, and is not the parent`);
        if (signer !== undefined) lines.push(`signed by ${signer}`);
        return lines.map((line) => `${line}\n`).join('');
      },
    },
  },
});

function textsOf(count: number): string {
  return count === 1 ? '1 text' : `${count} texts`;
}
