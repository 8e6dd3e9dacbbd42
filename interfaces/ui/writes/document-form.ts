/** Loads a document in Turtle, or tries it on the shapes without writing anything. What a gate refuses can be changed in place. */

import type { Operations } from '../../../clients/typescript/src/index.js';
import { errorNotice, isAbort } from '../parts/errors.js';
import { css, html, LitElement, live, nothing } from '../parts/lit.js';
import { COMMON_PREFIXES, declaredPrefixes, type Prefixes } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { count } from '../parts/text.js';
import { define } from '../parts/view.js';
import type { Server } from '../wire/server.js';
import { documentInstead } from './alternatives.js';
import { type Choose, type Finding, findingView, refusalView } from './refusal.js';
import { refusalStyles } from './refusal-styles.js';
import { announceWrite } from './write-facts.js';

/** What a person edits in a page; larger documents are loaded by the command, or over HTTP. */
const BYTES_MAX = 20_000_000;

type Loaded = Operations['knot']['response'];
type Judged = Operations['validate']['response'];

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
    turtle: { state: true },
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
      .row {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
        align-items: center;
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
  turtle = '';
  #stop = new AbortController();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  override render() {
    return html`<form aria-label="Document" @submit=${this.#submit} @dragover=${(event: DragEvent) => event.preventDefault()} @drop=${this.#drop}>
      <textarea class="field mono" name="turtle" spellcheck="false" aria-label="Document in Turtle" placeholder="@prefix ex: <http://example.org/> ." .value=${live(this.turtle)} @input=${(event: Event) => (this.turtle = (event.target as HTMLTextAreaElement).value)}></textarea>
      <div class="row">
        <input class="field" name="graph" aria-label="Graph" placeholder="graph: root" autocomplete="off" .value=${live(this.graph ?? '')} />
        <input class="field" name="source" aria-label="Source" placeholder="source, such as a file's name" autocomplete="off" />
        <label class="button">Open a file <input class="visually-hidden" type="file" accept=".ttl,.nt,text/turtle" @change=${this.#opened} /></label>
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
    return { ...COMMON_PREFIXES, ...declaredPrefixes(this.turtle) };
  }

  #findings(findings: readonly unknown[], server: Server) {
    return (findings as readonly Finding[])
      .slice(0, 100)
      .map((finding) => findingView(finding, server, this.#choose('judge'), this.#prefixes));
  }

  /** An alternative changes the document, and sends it again. */
  #choose(act: 'load' | 'judge'): Choose {
    return (alternative, finding) => {
      const turtle = documentInstead(this.turtle, alternative, finding);
      if (turtle === null) return null;
      return () => {
        this.turtle = turtle;
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
    const { server, turtle } = this;
    if (server === undefined || this.isBusy) return;
    if (turtle.trim() === '') {
      this.outcome = { kind: 'failed', error: new Error('There is no document: write one, or open a file.') };
      return;
    }
    const fields = new FormData(this.renderRoot.querySelector('form') as HTMLFormElement);
    const text = (name: string) => String(fields.get(name) ?? '').trim() || undefined;
    const options = { signal: this.#stop.signal };
    this.isBusy = true;
    this.outcome = null;
    try {
      if (act === 'judge') {
        this.outcome = { kind: 'judged', answer: await server.client.call('validate', { data: turtle }, options) };
      } else {
        const request = { turtle, graph: text('graph'), source: text('source') };
        this.outcome = { kind: 'loaded', answer: await server.client.call('knot', request, options) };
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
    void this.#take((event.target as HTMLInputElement).files?.[0]);
  }

  #drop(event: DragEvent): void {
    event.preventDefault();
    void this.#take(event.dataTransfer?.files[0]);
  }

  async #take(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    if (file.size > BYTES_MAX) {
      const error = new Error(
        `${file.name} has ${count(file.size)} bytes: more than ${count(BYTES_MAX)} are loaded by svc knot, or by POST /rdf-graph-store.`,
      );
      this.outcome = { kind: 'failed', error };
      return;
    }
    this.turtle = await file.text();
    const source = this.renderRoot.querySelector<HTMLInputElement>('input[name=source]');
    if (source !== null && source.value === '') source.value = file.name;
  }
}

define('svc-document-form', DocumentForm);
