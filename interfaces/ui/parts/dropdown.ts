/** A button that opens a panel below it: closed by Escape, by a click elsewhere, and when the focus leaves it. */

import { css, html, LitElement } from './lit.js';
import { base } from './styles.js';
import { define } from './view.js';

export class Dropdown extends LitElement {
  static override properties = { label: {}, align: {}, isOpen: { state: true } };
  static override styles = [
    base,
    css`
      :host {
        position: relative;
        display: inline-flex;
        min-width: 0;
      }
      .button {
        overflow: hidden;
        max-width: 100%;
      }
      :host(.past) .button {
        border-color: var(--past);
        background: var(--past-soft);
        color: var(--past);
      }
      .panel {
        position: absolute;
        z-index: 20;
        top: calc(100% + 4px);
        left: 0;
        min-width: 100%;
        width: max-content;
        max-width: min(26rem, calc(100vw - 16px));
        max-height: min(28rem, 70vh);
        overflow: auto;
        padding: 12px;
        background: var(--raised);
        border: 1px solid var(--line-strong);
        border-radius: var(--radius-large);
        box-shadow: var(--shadow);
      }
      :host([align='end']) .panel {
        left: auto;
        right: 0;
      }
      @media (max-width: 760px) {
        .panel,
        :host([align='end']) .panel {
          position: fixed;
          top: auto;
          bottom: 8px;
          left: 8px;
          right: 8px;
          width: auto;
        }
      }
    `,
  ];
  /** What the panel is called. The button is called by what it shows. */
  label = '';
  align: 'start' | 'end' = 'start';
  isOpen = false;
  readonly #elsewhere = (event: Event): void => {
    if (!event.composedPath().includes(this)) this.isOpen = false;
  };

  override render() {
    return html`<button class="button" aria-expanded=${this.isOpen} @click=${() => this.toggle()}><slot name="label"></slot><span class="faint" aria-hidden="true">▾</span></button>
      <div class="panel" role="group" aria-label=${this.label} ?hidden=${!this.isOpen} @keydown=${this.#key} @focusout=${this.#left}><slot></slot></div>`;
  }

  toggle(isOpen = !this.isOpen): void {
    this.isOpen = isOpen;
    this.dispatchEvent(new Event(isOpen ? 'open' : 'close'));
  }

  /** Closes it and gives the focus back. */
  close(): void {
    this.toggle(false);
    this.renderRoot.querySelector('button')?.focus();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('pointerdown', this.#elsewhere);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('pointerdown', this.#elsewhere);
  }

  #key(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    this.close();
  }

  #left({ relatedTarget }: FocusEvent): void {
    if (relatedTarget instanceof Node && !this.contains(relatedTarget)) this.isOpen = false;
  }
}

define('svc-dropdown', Dropdown);
