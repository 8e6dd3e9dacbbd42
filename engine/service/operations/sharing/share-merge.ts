/** Merges a share bundle into the store; conflicts are left in a file, to be decided. */

import { randomUUID } from 'node:crypto';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isObject } from '../../../base/objects.js';
import type { Decision, DecisionsDocument } from '../../../share/decisions.js';
import { oneOf, type Static, Type, textOrNull } from '../../requests/schema.js';
import { writtenBy, writtenFields } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';
import { bundleField, conflictFields } from './merge-answers.js';

const response = Type.Object({
  outcome: oneOf(['merged', 'conflicts'], 'conflicts: nothing was written'),
  share_id: Type.String(),
  base: textOrNull,
  graph: Type.String('IRI of the graph that was merged into'),
  tx_id: Type.Integer('0: nothing of the graph changed'),
  asserted: Type.Integer(),
  retracted: Type.Integer(),
  conflicts_resolved: Type.Integer(),
  decisions: Type.Optional(Type.Array(Type.Object({ ...conflictFields, resolution: Type.Unknown() }))),
  decisions_file: Type.Optional(Type.String('where the decisions were left')),
});
type MergeAnswer = Static<typeof response>;

const UNDECIDED = 2;
/** A command that describes itself does not load the module of decisions for it. */
const DECISIONS_FILE = 'merge-decisions.json';

export const shareMerge = defineOperation({
  name: 'share_merge',
  summary: 'Merge a share bundle into the store, three ways, in one transaction',
  access: 'admin',
  opens: 'write',
  request: Type.Object({
    bundle: bundleField,
    decisions: Type.Optional(Type.String({ minLength: 1, description: 'what was decided of conflicts' })),
    ...writtenFields,
  }),
  response,
  async handler({ store, control }, { bundle, decisions, ...more }) {
    const { flag, onProgress } = control;
    const options = { ...writtenBy(control, more), flag, onProgress, decisions };
    const result = await store.mergeShare(bundle, options);
    const { shareId, base, graph } = result;
    if (result.outcome === 'merged') {
      const { tx, asserted, retracted, conflictsResolved, outcome } = result;
      const counts = { tx_id: tx, asserted, retracted, conflicts_resolved: conflictsResolved };
      return { kind: 'body', body: { outcome, share_id: shareId, base, graph, ...counts }, notes: { tx } };
    }
    const file = await leaveDecisions(bundle, result.decisions);
    const body: MergeAnswer = {
      outcome: result.outcome,
      share_id: shareId,
      base,
      graph,
      tx_id: 0,
      asserted: 0,
      retracted: 0,
      conflicts_resolved: 0,
      decisions: [...result.decisions.decisions],
      decisions_file: file,
    };
    return { kind: 'body', body };
  },
  projections: {
    cli: {
      command: 'merge',
      positional: [{ field: 'bundle', name: 'dir|archive', summary: 'the share bundle' }],
      notes: [
        'What they added since the base is asserted, what they removed is retracted; what was removed here stays removed. The',
        'base is the nearest ancestor of the share that this store shared, promoted or merged; without one nothing is retracted.',
        `More values than sh:maxCount of the stored shapes allows are a conflict: nothing is written (exit 2), and ${DECISIONS_FILE}`,
        'is left beside the bundle. Set each "resolution" to "ours", "theirs", "base" or {"values": [...]}, and merge again with it.',
      ],
      examples: [
        'svc merge shared/inventory',
        `svc merge shared/inventory --decisions shared/inventory/${DECISIONS_FILE}`,
      ],
      options: { decisions: 'file', timestamp: 't', actor: 'name' },
      files: ['decisions'],
      succeeded: ({ outcome }) => outcome === 'merged',
      failureCode: UNDECIDED,
      text: ({ outcome, share_id, base, asserted, retracted, tx_id: tx, decisions = [] }) => {
        if (outcome === 'merged') return `merged: +${asserted} -${retracted} (tx ${tx})\n`;
        return `${JSON.stringify({ share_id, base, decisions }, null, 2)}\n`;
      },
      notice: ({ outcome, decisions = [], decisions_file: file = '' }) => {
        if (outcome === 'merged') return '';
        const count = decisions.length === 1 ? '1 conflict' : `${decisions.length} conflicts`;
        return `error: ${count}; nothing was written\n  hint: decide in ${file}, then svc merge --decisions ${file}\n`;
      },
    },
  },
});

/** Writes the decisions beside the bundle, with those that were made for the share already. */
async function leaveDecisions(bundle: string, document: DecisionsDocument): Promise<string> {
  const { writeDecisions } = await import('../../../share/decisions.js');
  const folder = (await stat(bundle)).isDirectory() ? bundle : dirname(bundle);
  const path = join(folder, DECISIONS_FILE);
  const made = await madeDecisions(path, document.share_id);
  const decisions = document.decisions.map((one) => ({ ...one, resolution: made.get(one.id) ?? null }) as Decision);
  const draft = `${path}.${randomUUID().slice(0, 8)}.tmp`;
  // Bundles come from others: what stands there under that name, a link for instance, is not written through.
  await writeFile(draft, writeDecisions({ ...document, decisions }), { flag: 'wx' });
  await rename(draft, path);
  return path;
}

/** Somebody may have decided, and not named the file. */
async function madeDecisions(path: string, shareId: string): Promise<ReadonlyMap<string, unknown>> {
  const made = new Map<string, unknown>();
  try {
    const document: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (!isObject(document) || document.share_id !== shareId || !Array.isArray(document.decisions)) return made;
    for (const one of document.decisions) if (isObject(one)) made.set(String(one.id), one.resolution);
  } catch {
    // There is none, or it is none: it is written anew.
  }
  return made;
}
