/** Takes a share bundle in: verified, rewritten and judged, into a graph of its own; never into ROOT. */

import type { LoadSource } from '../../../storage/seam/engine.js';
import { MEMORY_PATH } from '../../options/store-options.js';
import { nullable, oneOf, type Static, Type, textOrNull } from '../../requests/schema.js';
import type { BundleInput } from '../../share/bundle-input.js';
import type { ImportedShareResult } from '../../writes/import-share.js';
import { writtenBy } from '../definition/fields.js';
import { asTheyAre, defineOperation } from '../definition/operation.js';
import { candidate, toCandidate } from '../episodes/episode-answers.js';
import { validationResult } from '../shapes/validate.js';

const request = Type.Object({
  manifest: Type.Union([Type.Object({}), Type.String()], 'the manifest, as an object or as its JSON text'),
  export_ntriples: Type.String('the text of export.nt'),
  shapes_turtle: Type.String('the text of shapes.ttl: kept as evidence, and never loaded'),
  source: Type.String({ minLength: 1, description: 'who the share came from, in words of your own' }),
  actor: Type.Optional(Type.String('who says to write')),
  recheck: Type.Optional(Type.Boolean('judge a share that is in quarantine again, by the shapes of now')),
  signature: Type.Optional(
    Type.Object(
      {
        verifier: Type.String('IRI of who vouches for the share'),
        public_key: Type.String('64 hex digits of an ed25519 key'),
        signature: Type.String('128 hex digits'),
      },
      'signature.json, where the bundle has one',
    ),
  ),
});

const response = Type.Object({
  outcome: oneOf(
    ['staged', 'quarantined', 'unchanged', 'verified'],
    'unchanged: it was imported before; verified: by the command without a store, nothing was stored',
  ),
  share_id: Type.String(),
  import: Type.String('IRI of the record of the import'),
  graph: nullable(Type.String(), 'the staging graph, or the quarantine graph when something was set aside'),
  quarantine_graph: textOrNull,
  accepted: Type.Integer('triples in the staging graph'),
  quarantined: Type.Integer('triples in the quarantine graph'),
  rewritten: Type.Array(
    Type.Object({ from: Type.String(), to: Type.String(), name: Type.String() }),
    'foreign IRIs that became local ones, since the labels of both are the same text and nothing else has it',
  ),
  resolution_candidates: Type.Array(
    Type.Object({ entity: Type.String(), candidates: Type.Array(candidate) }),
    'what foreign names may mean here; nothing is merged',
  ),
  names_left_out: Type.Integer('names that were not compared, since there are too many'),
  shacl: Type.Object({
    conforms: Type.Boolean(),
    violations: Type.Array(validationResult),
    warnings: Type.Array(validationResult),
    infos: Type.Array(validationResult),
  }),
  promotion_blockers: Type.Array(
    Type.Object({
      kind: oneOf(['off_vocabulary', 'violation']),
      subject: Type.String(),
      term: Type.Optional(Type.String()),
      message: Type.String(),
    }),
  ),
  truncated: Type.Boolean('lists of faults have their first 1000 entries only'),
  parent_known: Type.Boolean('this store knows the share that it follows'),
  signature: Type.Optional(
    Type.Object(
      {
        verifier: Type.String(),
        public_key: Type.String(),
        valid: Type.Boolean('it is one of this share, by the key that it names'),
        trusted: Type.Boolean('and a registration of this store with that key attests share'),
      },
      'there when somebody vouches for the share; what is accepted does not depend on it',
    ),
  ),
  tx_id: Type.Integer('transaction of the staging graph; 0: nothing was written'),
  quarantine_tx_id: Type.Optional(Type.Integer('transaction of the quarantine graph')),
});

type ImportBody = Static<typeof response>;

function answer(result: ImportedShareResult): ImportBody {
  const { signature, quarantineTx } = result;
  return {
    outcome: result.outcome,
    share_id: result.shareId,
    import: result.import,
    graph: result.graph,
    quarantine_graph: result.quarantineGraph,
    accepted: result.accepted,
    quarantined: result.quarantined,
    rewritten: result.rewritten,
    resolution_candidates: result.resolutionCandidates.map(({ entity, candidates }) => {
      return { entity, candidates: candidates.map(toCandidate) };
    }),
    names_left_out: result.namesLeftOut,
    shacl: result.shacl,
    promotion_blockers: result.blockers,
    truncated: result.truncated,
    parent_known: result.parentKnown,
    ...(signature === null ? {} : { signature: shownSignature(signature) }),
    tx_id: result.tx,
    ...(quarantineTx === null ? {} : { quarantine_tx_id: quarantineTx }),
  };
}

function shownSignature({ verifier, publicKey, valid, trusted }: NonNullable<ImportedShareResult['signature']>) {
  return { verifier, public_key: publicKey, valid, trusted };
}

/** The command hands the triples over as they lie; others send their text. */
function triplesOf(document: LoadSource | undefined, text: string): BundleInput['exportNTriples'] {
  if (document?.kind === 'file') return { path: document.path };
  return document?.kind === 'bytes' && document.bytes instanceof Uint8Array ? document.bytes : text;
}

export const importShare = defineOperation({
  name: 'import_share',
  summary: 'Take a share bundle in: verify it, and stage it in a graph of its own; ROOT is not written',
  access: 'write',
  listsIgnored: false,
  payload: 'export_ntriples',
  request,
  response,
  async handler(context, given) {
    const { store, configuration, control, documents, onCommandLine } = context;
    const { export_ntriples: text, shapes_turtle: shapesTurtle, manifest, source, actor, recheck, signature } = given;
    const exportNTriples = triplesOf(documents[0], text);
    const bundle = { manifest, exportNTriples, shapesTurtle, signature };
    if (onCommandLine === true && store.path === MEMORY_PATH) {
      const { verifiedOnly } = await import('../../share/verified-only.js');
      return { kind: 'body', body: await verifiedOnly(bundle, control) };
    }
    const {
      resolution: { top_k: topK, threshold },
      search: { label_predicates: labelPredicates },
    } = configuration;
    const resolution = { topK, threshold, labelPredicates };
    const options = { ...writtenBy(control, { ...(actor === undefined ? {} : { actor }) }), ...control };
    const result = await store.importShare(bundle, { ...options, source, recheck, resolution });
    return { kind: 'body', body: answer(result), notes: { tx: result.tx } };
  },
  projections: {
    http: [{ method: 'POST', path: '/import', request: 'body' }],
    mcp: {
      tool: 'import_share',
      extra: true,
      description: [
        'Take in a share bundle that another store made (svc_share): its hashes, its id and the form of its triples are verified, and it is refused as a whole when anything differs.',
        'What the loaded shapes allow comes into the staging graph urn:svc:share:<hex>, other subjects into urn:svc:quarantine:<hex>; ROOT is not written (svc_import_promote does that).',
        'Entities whose rdfs:label is exactly that of one local entity take its IRI ("rewritten"); what else a name may mean is told in "resolution_candidates", and nothing is merged.',
        'Answers {"outcome": "staged", "quarantined" or "unchanged", "share_id", "graph", "accepted", "quarantined", "promotion_blockers", "tx_id", ...}. A share in quarantine can not be promoted; recheck: true judges it again after shapes were loaded.',
      ],
      example: {
        manifest: {
          version: 'v1',
          share_id: 'sha256:ee5c06d99b1a7e2722fd90d3f38e37effd2877a06f36d54492cd447786ba602c',
          scope: { kind: 'root', value: null },
          files: {
            'export.nt': { sha256: '91ec49c8b16dff31bccb542eb3392bccb94170ea894a59c8864a4d8fc35b9fc1', bytes: 52 },
            'shapes.ttl': { sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', bytes: 0 },
          },
          counts: { triples: 1, blank_nodes: 0, shapes: 0 },
          shapes: [],
          lineage: {
            store: 'urn:svc:store:00000000-0000-4000-8000-000000000001',
            anchor_tx: 1,
            parent_share: null,
          },
          canonicalization: 'rdfc-1.0+ntriples',
          generator: 'svc-share/1',
        },
        export_ntriples: '<http://example.org/a> <http://example.org/p> "x" .\n',
        shapes_turtle: '',
        source: 'the inventory team',
      },
      parameters: asTheyAre('manifest', 'export_ntriples', 'shapes_turtle', 'source', 'actor', 'recheck', 'signature'),
      destructive: false,
      idempotent: true,
    },
    cli: {
      command: 'import',
      creates: true,
      storeless: 'unless-named',
      bundle: {
        name: 'bundle',
        summary: 'a directory that svc share has written, or an archive *.qpack.tar.gz',
      },
      notes: [
        'Without --db (and without --url) the bundle is verified, and nothing is stored. --source is by default the name of',
        'the directory or archive. Exit code 1 when the bundle is not what its manifest says.',
      ],
      examples: [
        'svc import shared/hosts',
        'svc import shared/hosts --db my.db --source "the inventory team"',
        'svc import hosts.qpack.tar.gz --db my.db --recheck',
      ],
      options: { source: 'text', actor: 'name', recheck: '' },
      text: (body) => importText(body),
    },
  },
});

function importText(body: ImportBody): string {
  const { outcome, share_id: id, graph, accepted, quarantined, signature } = body;
  const lines =
    outcome === 'verified'
      ? [`verified ${id} (not stored)`, `  triples: ${accepted}`]
      : [`${outcome} ${id} into ${graph}: accepted ${accepted}, quarantined ${quarantined}`];
  if (signature !== undefined) {
    const trust = signature.trusted ? 'trusted here' : signature.valid ? 'valid, not trusted here' : 'NOT VALID';
    lines.push(`  signed by ${signature.verifier} (${trust})`);
  }
  for (const { from, to, name } of body.rewritten) lines.push(`  rewritten ${from} -> ${to} (${JSON.stringify(name)})`);
  for (const { entity, candidates } of body.resolution_candidates) {
    for (const { iri, matched_on: by } of candidates) lines.push(`  candidate ${entity} may be ${iri} (${by})`);
  }
  if (body.names_left_out > 0) lines.push(`  ${body.names_left_out} names were not compared`);
  for (const { kind, subject, message } of body.promotion_blockers) lines.push(`  ${kind} ${subject}: ${message}`);
  if (body.truncated) lines.push('  ... and more');
  return `${lines.join('\n')}\n`;
}
