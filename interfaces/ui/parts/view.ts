/**
 * What every view is: an element that works on the page of the server and on any other. `README.md` tells how to write one.
 *
 * 1. Its state is texts by name (`state`). The page gives it from the address; elsewhere the attributes of the element do.
 * 2. It changes its state by `change` alone. The page takes the change into the address and gives the new state; where
 *    nobody does, the element keeps it itself.
 * 3. It asks the server by `server`, for what `scope` says, and stops asking when `stopping` is aborted.
 */

import { isPast, NOW, type Scope, type ScopeFields, scopeFields } from '../wire/scope.js';
import { type Server, serverAt } from '../wire/server.js';
import { emit, type ViewState } from './events.js';
import { LitElement, type PropertyDeclarations } from './lit.js';
import { COMMON_PREFIXES, type Prefixes, storePrefixes } from './prefixes.js';
import { askToken } from './token-dialog.js';

/** A message of the page that an element stands in. */
export type HostMessage = Readonly<Record<string, unknown>>;

export abstract class View extends LitElement {
  static override properties: PropertyDeclarations = {
    endpoint: {},
    height: {},
    allowOrigin: { attribute: 'allow-origin' },
    state: { attribute: false },
    scope: { attribute: false },
    active: { attribute: false },
  };

  /** Where the server is; absent = the origin of the page. */
  endpoint: string | undefined;
  /** A length of CSS, or pixels. */
  height: string | undefined;
  /** Whose messages are taken; absent = nobody's. */
  allowOrigin: string | undefined;
  state: ViewState = {};
  scope: Scope = NOW;
  /** Whether it is seen: the page keeps views that were opened. */
  active = true;
  #stop = new AbortController();
  #prefixes: Prefixes = COMMON_PREFIXES;
  #prefixesOf: unknown = null;
  readonly #take = (event: MessageEvent): void => {
    if (this.allowOrigin === undefined || event.origin !== this.allowOrigin) return;
    if (typeof event.data === 'object' && event.data !== null) this.receive?.(event.data as HostMessage);
  };

  get server(): Server {
    return serverAt(this.endpoint ?? `${location.origin}/`, askToken);
  }

  /** `scope` as the fields of requests. */
  get scopeFields(): ScopeFields {
    return scopeFields(this.scope);
  }

  get isPast(): boolean {
    return isPast(this.scope);
  }

  /** Those of the store, as soon as they are there; asked for when a view first shortens an IRI. */
  protected get prefixes(): Prefixes {
    const { background } = this.server;
    if (this.#prefixesOf !== background) {
      this.#prefixesOf = background;
      storePrefixes(background).then(
        (prefixes) => {
          this.#prefixes = prefixes;
          this.requestUpdate();
        },
        // Whole IRIs stand where no prefix is known.
        () => undefined,
      );
    }
    return this.#prefixes;
  }

  /** Aborted when the element leaves its document. */
  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  /** `push`: one more step to go back; otherwise the present step of the history changes. */
  change(change: Readonly<Record<string, string | undefined>>, { push = false } = {}): void {
    if (!emit(this, 'svc-state', { change, push })) return;
    const state: Record<string, string> = { ...this.state };
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) delete state[name];
      else state[name] = value;
    }
    this.state = state;
  }

  /** Shows another view, where there is one. */
  open(view: string, state: ViewState, scope: Partial<Scope> = {}): void {
    emit(this, 'svc-open', { view, state, scope });
  }

  /** Shows what changed between two moments, or asks for them. False where this view has nothing to compare. */
  compare(): boolean {
    return false;
  }

  /** What a message of the page around it asks for (`allow-origin`). */
  protected receive?(message: HostMessage): void;

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.#stop.signal.aborted) this.#stop = new AbortController();
    window.addEventListener('message', this.#take);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('message', this.#take);
    this.#stop.abort();
  }

  protected override updated(): void {
    const { height } = this;
    if (height !== undefined) this.style.height = /^\d+$/.test(height) ? `${height}px` : height;
  }
}

/** An element is defined once, whichever script comes first. */
export function define(tag: string, element: CustomElementConstructor): void {
  if (customElements.get(tag) === undefined) customElements.define(tag, element);
}
