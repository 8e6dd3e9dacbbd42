/**
 * Drafts of policies: a policy in Turtle that only warns, for somebody to try, to talk about and to load. What can't be a
 * policy is refused here rather than by the gate of placement later (semantics of reasoning, 5.4).
 */

import { SvcError } from '../base/errors.js';
import { quoted } from '../query/results/quoted.js';
import { iriFault } from '../rdf/formats/input/term-checks.js';
import { RDFS } from '../rdf/terms.js';
import { Claims } from './claims.js';
import { LAYERS, POINTS } from './placement.js';
import { isBareIri } from './policies.js';

export interface DraftRequest {
  /** What the IRI of the policy ends with. */
  readonly name: string;
  readonly label: string;
  /** IRIs of classes. */
  readonly targets: readonly string[];
  readonly claim: string;
  /** IRI of what a reader of a refusal should look at. */
  readonly exemplar: string;
  readonly class?: string | undefined;
  readonly point?: string | undefined;
  readonly layer?: string | undefined;
  /** Where the rule comes from. */
  readonly authority?: string | undefined;
}

export interface Draft {
  readonly iri: string;
  readonly turtle: string;
}

const TARGET = '$target';
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_-]*$/u;
const POINT_OF: Readonly<Record<string, string>> = { soft: 'PAA', hard: 'PAG' };
const LAYER = 'tool';
/** A draft warns: what is to block is decided by whoever changes it. */
const EFFECT = 'warn';
const AUTHORITIES = ['regulatory', 'contractual', 'ethical', 'operational'];

/** `base`: the namespace of the store. */
export async function draftPolicy(request: DraftRequest, base: string): Promise<Draft> {
  const { name, label, targets, claim, exemplar, layer = LAYER, authority } = request;
  if (!NAME.test(name)) throw invalid(`'name' is '${name}'; expected letters, digits, _ and -`);
  if (targets.length === 0) throw invalid("'targets': a policy is about at least one class");
  for (const target of targets) checkIri(target, 'targets');
  checkIri(exemplar, 'exemplar');
  if (!claim.includes(TARGET)) {
    throw invalid(
      `'claim' does not ask about ${TARGET}: ${claim}`,
      "such as 'ASK { $target <http://example.org/owner> ?o }'",
    );
  }
  const { class: of, point } = placementOf(request);
  checkWord(layer, LAYERS, 'layer');
  if (authority !== undefined) checkWord(authority, AUTHORITIES, 'authority');
  const iri = `${base}policy_${name}`;
  const policy = { iri, claims: [claim], probes: [] };
  await new Claims(`${TARGET} stands for the node that is judged`).check(policy);
  const properties = [
    `rdfs:label ${quoted(label)}`,
    `base:targets ${targets.map(quoted).join(', ')}`,
    `base:claim ${quoted(claim)}`,
    'base:boundary "action"',
    `base:effect ${quoted(EFFECT)}`,
    `base:constraintClass ${quoted(of)}`,
    `base:verificationPoint ${quoted(point)}`,
    `base:hostedAtLayer ${quoted(layer)}`,
    `base:exemplar ${quoted(exemplar)}`,
    ...(authority === undefined ? [] : [`base:sourceType ${quoted(authority)}`]),
  ];
  const prefixes = `@prefix base: <${base}> .\n@prefix rdfs: <${RDFS}> .\n`;
  const turtle = `${prefixes}\n<${iri}>\n  a base:Policy ;\n  ${properties.join(' ;\n  ')} .\n`;
  return { iri, turtle };
}

/** The class, and where it is verified. */
function placementOf({ class: of = 'soft', point }: DraftRequest): { readonly class: string; readonly point: string } {
  if (of === 'escalation') {
    throw invalid(
      "'class' escalation is not drafted: it has to say who decides and within which time",
      'draft it as hard, and add effect, reversibilityWindowSeconds and onTimeout by hand',
    );
  }
  checkWord(of, Object.keys(POINT_OF), 'class');
  const points = POINTS[of] ?? [];
  const at = point ?? (POINT_OF[of] as string);
  if (!points.includes(at)) {
    throw invalid(`'point' is '${at}', where a ${of} constraint is not verified; expected one of ${points.join(', ')}`);
  }
  return { class: of, point: at };
}

function checkWord(word: string, words: readonly string[], field: string): void {
  if (!words.includes(word)) throw invalid(`'${field}' is '${word}'; expected one of ${words.join(', ')}`);
}

function checkIri(iri: string, field: string): void {
  const fault = iriFault(iri) ?? (isBareIri(iri) ? null : 'is no bare IRI');
  if (fault !== null) throw invalid(`'${field}': <${iri}> ${fault}`);
}

function invalid(message: string, hint?: string): SvcError {
  return new SvcError('invalid_request', message, hint === undefined ? {} : { hint });
}
