/** Alignment: which entities of two graphs are the same, proposed, decided and written, without either graph being changed. */

import type { SvcError } from '../../../base/errors.js';
import { ALIGNMENT_VERDICTS } from '../../alignment/verdicts.js';
import { iri, nullable, oneOf, Type } from '../../requests/schema.js';
import { clampLimit, pageFields, writtenBy, writtenFields } from '../definition/fields.js';
import { asTheyAre, defineOperation, inWords } from '../definition/operation.js';
import { moreText } from '../definition/text.js';

const LIMIT = 200;
const TOP_K_MAX = 1000;

const pairFields = {
  left: iri({ minLength: 1, description: 'IRI of a graph; ROOT is urn:svc:graph:root' }),
  right: iri({ minLength: 1, description: 'IRI of the other graph' }),
};
const versionField = Type.String({ minLength: 1, description: 'expected_version of the answer before' });
const verdict = oneOf(ALIGNMENT_VERDICTS, 'accept (one entity) or negate (two)');

const decision = Type.Object({
  left: iri({ minLength: 1, description: 'entity of the left graph' }),
  right: iri({ minLength: 1, description: 'entity of the right' }),
  verdict,
  note: Type.Optional(nullable(Type.String(), 'why')),
});

const positional = [
  { field: 'left', name: 'left', summary: 'IRI of a graph; ROOT is urn:svc:graph:root' },
  { field: 'right', name: 'right', summary: 'IRI of the other graph' },
] as const;

export const alignPropose = defineOperation({
  name: 'align_propose',
  summary: 'Propose which entities of two graphs are the same, by their labels',
  access: 'read',
  request: Type.Object({
    ...pairFields,
    threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'the least score; default 0.85' })),
    top_k: Type.Optional(
      Type.Integer({ minimum: 1, maximum: TOP_K_MAX, description: 'most candidates of a left entity; default 3' }),
    ),
    entity_type: Type.Optional(iri({ minLength: 1, description: 'only entities of this type, on both sides' })),
    ...pageFields,
    limit: Type.Optional(Type.Integer('most mappings; 1 to 10000, default 200')),
  }),
  response: Type.Object({
    left: Type.String(),
    right: Type.String(),
    alignment_graph: Type.String('where decisions on the two stand'),
    expected_version: Type.String('of the state that was read'),
    mappings: Type.Array(
      Type.Object({
        left: Type.String(),
        right: Type.String(),
        left_label: Type.String(),
        right_label: Type.String(),
        score: Type.Number(),
        matched_on: Type.String(),
        contested: Type.Boolean('another pair is as good, or wants the same right entity'),
      }),
      'by score, then by the IRIs',
    ),
    count: Type.Integer(),
    truncated: Type.Boolean(),
    embeddings: Type.Optional(Type.Object({ error: Type.String() }, 'why names alone were compared')),
  }),
  async handler({ store, control, read }, { left, right, threshold, top_k, entity_type, limit, offset }) {
    const { signal, flag } = control;
    const { deadline, budget } = read;
    let failure: SvcError | undefined;
    const found = await store.proposeAlignment(left, right, {
      onFailure: (error) => {
        failure = error;
      },
      threshold,
      topK: top_k,
      entityType: entity_type,
      limit: clampLimit(limit, LIMIT),
      offset,
      signal,
      flag,
      deadline,
      memoryBytes: budget.memoryBytes,
    });
    const mappings = found.mappings.map(({ leftLabel, rightLabel, matchedOn, ...one }) => {
      const { left: l, right: r, score, contested } = one;
      return {
        left: l,
        right: r,
        left_label: leftLabel,
        right_label: rightLabel,
        score,
        matched_on: matchedOn,
        contested,
      };
    });
    const body = {
      left: found.left,
      right: found.right,
      alignment_graph: found.alignmentGraph,
      expected_version: found.expectedVersion,
      mappings,
      count: mappings.length,
      truncated: found.truncated,
    };
    if (failure === undefined) return { kind: 'body', body };
    return { kind: 'body', body: { ...body, embeddings: { error: failure.message } } };
  },
  projections: {
    http: [{ method: 'POST', path: '/align/propose', request: 'body' }],
    mcp: {
      tool: 'align_propose',
      description: [
        'Propose which entities of two graphs are the same, by how alike labels are and, where there are embeddings, by meaning. Look at each mapping (contested: another is as good), then give svc_align_decide your verdicts. For one name use svc_resolve_entity.',
      ],
      example: { left: 'http://ex.org/g/crm', right: 'http://ex.org/g/bill' },
      parameters: {
        ...inWords({ left: 'IRI of a graph', right: 'IRI of the other', entity_type: 'only instances of this class' }),
        threshold: { description: 'least score', default: 0.85 },
        top_k: { description: 'most a left entity', default: 3 },
        limit: { default: LIMIT },
        offset: { default: 0 },
      },
    },
    cli: {
      command: 'align propose',
      positional,
      named: { entity_type: 'type' },
      notes: [
        'Labels are compared as svc resolve compares names. The version at the end is what svc align decide asks for.',
      ],
      examples: [
        'svc align propose http://example.org/g/crm http://example.org/g/billing',
        'svc align propose http://example.org/g/crm urn:svc:graph:root --threshold 0.9 --json',
      ],
      options: { threshold: 'score', top_k: 'n', entity_type: 'iri', limit: 'n', offset: 'n' },
      text: ({ mappings, count, truncated, expected_version: version }) => {
        const lines = mappings.map(({ score, left, right, left_label: l, right_label: r, contested }) => {
          return `  ${score.toFixed(6)}  ${left} (${l})  ${right} (${r})${contested ? '  contested' : ''}\n`;
        });
        return `${lines.join('')}${count} mapping(s)\n${moreText(truncated)}expected version: ${version}\n`;
      },
    },
  },
});

export const alignDecide = defineOperation({
  name: 'align_decide',
  summary: 'Check decisions on proposed pairs and bind them to the state they were made on; nothing is stored',
  access: 'read',
  request: Type.Object({
    ...pairFields,
    expected_version: versionField,
    decisions: Type.Array(decision, 'of at least one pair'),
  }),
  response: Type.Object({
    left: Type.String(),
    right: Type.String(),
    decided: Type.Array(
      Type.Object({ left: Type.String(), right: Type.String(), verdict, note: nullable(Type.String()) }),
      'by the IRIs of the pairs',
    ),
    accepted: Type.Integer(),
    negated: Type.Integer(),
    expected_version: Type.String('of the state and of these decisions'),
  }),
  async handler({ store, control, read }, { left, right, expected_version, decisions }) {
    const { signal, flag } = control;
    const request = { left, right, expectedVersion: expected_version, decisions };
    const { expectedVersion, ...decided } = await store.decideAlignment(request, {
      signal,
      flag,
      deadline: read.deadline,
    });
    return { kind: 'body', body: { ...decided, expected_version: expectedVersion } };
  },
  projections: {
    http: [{ method: 'POST', path: '/align/decide', request: 'body' }],
    mcp: {
      tool: 'align_decide',
      description: [
        'Bind your verdicts on pairs of svc_align_propose to the state that they were made on: accept (one entity, one partner at most) or negate (two). Nothing is stored: hand decided and expected_version of the answer to svc_align_apply. version_conflict: the graphs have changed; propose again.',
      ],
      example: {
        left: 'http://ex.org/g/crm',
        right: 'http://ex.org/g/bill',
        expected_version: 'v1:4a...',
        decisions: [{ left: 'http://ex.org/crm/1', right: 'http://ex.org/bill/9', verdict: 'accept' }],
      },
      parameters: {
        ...inWords({
          left: 'IRI of a graph',
          right: 'IRI of the other',
          expected_version: 'that of the answer before',
          decisions: 'one a pair',
        }),
      },
    },
    cli: {
      command: 'align decide',
      body: {
        name: 'file',
        summary: 'the request as JSON: left, right, expected_version, decisions; - is standard input',
      },
      notes: ['The answer with --json is the request of svc align apply.'],
      examples: ['svc align decide decisions.json --json > decided.json'],
      options: { expected_version: 'version' },
      text: ({ accepted, negated, expected_version: version }) =>
        `accepted ${accepted}, negated ${negated}\nexpected version: ${version}\n`,
    },
  },
});

export const alignApply = defineOperation({
  name: 'align_apply',
  summary: 'Write decisions on pairs into the graph of their alignment',
  access: 'write',
  request: Type.Object({
    ...pairFields,
    expected_version: versionField,
    decided: Type.Array(decision, 'the decisions as align_decide gave them'),
    accepted: Type.Optional(Type.Integer('of that answer, which can be handed on as it is')),
    negated: Type.Optional(Type.Integer('of that answer')),
    ...writtenFields,
  }),
  response: Type.Object({
    tx_id: Type.Integer('0: all of it was written already'),
    same_as: Type.Integer('owl:sameAs facts that were written'),
    distinct_from: Type.Integer('svc:distinctFrom facts that were written'),
    retracted: Type.Integer('facts that said the opposite'),
    alignment_graph: Type.String(),
    expected_version: Type.String('of the state after it'),
  }),
  async handler({ store, control }, { left, right, expected_version, decided, timestamp, actor }) {
    const request = { left, right, expectedVersion: expected_version, decided };
    const written = writtenBy(control, { timestamp, actor });
    const { tx, sameAs, distinctFrom, retracted, alignmentGraph, expectedVersion } = await store.applyAlignment(
      request,
      written,
    );
    const body = {
      tx_id: tx,
      same_as: sameAs,
      distinct_from: distinctFrom,
      retracted,
      alignment_graph: alignmentGraph,
      expected_version: expectedVersion,
    };
    return { kind: 'body', body, notes: { tx } };
  },
  projections: {
    http: [{ method: 'POST', path: '/align/apply', request: 'body' }],
    mcp: {
      tool: 'align_apply',
      description: [
        'Write what svc_align_decide gave, unchanged, into a graph of its own: owl:sameAs for accept, svc:distinctFrom for negate. Neither graph changes. version_conflict: propose again.',
      ],
      example: {
        left: 'http://ex.org/g/crm',
        right: 'http://ex.org/g/bill',
        expected_version: 'v1:4a...+9f...',
        decided: [{ left: 'http://ex.org/crm/1', right: 'http://ex.org/bill/9', verdict: 'accept' }],
      },
      parameters: {
        ...inWords({
          left: 'IRI of a graph',
          right: 'IRI of the other',
          expected_version: 'that of svc_align_decide',
          decided: 'as svc_align_decide gave it',
        }),
        ...asTheyAre('timestamp', 'actor'),
      },
      destructive: true,
      idempotent: false,
    },
    cli: {
      command: 'align apply',
      body: { name: 'file', summary: 'what svc align decide --json answered; - is standard input' },
      examples: ['svc align apply decided.json --actor ann'],
      options: { expected_version: 'version', timestamp: 't', actor: 'name' },
      text: ({ tx_id: tx, same_as: same, distinct_from: distinct, retracted, alignment_graph: graph }) =>
        `aligned in ${graph}: ${same} same, ${distinct} distinct, ${retracted} retracted (tx ${tx})\n`,
    },
  },
});
