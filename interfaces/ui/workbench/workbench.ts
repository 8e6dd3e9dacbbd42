/**
 * The query workbench: texts in tabs, each with what became of it; the plan beside; saved queries, history and prefixes.
 *
 * The state of the view is the text of the tab that is seen (`q`, or `z` where it is long and was packed) and how its answer is shown (`tab`). A text that comes by
 * the address opens in a tab; it is never run by itself, since it may write.
 */

import { SvcError } from '../../../clients/typescript/src/index.js';
import { isAbort } from '../parts/errors.js';
import { emit } from '../parts/events.js';
import { classMap, html, nothing, type PropertyValues } from '../parts/lit.js';
import { declaredPrefixes, type Prefixes } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { shownLine } from '../parts/text.js';
import { define, type HostMessage, View } from '../parts/view.js';
import { SparqlEditor } from './editor/editor.js';
import { EMPTY, readVocabulary, type Vocabulary } from './editor/vocabulary.js';
import { PACKED_CHARACTERS_MAX, PLAIN_CHARACTERS_MAX, packed, unpacked } from './packed-text.js';
import { queryForm, titleOf } from './query-form.js';
import { addToHistory, clearHistory, type Ran, readHistory } from './query-history.js';
import './query-list.js';
import type { QueryListEvent } from './query-list.js';
import './result-pane.js';
import type { ResultView } from './result-pane.js';
import type { Explanation } from './results/plan-panel.js';
import './results/plan-panel.js';
import { Run } from './run.js';
import './save-dialog.js';
import { keepTabs, keptTabs } from './tab-storage.js';
import { activeOf, newTab, type Tab, type Tabs, withoutTab, withTab, withText } from './tabs.js';
import { toolsView } from './tools-view.js';
import { workbenchStyles } from './workbench-styles.js';

const FIRST =
  '# Classes, and how many entities each has\nSELECT ?class (COUNT(*) AS ?entities) WHERE {\n  ?entity a ?class\n}\nGROUP BY ?class\nORDER BY DESC(?entities)\nLIMIT 100\n';
/** After the last key the tab follows, and then the address. */
const TYPED_MS = 200;
const ADDRESS_MS = 200;
export class Workbench extends View {
  static override properties = {
    query: {},
    tabs: { state: true },
    ran: { state: true },
    vocabulary: { state: true },
    plan: { state: true },
    inference: { state: true },
    timeout: { state: true },
    saving: { state: true },
    savedVersion: { state: true },
    isListOpen: { state: true },
  };
  static override styles = [base, workbenchStyles];
  /** A text to begin with: it is run at once, unless it writes. */
  query: string | undefined;
  tabs: Tabs = keptTabs(FIRST);
  ran: readonly Ran[] = readHistory();
  vocabulary: Vocabulary = EMPTY;
  plan: { readonly explanation: Explanation | null; readonly failure: unknown; readonly isWaiting: boolean } | null =
    null;
  inference = '';
  timeout = '';
  saving = false;
  savedVersion = 0;
  isListOpen = false;
  #editor: SparqlEditor | null = null;
  readonly #runs = new Map<string, Run>();
  /** What this view has put into the address. */
  #told: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #typing: ReturnType<typeof setTimeout> | undefined;
  #explaining: AbortController | null = null;
  #namesOf: string | null = null;
  #declaredIn: { readonly text: string; readonly vocabulary: Vocabulary; readonly prefixes: Prefixes } | null = null;

  get #tab(): Tab {
    return activeOf(this.tabs);
  }

  get #run(): Run | null {
    return this.#runs.get(this.#tab.id) ?? null;
  }

  /** Those of the store, and those that a text declares. The same object for the same text, so that what shows it is not drawn again. */
  #prefixesOf(text: string): Prefixes {
    const { vocabulary } = this;
    if (this.#declaredIn?.text !== text || this.#declaredIn.vocabulary !== vocabulary) {
      this.#declaredIn = { text, vocabulary, prefixes: { ...vocabulary.prefixes, ...declaredPrefixes(text) } };
    }
    return this.#declaredIn.prefixes;
  }

  override render() {
    const { tabs, plan } = this;
    const run = this.#run;
    return html`<div class=${classMap({ layout: true, planned: plan !== null })}>
      <svc-query-list aria-label="Queries" class=${this.isListOpen ? 'open' : ''} .server=${this.server} .ran=${this.ran} .prefixes=${this.vocabulary.prefixes} .version=${this.savedVersion} @choose=${this.#chosen} @declare=${this.#declared} @clear=${this.#cleared}></svc-query-list>
      <div class="middle">
        <div class="tabs" role="group" aria-label="Open queries">
          ${tabs.tabs.map((tab) => this.#tabView(tab))}
          <button class="add" aria-label="New tab" @click=${() => this.#openTab('')}>+</button>
        </div>
        ${toolsView({
          isBusy: run?.isRunning === true || this.#explaining !== null,
          isListOpen: this.isListOpen,
          inference: this.inference,
          timeout: this.timeout,
          run: () => this.#start(),
          cancel: this.#cancel,
          explain: (analyze) => void this.#explain(analyze),
          toggleList: () => (this.isListOpen = !this.isListOpen),
          save: this.#save,
          share: () => void this.#share(),
          setInference: (value) => (this.inference = value),
          setTimeout: (value) => (this.timeout = value),
        })}
        <div class="editor" @keydown=${this.#key}></div>
        <svc-result-pane .run=${run} .shown=${(this.state.tab ?? 'table') as ResultView} .prefixes=${this.#prefixesOf(run?.options.text ?? '')} .endpoint=${this.endpoint} .scope=${this.scope} @choose=${({ detail }: CustomEvent<string>) => this.change({ tab: detail === 'table' ? undefined : detail })}></svc-result-pane>
      </div>
      ${plan === null ? nothing : html`<svc-plan aria-label="Plan" .explanation=${plan.explanation} .failure=${plan.failure} .isWaiting=${plan.isWaiting} .prefixes=${this.#prefixesOf(run?.options.text ?? '')} @close=${this.#closePlan}></svc-plan>`}
    </div>
    ${this.saving ? html`<svc-save-dialog .server=${this.server} .text=${this.#tab.text} @saved=${() => this.savedVersion++} @close=${() => (this.saving = false)}></svc-save-dialog>` : nothing}`;
  }

  #tabView(tab: Tab) {
    const isActive = tab.id === this.#tab.id;
    const title = shownLine(titleOf(tab.text), 40);
    return html`<div class=${classMap({ tab: true, active: isActive })}><button aria-current=${isActive ? 'true' : nothing} @click=${() => this.#activate(tab.id)}>${title}</button><button class="close" aria-label=${`Close ${title}`} @click=${() => this.#closeTab(tab.id)}>×</button></div>`;
  }

  override firstUpdated(): void {
    this.#editor = new SparqlEditor({
      parent: this.renderRoot.querySelector('.editor') as HTMLElement,
      root: this.shadowRoot as ShadowRoot,
      changed: () => this.#written(),
      run: () => this.#start(),
      vocabulary: () => this.vocabulary,
      told: ({ line, column, error }) =>
        emit(this, 'svc-status', { text: `Ln ${line}, Col ${column}${error === null ? '' : ` · ${error}`}` }),
      focused: () => void this.#readNames(),
    });
    const { query } = this;
    if (query !== undefined && this.state.q === undefined && this.state.z === undefined) this.#ask(query);
    this.#editor.show(this.#tab.id, this.#tab.text);
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('state')) void this.#read();
    if (changed.has('query') && this.hasUpdated && this.query !== undefined) this.#ask(this.query);
  }

  protected override updated(changed?: PropertyValues): void {
    super.updated();
    const { id, text } = this.#tab;
    if (changed?.has('tabs')) this.#editor?.show(id, text);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#take();
    for (const run of this.#runs.values()) run.cancel();
  }

  protected override receive({ action, query }: HostMessage): void {
    if (action === 'query' && typeof query === 'string') this.#ask(query);
  }

  /** A text of a page around it: it is run, unless it writes. */
  #ask(text: string): void {
    this.#openText(text);
    const form = queryForm(text);
    if (form !== 'update' && form !== null) this.#start();
  }

  /** The text of the address, where it is none that this view has put there. */
  async #read(): Promise<void> {
    const { q, z } = this.state;
    const text = q ?? (z === undefined ? null : await unpacked(z));
    if (text === null || text === undefined || text === this.#told) return;
    this.#told = text;
    this.#openText(text);
  }

  #openText(text: string): void {
    this.#take();
    const open = this.tabs.tabs.find((tab) => tab.text === text);
    if (open !== undefined) this.#show({ ...this.tabs, activeId: open.id });
    else if (this.#isUntouched) this.#show(withText(this.tabs, text));
    else this.#openTab(text);
  }

  #activate(id: string): void {
    this.#take();
    this.#show({ ...this.tabs, activeId: id });
  }

  get #isUntouched(): boolean {
    const { id, text } = this.#tab;
    return (text === '' || text === FIRST) && !this.#runs.has(id);
  }

  #openTab(text: string): void {
    this.#take();
    this.#show(withTab(this.tabs, newTab(text)));
    this.#editor?.focus();
  }

  #closeTab(id: string): void {
    this.#take();
    this.#runs.get(id)?.dispose();
    this.#runs.delete(id);
    this.#editor?.forget(id);
    this.#show(withoutTab(this.tabs, id));
  }

  #show(tabs: Tabs): void {
    this.tabs = tabs;
    keepTabs(tabs);
    this.#tellSoon();
  }

  /** A key costs as little as can be: what follows from the text follows when the keys rest, or when something is done with it. */
  #written(): void {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#take(), TYPED_MS);
  }

  #take(): void {
    clearTimeout(this.#typing);
    const text = this.#editor?.text;
    if (text !== undefined && text !== this.#tab.text && this.#editor?.shown === this.#tab.id) {
      this.#show(withText(this.tabs, text));
    }
  }

  #tellSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#tell(), ADDRESS_MS);
  }

  /** Puts the text into the address; one that is too long for it is left out. */
  async #tell(): Promise<void> {
    const { text } = this.#tab;
    if (text === this.#told) return;
    this.#told = text;
    if (text.length <= PLAIN_CHARACTERS_MAX) {
      this.change({ q: text, z: undefined });
      return;
    }
    const z = await packed(text);
    if (this.#told === text) this.change({ q: undefined, z: z.length <= PACKED_CHARACTERS_MAX ? z : undefined });
  }

  #start(): void {
    this.#take();
    const { id, text } = this.#tab;
    if (text.trim() === '') return;
    clearTimeout(this.#timer);
    void this.#tell();
    this.#runs.get(id)?.dispose();
    const run = new Run({
      server: this.server,
      text,
      form: queryForm(text),
      scope: this.scopeFields,
      inference: this.inference === '' ? undefined : this.inference === 'on',
      timeoutMs: this.timeout === '' ? undefined : Number(this.timeout),
    });
    this.#runs.set(id, run);
    run.addEventListener('change', () => this.#progressed(run, id));
    this.requestUpdate();
  }

  #progressed(run: Run, id: string): void {
    this.requestUpdate();
    if (run.isRunning) return;
    const rows = run.failure === null && run.outcome?.kind === 'rows' ? run.rows : null;
    this.ran = addToHistory({ text: run.options.text, at: Date.now(), rows });
    if (run.outcome?.kind === 'update') {
      this.#namesOf = null;
      this.dispatchEvent(new Event('svc-written', { bubbles: true, composed: true }));
    }
    const { body } = run.failure instanceof SvcError ? run.failure : { body: null };
    if (id !== this.#tab.id || typeof body !== 'object' || body === null) return;
    const { line, column, error } = body as Readonly<Record<string, unknown>>;
    if (typeof line === 'number' && typeof column === 'number') this.#editor?.mark(line, column, String(error));
  }

  readonly #cancel = (): void => {
    this.#run?.cancel();
    this.#explaining?.abort();
  };

  /** Escape belongs to the list of completions first, which takes it before it comes here. */
  #key(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !event.defaultPrevented) this.#cancel();
  }

  /** `analyze`: the query runs, and what happened is told; of an update its patterns alone, and nothing is written. */
  async #explain(analyze: boolean): Promise<void> {
    this.#take();
    this.#explaining?.abort();
    const stop = new AbortController();
    this.#explaining = stop;
    this.plan = { explanation: null, failure: null, isWaiting: true };
    const isUpdate = queryForm(this.#tab.text) === 'update';
    try {
      const explanation = await this.server.client.call(
        'explain',
        {
          query: this.#tab.text,
          analyze,
          ...(isUpdate ? {} : this.scopeFields),
          ...(this.timeout === '' ? {} : { timeout_ms: Number(this.timeout) }),
        },
        { signal: stop.signal },
      );
      this.plan = { explanation, failure: null, isWaiting: false };
    } catch (error) {
      if (!isAbort(error)) this.plan = { explanation: null, failure: error, isWaiting: false };
      else if (this.#explaining === stop) this.plan = null;
    } finally {
      if (this.#explaining === stop) this.#explaining = null;
      this.requestUpdate();
    }
  }

  readonly #save = (): void => {
    this.#take();
    this.saving = true;
  };

  readonly #closePlan = (): void => {
    this.#explaining?.abort();
    this.plan = null;
  };

  async #share(): Promise<void> {
    this.#take();
    await this.#tell();
    const { q, z } = this.state;
    const isThere = q !== undefined || z !== undefined;
    if (isThere) await navigator.clipboard.writeText(location.href);
    emit(this, 'svc-status', {
      text: isThere
        ? 'The address of this query is on the clipboard'
        : 'This query is too long for an address: save it, and share its name',
      announce: true,
    });
  }

  #chosen({ detail }: QueryListEvent): void {
    this.isListOpen = false;
    this.#openText(detail);
    this.#editor?.focus();
  }

  #declared({ detail }: QueryListEvent): void {
    this.#take();
    if (!this.#tab.text.includes(detail.trim())) this.#show(withText(this.tabs, detail + this.#tab.text));
  }

  #cleared(): void {
    clearHistory();
    this.ran = [];
  }

  /** When somebody begins to write, once for each graph: until then nothing is asked for. */
  async #readNames(): Promise<void> {
    const graph = this.scope.graph ?? '';
    if (this.#namesOf === graph) return;
    this.#namesOf = graph;
    try {
      this.vocabulary = await readVocabulary(this.server, this.scope.graph, this.stopping);
    } catch {
      // The next time that somebody begins to write it is asked again; until then there are words and prefixes.
      this.#namesOf = null;
    }
  }
}

define('svc-sparql', Workbench);
