/**
 * What the picture is compared with: a transaction, or a moment of valid time. Either what is shown is marked, or the graph
 * begins with what has changed since that transaction.
 */

import type { Dropdown } from '../parts/dropdown.js';
import '../parts/dropdown.js';
import { isAbort } from '../parts/errors.js';
import { instantOf } from '../parts/instant.js';
import { html, LitElement, live, nothing } from '../parts/lit.js';
import { base, formStyles } from '../parts/styles.js';
import { define } from '../parts/view.js';
import type { Server } from '../wire/server.js';

/** `since`: as the address has it; null = nothing is compared any more. */
export interface Comparison {
  readonly since: string | null;
  /** The graph begins with what has changed. */
  readonly isChanged: boolean;
}

class CompareControl extends LitElement {
  static override properties = {
    server: { attribute: false },
    since: { attribute: false },
    tx: { attribute: false },
    offered: { state: true },
    problem: { state: true },
  };
  static override styles = [base, formStyles];
  server: Server | undefined;
  since: string | undefined;
  /** The transaction that is looked at; null = the last one. */
  tx: number | null = null;
  /** The transaction before the one that is looked at. */
  offered = '';
  problem: string | null = null;

  override render() {
    const { since, problem } = this;
    return html`<svc-dropdown align="end" label="Compare" @open=${this.#offer}>
      <span slot="label">${since === undefined ? 'Compare' : html`Since <b>${/^\d+$/.test(since) ? `tx ${since}` : since}</b>`} <kbd>D</kbd></span>
      <form aria-label="Compare" novalidate @submit=${this.#apply}>
        <label>Since a transaction, or a date
          <input class="field" name="since" autocomplete="off" placeholder="1204 or 2025-03-31" aria-describedby="problem" .value=${live(since ?? this.offered)} /></label>
        ${problem === null ? nothing : html`<p id="problem" class="notice" role="alert">${problem}</p>`}
        <div class="actions">
          <button class="button primary" name="act" value="shown">Mark what is shown</button>
          <button class="button" name="act" value="changed">Begin with what changed</button>
          <button class="button" type="button" ?disabled=${since === undefined} @click=${() => this.#choose({ since: null, isChanged: false })}>Stop comparing</button>
        </div>
      </form>
    </svc-dropdown>`;
  }

  open(): void {
    this.#dropdown.toggle(true);
    void this.#dropdown.updateComplete.then(() => this.renderRoot.querySelector('input')?.select());
  }

  get #dropdown(): Dropdown {
    return this.renderRoot.querySelector('svc-dropdown') as Dropdown;
  }

  async #offer(): Promise<void> {
    if (this.server === undefined || this.since !== undefined) return;
    try {
      const last = this.tx ?? (await this.server.background.call('stats', {})).transactions;
      // Whoever types meanwhile keeps what they wrote.
      if (this.renderRoot.querySelector('input')?.value === this.offered) this.offered = String(Math.max(0, last - 1));
    } catch (error) {
      if (!isAbort(error)) this.problem = String(error instanceof Error ? error.message : error);
    }
  }

  #apply(event: SubmitEvent): void {
    event.preventDefault();
    const text = String(new FormData(event.target as HTMLFormElement).get('since') ?? '').trim();
    const isChanged = event.submitter instanceof HTMLButtonElement && event.submitter.value === 'changed';
    const isTransaction = /^\d{1,15}$/.test(text);
    const since = isTransaction ? text : instantOf(text);
    if (since === null) {
      this.problem = `“${text.slice(0, 60)}” is neither a transaction nor a time: write its number (1204), a date (2025-03-31), or an instant with its zone (2025-03-31T09:00:00Z)`;
    } else if (isChanged && !isTransaction) {
      this.problem = 'What changed is known between transactions: write the number of one, or mark what is shown.';
    } else if (isTransaction && this.tx !== null && Number(text) >= this.tx) {
      this.problem = `You look at transaction ${this.tx}: compare with one before it.`;
    } else this.#choose({ since, isChanged });
  }

  #choose(comparison: Comparison): void {
    this.problem = null;
    this.#dropdown.close();
    this.dispatchEvent(new CustomEvent('choose', { detail: comparison }));
  }
}

define('svc-compare', CompareControl);

export type { CompareControl };
