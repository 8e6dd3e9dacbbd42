/** Enters a value: a kind, a text, and its language or datatype where the kind has one. */

import { css, html, LitElement, live, nothing } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { define } from '../parts/view.js';
import { type Entered, KINDS, type Kind, NOTHING } from './value.js';

export class ValueField extends LitElement {
  static override properties = { entered: { attribute: false } };
  static override styles = [
    base,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
        align-items: start;
      }
      textarea {
        flex: 1 1 14rem;
        resize: vertical;
        padding: 3px 8px;
      }
    `,
  ];
  /** A change fires `input`; the value is read here. */
  entered: Entered = NOTHING;

  override render() {
    const { kind, text, language, datatype } = this.entered;
    return html`<select class="field" aria-label="Kind of value" .value=${live(kind)} @change=${(event: Event) => this.#take({ kind: selected(event) })}>
        ${Object.entries(KINDS).map(([name, title]) => html`<option value=${name} ?selected=${name === kind}>${title}</option>`)}
      </select>
      ${kind === 'language' ? html`<input class="field" size="6" aria-label="Language" placeholder="en" autocomplete="off" .value=${live(language)} @input=${(event: Event) => this.#take({ language: textIn(event) })} />` : nothing}
      ${kind === 'typed' ? html`<input class="field" size="30" aria-label="IRI of the datatype" autocomplete="off" .value=${live(datatype)} @input=${(event: Event) => this.#take({ datatype: textIn(event) })} />` : nothing}
      ${
        kind === 'boolean'
          ? html`<select class="field" aria-label="Value" .value=${live(text)} @change=${(event: Event) => this.#take({ text: textIn(event) })}>${['', 'true', 'false'].map((one) => html`<option value=${one} ?selected=${one === text}>${one}</option>`)}</select>`
          : html`<textarea class="field" rows="1" dir="auto" aria-label="Value" spellcheck="false" .value=${live(text)} @input=${(event: Event) => this.#take({ text: textIn(event) })}></textarea>`
      }`;
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('textarea, select[aria-label=Value]')?.focus();
  }

  #take(change: Partial<Entered>): void {
    this.entered = { ...this.entered, ...change };
    this.dispatchEvent(new Event('change', { bubbles: true, composed: true }));
  }
}

function textIn(event: Event): string {
  return (event.target as HTMLInputElement).value;
}

function selected(event: Event): Kind {
  return (event.target as HTMLSelectElement).value as Kind;
}

define('svc-value-field', ValueField);
