/** The list of keys, over the page. */

import { css, html, LitElement } from '../parts/lit.js';
import { base, dialogStyles } from '../parts/styles.js';
import { define } from '../parts/view.js';
import { PAGE_KEYS } from './keys.js';

class Help extends LitElement {
  static override styles = [
    base,
    dialogStyles,
    css`
      dl {
        display: grid;
        grid-template-columns: auto 1fr;
        gap: 6px 16px;
      }
      dd {
        margin: 0;
      }
    `,
  ];

  override render() {
    return html`<dialog aria-labelledby="title" @close=${() => this.dispatchEvent(new Event('close'))}>
      <h2 id="title">Keyboard</h2>
      <dl>${PAGE_KEYS.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>
      <form method="dialog"><button class="button">Close</button></form>
    </dialog>`;
  }

  override firstUpdated(): void {
    this.renderRoot.querySelector('dialog')?.showModal();
  }
}

define('svc-help', Help);
