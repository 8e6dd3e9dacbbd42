/** Overlays: scratch graphs of changes over a parent, which stays as it is. */

import { OVERLAY_OPS } from '../../../graphs/overlays.js';
import { PRECEDENCES } from '../../../query/registry/overlay-rows.js';
import { termToJson } from '../../requests/json.js';
import { iri, oneOf, Type } from '../../requests/schema.js';
import {
  clampLimit,
  pageFields,
  predicateField,
  valueField,
  valueSchema,
  writtenBy,
  writtenFields,
} from '../definition/fields.js';
import { asTheyAre, defineOperation, inWords } from '../definition/operation.js';
import { moreText, valueText } from '../definition/text.js';

const overlayField = iri({ minLength: 1, description: 'IRI of the overlay' });
const named = { field: 'overlay', name: 'iri', summary: 'the overlay' } as const;
const written = { timestamp: 't', actor: 'name' } as const;

export const overlayCreate = defineOperation({
  name: 'overlay_create',
  summary: 'Make an overlay: a graph of changes over a parent, which stays as it is',
  access: 'write',
  forSomeGraphs: 'answered',
  request: Type.Object({
    overlay: overlayField,
    parent_branch: Type.Optional(
      iri({ minLength: 1, description: 'IRI of the graph that it lies over; default ROOT' }),
    ),
    ...writtenFields,
  }),
  response: Type.Object({
    g: Type.Optional(Type.Integer('number of the overlay in this store; who may read some graphs only is not told it')),
    parent_branch: Type.Optional(Type.Integer('number of the parent; 0 is ROOT')),
    overlay: Type.String(),
    parent: Type.String(),
  }),
  async handler({ store, control }, { overlay, parent_branch: branch, timestamp, actor }) {
    const made = await store.createOverlay(overlay, { ...writtenBy(control, { timestamp, actor }), parent: branch });
    const { number, parentNumber, parent, tx } = made;
    const numbered = store.readsAll ? { g: number, parent_branch: parentNumber } : {};
    return { kind: 'body', body: { ...numbered, overlay, parent }, notes: { tx } };
  },
  projections: {
    http: [{ method: 'POST', path: '/overlay/create', request: 'body' }],
    mcp: {
      tool: 'overlay_create',
      description: [
        'Make an overlay: a graph of hypotheses that lies over a parent graph and never changes it. To try changes: write them by svc_overlay_write, read both together by svc_overlay_compose.',
      ],
      example: { overlay: 'http://ex.org/what-if' },
      parameters: { ...inWords({ overlay: 'its IRI', parent_branch: 'IRI of the parent; default ROOT' }) },
      destructive: false,
      idempotent: true,
    },
    cli: {
      command: 'overlay create',
      positional: [named],
      creates: true,
      notes: ['Bound once: the same parent again changes nothing, another one is refused.'],
      examples: [
        'svc overlay create http://example.org/what-if',
        'svc overlay create http://example.org/what-if --parent-branch http://example.org/g',
      ],
      options: { parent_branch: 'iri', ...written },
      text: ({ overlay, parent }) => `overlay ${overlay} over ${parent}\n`,
    },
  },
});

export const overlayWrite = defineOperation({
  name: 'overlay_write',
  summary: 'Write one triple into an overlay: assert it, hide it, or take that back',
  access: 'write',
  forSomeGraphs: 'answered',
  request: Type.Object({
    overlay: overlayField,
    op: oneOf(
      OVERLAY_OPS,
      'assert: the overlay has the triple; tombstone: it hides the triple of the parent; retract: neither',
    ),
    subject: iri({ minLength: 1, description: 'IRI of the subject, or _:label' }),
    predicate: predicateField,
    object: valueField,
    ...writtenFields,
  }),
  response: Type.Object({ tx_id: Type.Integer('0: the overlay says so already') }),
  async handler({ store, control }, { overlay, op, subject, predicate, object, timestamp, actor }) {
    const change = { op, subject, predicate, object: object as string };
    const { tx, asserted, retracted } = await store.writeOverlay(overlay, change, {
      ...writtenBy(control, { timestamp, actor }),
    });
    return { kind: 'body', body: { tx_id: tx }, notes: { written: asserted + retracted } };
  },
  projections: {
    http: [{ method: 'POST', path: '/overlay/write', request: 'body' }],
    mcp: {
      tool: 'overlay_write',
      description: [
        'Write one triple into an overlay of svc_overlay_create; its parent is never touched. The last write of a triple decides.',
        "assert adds it; tombstone hides the parent's triple; retract takes either back. To replace a value, tombstone the old triple and assert the new one. tx_id: 0: it was so already.",
      ],
      example: {
        overlay: 'http://ex.org/what-if',
        op: 'tombstone',
        subject: 'http://ex.org/ann',
        predicate: 'http://ex.org/worksFor',
        object: { iri: 'http://ex.org/acme' },
      },
      parameters: {
        ...inWords({ overlay: 'its IRI', op: 'what becomes of the triple' }),
        ...asTheyAre('subject', 'predicate'),
        object: { schema: valueSchema },
        timestamp: {},
      },
      destructive: true,
      idempotent: true,
    },
    cli: {
      command: 'overlay write',
      positional: [
        named,
        { field: 'op', name: 'op', summary: 'assert, tombstone or retract' },
        { field: 'subject', name: 'subject', summary: 'IRI of the subject, or _:label' },
        { field: 'predicate', name: 'predicate', summary: 'IRI of the predicate' },
        {
          field: 'object',
          name: 'object',
          summary: 'the object as JSON: \'"text"\', \'{"iri": "..."}\', \'{"int": 42}\'',
        },
      ],
      json: ['object'],
      notes: ['assert: the overlay has the triple; tombstone: it hides the triple of the parent; retract: neither.'],
      examples: [
        'svc overlay write http://example.org/what-if assert http://example.org/ann http://example.org/age \'{"int": 31}\'',
        'svc overlay write http://example.org/what-if tombstone http://example.org/ann http://example.org/age \'{"int": 30}\'',
      ],
      options: written,
      text: ({ tx_id: tx }) => (tx === 0 ? 'nothing to write: the overlay says so already\n' : `written (tx ${tx})\n`),
    },
  },
});

export const overlayCompose = defineOperation({
  name: 'overlay_compose',
  summary: 'Read an overlay and its parent together',
  access: 'read',
  request: Type.Object({
    overlay: overlayField,
    precedence: Type.Optional(
      oneOf(
        PRECEDENCES,
        'nearest (default): the overlay wins; governed: the parent does, and tombstones hide nothing of it',
      ),
    ),
    ...pageFields,
  }),
  response: Type.Object({
    triples: Type.Array(
      Type.Object({
        subject: Type.String(),
        predicate: Type.String(),
        object: Type.Unknown(),
        from: oneOf(['overlay', 'parent']),
      }),
    ),
    count: Type.Integer(),
    truncated: Type.Boolean(),
  }),
  async handler({ store, control }, { overlay, precedence, limit, offset }) {
    const { signal, flag } = control;
    const page = await store.composeOverlay(overlay, { precedence, limit: clampLimit(limit), offset, signal, flag });
    const triples = page.triples.map(({ subject, predicate, object, from }) => ({
      subject: termToJson(subject) as string,
      predicate: predicate.value,
      object: termToJson(object),
      from,
    }));
    return { kind: 'body', body: { triples, count: triples.length, truncated: page.truncated } };
  },
  projections: {
    http: [{ method: 'POST', path: '/overlay/compose', request: 'body' }],
    mcp: {
      tool: 'overlay_compose',
      description: [
        'List an overlay and its parent as one graph, each triple with from: overlay or parent. nearest (default): without what the overlay hides; governed: all of the parent, too.',
        'A graph that is no overlay is read by svc_query.',
      ],
      example: { overlay: 'http://ex.org/what-if', precedence: 'nearest' },
      parameters: {
        ...inWords({ overlay: 'its IRI', precedence: 'which of them wins' }),
        limit: { default: 100 },
        offset: { default: 0 },
      },
    },
    cli: {
      command: 'overlay compose',
      positional: [named],
      notes: ['Lines of the overlay begin with +, those of its parent with a space.'],
      examples: [
        'svc overlay compose http://example.org/what-if',
        'svc overlay compose http://example.org/what-if --precedence governed --limit 1000 --json',
      ],
      options: { precedence: 'which', limit: 'n', offset: 'n' },
      text: ({ triples, count, truncated }) => {
        const lines = triples.map(
          ({ subject, predicate, object, from }) =>
            `${from === 'overlay' ? '+' : ' '} ${subject}  ${predicate}  ${valueText(object)}\n`,
        );
        return `${lines.join('')}${count} triples\n${moreText(truncated)}`;
      },
    },
  },
});
