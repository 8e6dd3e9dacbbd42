/** The moment that the whole page looks at: valid time, and the transaction that things were known at. */

import type { Dropdown } from '../parts/dropdown.js';
import '../parts/dropdown.js';
import { emit } from '../parts/events.js';
import { instantOf } from '../parts/instant.js';
import { html, LitElement, live, nothing } from '../parts/lit.js';
import { base, formStyles } from '../parts/styles.js';
import { count } from '../parts/text.js';
import { define } from '../parts/view.js';
import { isPast, NOW, type Scope } from '../wire/scope.js';

class TimeControl extends LitElement {
  static override properties = { scope: { attribute: false }, problem: { state: true } };
  static override styles = [base, formStyles];
  scope: Scope = NOW;
  problem: string | null = null;

  override render() {
    const { validAt, tx } = this.scope;
    const past = isPast(this.scope);
    return html`<svc-dropdown align="end" label="Time" class=${past ? 'past' : ''}>
      <span slot="label" class="ellipsis">${past ? html`Valid <b>${validAt ?? 'now'}</b> · Known at <b>${tx === null ? 'now' : `tx ${count(tx)}`}</b>` : html`Time <b>now</b>`}</span>
      <form @submit=${this.#apply} novalidate>
        <label>Valid at
          <input class="field" name="at" placeholder="2025-03-31 or 2025-03-31T09:00:00Z" autocomplete="off" aria-describedby="problem" .value=${live(validAt ?? '')} /></label>
        <label>Known at transaction
          <input class="field" name="tx" inputmode="numeric" placeholder="the last one" autocomplete="off" aria-describedby="problem" .value=${live(tx === null ? '' : String(tx))} /></label>
        ${this.problem === null ? nothing : html`<p id="problem" class="notice" role="alert">${this.problem}</p>`}
        <div class="actions">
          <button class="button" type="button" ?disabled=${!past} @click=${() => this.#set({ validAt: null, tx: null })}>Now</button>
          <button class="button primary">Look at this time</button>
        </div>
      </form>
    </svc-dropdown>`;
  }

  open(): void {
    this.#dropdown.toggle(true);
    void this.#dropdown.updateComplete.then(() => this.renderRoot.querySelector('input')?.focus());
  }

  get #dropdown(): Dropdown {
    return this.renderRoot.querySelector('svc-dropdown') as Dropdown;
  }

  #apply(event: SubmitEvent): void {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const [at, tx] = ['at', 'tx'].map((name) => String(given.get(name) ?? '').trim()) as [string, string];
    const validAt = at === '' ? null : instantOf(at);
    if (at !== '' && validAt === null) {
      this.problem = `“${at.slice(0, 60)}” is no time: write a date (2025-03-31) or an instant with its zone (2025-03-31T09:00:00Z)`;
    } else if (tx !== '' && !/^[1-9]\d{0,14}$/.test(tx)) {
      this.problem = `“${tx.slice(0, 60)}” is no transaction: write its number, 1 or more`;
    } else this.#set({ validAt, tx: tx === '' ? null : Number(tx) });
  }

  #set(change: Partial<Scope>): void {
    this.problem = null;
    this.#dropdown.close();
    emit(this, 'svc-scope', { change });
  }
}

define('svc-time-control', TimeControl);

export type { TimeControl };
