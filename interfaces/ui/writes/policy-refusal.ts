/** What a policy says of a write, in words: what it asks, of what, and who has to decide by when. */

import { SvcError } from '../../../clients/typescript/src/index.js';
import { html, nothing, type TemplateResult } from '../parts/lit.js';
import { COMMON_PREFIXES } from '../parts/prefixes.js';
import { iriText } from '../parts/term.js';
import { shownLine } from '../parts/text.js';
import type { Server } from '../wire/server.js';

interface PolicyRefusal {
  readonly policy: string;
  readonly entity: string;
  readonly effect?: string;
  readonly decision_request?: string;
  readonly evidence_hash?: string;
  /** Seconds since 1970. */
  readonly expires_at?: number;
}

/** Null where it is no refusal by a policy. */
export function policyRefusalOf(error: unknown): PolicyRefusal | null {
  if (!(error instanceof SvcError) || typeof error.body !== 'object' || error.body === null) return null;
  const body = error.body as Partial<PolicyRefusal> & { readonly gate?: unknown };
  const isPolicy = body.gate === 'policy' && typeof body.policy === 'string' && typeof body.entity === 'string';
  return isPolicy ? (body as PolicyRefusal) : null;
}

export function policyRefusalView(
  { policy, entity, effect, decision_request: request, evidence_hash: hash, expires_at: until }: PolicyRefusal,
  server: Server,
): TemplateResult {
  const link = (iri: string) =>
    html`<a href=${server.entityUrl(iri)} target="_blank" rel="noreferrer"><bdi>${iriText(iri, COMMON_PREFIXES, 200)}</bdi></a>`;
  const isAsked = request !== undefined;
  return html`<div class="finding">
    <div>${link(entity)} would not be as the policy ${link(policy)} wants it.
      ${isAsked ? html`<b>${until === undefined ? 'Whoever decides has turned it down.' : 'People have to decide; write it again when they have approved.'}</b>` : 'Nobody can allow it: change what is written.'}</div>
    ${
      isAsked
        ? html`<dl><dt>Request</dt><dd>${link(request)}</dd>
        ${until === undefined ? nothing : html`<dt>Open until</dt><dd>${instant(until)}</dd>`}
        ${hash === undefined ? nothing : html`<dt>Decision over</dt><dd><bdi class="mono">${shownLine(hash, 200)}</bdi></dd>`}
        ${effect === undefined ? nothing : html`<dt>Effect</dt><dd>${shownLine(effect, 100)}</dd>`}</dl>`
        : nothing
    }
  </div>`;
}

function instant(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString();
}
