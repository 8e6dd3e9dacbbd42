/**
 * Takes a share in: an archive, or the files of a bundle, dropped or opened. It is verified and staged by the server, and the answer
 * stands here with what can be done next; after shapes were loaded the same files are judged again.
 */

import type { Operations } from '../../../clients/typescript/src/index.js';
import { isAbort } from '../parts/errors.js';
import { emit } from '../parts/events.js';
import { css, html, LitElement, nothing } from '../parts/lit.js';
import { COMMON_PREFIXES } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { iriText } from '../parts/term.js';
import { count, shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import type { Server } from '../wire/server.js';
import type { Blocker } from './imports.js';
import { type Finding, findingView, refusalView } from './refusal.js';
import { refusalStyles } from './refusal-styles.js';
import { type OpenedBundle, openBundle } from './share-bundle.js';
import { announceWrite } from './write-facts.js';

type Imported = Operations['import_share']['response'];

const LISTED_MAX = 50;
const CHARACTERS = 300;

class ImportForm extends LitElement {
  static override properties = {
    server: { attribute: false },
    barred: { attribute: false },
    opened: { state: true },
    imported: { state: true },
    refusal: { state: true },
    isBusy: { state: true },
  };
  static override styles = [
    base,
    refusalStyles,
    css`
      form {
        padding: 12px;
        border: 1px dashed var(--line-strong);
        border-radius: var(--radius-large);
        margin-bottom: 8px;
      }
      ul {
        margin: 4px 0;
        padding-inline-start: 20px;
        overflow-wrap: anywhere;
      }
    `,
  ];
  server: Server | undefined;
  /** Why nothing can be imported; null = it can. */
  barred: string | null = null;
  opened: OpenedBundle | null = null;
  imported: Imported | null = null;
  refusal: unknown = null;
  isBusy = false;
  #stop = new AbortController();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  override render() {
    const { barred, server, refusal, opened } = this;
    if (barred !== null) return html`<p class="soft">${barred}</p>`;
    return html`<form class="row" aria-label="Import" @submit=${this.#submit} @dragover=${this.#over} @drop=${this.#drop}>
        <label class="button">Open a share <input class="visually-hidden" type="file" multiple accept=".gz,.tgz,.json,.nt,.ttl" @change=${this.#chosen} /></label>
        <span class="faint">${opened === null ? 'or drop one here: the archive, or manifest.json, export.nt and shapes.ttl' : shownLine(opened.name, CHARACTERS)}</span>
        ${opened === null ? nothing : html`<input class="field grow" name="source" aria-label="Who it came from" placeholder="who it came from" autocomplete="off" required .value=${opened.name} /><button class="button primary" ?disabled=${this.isBusy}>Import</button>`}
        ${this.isBusy ? html`<span class="faint" role="status">Working…</span> <button class="button small" type="button" @click=${() => this.#cancel()}>Cancel</button>` : nothing}
      </form>
      ${refusal === null || server === undefined ? nothing : refusalView(refusal, { server, choose: () => null })}
      ${this.#answer()}`;
  }

  #answer() {
    const { imported, server } = this;
    if (imported === null || server === undefined) return nothing;
    const { outcome, share_id: id, graph, quarantine_graph, accepted, quarantined, shacl, parent_known } = imported;
    const told = {
      staged: 'It is staged. Nothing of ROOT was written.',
      quarantined: 'It is in quarantine: it can not come into ROOT as it is.',
      unchanged: 'It was imported before; nothing was written.',
      verified: 'It was verified.',
    };
    return html`<div role="status"><p class=${outcome === 'quarantined' ? '' : 'done'}>${told[outcome]} ${count(accepted)} triples accepted, ${count(quarantined)} in quarantine.</p>
        <p><bdi class="mono">${id}</bdi></p></div>
      <div class="choices">${this.#look(graph, 'Look at what was accepted')}${quarantined === 0 ? nothing : this.#look(quarantine_graph, 'Look at the quarantine')}
        ${outcome === 'quarantined' || quarantined > 0 ? html`<button class="button small" ?disabled=${this.isBusy} @click=${() => void this.#send({ recheck: true })}>Judge it again</button>` : nothing}</div>
      ${this.#signature(imported)}
      ${parent_known ? nothing : html`<p class="soft">This store does not know the share that it follows, or it follows none.</p>`}
      ${blockersView(imported.promotion_blockers)}
      ${[...shacl.violations, ...shacl.warnings, ...shacl.infos].slice(0, LISTED_MAX).map((finding) => findingView(finding as Finding, server, () => null))}
      ${this.#names(imported)}
      ${imported.truncated ? html`<p class="soft">Only the first of what it found is listed.</p>` : nothing}`;
  }

  #look(graph: string | null, title: string) {
    if (graph === null) return nothing;
    return html`<button class="button small" @click=${() => emit(this, 'svc-scope', { change: { graph } })}>${title}</button>`;
  }

  #signature({ signature }: Imported) {
    if (signature === undefined) return nothing;
    const { verifier, valid, trusted } = signature;
    const told = trusted ? 'trusted here' : valid ? 'valid, not trusted here' : 'not valid';
    return html`<p>Signed by <bdi>${shownLine(verifier, CHARACTERS)}</bdi>: <b>${told}</b></p>`;
  }

  #names({ rewritten, resolution_candidates: candidates, names_left_out: left }: Imported) {
    return html`${rewritten.length === 0 ? nothing : html`<h3>Names that became local ones</h3><ul>${rewritten.slice(0, LISTED_MAX).map(({ from, to, name }) => html`<li><bdi dir="auto">${shownLine(name, CHARACTERS)}</bdi>: <bdi class="mono">${short(from)}</bdi> is <bdi class="mono">${short(to)}</bdi></li>`)}</ul>${more(rewritten.length)}`}
      ${candidates.length === 0 ? nothing : html`<h3>What names may mean here</h3><p class="soft">Nothing is merged.</p><ul>${candidates.slice(0, LISTED_MAX).map(({ entity, candidates: some }) => html`<li><bdi class="mono">${short(entity)}</bdi> may be ${some.slice(0, 5).map(({ iri, score }, at) => html`${at === 0 ? '' : ', '}<bdi class="mono">${short(iri)}</bdi> (${score.toFixed(2)})`)}</li>`)}</ul>${more(candidates.length)}`}
      ${left === 0 ? nothing : html`<p class="soft">${count(left)} names were not compared.</p>`}`;
  }

  #chosen(event: Event): void {
    const input = event.target as HTMLInputElement;
    void this.#open([...(input.files ?? [])]);
    input.value = '';
  }

  #over(event: DragEvent): void {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  }

  #drop(event: DragEvent): void {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void this.#open(files);
  }

  async #open(files: readonly File[]): Promise<void> {
    this.imported = null;
    this.refusal = null;
    this.opened = null;
    try {
      this.opened = await openBundle(files);
    } catch (error) {
      this.refusal = error;
    }
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    void this.#send();
  }

  async #send({ recheck = false } = {}): Promise<void> {
    const { server, opened } = this;
    if (server === undefined || opened === null || this.isBusy) return;
    const form = this.renderRoot.querySelector('form') as HTMLFormElement;
    const source = String(new FormData(form).get('source') ?? '').trim() || opened.name;
    const { signal } = this.#stop;
    this.isBusy = true;
    this.refusal = null;
    try {
      const request = { ...opened.bundle, source, ...(recheck ? { recheck } : {}) };
      this.imported = await server.client.call('import_share', request, { signal });
      announceWrite(this);
    } catch (error) {
      if (!isAbort(error)) this.refusal = error;
    } finally {
      this.isBusy = false;
    }
    this.dispatchEvent(new Event('imported'));
  }

  #cancel(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
  }
}

export function blockersView(blockers: readonly Blocker[]) {
  if (blockers.length === 0) return nothing;
  return html`<h3>What keeps it from ROOT</h3><ul>${blockers
    .slice(0, LISTED_MAX)
    .map(
      ({ kind, subject, message }) =>
        html`<li>${kind === 'violation' ? 'breaks a shape' : 'off the vocabulary'}: <bdi class="mono">${short(subject)}</bdi> <bdi dir="auto">${shownLine(message, CHARACTERS)}</bdi></li>`,
    )}</ul>${more(blockers.length)}`;
}

const short = (iri: string): string => iriText(iri, COMMON_PREFIXES, CHARACTERS);

const more = (length: number) =>
  length <= LISTED_MAX ? nothing : html`<p class="soft">${LISTED_MAX} of ${count(length)}.</p>`;

define('svc-import-form', ImportForm);
