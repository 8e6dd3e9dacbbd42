/**
 * The page: top bar, the view that the address names, status line. The address is the only state; everything else follows.
 *
 * 1. The address is read when the page begins and whenever the browser goes back or forth (`address.ts`).
 * 2. A view, once opened, stays: what it is busy with goes on while another is looked at. It gets its part of the address.
 * 3. What views say (`parts/events.ts`) becomes a new address.
 */

import '../parts/term.js';
import { errorNotice } from '../parts/errors.js';
import { emit, listen, type SvcEvents } from '../parts/events.js';
import { html, LitElement, nothing, type PropertyValues } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { count } from '../parts/text.js';
import { askToken } from '../parts/token-dialog.js';
import { define, View } from '../parts/view.js';
import { isPast, sameScope } from '../wire/scope.js';
import { type Server, serverAt } from '../wire/server.js';
import { type Address, changedState, formatUrl, parseUrl } from './address.js';
import './find.js';
import './graph-control.js';
import './help.js';
import { actionOf } from './keys.js';
import { pageStyles } from './page-styles.js';
import './time-control.js';
import type { TimeControl } from './time-control.js';
import { HOME, VIEWS, type ViewDefinition, viewOf } from './views.js';

interface Figures {
  readonly facts: number;
  readonly entities: number;
  readonly predicates: number;
}

/** The view that compares, where the one that is seen does not. */
const COMPARING = 'explore';

class Page extends LitElement {
  static override properties = {
    endpoint: {},
    version: {},
    address: { state: true },
    figures: { state: true },
    failure: { state: true },
    isHelpOpen: { state: true },
  };
  static override styles = [base, pageStyles];
  endpoint = '/';
  version = '';
  address: Address = parseUrl(new URL(location.href), '', HOME);
  figures: Figures | null = null;
  failure: unknown = null;
  isHelpOpen = false;
  /** Views that were opened, by name. */
  readonly #opened = new Map<string, View>();
  #showing: Promise<void> | null = null;

  get server(): Server {
    return serverAt(this.endpoint, askToken);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.address = this.#read();
    addEventListener('popstate', () => this.#show(this.#read()));
    addEventListener('hashchange', () => this.#show(this.#read()));
    document.addEventListener('keydown', (event) => this.#key(event));
    // Its code is evaluated while the page is drawn for the first time; what does not arrive is told when the view is shown.
    void viewOf(this.address.view)
      ?.load()
      .catch(() => undefined);
    let wasAway = false;
    this.server.addEventListener('presence', () => {
      const { presence } = this.server;
      if (presence === 'there' && wasAway) void this.#count();
      wasAway = presence === 'away';
      this.requestUpdate();
    });
    this.#listen();
    void this.#count();
  }

  override render() {
    const { server, address } = this;
    const { scope } = address;
    return html`
      <header>
        <a class="logo" href="#/${HOME}" aria-label="svc, first view"><i aria-hidden="true"></i>svc</a>
        <nav aria-label="Views">
          ${VIEWS.map(
            (view) =>
              html`<a href=${formatUrl({ ...address, view: view.name, state: {} }, this.#place)} aria-current=${view.name === address.view ? 'page' : nothing} @click=${(event: MouseEvent) => this.#follow(event, view)}>${view.title}</a>`,
          )}
        </nav>
        <span class="grow"></span>
        <svc-find .server=${server} .scope=${scope}></svc-find>
        <svc-graph-control .server=${server} .scope=${scope}></svc-graph-control>
        <svc-time-control .scope=${scope}></svc-time-control>
        <button class="button plain" aria-pressed=${server.tokens.current !== null} title="The bearer token of this tab" @click=${this.#token}>Token</button>
      </header>
      ${isPast(scope) ? this.#strip() : nothing}
      <main>${this.failure === null ? nothing : html`<div class="failure">${errorNotice(this.failure)}</div>`}<slot></slot></main>
      <footer>
        <span role="status">${this.#presence()}</span>
        ${this.figures === null ? nothing : html`<span class="figures">${count(this.figures.facts)} facts · ${count(this.figures.entities)} entities · ${count(this.figures.predicates)} predicates</span>`}
        <span class="grow"></span>
        <span class="ellipsis" id="status"></span>
        <button class="button plain small" @click=${() => (this.isHelpOpen = true)}><kbd>?</kbd> keyboard</button>
      </footer>
      ${this.isHelpOpen ? html`<svc-help @close=${() => (this.isHelpOpen = false)}></svc-help>` : nothing}
    `;
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('address')) this.#showing = this.#showView();
  }

  #strip() {
    const { validAt, tx } = this.address.scope;
    return html`<div class="strip" role="status"><b>Reading the past</b>
      <span>${validAt === null ? 'what is true now' : `what was true at ${validAt}`}${tx === null ? '' : `, as known at transaction ${count(tx)}`}</span>
      <span class="grow"></span>
      <button class="button small" @click=${() => emit(this, 'svc-scope', { change: { validAt: null, tx: null } })}>Back to now <kbd>N</kbd></button></div>`;
  }

  #presence() {
    if (this.server.presence === 'away') {
      return html`<i class="dot away" aria-hidden="true"></i>no answer from the server; trying again`;
    }
    return this.server.presence === 'unknown' ? 'connecting' : html`<i class="dot" aria-hidden="true"></i>connected`;
  }

  get #place() {
    return { path: location.pathname, base: new URL(this.server.base).pathname.replace(/\/$/, '') };
  }

  #read(): Address {
    return parseUrl(new URL(location.href), this.#place.base, HOME);
  }

  #listen(): void {
    listen(this, 'svc-state', ({ change, push }, event) => {
      event.preventDefault();
      // A view that is not looked at has no part in the address.
      const view = event.composedPath().find((one) => one instanceof View && one.parentNode === this);
      if (!(view instanceof View)) return;
      const state = changedState(view.state, change);
      if (view === this.#opened.get(this.address.view)) this.#go({ ...this.address, state }, push);
      else view.state = state;
    });
    listen(this, 'svc-open', ({ view, state, scope }, event) => {
      event.preventDefault();
      if (viewOf(view) === undefined) return;
      this.#go({ ...this.address, view, state, scope: { ...this.address.scope, ...scope } }, true);
    });
    listen(this, 'svc-scope', ({ change }) => {
      const scope = { ...this.address.scope, ...change };
      if (!sameScope(scope, this.address.scope)) this.#go({ ...this.address, scope }, true);
    });
    // It changes with every key, for which the page is not drawn again, and which nobody wants read out.
    listen(this, 'svc-status', ({ text, announce = false }) => {
      const place = this.renderRoot.querySelector('#status');
      place?.setAttribute('aria-live', announce ? 'polite' : 'off');
      if (place) place.textContent = text;
    });
    for (const name of ['svc-node-click', 'svc-type-click'] as const) {
      listen(this, name, (detail, event) => this.#openEntity(detail, event));
    }
    this.addEventListener('svc-written', () => void this.#count());
  }

  #openEntity({ iri }: SvcEvents['svc-node-click'], event: Event): void {
    // Whoever stands in between may have made something else of it.
    if (event.defaultPrevented) return;
    event.preventDefault();
    if (viewOf('entity') === undefined) location.assign(this.server.entityUrl(iri));
    else this.#go({ ...this.address, view: 'entity', state: { iri } }, true);
  }

  #follow(event: MouseEvent, { name }: ViewDefinition): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.#openView(name);
  }

  /** As it was left. */
  #openView(name: string): void {
    if (name === this.address.view) return;
    this.#go({ ...this.address, view: name, state: this.#opened.get(name)?.state ?? {} }, true);
  }

  #go(address: Address, push: boolean): void {
    const url = formatUrl(address, this.#place);
    if (push) history.pushState(null, '', url);
    else history.replaceState(null, '', url);
    this.#show(address);
  }

  #show(address: Address): void {
    this.address = address;
  }

  /** Puts the view of the address where it is seen, and gives it its state. */
  async #showView(): Promise<void> {
    const { view: name, state, scope } = this.address;
    const definition = viewOf(name);
    if (definition === undefined) {
      this.failure = new Error(`There is no view “${name.slice(0, 60)}”: choose one above.`);
      for (const view of this.#opened.values()) this.#see(view, false);
      return;
    }
    document.title = `svc · ${definition.title}`;
    const failure = await definition.load().then(
      () => null,
      (error: unknown) => new Error(`The code of this view did not arrive: load the page again. ${String(error)}`),
    );
    // Meanwhile another view may have been asked for.
    if (this.address.view !== name) return;
    this.failure = failure;
    if (failure !== null) return;
    let view = this.#opened.get(name);
    if (view === undefined) {
      view = document.createElement(definition.tag) as View;
      view.endpoint = this.endpoint;
      this.#opened.set(name, view);
    }
    view.state = state;
    for (const one of this.#opened.values()) {
      one.scope = scope;
      this.#see(one, one === view);
    }
    if (view.parentNode !== this) this.append(view);
  }

  #see(view: View, isSeen: boolean): void {
    view.hidden = !isSeen;
    view.active = isSeen;
  }

  async #token(): Promise<void> {
    const { tokens } = this.server;
    const token = await askToken({ endpoint: this.server.base, rejected: false });
    if (token !== null) tokens.set(token);
    this.requestUpdate();
  }

  async #count(): Promise<void> {
    try {
      this.figures = await this.server.background.call('stats', {});
    } catch {
      // The presence in the same line says that there is no server; who has no token has no figures.
      this.figures = null;
    }
  }

  #key(event: KeyboardEvent): void {
    const action = actionOf(event, VIEWS);
    if (action === null) return;
    event.preventDefault();
    if (action.kind === 'view') this.#openView(action.name);
    else if (action.kind === 'find') (this.renderRoot.querySelector('svc-find') as HTMLElement).focus();
    else if (action.kind === 'help') this.isHelpOpen = true;
    else if (action.kind === 'time') (this.renderRoot.querySelector('svc-time-control') as TimeControl).open();
    else if (action.kind === 'now') emit(this, 'svc-scope', { change: { validAt: null, tx: null } });
    else if (action.kind === 'compare') void this.#compare();
    else void this.#step(action.by);
  }

  /** In the view that is seen, and else in the explorer. */
  async #compare(): Promise<void> {
    if (this.#opened.get(this.address.view)?.compare() === true) return;
    this.#openView(COMPARING);
    await this.updateComplete;
    await this.#showing;
    const view = this.#opened.get(COMPARING);
    await view?.updateComplete;
    view?.compare();
  }

  /** One transaction back or forth; behind the last one is now. */
  async #step(by: 1 | -1): Promise<void> {
    const { tx } = this.address.scope;
    if (tx === null && by > 0) return;
    try {
      const { transactions: last } = await this.server.client.call('stats', {});
      const next = Math.max(1, (tx ?? last) + by);
      if (last > 1) emit(this, 'svc-scope', { change: { tx: next < last ? next : null } });
    } catch (error) {
      this.failure = error;
    }
  }
}

define('svc-page', Page);
