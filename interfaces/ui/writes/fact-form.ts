/** Writes one fact of an entity, in place: a new one, or another value where one stands. The gate answers below the fields. */

import { css, html, LitElement, live, nothing } from '../parts/lit.js';
import { COMMON_PREFIXES, curieOf } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { define } from '../parts/view.js';
import { factInstead } from './alternatives.js';
import { refusalView } from './refusal.js';
import { refusalStyles } from './refusal-styles.js';
import { type Entered, enteredOf, iriOf, NOTHING, termOf, valueText } from './value.js';
import { ValueField } from './value-field.js';
import { addFact, announceWrite, type Fact, type Place, replaceFact, retractFact, setFact } from './write-facts.js';

/** What it does: `add` a fact, `change` a value (`fact`), or `retract` it. */
export type Doing = 'add' | 'change' | 'retract';

const BUTTONS: Readonly<Record<Doing, string>> = { add: 'Add', change: 'Set', retract: 'Retract' };

export class FactForm extends LitElement {
  static override properties = {
    place: { attribute: false },
    doing: {},
    fact: { attribute: false },
    isOnly: { attribute: false },
    entered: { state: true },
    predicate: { state: true },
    isBusy: { state: true },
    failure: { state: true },
  };
  static override styles = [
    base,
    refusalStyles,
    css`
      form {
        display: grid;
        gap: 8px;
        padding: 8px;
        border: 1px solid var(--line-strong);
        border-radius: var(--radius-large);
        background: var(--sunken);
      }
      svc-value-field {
        flex: 1 1 20rem;
      }
      .predicate {
        flex: 1 1 14rem;
      }
    `,
  ];
  place: Place | undefined;
  doing: Doing = 'add';
  /** The fact that is changed or retracted; of a new one the predicate, where it is known. */
  fact: { readonly predicate: string; readonly value?: Fact['value'] } | undefined;
  /** Whether it is the only value of its predicate. */
  isOnly = true;
  /** As they were entered; null = as the fact has them. */
  entered: Entered | null = null;
  predicate: string | null = null;
  isBusy = false;
  failure: unknown = null;
  /** What was tried last: alternatives begin from it. */
  #tried: Fact | null = null;

  override render() {
    const { doing, fact } = this;
    const predicate =
      this.predicate ?? (fact === undefined ? '' : (curieOf(fact.predicate, COMMON_PREFIXES) ?? fact.predicate));
    const value = fact?.value;
    return html`<form aria-label=${`${BUTTONS[doing]} a fact`} @submit=${this.#submit} @keydown=${this.#key}>
      ${doing === 'retract' && value !== undefined ? html`<div>Retract <bdi>${valueText(value)}</bdi> from now on? It stays in the history.</div>` : nothing}
      ${doing === 'add' ? html`<input class="field predicate" name="predicate" aria-label="Predicate" placeholder="IRI of the predicate" autocomplete="off" spellcheck="false" .value=${live(predicate)} @input=${(event: Event) => (this.predicate = (event.target as HTMLInputElement).value)} />` : nothing}
      ${doing === 'retract' ? nothing : html`<svc-value-field .entered=${this.#entered} @change=${this.#edited}></svc-value-field>`}
      <div class="row">
        <button class="button primary small" ?disabled=${this.isBusy}>${BUTTONS[doing]}</button>
        <button class="button small" type="button" @click=${this.#cancel}>Cancel</button>
        ${doing === 'change' && !this.isOnly ? html`<span class="faint">the other values stay</span>` : nothing}
        ${this.isBusy ? html`<span class="faint" role="status">Asking the gate…</span>` : nothing}
      </div>
      ${this.failure === null ? nothing : this.#refusal()}
    </form>`;
  }

  protected override firstUpdated(): void {
    const field =
      this.doing === 'add' && this.fact === undefined
        ? '.predicate'
        : this.doing === 'retract'
          ? 'button'
          : 'svc-value-field';
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(field)?.focus());
  }

  #refusal() {
    const { place } = this;
    if (place === undefined) return nothing;
    const isOrphan = this.doing === 'retract' && /allow_orphan/.test((this.failure as { hint?: string }).hint ?? '');
    return refusalView(this.failure, {
      server: place.server,
      choose: (alternative, finding) => {
        const fact = this.#tried === null ? null : factInstead(this.#tried, alternative, finding, place.entity);
        return fact === null ? null : () => void this.#write(fact);
      },
      more: isOrphan
        ? html`<div class="choices"><button type="button" class="button small danger" @click=${() => void this.#write(this.#tried as Fact, true)}>Retract its last type all the same</button></div>`
        : nothing,
    });
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    try {
      void this.#write(this.#factIn(event.target as HTMLFormElement));
    } catch (error) {
      this.failure = error;
    }
  }

  get #entered(): Entered {
    if (this.entered !== null) return this.entered;
    return this.fact?.value === undefined ? NOTHING : enteredOf(this.fact.value);
  }

  #edited({ target }: Event): void {
    if (target instanceof ValueField) this.entered = target.entered;
  }

  #factIn(form: HTMLFormElement): Fact {
    const { fact, doing } = this;
    if (doing === 'retract') return fact as Fact;
    const predicate =
      doing === 'add'
        ? iriOf(String(new FormData(form).get('predicate')).trim(), 'The predicate')
        : (fact as Fact).predicate;
    return { predicate, value: termOf(this.#entered) };
  }

  async #write(fact: Fact, allowOrphan = false): Promise<void> {
    const { place, doing } = this;
    if (place === undefined || this.isBusy) return;
    this.isBusy = true;
    this.failure = null;
    this.#tried = fact;
    try {
      const tx = await this.#send(place, doing, fact, allowOrphan);
      announceWrite(this);
      this.dispatchEvent(new CustomEvent('done', { detail: { tx } }));
    } catch (error) {
      this.failure = error;
      this.entered = enteredOf(fact.value);
    } finally {
      this.isBusy = false;
    }
  }

  #send(place: Place, doing: Doing, fact: Fact, allowOrphan: boolean): Promise<number> {
    if (doing === 'add') return addFact(place, fact);
    if (doing === 'retract') return retractFact(place, fact, { allowOrphan });
    const before = this.fact as Fact;
    const isSame = before.predicate === fact.predicate;
    return this.isOnly && isSame ? setFact(place, fact) : replaceFact(place, before, fact);
  }

  #key(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    this.#cancel();
  }

  #cancel(): void {
    this.dispatchEvent(new Event('cancel'));
  }
}

define('svc-fact-form', FactForm);
