/** Asks for the bearer token of a server in a dialog over the page. */

import type { AskToken } from '../wire/tokens.js';
import { html, LitElement, nothing } from './lit.js';
import { base, dialogStyles, formStyles } from './styles.js';

class TokenDialog extends LitElement {
  static override styles = [base, dialogStyles, formStyles];
  endpoint = '';
  rejected = false;
  settle: (token: string | null) => void = () => undefined;

  override render() {
    return html`<dialog aria-labelledby="title" @close=${this.#closed}>
      <form method="dialog" @submit=${this.#submitted}>
        <h2 id="title">${this.rejected ? 'The token is not taken any more' : 'A token is needed'}</h2>
        <p class="soft">${this.endpoint} answers this only to who bears its token. It is kept for this tab.</p>
        <label>Token <input class="field" name="token" type="password" autocomplete="off" required autofocus /></label>
        <div class="actions">
          <button class="button" type="button" @click=${() => this.#dialog.close()}>Cancel</button>
          <button class="button primary">Use in this tab</button>
        </div>
      </form>
    </dialog>${nothing}`;
  }

  override firstUpdated(): void {
    this.#dialog.showModal();
  }

  get #dialog(): HTMLDialogElement {
    return this.renderRoot.querySelector('dialog') as HTMLDialogElement;
  }

  #submitted(): void {
    const token = this.renderRoot.querySelector('input')?.value.trim() ?? '';
    if (token !== '') this.settle(token);
  }

  #closed(): void {
    this.settle(null);
    this.remove();
  }
}

if (customElements.get('svc-token-dialog') === undefined) customElements.define('svc-token-dialog', TokenDialog);

export const askToken: AskToken = ({ endpoint, rejected }) =>
  new Promise((resolve) => {
    const dialog = new TokenDialog();
    dialog.endpoint = endpoint;
    dialog.rejected = rejected;
    dialog.settle = resolve;
    document.body.append(dialog);
  });
