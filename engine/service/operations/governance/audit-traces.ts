/** Audits of what agents did: a trace against the policies of the store, or by itself. */

import { withoutControls } from '../../../base/text.js';
import { Type } from '../../requests/schema.js';
import { defineFileOperation, defineOperation } from '../definition/operation.js';
import {
  fileField,
  reportFields,
  reportOf,
  reportText,
  specOf,
  traceArgument,
  traceOf,
  traceSummary,
} from './audit-report.js';

const request = Type.Object({ file: fileField });

const traceReport = Type.Object(reportFields);

export const auditTrace = defineOperation({
  name: 'audit_trace',
  summary: 'Audit a trace: what agents did against what the policies of the store ask for',
  access: 'admin',
  opens: 'read',
  request,
  response: traceReport,
  async handler({ store, control, standardInput }, { file }) {
    const { auditTrace: audit } = await import('../../../governance/audit/trace.js');
    const spec = await specOf(store);
    const { findings, ...counts } = await audit(traceOf(file, standardInput), spec, control);
    const checked = { ...counts, constraints: spec.size };
    return { kind: 'body', body: reportOf(findings, checked, traceSummary(findings, checked)) };
  },
  projections: {
    cli: {
      command: 'audit trace',
      positional: [traceArgument],
      notes: [
        'It ends with 1 where something is violated; what could not be judged never changes that.',
        'A line that is no record is counted, and the rest of the trace is judged.',
      ],
      examples: ['svc audit trace run.jsonl', 'svc audit trace run.jsonl.gz --json'],
      options: {},
      succeeded: ({ conforms }) => conforms,
      text: reportText,
    },
  },
});

export const auditInheritance = defineOperation({
  name: 'audit_inheritance',
  summary: 'Audit a trace: whether delegates were held to the constraints that they inherit',
  access: 'admin',
  opens: 'read',
  request,
  response: traceReport,
  async handler({ store, control, standardInput }, { file }) {
    const { auditInheritance: audit } = await import('../../../governance/audit/inheritance.js');
    const spec = await specOf(store);
    const { findings, ...counts } = await audit(traceOf(file, standardInput), spec, control);
    const constraints = [...spec.values()].filter(({ inherited }) => inherited).length;
    const checked = { ...counts, constraints };
    return { kind: 'body', body: reportOf(findings, checked, traceSummary(findings, checked)) };
  },
  projections: {
    cli: {
      command: 'audit inheritance',
      positional: [traceArgument],
      notes: ['The constraints are the policies whose inheritedByDelegates is true.'],
      examples: ['svc audit inheritance run.jsonl', 'svc audit inheritance run.jsonl --json'],
      options: {},
      succeeded: ({ conforms }) => conforms,
      text: reportText,
    },
  },
});

export const auditReplay = defineOperation({
  name: 'audit_replay',
  summary: 'Tell what the policies of the store would have made of a trace',
  access: 'admin',
  opens: 'read',
  request,
  response: Type.Object({
    summary: Type.String(),
    records: Type.Integer(),
    unreadable: Type.Integer(),
    rules: Type.Array(
      Type.Object({
        id: Type.String(),
        in_spec: Type.Boolean('a policy of the store has this id'),
        evaluated: Type.Integer(),
        satisfied: Type.Integer(),
        unsatisfied: Type.Integer(),
        blocked: Type.Integer('of the unsatisfied ones'),
        advisory: Type.Integer('of the unsatisfied ones those that were not blocked'),
        would_block: Type.Integer('what the effect of the policy would have blocked'),
        new_blocks: Type.Integer(),
        targets: Type.Integer('distinct paths on which it was unsatisfied'),
        recovered: Type.Integer('paths on which it blocked, and something was not denied later'),
        blocker: Type.Union([Type.String(), Type.Null()], 'what speaks against enforcing it; null: nothing'),
      }),
    ),
  }),
  async handler({ store, control, standardInput }, { file }) {
    const { replayTrace } = await import('../../../governance/audit/replay.js');
    const { records, unreadable, rules, nameless } = await replayTrace(
      traceOf(file, standardInput),
      await specOf(store),
      control,
    );
    const blocks = rules.reduce((sum, { newBlocks }) => sum + newBlocks, 0);
    const ready = rules.filter(({ blocker }) => blocker === null).length;
    const without = nameless === 0 ? '' : `; ${nameless} constraint(s) without an id left out`;
    const summary = `${ready} of ${rules.length} rule(s) with nothing against enforcing them, ${blocks} new block(s), over ${records} record(s); ${unreadable} line(s) unreadable${without}`;
    const shown = rules.map(({ inSpec, wouldBlock, newBlocks, ...rule }) => ({
      ...rule,
      in_spec: inSpec,
      would_block: wouldBlock,
      new_blocks: newBlocks,
    }));
    return { kind: 'body', body: { summary, records, unreadable, rules: shown } };
  },
  projections: {
    cli: {
      command: 'audit replay',
      positional: [traceArgument],
      notes: ['It ends with 0 whatever it finds.'],
      examples: ['svc audit replay run.jsonl', 'svc audit replay run.jsonl --json'],
      options: {},
      text: ({ summary, rules }) => {
        const lines = rules.map((rule) => {
          const outcomes = `${rule.evaluated} evaluated, ${rule.satisfied} satisfied, ${rule.unsatisfied} unsatisfied`;
          const responses = `${rule.blocked} blocked, ${rule.advisory} advisory, ${rule.would_block} would block (${rule.new_blocks} new)`;
          const paths = `${rule.targets} target(s), ${rule.recovered} recovered`;
          return `  ${withoutControls(rule.id)}: ${outcomes}; ${responses}; ${paths}; ${rule.blocker ?? 'nothing against it'}\n`;
        });
        return `${summary}\n${lines.join('')}`;
      },
    },
  },
});

const chains = (what: string) => Type.Array(Type.Array(Type.String()), what);

/** It looks into no store, and works where none can be opened. */
export const auditTree = defineFileOperation({
  name: 'audit_tree',
  summary: 'Show who acted on whose behalf in a trace, as a tree',
  access: 'admin',
  request,
  response: Type.Object({
    summary: Type.String(),
    records: Type.Integer(),
    unreadable: Type.Integer(),
    unattributed: Type.Integer('records without a chain of principals'),
    implied: chains('chains without records of their own'),
    collapsed: chains('chains with more than one record'),
    tree: Type.Array(Type.String()),
  }),
  async handler({ control, standardInput }, { file }) {
    const { chainForest } = await import('../../../governance/audit/tree.js');
    const { records, unreadable, unattributed, implied, collapsed, lines, roots } = await chainForest(
      traceOf(file, standardInput),
      control,
    );
    const chainsOf = `${lines.length} chain(s) under ${roots} root(s)`;
    const summary = `${chainsOf}, ${implied.length} implied, ${collapsed.length} collapsed, over ${records} record(s), ${unattributed} unattributed; ${unreadable} line(s) unreadable`;
    return { kind: 'body', body: { summary, records, unreadable, unattributed, implied, collapsed, tree: lines } };
  },
  projections: {
    cli: {
      command: 'audit tree',
      positional: [traceArgument],
      notes: ['It needs no store, and ends with 0 whatever it finds.'],
      examples: ['svc audit tree run.jsonl', 'svc audit tree run.jsonl --json'],
      options: {},
      text: ({ summary, tree }) => `${summary}\n${tree.map((line) => `${withoutControls(line)}\n`).join('')}`,
    },
  },
});
