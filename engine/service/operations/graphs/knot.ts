/** Loads documents into ROOT or a graph, as one transaction. */

import { SvcError } from '../../../base/errors.js';
import type { LoadSource } from '../../../storage/seam/engine.js';
import { listsOf, wholeLists } from '../../gates/findings.js';
import { SERVER_LOAD_BYTES } from '../../options/store-options.js';
import { Type, textOrNull } from '../../requests/schema.js';
import {
  actorField,
  blankNodeScopeField,
  graphField,
  sourceField,
  timestampField,
  validFromField,
} from '../definition/fields.js';
import { asTheyAre, defineOperation, inWords } from '../definition/operation.js';

export const knot = defineOperation({
  name: 'knot',
  summary: 'Load documents: all of them in one transaction, or none',
  access: 'write',
  forSomeGraphs: 'answered',
  payload: 'turtle',
  request: Type.Object({
    turtle: Type.String('the document, in Turtle'),
    timestamp: Type.Optional(timestampField),
    valid_from: Type.Optional(validFromField),
    actor: Type.Optional(actorField),
    source: Type.Optional(sourceField),
    graph: Type.Optional(graphField),
    snapshot: Type.Optional(
      Type.String({ minLength: 1, description: 'snapshot key: the scope of blank nodes across versions' }),
    ),
    blank_node_scope: Type.Optional(blankNodeScopeField),
    shapes: Type.Optional(Type.String('SHACL shapes in Turtle that the data must conform to')),
    replace_snapshot: Type.Optional(Type.Boolean('retract what the snapshot key owns and the documents do not repeat')),
  }),
  response: Type.Object({
    conforms: Type.Boolean(),
    tx_id: Type.Integer(),
    count: Type.Integer('quads read from the documents'),
    new_facts: Type.Integer('quads that were not in the store before'),
    valid_from: Type.String(),
    snapshot: textOrNull,
    replaced: Type.Boolean(),
    retracted: Type.Optional(Type.Integer('facts that a replacement closed')),
    blank_nodes: Type.Optional(
      Type.Record(
        Type.String(),
        Type.String(),
        'of a document that the request holds: the stored label of each blank node that it labels, 100 at most',
      ),
    ),
    ...wholeLists,
  }),
  async handler(context, request) {
    const replaced = request.replace_snapshot ?? false;
    if (replaced && (request.snapshot ?? '').trim() === '') {
      throw new SvcError('invalid_request', "'replace_snapshot' needs a 'snapshot' key that is not empty");
    }
    const payload: LoadSource = {
      kind: 'bytes',
      bytes: new TextEncoder().encode(request.turtle),
      name: 'turtle',
      format: 'turtle',
    };
    const sources = context.documents.length > 0 ? context.documents : [payload];
    const receipt = await context.store.load(sources, {
      ...context.control,
      graph: request.graph,
      registeredOnly: true,
      // A server has reads besides.
      memoryBytesMax: context.running === undefined ? undefined : SERVER_LOAD_BYTES,
      timestamp: request.timestamp,
      validFrom: request.valid_from,
      actor: request.actor,
      source: request.source,
      snapshotKey: request.snapshot,
      replaceSnapshot: replaced,
      blankNodeScope: request.blank_node_scope,
      shapes: request.shapes,
      threads: context.threads,
      remoteContexts: context.remoteContexts,
    });
    const { turtle, snapshot, blank_node_scope: scope } = request;
    const hasLabels = context.documents.length === 0 && turtle.includes('_:');
    // Loaded when needed: few documents have any.
    const labels = hasLabels
      ? (await import('../episodes/minted-labels.js')).mintedLabels({ turtle, snapshot, scope })
      : {};
    return {
      kind: 'body',
      body: {
        conforms: true,
        tx_id: receipt.tx,
        count: receipt.quadsRead,
        new_facts: receipt.quadsAdded,
        valid_from: receipt.validFrom,
        snapshot: request.snapshot ?? null,
        replaced,
        ...(replaced ? { retracted: receipt.quadsRetracted } : {}),
        ...(Object.keys(labels).length === 0 ? {} : { blank_nodes: labels }),
        ...listsOf(receipt.findings),
      },
      notes: { written: receipt.quadsAdded + receipt.quadsRetracted },
    };
  },
  projections: {
    http: [{ method: 'POST', path: '/knot', request: 'body' }],
    mcp: {
      tool: 'knot',
      description: [
        'Load a Turtle document as one transaction, all or nothing: how new entities and many facts are written. For one value of a known entity use svc_set, for what you learnt in your own words svc_episode.',
        'What is there stays, unless replace_snapshot is true: then what the same snapshot key loaded before and this document lacks is retracted. A graph other than ROOT must exist. Stored SHACL shapes judge the result.',
        'blank_nodes has the labels by which other tools name blank nodes.',
      ],
      example: {
        turtle: '@prefix ex: <http://ex.org/> . ex:ann a ex:Person ; ex:knows ex:bob .',
        source: 'interview-2026-01-15',
      },
      parameters: {
        ...inWords({
          turtle: 'the document',
          valid_from: 'since when it holds; default the timestamp',
          source: 'where it comes from; svc_retract_source takes it back by this',
          shapes: 'SHACL in Turtle that it must conform to',
          graph: 'IRI of the graph; default ROOT',
          replace_snapshot: 'retract what the document lacks',
          snapshot: 'key of a document that comes again',
          blank_node_scope: 'store: keep labels of blank nodes, for a restore',
        }),
        ...asTheyAre('timestamp', 'actor'),
      },
      destructive: true,
      idempotent: false,
    },
    cli: {
      command: 'knot',
      aliases: ['load'],
      documents: true,
      notes: [
        'A directory stands for the documents below it; files of unknown extensions in it are skipped with a notice.',
        'A file that is named with an unknown extension is read as Turtle. `-` is standard input.',
        'Every format may be compressed: .gz, .zst. --graph names a graph that is there: `svc graph create` makes one.',
        'An address (http, https) is fetched, and is the base of its document; a file has a base by --base alone:',
        'an IRI, or file for the place of each file. Remote contexts of JSON-LD are fetched with --remote-contexts.',
      ],
      examples: [
        'svc knot people.ttl',
        'svc knot ontology/ extra.nq.gz --graph http://example.org/g',
        'svc knot https://example.org/people.ttl',
        'svc knot crawl/ --each --base file',
        'curl -s https://example.org/data.nt | svc knot - --format ntriples',
      ],
      options: {
        graph: 'iri',
        shapes: 'file',
        timestamp: 't',
        valid_from: 't',
        actor: 'name',
        source: 'text',
        snapshot: 'key',
        replace_snapshot: '',
        blank_node_scope: 'scope',
      },
      files: ['shapes'],
      creates: true,
      notice: ({ count, new_facts: added }) =>
        added === count ? '' : `${added} new facts; the others were there already, or more than once\n`,
      text: (body, { documents, request }) => {
        const passed = request.shapes === undefined ? '' : 'SHACL validation passed\n';
        return `${passed}knotted ${body.count} facts from ${documents} (tx ${body.tx_id})\n`;
      },
    },
  },
});
