/** How a share bundle stands to the store. */

import { oneOf, Type, textOrNull } from '../../requests/schema.js';
import { clampLimit, limitField } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';
import { bundleField, conflictFields, conflictText } from './merge-answers.js';

const side = (who: string) =>
  Type.Object({
    added: Type.Integer(`triples that ${who} and the base has not`),
    removed: Type.Integer('triples that the base has, and it has not'),
  });

export const shareStatus = defineOperation({
  name: 'share_status',
  summary: 'Show how a share bundle stands to the store, and what a merge of it would do',
  access: 'read',
  request: Type.Object({ bundle: bundleField, limit: Type.Optional(limitField) }),
  response: Type.Object({
    share_id: Type.String(),
    base: textOrNull,
    graph: Type.String('IRI of the graph that it is compared with'),
    relation: oneOf(['identical', 'ahead', 'behind', 'diverged', 'unrelated']),
    ours: side('the store has'),
    theirs: side('the share has'),
    would: Type.Object({ assert: Type.Integer(), retract: Type.Integer() }),
    conflicts: Type.Array(Type.Object(conflictFields)),
    changes: Type.Array(
      Type.Object({ op: oneOf(['assert', 'retract']), triple: Type.String('canonical N-Triples') }),
      'the first triples that a merge would assert or retract',
    ),
    truncated: Type.Boolean('there are more of these triples'),
  }),
  async handler({ store, control }, { bundle, limit }) {
    const { shareId, ...status } = await store.shareStatus(bundle, { ...control, limit: clampLimit(limit) });
    return {
      kind: 'body',
      body: { share_id: shareId, ...status, conflicts: [...status.conflicts], changes: [...status.changes] },
    };
  },
  projections: {
    cli: {
      command: 'status',
      positional: [{ field: 'bundle', name: 'dir|archive', summary: 'the share bundle' }],
      notes: [
        'The first line is the relation: identical; ahead (the store has changed, the share has not), behind (the other way',
        'round), diverged, or unrelated (no ancestor of the share is known here). Then + and - before the triples that a merge',
        'would assert and retract, and ! before what would be in conflict. Nothing is written.',
      ],
      examples: ['svc status shared/inventory', 'svc status inventory.qpack.tar.gz --json'],
      options: { limit: 'n' },
      text: ({ relation, changes, conflicts }) => {
        const lines = changes.map(({ op, triple }) => `${op === 'assert' ? '+' : '-'} ${triple}\n`);
        return `${relation}\n${lines.join('')}${conflicts.map(conflictText).join('')}`;
      },
      notice: ({ base, ours, theirs, would, changes, truncated }) => {
        const more = would.assert + would.retract - changes.length;
        const counts = `ours: +${ours.added} -${ours.removed}; theirs: +${theirs.added} -${theirs.removed}`;
        const merge = `a merge would assert ${would.assert} and retract ${would.retract}`;
        return `base: ${base ?? 'none'}\n${counts}; ${merge}\n${truncated ? `... ${more} more (--limit)\n` : ''}`;
      },
    },
  },
});
