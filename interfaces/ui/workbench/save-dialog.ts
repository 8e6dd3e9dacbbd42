/** Saves a query on the server under a name (`/queries`), where everybody finds it. */

import { errorNotice } from '../parts/errors.js';
import { css, html, LitElement, nothing } from '../parts/lit.js';
import { base, dialogStyles, formStyles } from '../parts/styles.js';
import { define } from '../parts/view.js';
import type { Server } from '../wire/server.js';
import { titleOf } from './query-form.js';

class SaveDialog extends LitElement {
  static override properties = { server: { attribute: false }, text: { attribute: false }, failure: { state: true } };
  static override styles = [
    base,
    dialogStyles,
    formStyles,
    css`
      dialog {
        width: 30rem;
      }
    `,
  ];
  server: Server | undefined;
  text = '';
  failure: unknown = null;

  override render() {
    return html`<dialog aria-labelledby="title" @close=${() => this.dispatchEvent(new Event('close'))}>
      <form @submit=${this.#save}>
        <h2 id="title">Save the query on the server</h2>
        <label>Name <input class="field" name="name" required autocomplete="off" autofocus /></label>
        <label>What it is for <input class="field" name="description" autocomplete="off" .value=${titleOf(this.text)} /></label>
        ${this.failure === null ? nothing : errorNotice(this.failure)}
        <div class="actions"><button class="button" type="button" @click=${() => this.#dialog?.close()}>Cancel</button><button class="button primary">Save</button></div>
      </form>
    </dialog>`;
  }

  override firstUpdated(): void {
    this.#dialog?.showModal();
  }

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog');
  }

  async #save(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const [name, description] = ['name', 'description'].map((key) => String(given.get(key) ?? '').trim()) as [
      string,
      string,
    ];
    try {
      await this.server?.client.call('queries', { action: 'load', name, description, template: this.text });
      this.dispatchEvent(new Event('saved'));
      this.#dialog?.close();
    } catch (error) {
      this.failure = error;
    }
  }
}

define('svc-save-dialog', SaveDialog);
