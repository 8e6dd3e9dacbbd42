/** Documents and graphs: what is loaded, tried on the shapes, declared, frozen. */

import { css, html, nothing } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { define, View } from '../parts/view.js';
import './document-form.js';
import './graphs-panel.js';
import { whyNotWrite } from './write-facts.js';

const PARTS = { document: 'Document', graphs: 'Graphs' } as const;

export class Writes extends View {
  static override styles = [
    base,
    css`
      :host {
        display: block;
        box-sizing: border-box;
        overflow: auto;
        padding: 16px;
      }
      section {
        max-width: 60rem;
        margin: 12px auto 0;
      }
      nav {
        max-width: 60rem;
        margin: 0 auto;
      }
    `,
  ];

  override render() {
    const part = this.state.part === 'graphs' ? 'graphs' : 'document';
    const barred = whyNotWrite(this) ?? (this.isPast ? 'You look at the past: go back to now (N) to write.' : null);
    return html`<nav aria-label="What is written"><span class="segments">${Object.entries(PARTS).map(
      ([name, title]) =>
        html`<button class="button" aria-pressed=${name === part} @click=${() => this.change({ part: name === 'document' ? undefined : name }, { push: true })}>${title}</button>`,
    )}</span></nav>
    <section aria-label=${PARTS[part]}>
      ${barred === null ? nothing : html`<p class="soft" role="note">${barred}</p>`}
      ${
        part === 'document'
          ? html`<svc-document-form .server=${this.server} .graph=${this.scope.graph} .barred=${barred}></svc-document-form>`
          : html`<svc-graphs-panel .server=${this.server} .barred=${barred}></svc-graphs-panel>`
      }
    </section>`;
  }
}

define('svc-writes', Writes);
