/** What a gate says of a write that it has refused: each finding with its shape, and what would be valid instead. */

import { SvcError } from '../../../clients/typescript/src/index.js';
import { told } from '../parts/errors.js';
import { html, nothing, type TemplateResult } from '../parts/lit.js';
import { COMMON_PREFIXES, type Prefixes } from '../parts/prefixes.js';
import { iriText } from '../parts/term.js';
import { cut, shown, shownLine } from '../parts/text.js';
import type { Server } from '../wire/server.js';
import { policyRefusalOf, policyRefusalView } from './policy-refusal.js';

export interface Alternative {
  readonly kind: string;
  readonly value: string;
  readonly score?: number;
  readonly instead_of?: string;
}

export interface Finding {
  readonly severity: string;
  readonly focus_node?: string;
  readonly component?: string;
  readonly path?: string | null;
  readonly value?: string | null;
  readonly source_shape?: string | null;
  readonly message: string;
  readonly alternatives?: readonly Alternative[];
}

const TEXT_MAX = 2_000;
const FINDINGS_MAX = 50;
const ALTERNATIVES_MAX = 8;

/** What a button of an alternative does; null: it can only be read. */
export type Choose = (alternative: Alternative, finding: Finding) => (() => void) | null;

/** The findings of a refusal by shapes; empty for every other failure. */
export function findingsOf(error: unknown): readonly Finding[] {
  if (!(error instanceof SvcError) || typeof error.body !== 'object' || error.body === null) return [];
  const { violations } = error.body as { violations?: unknown };
  return Array.isArray(violations) ? (violations as Finding[]) : [];
}

const GATES: Readonly<Record<string, string>> = {
  shacl: 'the shapes of the store',
  owl: 'an ontology of the store',
  placement: 'the rules of placement',
  policy: 'a policy',
  authority: 'the authority over this graph',
};

/** `role=alert`: it is read out when it comes. `more`: further buttons; `prefixes`: of what was to be written. */
export function refusalView(
  error: unknown,
  {
    server,
    choose,
    more = nothing,
    prefixes = COMMON_PREFIXES,
  }: {
    readonly server: Server;
    readonly choose: Choose;
    readonly more?: TemplateResult | typeof nothing;
    readonly prefixes?: Prefixes;
  },
): TemplateResult {
  const { message, hint } = told(error);
  const findings = findingsOf(error);
  const gate = gateOf(error);
  const policy = policyRefusalOf(error);
  return html`<div class="notice" role="alert"><b>Nothing was written.</b> ${gate === null ? shown(cut(message, TEXT_MAX)) : `Refused by ${GATES[gate] ?? `the gate ${gate}`}.`}
${policy === null ? nothing : policyRefusalView(policy, server)}${findings.length === 0 && gate !== null && policy === null ? shown(cut(message, TEXT_MAX)) : nothing}${findings.slice(0, FINDINGS_MAX).map((finding) => findingView(finding, server, choose, prefixes))}${findings.length > FINDINGS_MAX ? html`<p class="soft">${FINDINGS_MAX} of ${findings.length} findings</p>` : nothing}${hint === null ? nothing : html`<div class="soft">${shown(cut(hint, TEXT_MAX))}</div>`}${more}</div>`;
}

function gateOf(error: unknown): string | null {
  if (!(error instanceof SvcError) || typeof error.body !== 'object' || error.body === null) return null;
  const { gate } = error.body as { gate?: unknown };
  return typeof gate === 'string' ? gate : null;
}

export function findingView(
  finding: Finding,
  server: Server,
  choose: Choose,
  prefixes: Prefixes = COMMON_PREFIXES,
): TemplateResult {
  const { message, path, value, alternatives = [] } = finding;
  const offered = alternatives
    .slice(0, ALTERNATIVES_MAX)
    .map((alternative) => ({ alternative, act: choose(alternative, finding) }));
  const [buttons, texts] = [offered.filter(({ act }) => act !== null), offered.filter(({ act }) => act === null)];
  return html`<div class="finding">
    <div>${shown(cut(message, TEXT_MAX))}${path ? html` · <bdi class="mono">${iriText(path, prefixes, 120)}</bdi>` : nothing}${value ? html` · <bdi class="mono" dir="auto">${shownLine(value, 120)}</bdi>` : nothing}</div>
    ${buttons.length === 0 ? nothing : html`<div class="choices" role="group" aria-label="Write instead"><span class="soft">Write instead:</span> ${buttons.map(({ alternative, act }) => html`<button type="button" class="button small" @click=${act}><bdi dir="auto">${alternativeText(alternative, prefixes)}</bdi></button>`)}</div>`}
    ${texts.length === 0 ? nothing : html`<div class="soft">${texts.map(({ alternative }, at) => html`${at === 0 ? 'Valid would be: ' : ', '}<span>${alternative.kind}</span> <bdi class="mono" dir="auto">${alternativeText(alternative, prefixes)}</bdi>`)}</div>`}
    ${whyView(finding, server)}
  </div>`;
}

function alternativeText({ value, instead_of }: Alternative, prefixes: Prefixes): string {
  const text = iriText(value, prefixes, 120);
  return instead_of === undefined ? text : `${text} in place of ${iriText(instead_of, prefixes, 120)}`;
}

function whyView({ severity, component, source_shape, focus_node, path }: Finding, server: Server): TemplateResult {
  const link = (iri: string) =>
    html`<a href=${server.entityUrl(iri)} target="_blank" rel="noreferrer"><bdi>${iriText(iri, COMMON_PREFIXES, 200)}</bdi></a>`;
  return html`<details><summary>Why</summary><dl>
    ${source_shape ? html`<dt>Shape</dt><dd>${source_shape.startsWith('_:') ? html`<bdi class="mono">${source_shape}</bdi>` : link(source_shape)}</dd>` : nothing}
    ${component ? html`<dt>Constraint</dt><dd>${shownLine(component, 200)}</dd>` : nothing}
    ${focus_node ? html`<dt>Judged</dt><dd>${link(focus_node)}</dd>` : nothing}
    ${path ? html`<dt>Path</dt><dd><bdi>${iriText(path, COMMON_PREFIXES, 200)}</bdi></dd>` : nothing}
    <dt>Severity</dt><dd>${shownLine(severity, 200)}</dd></dl></details>`;
}
