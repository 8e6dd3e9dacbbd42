/** Runs rules over a graph. */

import { SvcError } from '../../../base/errors.js';
import type { Configuration } from '../../configuration/configuration.js';
import { featureOff, featuresOf } from '../../configuration/features.js';
import { iri, Type } from '../../requests/schema.js';
import { asTheyAre, defineOperation } from '../definition/operation.js';

const ENDS_WITH_COMMAND =
  'note: the rules are followed as long as this process lives, which ends with the command; svc shapes load stores rules that follow every write\n';

/** Rules that are to follow writes: in a process that ends with its answer they have no writes to follow. */
function checkReactive(configuration: Configuration, isCommand: boolean): void {
  if (!featuresOf(configuration).includes('reactive-reasoner')) throw featureOff('reactive-reasoner', "'reactive'");
  if (isCommand) return;
  throw new SvcError('unsupported', "'reactive': rules of a request do not stay with a server", {
    hint: 'store them with shapes (POST /shapes, svc shapes load): stored rules follow every write',
  });
}

export const reason = defineOperation({
  name: 'reason',
  summary: 'Run rules over a graph: what follows stands in its companion graph',
  access: 'write',
  request: Type.Object({
    rules: Type.Optional(Type.String('rules in Turtle; absent = those that are stored with shapes')),
    prefix: Type.Optional(
      Type.String('what bare names of these rules begin with; absent = the namespace of the store'),
    ),
    graph: Type.Optional(
      iri({ minLength: 1, description: 'IRI of the graph whose facts are the premises; absent = ROOT' }),
    ),
    reactive: Type.Optional(Type.Boolean('go on to follow writes as long as this process lives')),
    timestamp: Type.Optional(Type.String('from when on derived facts hold (RFC 3339, or a date); default now')),
  }),
  response: Type.Object({
    rules: Type.Integer(),
    strata_run: Type.Integer('levels that have rules'),
    asserted: Type.Integer(),
    retracted: Type.Integer(),
    per_rule: Type.Array(Type.Object({ rule: Type.String(), asserted: Type.Integer() }), 'in the order of the rules'),
    graph: Type.String(),
    inferred_graph: Type.String(),
  }),
  async handler({ store, control, configuration, onCommandLine }, { rules, prefix, graph, timestamp, reactive }) {
    if (reactive === true) checkReactive(configuration, onCommandLine === true);
    const { signal, flag: _flag, authenticated, principalChain, wait } = control;
    const memoryBytes = configuration.query.memory_budget_mb * 2 ** 20;
    const result = await store.reason(
      { rules, prefix, graph },
      {
        timestamp,
        memoryBytes,
        timeoutMs: configuration.update.timeout_ms,
        signal,
        authenticated,
        principalChain,
        wait,
      },
    );
    const body = {
      rules: result.rules,
      strata_run: result.strata,
      asserted: result.asserted,
      retracted: result.retracted,
      per_rule: result.perRule,
      graph: result.graph,
      inferred_graph: result.inferredGraph,
    };
    return { kind: 'body', body, notes: { tx: result.tx } };
  },
  projections: {
    http: [{ method: 'POST', path: '/reason', request: 'body' }],
    mcp: {
      tool: 'reason',
      extra: true,
      destructive: true,
      idempotent: true,
      description: [
        'Run rules over a graph. A rule is Turtle: ex:r a rule:Rule ; rule:id "reach" ; rule:head "reaches(?a, ?c)" ; rule:body "link(?a, ?b), link(?b, ?c), not blocked(?b, ?c)".',
        'rule: is http://svc.local/rule#; bare names begin with `prefix`. Derived facts stand in <graph#inferred>, and go when they follow no more.',
        'Read them with FROM <graph> FROM <graph#inferred>. Without rules: those stored by svc_shapes.',
      ],
      example: {
        rules:
          '@prefix rule: <http://svc.local/rule#> . @prefix r: <http://ex.org/rules/> . r:reach a rule:Rule ; rule:id "reach" ; rule:head "reaches(?a, ?c)" ; rule:body "link(?a, ?b), link(?b, ?c)" .',
        prefix: 'http://ex.org/',
      },
      parameters: asTheyAre('rules', 'prefix', 'graph', 'timestamp'),
    },
    cli: {
      command: 'reason',
      files: ['rules'],
      examples: ['svc reason --rules rules.ttl --prefix http://example.org/', 'svc reason'],
      notes: [
        '--reactive needs the feature reactive-reasoner. Rules that are to follow every write are stored by svc shapes load.',
      ],
      options: { rules: 'file', graph: 'iri', prefix: 'iri', timestamp: 't', reactive: '' },
      notice: (_body, { request }) =>
        (request as { readonly reactive?: boolean }).reactive === true ? ENDS_WITH_COMMAND : '',
      // Nothing was asked that could be done: `svc shapes load` stores rules, `--rules` brings them.
      succeeded: ({ rules }) => rules > 0,
      text: (body, { request }) => {
        const { rules: given } = request as { readonly rules?: string };
        if (body.rules === 0)
          return `no rules found ${given === undefined ? 'among the stored shapes' : 'in the file'}\n`;
        const first = `reasoner: ${body.rules} rules across ${body.strata_run} strata — asserted ${body.asserted}, retracted ${body.retracted}\n`;
        if (body.per_rule.length === 0) return first;
        const rows = body.per_rule.map(({ rule, asserted }) => `  ${rule}  ${asserted}\n`);
        return `${first}per-rule contributions:\n${rows.join('')}`;
      },
    },
  },
});
