/** Tells which transactions of the log a policy would have fired on; the hits are written as they are found. */

import { closable } from '../../../base/closable.js';
import { SvcError } from '../../../base/errors.js';
import { ROOT_GRAPH_IRI } from '../../../rdf/terms.js';
import type { Backtest, BacktestFigures, BacktestHit } from '../../governance/backtest.js';
import { writeJson } from '../../requests/json.js';
import { JSON_MEDIA_TYPE } from '../../requests/operation-answer.js';
import { Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

interface Range {
  readonly last_txs?: number;
  readonly from_tx?: number;
  readonly to_tx?: number;
}

interface Told {
  readonly policy: string;
  readonly from: number;
  readonly to: number;
}

/** Both ends included; without a word all there is. */
function rangeOf({ last_txs: last, from_tx: from, to_tx: to }: Range, newest: number): Omit<Told, 'policy'> {
  if (last !== undefined && (from !== undefined || to !== undefined)) {
    throw new SvcError('usage', "'last_txs' names a range, and so do 'from_tx' and 'to_tx': give one or the other");
  }
  if (last !== undefined) return { from: Math.max(1, newest - last + 1), to: newest };
  const range = { from: from ?? 1, to: to ?? newest };
  for (const [field, tx] of Object.entries({ from_tx: from, to_tx: to })) {
    if (tx !== undefined && tx > newest) {
      throw new SvcError('invalid_request', `'${field}': there is no transaction ${tx} yet: the latest is ${newest}`);
    }
  }
  if (range.from > range.to && newest > 0) {
    throw new SvcError('invalid_request', `'from_tx' is ${range.from}, after 'to_tx', which is ${range.to}`);
  }
  return range;
}

function summaryOf({ policy, from, to }: Told, figures: BacktestFigures): string {
  const { transactions, fired, hits, judged, unknown } = figures;
  const without = unknown === 0 ? '' : `, ${unknown} of them without evidence`;
  const range = transactions === 0 ? 'no transactions' : `${transactions} transaction(s) (${from} to ${to})`;
  return `${policy} would have fired in ${fired} of ${range}: ${hits} hit(s), ${judged} node(s) judged${without}`;
}

async function* textOf(backtest: Backtest, told: Told): AsyncGenerator<string> {
  try {
    for await (const hits of backtest.hits()) yield hits.map(lineOf).join('');
    yield `${backtest.figures.hits === 0 ? '' : '\n'}${summaryOf(told, backtest.figures)}\n`;
  } finally {
    backtest.close();
  }
}

function lineOf({ tx, timestamp, target, graph }: BacktestHit): string {
  const where = graph === ROOT_GRAPH_IRI ? '' : ` in ${graph}`;
  return `tx ${tx} (${timestamp}): would have fired on ${target}${where}\n`;
}

async function* jsonOf(backtest: Backtest, told: Told, ignored: readonly string[] = []): AsyncGenerator<string> {
  const { policy, from, to } = told;
  try {
    let separator = `${writeJson({ policy, from_tx: from, to_tx: to }).slice(0, -1)},"hits":[`;
    for await (const hits of backtest.hits()) {
      const shown = hits.map(({ target, ...hit }) => writeJson({ ...hit, entity: target }));
      yield `${separator}${shown.join(',')}`;
      separator = ',';
    }
    const { figures } = backtest;
    const { hits: _, ...counts } = figures;
    const rest = {
      ...counts,
      summary: summaryOf(told, figures),
      ...(ignored.length > 0 && { ignored_fields: ignored }),
    };
    yield `${separator === ',' ? '' : separator}],${writeJson({ count: figures.hits, ...rest }).slice(1)}`;
  } finally {
    backtest.close();
  }
}

export const policyBacktest = defineOperation({
  name: 'policy_backtest',
  summary: 'Tell which transactions a policy would have fired on, had it been in force',
  access: 'admin',
  opens: 'read',
  request: Type.Object({
    policy: Type.String({ minLength: 1, description: 'the policy, in Turtle' }),
    last_txs: Type.Optional(Type.Integer({ minimum: 1, description: 'so many transactions, the newest ones' })),
    from_tx: Type.Optional(Type.Integer({ minimum: 1, description: 'from this transaction on; default the first' })),
    to_tx: Type.Optional(Type.Integer({ minimum: 1, description: 'up to this transaction; default the newest' })),
  }),
  response: Type.Object({
    policy: Type.String(),
    from_tx: Type.Integer(),
    to_tx: Type.Integer(),
    hits: Type.Array(
      Type.Object({ tx: Type.Integer(), timestamp: Type.String(), entity: Type.String(), graph: Type.String() }),
    ),
    count: Type.Integer('hits'),
    transactions: Type.Integer('of the range'),
    fired: Type.Integer('transactions with a hit'),
    judged: Type.Integer('nodes that were asked about, once for each transaction and graph'),
    unknown: Type.Integer('of them those without evidence'),
    summary: Type.String(),
  }),
  representations: [{ name: 'text', mediaType: 'text/plain' }],
  async handler({ store, control, configuration, read, representation, ignoredFields }, { policy: turtle, ...range }) {
    const [{ readPolicy }, { Backtest }] = await Promise.all([
      import('../../governance/policy-file.js'),
      import('../../governance/backtest.js'),
    ]);
    const policy = await readPolicy(turtle, store.baseNamespace, control.signal);
    const newest = store.snapshot();
    const { from, to } = rangeOf(range, newest.tx);
    newest.close();
    const claimTimeoutMs = configuration.search.query_timeout_ms;
    const { budget } = read;
    const backtest = new Backtest(store, { policy, from, to, claimTimeoutMs, budget, asOf: store.asOf }, control);
    const told = { policy: policy.iri, from, to };
    const isText = representation === 'text';
    const chunks = isText ? textOf(backtest, told) : jsonOf(backtest, told, ignoredFields);
    const close = (): void => backtest.close();
    const mediaType = isText ? 'text/plain' : JSON_MEDIA_TYPE;
    return { kind: 'document', mediaType, chunks: closable(chunks, close), close };
  },
  projections: {
    cli: {
      command: 'policy backtest',
      positional: [{ field: 'policy', name: 'file', summary: 'the policy, in Turtle; - is standard input' }],
      files: ['policy'],
      notes: [
        'The claim is asked of the state that each transaction left, about the nodes that it touched, whatever the effect of the',
        'policy is. It ends with 1 where the policy can not be evaluated, and with 0 however often it would have fired.',
      ],
      examples: [
        'svc policy backtest owned.ttl',
        'svc policy backtest owned.ttl --last-txs 1000',
        'svc policy backtest owned.ttl --from-tx 10 --to-tx 20 --json',
      ],
      options: { last_txs: 'n', from_tx: 'n', to_tx: 'n' },
    },
  },
});
