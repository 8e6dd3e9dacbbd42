/**
 * The shapes of what operators write about governance (semantics of reasoning, 5.1; ruling R53), as SHACL in Turtle: which
 * properties a record needs, and which words some of them may have. Nobody is judged by them before they are loaded.
 */

import { SvcError } from '../base/errors.js';
import { quoted } from '../query/results/quoted.js';
import { RDFS, XSD } from '../rdf/terms.js';

/** Documents of the service that stand for themselves where a file is named. */
const BUILTIN = 'builtin:';
const NAMES = ['governance'];

const LABEL = 'rdfs:label';
const TIERS = ['live', 'lsp', 'tree-sitter', 'tree-sitter+graph', 'embedding', 'model', 'committed', 'attested'];

interface RecordShape {
  readonly required: readonly string[];
  readonly words?: Readonly<Record<string, readonly string[]>>;
  readonly types?: Readonly<Record<string, 'integer' | 'boolean' | 'number'>>;
}

const SHAPES: Readonly<Record<string, RecordShape>> = {
  Policy: {
    required: ['targets', 'claim'],
    words: {
      boundary: ['action', 'transition'],
      effect: ['deny', 'require-approval', 'escalate', 'allow', 'warn', 'record', 'throttle'],
      constraintClass: ['hard', 'soft', 'escalation'],
      verificationPoint: ['PAG', 'ATM', 'PAA', 'tool_layer', 'policy_layer'],
      hostedAtLayer: ['orchestration', 'tool', 'policy'],
      onTimeout: ['deny'],
      onUndecidable: ['escalate'],
      sourceType: ['regulatory', 'contractual', 'ethical', 'operational'],
    },
    types: { reversibilityWindowSeconds: 'integer', inheritedByDelegates: 'boolean' },
  },
  OperatingPoint: {
    required: ['kind'],
    words: { kind: ['exact_predicate', 'threshold', 'deterministic_threshold'] },
    types: { falsePositiveTolerance: 'number', falseNegativeTolerance: 'number', threshold: 'number' },
  },
  Predicate: {
    required: ['name', 'evidenceSource'],
    words: {
      tier: TIERS,
      matchType: ['must-match', 'must-not-match', 'must-exist', 'must-ground', 'must-not-ground'],
    },
  },
  Selector: { required: ['name', 'evidenceSource'], words: { tier: TIERS } },
  Verdict: {
    required: ['predicateId', 'targetRef', 'outcome', 'evidenceHash', 'verifier', 'signature'],
    words: { outcome: ['satisfied', 'unsatisfied', 'unknown'], tier: TIERS },
  },
  VerifierRegistration: { required: ['verifier', 'attests'] },
  DecisionRequest: {
    required: ['forPolicy', 'forTarget', 'evidenceHash', 'expiresAt'],
    types: { expiresAt: 'integer' },
  },
  Decision: {
    required: ['outcome', 'by', 'evidenceHash'],
    words: { outcome: ['approve', 'reject', 'changes'] },
  },
  OperatorGroup: {
    required: [LABEL, 'operatorCount', 'meanServiceSeconds'],
    words: { afterHours: ['deny', 'defer_within_window'] },
  },
  Principal: { required: ['principalId'] },
  ToolClass: {
    required: [LABEL, 'dispatchedBy', 'executable'],
    types: { executable: 'boolean', importsUntrustedState: 'boolean' },
  },
};

/** The document of a name such as `builtin:governance`; `base`: the namespace of the store, in which the vocabulary lives. */
export function builtinShapes(name: string, base: string): string {
  if (name.trim() !== `${BUILTIN}governance`) {
    throw new SvcError('not_found_in_store', `the service brings no shapes '${name.trim()}'`, {
      hint: `there are ${NAMES.map((one) => BUILTIN + one).join(', ')}`,
    });
  }
  const prefixes = [
    `@prefix base: <${base}> .`,
    '@prefix sh: <http://www.w3.org/ns/shacl#> .',
    `@prefix rdfs: <${RDFS}> .`,
    `@prefix xsd: <${XSD}> .`,
  ];
  const shapes = Object.entries(SHAPES).map(([name, shape]) => shapeOf(name, shape));
  return `${prefixes.join('\n')}\n\n${shapes.join('\n')}`;
}

function shapeOf(name: string, { required, words = {}, types = {} }: RecordShape): string {
  const properties = [...new Set([...required, ...Object.keys(words), ...Object.keys(types)])].map((property) => {
    const tests = [`sh:path ${property === LABEL ? LABEL : `base:${property}`}`];
    if (required.includes(property)) tests.push('sh:minCount 1');
    const list = words[property];
    if (list !== undefined) tests.push(`sh:in ( ${list.map(quoted).join(' ')} )`);
    const type = types[property];
    if (type === 'number') tests.push(`sh:or ( ${NUMBERS} )`);
    else if (type !== undefined) tests.push(`sh:datatype xsd:${type}`);
    return `  sh:property [ ${tests.join(' ; ')} ]`;
  });
  return `base:${name}Shape a sh:NodeShape ;\n  sh:targetClass base:${name} ;\n${properties.join(' ;\n')} .\n`;
}

const NUMBERS = ['decimal', 'integer', 'double'].map((type) => `[ sh:datatype xsd:${type} ]`).join(' ');
