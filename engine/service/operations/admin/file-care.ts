/**
 * Care that takes the file of a store to itself: it is rewritten without free pages, its damaged parts are made again, or a
 * backup takes its place.
 */

import { nullable, oneOf, Type } from '../../requests/schema.js';
import { compactStore, repairStore, restoreStore } from '../../store/maintenance.js';
import { defineFileOperation } from '../definition/operation.js';

/** Longer lists of transactions are cut when they are printed. */
const TOLD_MAX = 20;

const problems = Type.Array(Type.Object({ where: Type.String(), what: Type.String() }));

export const compact = defineFileOperation({
  name: 'compact',
  summary: 'Rewrite the file of the store without its free pages',
  access: 'admin',
  request: Type.Object({}),
  response: Type.Object({ bytes_before: Type.Integer(), bytes_after: Type.Integer(), bytes_won: Type.Integer() }),
  async handler({ path, control }) {
    const { bytesBefore, bytesAfter } = await compactStore(path, control);
    const body = { bytes_before: bytesBefore, bytes_after: bytesAfter, bytes_won: bytesBefore - bytesAfter };
    return { kind: 'body', body };
  },
  projections: {
    cli: {
      command: 'compact',
      notes: [
        'Nobody may write to the store meanwhile, and the disk needs room for a second file. The new file is',
        'verified before it takes the place of the old one. Readers that have the old one open go on reading it',
        'as it was; they see later writes, and free its space, when they open the store again.',
      ],
      examples: ['svc compact', 'svc compact --db graph.db --json'],
      options: {},
      text: (body) =>
        `compacted: ${body.bytes_before} bytes before, ${body.bytes_after} after, ${body.bytes_won} won\n`,
    },
  },
});

export const repair = defineFileOperation({
  name: 'repair',
  summary: 'Make damaged parts of the store again from the sound ones',
  access: 'admin',
  request: Type.Object({}),
  response: Type.Object({
    ok: Type.Boolean('the store is sound now'),
    problems_before: problems,
    problems,
    rebuilt: Type.Array(Type.String()),
    lost: Type.Array(Type.Object({ what: Type.String(), transactions: Type.Array(Type.Integer()) })),
    kept: nullable(Type.String(), 'where the file is kept as it was'),
  }),
  async handler({ path, control }) {
    const { ok, problemsBefore, ...rest } = await repairStore(path, control);
    return { kind: 'body', body: { ok, problems_before: problemsBefore, ...rest } };
  },
  projections: {
    cli: {
      command: 'repair',
      notes: [
        'Works on a copy, which takes the place of the file only when it is better; the file is kept beside it',
        'as <file>.damaged then. Nobody may write to the store meanwhile. What can not be made again is listed;',
        'a backup may have it.',
      ],
      examples: ['svc repair', 'svc repair --db graph.db --json'],
      options: {},
      succeeded: (body) => body.ok,
      text: (body) => {
        const lines = [
          ...body.rebuilt.map((what) => `rebuilt: ${what}`),
          ...body.lost.map(({ what, transactions }) => `lost: ${what}${listed(transactions)}`),
          ...body.problems.map(({ where, what }) => `still wrong: ${where}: ${what}`),
        ];
        const kept = body.kept === null ? '' : `; the file as it was: ${body.kept}`;
        if (body.problems_before.length === 0) return 'ok: nothing to repair\n';
        return `${body.ok ? 'repaired' : 'not repaired'}: ${body.problems_before.length} problem(s) before, ${body.problems.length} after${kept}\n${lines.map((line) => `  ${line}\n`).join('')}`;
      },
    },
  },
});

export const restore = defineFileOperation({
  name: 'restore',
  summary: 'Make a backup the store again',
  access: 'admin',
  request: Type.Object({
    from: Type.String({ minLength: 1, description: 'the backup: a file, or s3://bucket/name' }),
    overwrite: Type.Optional(Type.Boolean('replace a store that is there')),
  }),
  response: Type.Object({
    path: Type.String(),
    bytes: Type.Integer(),
    tx_id: Type.Integer('the newest transaction that the store has'),
    role: oneOf(['primary', 'follower'], 'what the store was that was backed up'),
  }),
  async handler({ path, control }, { from, overwrite }) {
    const { tx, ...rest } = await restoreStore(path, from, { ...control, overwrite });
    return { kind: 'body', body: { tx_id: tx, ...rest } };
  },
  projections: {
    cli: {
      command: 'restore',
      positional: [{ field: 'from', name: 'backup', summary: 'a file, or s3://bucket/name' }],
      notes: [
        'The backup is copied beside the store of --db, opened, and read to its last block; it takes the name of the',
        'store only then. Nobody may write to the store meanwhile. The backup stays as it is.',
      ],
      examples: ['svc restore monday.db --db graph.db', 'svc restore s3://backups/monday.db --db graph.db --overwrite'],
      options: { overwrite: '' },
      text: ({ path, bytes, tx_id: tx, role }) =>
        `restored ${path}: ${bytes} bytes, up to tx ${tx}${role === 'follower' ? '; it is a follower' : ''}\n`,
    },
  },
});

function listed(transactions: readonly number[]): string {
  if (transactions.length === 0) return '';
  const more = transactions.length > TOLD_MAX ? ` and ${transactions.length - TOLD_MAX} more` : '';
  return ` (transactions ${transactions.slice(0, TOLD_MAX).join(', ')}${more})`;
}
