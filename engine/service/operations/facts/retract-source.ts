/** Says what a source owns in a graph, or takes it back. */

import { findingLists, judgedLists } from '../../gates/findings.js';
import { nullable, Type } from '../../requests/schema.js';
import { statementFields, toStatement } from '../definition/facts.js';
import { graphField, writtenBy, writtenFields } from '../definition/fields.js';
import { asTheyAre, defineOperation, inWords } from '../definition/operation.js';
import { valueText } from '../definition/text.js';

const orNull = nullable(Type.Integer());

export const retractSource = defineOperation({
  name: 'retract_source',
  summary: 'Preview, or take back, the current facts that a source owns',
  access: 'write',
  forSomeGraphs: 'answered',
  request: Type.Object({
    source: Type.String('the source, byte for byte'),
    repair: Type.String('ticket or reason; the transaction has the source repair:<repair>'),
    apply: Type.Optional(Type.Boolean('do it; otherwise only say what would be done')),
    expect: Type.Optional(Type.Integer({ minimum: 0, description: 'refuse when another number is planned' })),
    graph: Type.Optional(graphField),
    ...writtenFields,
  }),
  response: Type.Object({
    source: Type.String(),
    graph: Type.String(),
    planned: Type.Integer(),
    entities: Type.Integer(),
    applied: Type.Boolean(),
    tx_id: orNull,
    retracted: orNull,
    repair_source: Type.String(),
    sample: Type.Array(Type.Object(statementFields)),
    sample_truncated: Type.Boolean(),
    remaining: Type.Optional(Type.Integer()),
    ...findingLists,
  }),
  async handler({ store, control }, { source, ...request }) {
    const plan = await store.retractSource(source, { ...request, ...writtenBy(control, request) });
    const { graph, planned, entities, applied, tx, retracted, repairSource, sample, sampleTruncated, remaining } = plan;
    const body = {
      source,
      graph,
      planned,
      entities,
      applied,
      tx_id: tx,
      retracted,
      repair_source: repairSource,
      sample: sample.map(toStatement),
      sample_truncated: sampleTruncated,
      ...judgedLists(plan),
      remaining,
    };
    return { kind: 'body', body, notes: { written: retracted ?? 0 } };
  },
  projections: {
    http: [{ method: 'POST', path: '/retract/source', request: 'body' }],
    mcp: {
      tool: 'retract_source',
      description: [
        'Take back what a source (an argument of svc_knot) wrote in a graph. Without apply it only previews: planned is how many facts. Then call again with apply: true and expect: <planned>, so that nothing else is taken.',
        'It stays in the history. For an episode use svc_retract_episode.',
      ],
      example: { source: 'import-2026-01', repair: 'TICKET-7', apply: false },
      parameters: {
        ...inWords({
          source: 'byte for byte',
          repair: 'ticket or reason, for the history',
          expect: 'refuse when another number is planned',
        }),
        apply: { default: false },
        graph: { description: 'IRI of the graph; absent = ROOT' },
        ...asTheyAre('timestamp', 'actor'),
      },
      destructive: true,
      idempotent: true,
    },
    cli: {
      command: 'retract-source',
      positional: [{ field: 'source', name: 'source', summary: 'the source of the transactions' }],
      notes: ['Without --apply nothing is changed.'],
      examples: [
        'svc retract-source import-2026-01 --repair TICKET-7',
        'svc retract-source import-2026-01 --repair TICKET-7 --apply --expect 12',
      ],
      options: { repair: 'text', apply: '', expect: 'n', graph: 'iri', timestamp: 't', actor: 'name' },
      text: (body) => {
        if (body.applied) return `retracted ${body.retracted} fact(s) of ${body.source} (tx ${body.tx_id})\n`;
        const lines = body.sample.map((fact) => `  ${fact.entity}  ${fact.predicate}  ${valueText(fact.value)}\n`);
        const more = body.sample_truncated ? '  ...\n' : '';
        return `${lines.join('')}${more}planned: ${body.planned} fact(s) of ${body.entities} entities; nothing was changed\n`;
      },
    },
  },
});
