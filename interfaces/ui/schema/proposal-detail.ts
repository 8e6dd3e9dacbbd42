/**
 * One proposal: what it asks, how the stored shapes differ from it, which instances would break it, and the decision. What a gate, or the
 * reader of shapes, says against an acceptance stands here, and the proposal stays pending.
 */

import { errorNotice, isAbort } from '../parts/errors.js';
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from '../parts/lit.js';
import { COMMON_PREFIXES, declaredPrefixes, type Prefixes } from '../parts/prefixes.js';
import { base, formStyles } from '../parts/styles.js';
import { iriText } from '../parts/term.js';
import { cut, shown, shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import type { Server } from '../wire/server.js';
import { refusalView } from '../writes/refusal.js';
import { refusalStyles } from '../writes/refusal-styles.js';
import { announceWrite } from '../writes/write-facts.js';
import './instance-check.js';
import { lineChanges } from './line-changes.js';
import type { Proposal } from './proposal-list.js';
import { readShapes, type Shape, titleOf } from './read-shapes.js';
import { schemaStyles } from './schema-styles.js';
import { shapeForm } from './shape-form.js';
import type { ShapeSet } from './shape-sets.js';
import type { Asked } from './store-schema.js';

const CHARACTERS = 300;
const TEXT_CHARACTERS = 4_000;
/** A longer text is shown in its beginning; all of it is on the server. */
const DIFF_CHARACTERS = 400_000;
const LINES_MAX = 3_000;
const SIGNS = { same: ' ', added: '+', removed: '−' } as const;
const WORDS = { same: '', added: 'added: ', removed: 'removed: ' } as const;

class ProposalDetail extends LitElement {
  static override properties = {
    server: { attribute: false },
    barred: { attribute: false },
    proposal: { attribute: false },
    sets: { attribute: false },
    asked: { attribute: false },
    refusal: { state: true },
    isBusy: { state: true },
  };
  static override styles = [base, refusalStyles, schemaStyles, formStyles];
  server: Server | undefined;
  /** Why nothing can be decided here; null = it can. */
  barred: string | null = null;
  proposal: Proposal | null = null;
  sets: readonly ShapeSet[] | null = null;
  asked: Asked | null = null;
  refusal: unknown = null;
  isBusy = false;
  #read: { readonly of: Proposal; readonly shapes: readonly Shape[]; readonly failure: unknown } | null = null;

  override willUpdate(changed: PropertyValues): void {
    const before = changed.get('proposal') as Proposal | null | undefined;
    if (changed.has('proposal') && before?.id !== this.proposal?.id) this.refusal = null;
  }

  override render() {
    const { proposal } = this;
    if (proposal === null) return nothing;
    const { id, kind, target, status, rationale } = proposal;
    return html`<h2>Proposal ${id}: ${kind} <bdi dir="auto">${shownLine(target, CHARACTERS)}</bdi> <span class=${`standing ${status}`}>${status}</span></h2>
      ${rationale === null ? nothing : html`<p class="told"><bdi dir="auto">${shown(cut(rationale, TEXT_CHARACTERS))}</bdi></p>`}
      ${this.#about(proposal)}
      ${kind === 'shape' ? this.#shapeChange(proposal) : this.#text(proposal)}
      ${status === 'pending' ? this.#decision(proposal) : nothing}`;
  }

  #about({
    proposer,
    created_at,
    trigger_ref,
    decided_by,
    decided_at,
    decision_note,
    status,
  }: Proposal): TemplateResult {
    const row = (name: string, value: string | null) =>
      value === null
        ? nothing
        : html`<div><dt>${name}</dt><dd><bdi dir="auto">${shown(cut(value, TEXT_CHARACTERS))}</bdi></dd></div>`;
    const verb = status === 'rejected' ? 'Rejected' : 'Accepted';
    return html`<dl>${row('Proposed by', proposer)}${row('Proposed', created_at)}${row('Because of', trigger_ref)}${row(`${verb} by`, decided_by)}${row(verb, decided_at)}${row('Note', decision_note)}</dl>`;
  }

  #text({ diff }: Proposal): TemplateResult {
    return html`<h3>The change</h3><p class="soft">It is recorded with its decision; whoever keeps the schema loads it by hand.</p>
      <pre class="lines mono" tabindex="0" aria-label="The change"><bdi>${shown(cut(diff, DIFF_CHARACTERS))}</bdi></pre>${this.#isLong(diff)}`;
  }

  #isLong(text: string) {
    return text.length <= DIFF_CHARACTERS
      ? nothing
      : html`<p class="soft">Its beginning; all of it has ${text.length} characters.</p>`;
  }

  #shapeChange(proposal: Proposal): TemplateResult {
    const { target, diff, status } = proposal;
    const { sets } = this;
    if (sets === null) return html`<p class="soft" role="status">Reading shapes…</p>`;
    const stored = sets.find(({ name }) => name === target)?.turtle ?? '';
    const changes = lineChanges(cut(stored, DIFF_CHARACTERS), cut(diff, DIFF_CHARACTERS));
    const isSame = changes.every(({ change }) => change === 'same');
    return html`<h3>${stored === '' ? 'A new set of shapes' : 'How the stored set would change'}</h3>
      ${isSame ? html`<p class="soft">${status === 'accepted' ? 'The stored set is what was proposed.' : 'The stored set has this text already.'}</p>` : nothing}
      <pre class="lines mono" tabindex="0" aria-label="Lines of the set">${changes.slice(0, LINES_MAX).map(({ change, text }) => html`<span class=${change}><span aria-hidden="true">${SIGNS[change]} </span><span class="visually-hidden">${WORDS[change]}</span><bdi>${shown(cut(text, TEXT_CHARACTERS))}</bdi>\n</span>`)}</pre>
      ${changes.length > LINES_MAX ? html`<p class="soft">${LINES_MAX} of ${changes.length} lines.</p>` : nothing}${this.#isLong(diff)}
      ${this.#shapes(proposal)}`;
  }

  #shapes(proposal: Proposal): TemplateResult {
    const { server } = this;
    const { shapes, failure } = this.#shapesOf(proposal);
    if (failure !== null)
      return html`<h3>It can't be read as shapes</h3>${errorNotice(failure)}<p class="soft">To accept it is refused; it can be rejected.</p>`;
    if (server === undefined) return html``;
    const prefixes: Prefixes = { ...COMMON_PREFIXES, ...declaredPrefixes(proposal.diff) };
    return html`<h3>What it asks, and what would break it</h3>
      ${shapes.map(
        (
          shape,
        ) => html`<details><summary><bdi dir="auto">${shape.name === null && shape.iri !== null ? iriText(shape.iri, prefixes, CHARACTERS) : shownLine(titleOf(shape), CHARACTERS)}</bdi></summary>
          ${shapeForm(shape, { server, prefixes, choose: () => undefined })}
          <svc-instance-check .prefixes=${prefixes} .asked=${this.asked} .shape=${shape} .turtle=${proposal.diff}></svc-instance-check></details>`,
      )}`;
  }

  #shapesOf(proposal: Proposal) {
    if (this.#read?.of.id !== proposal.id) {
      try {
        this.#read = { of: proposal, shapes: readShapes(proposal.target, proposal.diff), failure: null };
      } catch (failure) {
        this.#read = { of: proposal, shapes: [], failure };
      }
    }
    return this.#read;
  }

  #decision({ kind }: Proposal): TemplateResult {
    const { barred, server, refusal } = this;
    if (barred !== null) return html`<p class="soft" role="note">${barred}</p>`;
    return html`<h3>Decide</h3>
      ${refusal === null || server === undefined ? nothing : refusalView(refusal, { server, choose: () => null })}
      <form aria-label="Decision" @submit=${this.#submit}>
        <label>Note, which a rejection needs <textarea class="field" name="note" rows="2"></textarea></label>
        <label>Decided by <input class="field" name="by" autocomplete="off" placeholder="the principal of the token" /></label>
        <div class="actions">
          <button class="button danger" name="act" value="reject" ?disabled=${this.isBusy}>Reject</button>
          <button class="button primary" name="act" value="accept" ?disabled=${this.isBusy}>${kind === 'shape' ? 'Accept, and load the shapes' : 'Accept'}</button>
        </div>
      </form>`;
  }

  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const { server, proposal } = this;
    if (server === undefined || proposal === null || this.isBusy) return;
    const fields = new FormData(event.target as HTMLFormElement);
    const text = (name: string) => String(fields.get(name) ?? '').trim() || undefined;
    const isRejection = event.submitter instanceof HTMLButtonElement && event.submitter.value === 'reject';
    const decision = {
      id: proposal.id,
      decided_by: text('by'),
      timestamp: new Date().toISOString(),
    };
    this.isBusy = true;
    this.refusal = null;
    try {
      const note = text('note');
      if (!isRejection) await server.client.call('proposal_accept', { ...decision, note });
      else if (note === undefined) throw new TypeError('A rejection needs a note: say why.');
      else await server.client.call('proposal_reject', { ...decision, note });
      announceWrite(this);
    } catch (error) {
      if (!isAbort(error)) this.refusal = error;
    } finally {
      this.isBusy = false;
    }
    // Somebody else may have decided meanwhile.
    this.dispatchEvent(new Event('decided'));
  }
}

define('svc-proposal', ProposalDetail);
