/** Brings a staged share into ROOT, but for what ROOT has had and has lost again. */

import { termToJson } from '../../requests/json.js';
import { oneOf, Type } from '../../requests/schema.js';
import { actorField, writtenBy } from '../definition/fields.js';
import { asTheyAre, defineOperation } from '../definition/operation.js';

export const importPromote = defineOperation({
  name: 'import_promote',
  summary: 'Bring a staged share into ROOT; what was retracted there stays retracted',
  access: 'write',
  listsIgnored: false,
  request: Type.Object({
    share_id: Type.String({ minLength: 1, description: 'sha256: and 64 hex digits' }),
    actor: Type.Optional(actorField),
  }),
  response: Type.Object({
    share_id: Type.String(),
    outcome: oneOf(['promoted', 'unchanged'], 'unchanged: it was promoted before'),
    tx_id: Type.Integer('0 when it is unchanged'),
    triples: Type.Integer('of the staging graph, without those that are withheld'),
    suppressed_retractions: Type.Integer('triples that are withheld, since ROOT has had them and has lost them'),
    new_facts: Type.Integer('facts that ROOT did not have'),
    suppressed_sample: Type.Array(
      Type.Object({ entity: Type.String(), predicate: Type.String(), value: Type.Unknown() }),
      'of those that are withheld, 20 at most',
    ),
    graph: Type.String('the staging graph, which stays'),
  }),
  async handler({ store, control }, { share_id: shareId, actor }) {
    const options = { ...writtenBy(control, actor === undefined ? {} : { actor }), ...control };
    const result = await store.promoteShare(shareId, options);
    const { outcome, tx, triples, suppressed, added, sample, graph } = result;
    const body = {
      share_id: result.shareId,
      outcome,
      tx_id: tx,
      triples,
      suppressed_retractions: suppressed,
      new_facts: added,
      suppressed_sample: sample.map(({ subject, predicate, object }) => {
        return { entity: termToJson(subject) as string, predicate: predicate.value, value: termToJson(object) };
      }),
      graph,
    };
    return { kind: 'body', body, notes: { tx } };
  },
  projections: {
    http: [{ method: 'POST', path: '/import/promote', request: 'body' }],
    mcp: {
      tool: 'import_promote',
      extra: true,
      description: [
        'Bring a share that svc_import_share has staged into ROOT, as one transaction that shapes and all gates judge.',
        'Facts that ROOT has had and has lost again are withheld ("suppressed_retractions"); nothing is ever retracted.',
        'Answers {"share_id", "outcome": "promoted" or "unchanged", "tx_id", "triples", "suppressed_retractions", "new_facts", "suppressed_sample", "graph"}. A share in quarantine is refused (code state_conflict), as is one that was never imported (code not_found_in_store).',
      ],
      example: { share_id: 'sha256:ee5c06d99b1a7e2722fd90d3f38e37effd2877a06f36d54492cd447786ba602c' },
      parameters: asTheyAre('share_id', 'actor'),
      destructive: false,
      idempotent: true,
    },
    cli: {
      command: 'import promote',
      positional: [{ field: 'share_id', name: 'share-id', summary: 'as svc import tells it: sha256:...' }],
      notes: ['The staging graph stays. A share in quarantine can not be promoted.'],
      examples: ['svc import promote sha256:ee5c06d99b1a7e2722fd90d3f38e37effd2877a06f36d54492cd447786ba602c'],
      options: { actor: 'name' },
      text: (body) => {
        if (body.outcome === 'unchanged') return `unchanged ${body.share_id}: it was promoted before\n`;
        const kept = body.suppressed_retractions;
        const withheld = `${kept} retraction${kept === 1 ? '' : 's'} kept`;
        return `promoted ${body.share_id}: ${body.triples} triples, ${withheld} (tx ${body.tx_id})\n`;
      },
    },
  },
});
