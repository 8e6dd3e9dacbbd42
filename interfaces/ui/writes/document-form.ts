/** Loads a document of any format, or tries it on the shapes without writing anything. What a gate refuses can be changed in place. */

import { errorNotice, isAbort } from '../parts/errors.js';
import { css, html, LitElement, live, nothing } from '../parts/lit.js';
import { COMMON_PREFIXES, declaredPrefixes, type Prefixes } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { count, shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import type { Server } from '../wire/server.js';
import { documentInstead } from './alternatives.js';
import { ENDINGS, FORMATS, type FormatName, formatOf } from './document-format.js';
import { type Choose, type Finding, findingView, refusalView } from './refusal.js';
import { refusalStyles } from './refusal-styles.js';
import { type Judged, judgeDocument, type Loaded, loadDocument } from './send-document.js';
import { announceWrite } from './write-facts.js';

/** More than this is no text of the page: the file is sent as it is. */
const EDITED_BYTES_MAX = 5_000_000;
/** What one request takes along; larger documents are loaded by the command. */
const BYTES_MAX = 1_000_000_000;

type Outcome =
  | { readonly kind: 'loaded'; readonly answer: Loaded }
  | { readonly kind: 'judged'; readonly answer: Judged }
  | { readonly kind: 'refused'; readonly error: unknown }
  | { readonly kind: 'failed'; readonly error: unknown };

export class DocumentForm extends LitElement {
  static override properties = {
    server: { attribute: false },
    graph: { attribute: false },
    barred: { attribute: false },
    outcome: { state: true },
    isBusy: { state: true },
    text: { state: true },
    file: { state: true },
    format: { state: true },
    note: { state: true },
  };
  static override styles = [
    base,
    refusalStyles,
    css`
      form {
        display: grid;
        gap: 8px;
        margin-bottom: 12px;
      }
      textarea.field {
        width: 100%;
        min-height: 14rem;
        padding: 8px;
        resize: vertical;
      }
      .row .field {
        flex: 1 1 12rem;
      }
    `,
  ];
  server: Server | undefined;
  /** What is loaded into; null = ROOT. */
  graph: string | null = null;
  /** Why nothing can be loaded; null = it can. */
  barred: string | null = null;
  outcome: Outcome | null = null;
  isBusy = false;
  /** What a person edits; a `file` that is too large for that stands in its place. */
  text = '';
  file: File | null = null;
  format: FormatName = 'turtle';
  note = '';
  #stop = new AbortController();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  override render() {
    return html`<form aria-label="Document" @submit=${this.#submit} @dragover=${this.#over} @drop=${this.#drop}>
      ${this.file === null ? this.#editor() : html`<p class="notice"><b>${shownLine(this.file.name, 200)}</b>, ${count(this.file.size)} bytes: too large to be edited here, so it is sent as it is. <button class="button small" type="button" @click=${() => (this.file = null)}>Write a text instead</button></p>`}
      <div class="row">
        <label>Format <select class="field" name="format" .value=${live(this.format)} @change=${(event: Event) => (this.format = (event.target as HTMLSelectElement).value as FormatName)}>${Object.entries(FORMATS).map(([name, { label }]) => html`<option value=${name}>${label}</option>`)}</select></label>
        <label class="button">Open a file <input class="visually-hidden" type="file" accept=${ENDINGS.map((ending) => `.${ending}`).join(',')} @change=${this.#opened} /></label>
        <span class="faint">${this.note === '' ? 'or drop one here' : this.note}</span>
      </div>
      <div class="row">
        <input class="field" name="graph" aria-label="Graph" placeholder="graph: root" autocomplete="off" .value=${live(this.graph ?? '')} />
        <input class="field" name="source" aria-label="Source" placeholder="source, such as a file's name" autocomplete="off" />
        <input class="field" name="base" aria-label="Base of relative IRIs" placeholder="base of relative IRIs" autocomplete="off" />
      </div>
      <div class="row">
        <button class="button" name="act" value="judge" ?disabled=${this.isBusy}>Validate</button>
        <button class="button primary" name="act" value="load" ?disabled=${this.isBusy || this.barred !== null}>Load</button>
        ${this.barred === null ? nothing : html`<span class="soft">${this.barred}</span>`}
        ${this.isBusy ? html`<span class="faint" role="status">Working…</span> <button class="button small" type="button" @click=${this.#cancel}>Cancel</button>` : nothing}
      </div>
    </form>
    ${this.#answer()}`;
  }

  #editor() {
    return html`<textarea class="field mono" name="text" spellcheck="false" aria-label="Document" placeholder="@prefix ex: <http://example.org/> ." .value=${live(this.text)} @input=${(event: Event) => (this.text = (event.target as HTMLTextAreaElement).value)}></textarea>`;
  }

  #answer() {
    const { outcome, server } = this;
    if (outcome === null || server === undefined) return nothing;
    if (outcome.kind === 'failed') return errorNotice(outcome.error);
    if (outcome.kind === 'refused')
      return refusalView(outcome.error, { server, choose: this.#choose('load'), prefixes: this.#prefixes });
    if (outcome.kind === 'loaded') {
      const { tx_id: tx, count: read, new_facts: added, warnings, infos } = outcome.answer;
      return html`<p class="done" role="status">Written in transaction ${count(tx)}: ${count(added)} new of ${count(read)} facts.</p>${this.#findings([...warnings, ...infos], server)}`;
    }
    const { conforms, violations, warnings, infos } = outcome.answer;
    return html`<p role="status" class=${conforms ? 'done' : ''}>${conforms ? 'Valid' : `Not valid: ${count(violations.length)} violations`}. Nothing was written.</p>${this.#findings([...violations, ...warnings, ...infos], server)}`;
  }

  get #prefixes(): Prefixes {
    return { ...COMMON_PREFIXES, ...declaredPrefixes(this.text) };
  }

  #findings(findings: readonly unknown[], server: Server) {
    return (findings as readonly Finding[])
      .slice(0, 100)
      .map((finding) => findingView(finding, server, this.#choose('judge'), this.#prefixes));
  }

  /** An alternative changes the document, and sends it again. */
  #choose(act: 'load' | 'judge'): Choose {
    return (alternative, finding) => {
      const isText = this.file === null && FORMATS[this.format].isLikeTurtle;
      const changed = isText ? documentInstead(this.text, alternative, finding) : null;
      if (changed === null) return null;
      return () => {
        this.text = changed;
        void this.updateComplete.then(() => this.#send(act));
      };
    };
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    const isJudge = event.submitter instanceof HTMLButtonElement && event.submitter.value === 'judge';
    void this.#send(isJudge ? 'judge' : 'load');
  }

  async #send(act: 'load' | 'judge'): Promise<void> {
    const { server, format } = this;
    const content = this.file ?? this.text;
    if (server === undefined || this.isBusy) return;
    if (typeof content === 'string' && content.trim() === '') {
      this.outcome = { kind: 'failed', error: new Error('There is no document: write one, or open a file.') };
      return;
    }
    const fields = new FormData(this.renderRoot.querySelector('form') as HTMLFormElement);
    const text = (name: string) => String(fields.get(name) ?? '').trim() || undefined;
    const { signal } = this.#stop;
    this.isBusy = true;
    this.outcome = null;
    try {
      if (act === 'judge') {
        this.outcome = {
          kind: 'judged',
          answer: await judgeDocument(server, { content, format }, { base: text('base') }, signal),
        };
      } else {
        const where = { graph: text('graph'), source: text('source'), base: text('base') };
        this.outcome = { kind: 'loaded', answer: await loadDocument(server, { content, format }, where, signal) };
        announceWrite(this);
      }
    } catch (error) {
      if (!isAbort(error)) this.outcome = { kind: act === 'load' ? 'refused' : 'failed', error };
    } finally {
      this.isBusy = false;
    }
  }

  #cancel(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  #opened(event: Event): void {
    const input = event.target as HTMLInputElement;
    void this.#take([...(input.files ?? [])]);
    // The same file, changed meanwhile, can be opened again.
    input.value = '';
  }

  /** A text that is dropped goes into the field, as everywhere. */
  #over(event: DragEvent): void {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  }

  #drop(event: DragEvent): void {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void this.#take(files);
  }

  async #take([file, ...others]: readonly File[]): Promise<void> {
    if (file === undefined) return;
    this.outcome = null;
    try {
      if (others.length > 0)
        throw new Error(
          `${count(others.length + 1)} files: take one at a time; svc knot loads a folder in one transaction.`,
        );
      const format = formatOf(file.name);
      if (file.size > BYTES_MAX) {
        throw new Error(
          `${file.name} has ${count(file.size)} bytes: more than ${count(BYTES_MAX)} are loaded by svc knot.`,
        );
      }
      const isEdited = file.size <= EDITED_BYTES_MAX;
      const text = isEdited ? await file.text() : '';
      this.format = format ?? this.format;
      this.note =
        format === null
          ? `The ending of ${shownLine(file.name, 80)} names no format: it is taken for ${FORMATS[this.format].label}, or choose another.`
          : '';
      this.file = isEdited ? null : file;
      this.text = text;
    } catch (error) {
      this.outcome = { kind: 'failed', error };
      return;
    }
    const source = this.renderRoot.querySelector<HTMLInputElement>('input[name=source]');
    if (source !== null && source.value === '') source.value = file.name;
  }
}

define('svc-document-form', DocumentForm);
