/** Forks of ROOT, as commands: make one, list them, compare two, drop one, bring one home. */

import { throwIfStopped } from '../../../base/control.js';
import { termToJson } from '../../requests/json.js';
import { oneOf, Type } from '../../requests/schema.js';
import { clampLimit, pageFields, pageOf, writtenBy, writtenFields } from '../definition/fields.js';
import { type CommandOperation, defineOperation, isCommand, type OperationContext } from '../definition/operation.js';
import { moreText, valueText } from '../definition/text.js';

const nameField = Type.String({ minLength: 1, description: 'name of the fork' });
const written = { timestamp: 't', actor: 'name' };
/** Of a comparison, where nobody says: as many as an answer takes. */
const CHANGES_MAX = 10_000;

/** Who writes, and what is told of it meanwhile. */
function writing({ control }: OperationContext, request: { readonly timestamp?: string; readonly actor?: string }) {
  return { ...writtenBy(control, request), flag: control.flag, onProgress: control.onProgress };
}

const create = defineOperation({
  name: 'fork_create',
  summary: 'Copy ROOT as of a transaction into a fork, which is written without ROOT changing',
  access: 'write',
  request: Type.Object({
    tx: Type.Integer({ minimum: 0, description: 'transaction whose ROOT is copied; 0: nothing' }),
    name: Type.Optional(Type.String({ minLength: 1, description: '1 to 128 of A-Z a-z 0-9 . _ -; default fork-<tx>' })),
    ...writtenFields,
  }),
  response: Type.Object({
    name: Type.String(),
    graph: Type.String('IRI of its graph'),
    tx: Type.Integer('transaction whose ROOT it copied'),
    facts: Type.Integer('facts that were copied'),
    tx_id: Type.Integer('transaction that made the fork'),
  }),
  async handler(context, { tx, name, ...more }) {
    const made = await context.store.createFork({ tx, name }, writing(context, more));
    const { name: called, graph, facts, tx: txId } = made;
    return { kind: 'body', body: { name: called, graph, tx, facts, tx_id: txId }, notes: { tx: txId } };
  },
  projections: {
    cli: {
      command: 'fork',
      positional: [{ field: 'tx', name: 'tx', summary: 'transaction whose ROOT is copied' }],
      json: ['tx'],
      notes: ['Names are not used again, whatever becomes of the fork.'],
      examples: ['svc fork 42', 'svc fork 42 --name cleanup'],
      options: { name: 'name', ...written },
      text: ({ tx, name, graph }) =>
        `forked ROOT as of tx ${tx} into '${name}' (${graph})\nread it with: svc read "<query>" --fork ${name}\n`,
    },
  },
});

const list = defineOperation({
  name: 'fork_list',
  summary: 'List the forks, those that have ended as well',
  access: 'read',
  request: Type.Object(pageFields),
  response: Type.Object({
    forks: Type.Array(
      Type.Object({
        name: Type.String(),
        graph: Type.String(),
        tx: Type.Integer(),
        status: oneOf(['open', 'dropped', 'promoted']),
        created_at: Type.String(),
        created_tx: Type.Integer(),
      }),
    ),
    count: Type.Integer(),
    truncated: Type.Boolean(),
  }),
  async handler({ store, control }, page) {
    const all = await store.forks();
    throwIfStopped(control, 'the listing');
    const { entries, truncated } = pageOf(all, page);
    const { forkGraph } = await import('../../../query/registry/fork-rows.js');
    const forks = entries.map(({ name, tx, status, createdAt, createdTx }) => {
      return { name, graph: forkGraph(name), tx, status, created_at: createdAt, created_tx: createdTx };
    });
    return { kind: 'body', body: { forks, count: forks.length, truncated } };
  },
  projections: {
    cli: {
      command: 'fork list',
      examples: ['svc fork list', 'svc fork list --json'],
      options: { limit: 'n', offset: 'n' },
      text: ({ forks, count, truncated }) => {
        if (count === 0) return 'no forks\n';
        const rows = forks.map(({ name, tx, status, created_at: created }) => [name, String(tx), status, created]);
        return `${columnsText([['name', 'fork-tx', 'status', 'created'], ...rows])}${moreText(truncated)}`;
      },
    },
  },
});

/** Aligned. */
function columnsText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] as readonly string[]).map((_, at) =>
    Math.max(...rows.map((row) => (row[at] as string).length)),
  );
  const lines = rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] as number)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

const diff = defineOperation({
  name: 'fork_diff',
  summary: 'Compare what two forks hold now, or a fork and ROOT',
  access: 'read',
  request: Type.Object({
    a: Type.String({ minLength: 1, description: 'a fork, or main for ROOT' }),
    b: Type.String({ minLength: 1, description: 'the other one' }),
    ...pageFields,
  }),
  response: Type.Object({
    a: Type.String(),
    b: Type.String(),
    added: Type.Integer('triples that only b has'),
    removed: Type.Integer('triples that only a has'),
    changes: Type.Array(
      Type.Object({
        op: oneOf(['added', 'removed']),
        subject: Type.String(),
        predicate: Type.String(),
        value: Type.Unknown(),
      }),
    ),
    count: Type.Integer(),
    truncated: Type.Boolean(),
  }),
  async handler({ store, control }, { a, b, limit, offset }) {
    const page = { limit: clampLimit(limit, CHANGES_MAX), offset };
    const { added, removed, changes, truncated } = await store.forkDiff(a, b, { ...control, ...page });
    const shown = changes.map(({ op, subject, predicate, object }) => {
      return { op, subject: termToJson(subject) as string, predicate: predicate.value, value: termToJson(object) };
    });
    return { kind: 'body', body: { a, b, added, removed, changes: shown, count: shown.length, truncated } };
  },
  projections: {
    cli: {
      command: 'fork diff',
      positional: [
        { field: 'a', name: 'a', summary: 'a fork, or main for ROOT' },
        { field: 'b', name: 'b', summary: 'the other one' },
      ],
      examples: ['svc fork diff main cleanup', 'svc fork diff main cleanup --json'],
      options: { limit: 'n', offset: 'n' },
      text: ({ a, b, added, removed, changes, truncated }) => {
        const lines = changes.map(({ op, subject, predicate, value }) => {
          const mark = op === 'added' ? '+' : '-';
          return `${mark} ${nodeText(subject)} <${predicate}> ${valueText(value)}\n`;
        });
        return `${lines.join('')}${a} -> ${b}: +${added} -${removed}\n${moreText(truncated)}`;
      },
    },
  },
});

function nodeText(subject: string): string {
  return subject.startsWith('_:') ? subject : `<${subject}>`;
}

const endedFields = {
  name: Type.String(),
  graph: Type.String('IRI of its graph, whose facts stay readable'),
  status: oneOf(['dropped', 'promoted']),
};

const ending = Type.Object({ name: nameField, ...writtenFields });

const drop = defineOperation({
  name: 'fork_drop',
  summary: 'End a fork without bringing it into ROOT',
  access: 'write',
  request: ending,
  response: Type.Object({ ...endedFields, tx_id: Type.Integer('transaction that ended the fork') }),
  async handler(context, { name, ...more }) {
    const { tx } = await context.store.dropFork(name, writing(context, more));
    const { forkGraph } = await import('../../../query/registry/fork-rows.js');
    const body = { name, graph: forkGraph(name), status: 'dropped', tx_id: tx } as const;
    return { kind: 'body', body, notes: { tx } };
  },
  projections: {
    cli: {
      command: 'fork drop',
      positional: [{ field: 'name', name: 'name', summary: 'the fork' }],
      examples: ['svc fork drop cleanup'],
      options: written,
      text: ({ name, graph }) => `fork '${name}' dropped (its facts stay readable as ${graph})\n`,
    },
  },
});

const promote = defineOperation({
  name: 'fork_promote',
  summary: 'Bring what a fork has become since it was made into ROOT, and end it',
  access: 'write',
  request: ending,
  response: Type.Object({
    ...endedFields,
    asserted: Type.Integer('facts that ROOT gained'),
    retracted: Type.Integer('facts that ROOT lost'),
    tx_id: Type.Integer('transaction that changed ROOT; 0: it did not change'),
  }),
  async handler(context, { name, ...more }) {
    const { asserted, retracted, tx } = await context.store.promoteFork(name, writing(context, more));
    const { forkGraph } = await import('../../../query/registry/fork-rows.js');
    const body = { name, graph: forkGraph(name), status: 'promoted', asserted, retracted, tx_id: tx } as const;
    return { kind: 'body', body, notes: { tx } };
  },
  projections: {
    cli: {
      command: 'fork promote',
      positional: [{ field: 'name', name: 'name', summary: 'the fork' }],
      notes: [
        'What the fork added since it was made is asserted, what it removed is retracted where ROOT still has it.',
      ],
      examples: ['svc fork promote cleanup'],
      options: written,
      text: ({ name, asserted, retracted, tx_id: tx }) =>
        `promoted fork '${name}' to ROOT: asserted ${asserted}, retracted ${retracted} (tx ${tx})\n`,
    },
  },
});

export const FORK_COMMANDS: readonly CommandOperation[] = [create, list, diff, drop, promote].filter(isCommand);
