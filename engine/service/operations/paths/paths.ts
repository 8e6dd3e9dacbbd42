/** Trajectories of work: which steps what verified them rests on, and whether others that went the same way ended well. */

import { CONE_VERDICTS } from '../../paths/verdicts.js';
import { iri, nullable, oneOf, Type, textOrNull } from '../../requests/schema.js';
import { defineOperation, inWords } from '../definition/operation.js';

const baseNs = Type.Optional(
  iri({ minLength: 1, description: 'namespace of the vocabulary (stepOf, verifiedBy ...); default that of the store' }),
);
const viaField = Type.Array(iri({ minLength: 1 }), 'derivation predicates besides verifiedBy');
const trajectoryField = iri({ minLength: 1, description: 'IRI of the trajectory' });
const trajectory = { field: 'trajectory', name: 'iri', summary: 'the trajectory' } as const;
const order = nullable(Type.Integer());

export const pathCone = defineOperation({
  name: 'path_cone',
  summary: 'Tell which steps of a trajectory its verification rests on',
  access: 'read',
  request: Type.Object({
    trajectory: trajectoryField,
    via: Type.Optional(viaField),
    hops: Type.Optional(
      Type.Integer({ minimum: 0, description: 'most facts from a step to a verification; default 8' }),
    ),
    base_ns: baseNs,
  }),
  response: Type.Object({
    trajectory: Type.String(),
    hops: Type.Integer(),
    verifications: Type.Array(Type.String(), 'those that could have failed: they have a falsifier'),
    derivation_predicates: Type.Array(Type.String()),
    steps: Type.Array(Type.Object({ iri: Type.String(), order, verdict: oneOf(CONE_VERDICTS), reason: Type.String() })),
  }),
  async handler({ store, control, read }, { trajectory: asked, via, hops, base_ns }) {
    const { signal, flag } = control;
    const { deadline, budget } = read;
    const options = { via, hops, baseNs: base_ns, signal, flag, deadline, memoryBytes: budget.memoryBytes };
    const found = await store.pathCone(asked, options);
    const { hops: most, verifications, derivationPredicates, steps } = found;
    const body = {
      trajectory: found.trajectory,
      hops: most,
      verifications,
      derivation_predicates: derivationPredicates,
      steps,
    };
    return { kind: 'body', body };
  },
  projections: {
    http: [{ method: 'POST', path: '/path/cone', request: 'body' }],
    mcp: {
      tool: 'path_cone',
      description: [
        'Tell which steps of a recorded trajectory its verification rests on, before it is repeated without the others: InCone, OutOfCone, or CannotEvaluate (no fact says so; it need not be idle).',
        'It needs facts base:stepOf and base:verifiedBy.',
      ],
      example: { trajectory: 'http://ex.org/run-7', via: ['http://ex.org/produces'] },
      parameters: {
        ...inWords({
          trajectory: 'its IRI',
          via: 'predicates to follow besides verifiedBy',
          base_ns: 'namespace of the vocabulary, if not of the store',
        }),
        hops: { default: 8 },
      },
    },
    cli: {
      command: 'path cone',
      positional: [trajectory],
      repeated: { via: 'via' },
      notes: ['ROOT only. A step without a fact of --via or verifiedBy that leads to an IRI can not be evaluated.'],
      examples: [
        'svc path cone http://example.org/run-7',
        'svc path cone http://example.org/run-7 --via http://example.org/produces --via http://example.org/consumedBy --json',
      ],
      options: { via: 'iri', hops: 'n', base_ns: 'iri' },
      text: ({ trajectory: asked, hops, verifications, steps }) => {
        const lines = steps.map(({ iri: step, order: place, verdict, reason }) => {
          return `  [${place ?? '-'}] ${SHOWN[verdict]} ${step} — ${reason}\n`;
        });
        return `cone of ${asked} (hops: ${hops})\nverified against: ${verifications.join(', ')}\n${lines.join('')}`;
      },
    },
  },
});

const SHOWN = { InCone: 'IN-CONE', OutOfCone: 'OUT-OF-CONE', CannotEvaluate: 'CANNOT-EVALUATE' } as const;

const conformance = Type.Union(
  [
    oneOf(['Conforms', 'CannotEvaluate']),
    Type.Object({ DeviatesAt: Type.Object({ pattern_index: Type.Integer('of the first step that was not met') }) }),
  ],
  'Conforms, CannotEvaluate (no step has an actionKind), or where it deviates',
);

export const pathBacktest = defineOperation({
  name: 'path_backtest',
  summary: 'Compare trajectories about the same topics with an exemplar, and how they ended',
  access: 'read',
  request: Type.Object({
    exemplar: iri({ minLength: 1, description: 'IRI of the trajectory that the others are compared with' }),
    omit: Type.Optional(Type.Array(iri({ minLength: 1 }), 'steps of the exemplar that the pattern leaves out')),
    base_ns: baseNs,
  }),
  response: Type.Object({
    grammar: Type.String(),
    exemplar: Type.String(),
    pattern: Type.Array(Type.Object({ action_kind: Type.String(), target_class: Type.String() })),
    topics: Type.Array(Type.String()),
    rows: Type.Array(
      Type.Object({
        trajectory: Type.String(),
        workitem: Type.String(),
        outcome: textOrNull,
        result: conformance,
        unevaluated_steps: Type.Integer('steps without an actionKind'),
      }),
      'every other trajectory whose work item shares a topic, by IRI',
    ),
    conformers_done: Type.Integer(),
    conformers_total: Type.Integer(),
    deviators_done: Type.Integer(),
    deviators_total: Type.Integer(),
    cannot_evaluate: Type.Integer(),
  }),
  async handler({ store, control, read }, { exemplar, omit, base_ns }) {
    const { signal, flag } = control;
    const { deadline, budget } = read;
    const options = { omit, baseNs: base_ns, signal, flag, deadline, memoryBytes: budget.memoryBytes };
    const { pattern, rows, ...found } = await store.pathBacktest(exemplar, options);
    const body = {
      grammar: found.grammar,
      exemplar: found.exemplar,
      pattern: pattern.map(({ actionKind, targetClass }) => ({ action_kind: actionKind, target_class: targetClass })),
      topics: found.topics,
      rows: rows.map(({ unevaluatedSteps, ...row }) => ({ ...row, unevaluated_steps: unevaluatedSteps })),
      conformers_done: found.conformersDone,
      conformers_total: found.conformersTotal,
      deviators_done: found.deviatorsDone,
      deviators_total: found.deviatorsTotal,
      cannot_evaluate: found.cannotEvaluate,
    };
    return { kind: 'body', body };
  },
  projections: {
    http: [{ method: 'POST', path: '/path/backtest', request: 'body' }],
    mcp: {
      tool: 'path_backtest',
      description: [
        'Compare an exemplary trajectory, without the steps in omit, with every other on its topic, and tell how each ended: ask before you recommend a shorter way. Which steps may be left out, svc_path_cone says.',
      ],
      example: { exemplar: 'http://ex.org/run-7', omit: ['http://ex.org/run-7/step-2'] },
      parameters: {
        ...inWords({
          exemplar: 'IRI of the trajectory',
          omit: 'IRIs of steps to leave out',
          base_ns: 'namespace of the vocabulary, if not of the store',
        }),
      },
    },
    cli: {
      command: 'path backtest',
      positional: [{ field: 'exemplar', name: 'iri', summary: 'the trajectory that the others are compared with' }],
      repeated: { omit: 'omit' },
      examples: [
        'svc path backtest http://example.org/run-7',
        'svc path backtest http://example.org/run-7 --omit http://example.org/run-7/step-2 --json',
      ],
      options: { omit: 'iri', base_ns: 'iri' },
      text: (body) => {
        const pattern = body.pattern.map(({ action_kind: kind, target_class: target }) => `${kind}(${target})`);
        const head = `backtest of ${body.exemplar} (${body.grammar})\npattern: ${pattern.join(' ')}\n`;
        const lines = body.rows.map(({ trajectory: one, workitem, outcome, result }) => {
          const told = typeof result === 'string' ? result : `deviates at ${result.DeviatesAt.pattern_index}`;
          return `  ${told}  ${one}  ${workitem}  ${outcome ?? '(no outcome)'}\n`;
        });
        const conformers = `conformers ${body.conformers_done}/${body.conformers_total} done`;
        const deviators = `deviators ${body.deviators_done}/${body.deviators_total} done`;
        return `${head}${lines.join('')}${conformers}; ${deviators}; cannot evaluate: ${body.cannot_evaluate}\n`;
      },
    },
  },
});

export const pathDraft = defineOperation({
  name: 'path_draft',
  summary: 'Draft a golden path from a trajectory, as Turtle; nothing is written',
  access: 'read',
  request: Type.Object({
    trajectory: trajectoryField,
    name: Type.String({ minLength: 1, description: 'its name: the path is base:golden_path_<name>' }),
    label: Type.String({ minLength: 1, description: 'what people call it' }),
    via: Type.Optional(viaField),
    omit: Type.Optional(Type.Array(iri({ minLength: 1 }), 'steps that it leaves out')),
    by: Type.Optional(Type.Array(iri({ minLength: 1 }), 'the decision that allows each omission, in the same order')),
    dead_end: Type.Optional(Type.Array(iri({ minLength: 1 }), 'steps that led nowhere')),
    base_ns: baseNs,
  }),
  response: Type.Object({ golden_path: Type.String(), turtle: Type.String() }),
  async handler({ store, control, read }, { trajectory: asked, name, label, via, omit, by, dead_end, base_ns }) {
    const { signal, flag } = control;
    const draft = { name, label, via, omit, by, deadEnds: dead_end };
    const options = { baseNs: base_ns, signal, flag, deadline: read.deadline };
    const { iri: golden_path, turtle } = await store.draftPath(asked, draft, options);
    return { kind: 'body', body: { golden_path, turtle } };
  },
  projections: {
    cli: {
      command: 'path draft',
      positional: [trajectory],
      repeated: { via: 'via', omit: 'omit', by: 'by', dead_end: 'dead_end' },
      notes: [
        'Every --omit has its --by: the decision that allows the step to be left out. Read the draft, then load it: svc knot.',
      ],
      examples: [
        'svc path draft http://example.org/run-7 --name deploy --label "Deploy a service" > deploy.ttl',
        'svc path draft http://example.org/run-7 --name deploy --label Deploy --omit http://example.org/run-7/step-2 --by http://example.org/decision-9',
      ],
      options: { name: 'name', label: 'text', via: 'iri', omit: 'iri', by: 'iri', dead_end: 'iri', base_ns: 'iri' },
      text: ({ turtle }) => turtle,
    },
  },
});
