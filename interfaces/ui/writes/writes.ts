/** Documents, graphs and shares: what is loaded, tried on the shapes, declared, frozen, shared, imported. State: `part` (`graphs` or `shares`). */

import { css, html, nothing } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { define, View } from '../parts/view.js';
import './document-form.js';
import './graphs-panel.js';
import './sharing-panel.js';
import { whyNotWrite } from './write-facts.js';

const PARTS = { document: 'Document', graphs: 'Graphs', shares: 'Shares' } as const;

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
    const { part: asked } = this.state;
    const part = asked === 'graphs' || asked === 'shares' ? asked : 'document';
    const barred = whyNotWrite(this) ?? (this.isPast ? 'You look at the past: go back to now (N) to write.' : null);
    return html`<nav aria-label="What is written"><span class="segments">${Object.entries(PARTS).map(
      ([name, title]) =>
        html`<button class="button" aria-pressed=${name === part} @click=${() => this.change({ part: name === 'document' ? undefined : name }, { push: true })}>${title}</button>`,
    )}</span></nav>
    <section aria-label=${PARTS[part]}>
      ${barred === null ? nothing : html`<p class="soft" role="note">${barred}</p>`}
      ${this.#part(part, barred)}
    </section>`;
  }

  #part(part: keyof typeof PARTS, barred: string | null) {
    const { server, scope } = this;
    if (part === 'graphs') return html`<svc-graphs-panel .server=${server} .barred=${barred}></svc-graphs-panel>`;
    if (part === 'shares')
      return html`<svc-sharing-panel .server=${server} .graph=${scope.graph} .barred=${barred}></svc-sharing-panel>`;
    return html`<svc-document-form .server=${server} .graph=${scope.graph} .barred=${barred}></svc-document-form>`;
  }
}

define('svc-writes', Writes);
