/** Makes a share bundle of a graph and gives it to the browser as one file. Nothing is written. */

import type { Operations } from '../../../clients/typescript/src/index.js';
import { errorNotice, isAbort } from '../parts/errors.js';
import { html, LitElement, nothing } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { count } from '../parts/text.js';
import { define } from '../parts/view.js';
import type { Server } from '../wire/server.js';
import { refusalStyles } from './refusal-styles.js';
import { packed } from './share-archive.js';

type Shared = Operations['share']['response'];
/** In the sequence of an archive. */
const FILES = ['manifest.json', 'export.nt', 'shapes.ttl', 'view.ttl'] as const;

class ShareForm extends LitElement {
  static override properties = {
    server: { attribute: false },
    graph: { attribute: false },
    shared: { state: true },
    failure: { state: true },
    isBusy: { state: true },
  };
  static override styles = [base, refusalStyles];
  server: Server | undefined;
  /** What is shared at first; null = ROOT. */
  graph: string | null = null;
  shared: Shared | null = null;
  failure: unknown = null;
  isBusy = false;
  #stop = new AbortController();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  override render() {
    return html`<form class="row" aria-label="Share" @submit=${this.#submit}>
        <input class="field grow" name="graph" aria-label="Graph that is shared" placeholder="graph: root" autocomplete="off" .value=${this.graph ?? ''} />
        <input class="field grow" name="parent" aria-label="Share that it follows" placeholder="follows: sha256:…, if any" autocomplete="off" />
        <label><input type="checkbox" name="shapes" checked /> with shapes</label>
        <label><input type="checkbox" name="view" /> with Turtle to read</label>
        <button class="button" ?disabled=${this.isBusy}>Make a share</button>
        ${this.isBusy ? html`<span class="faint" role="status">Working…</span> <button class="button small" type="button" @click=${() => this.#cancel()}>Cancel</button>` : nothing}
      </form>
      ${this.failure === null ? nothing : errorNotice(this.failure)}${this.#answer()}`;
  }

  #answer() {
    const { shared } = this;
    if (shared === null) return nothing;
    const { share_id: id, manifest, bytes } = shared;
    return html`<p class="done" role="status">${count(manifest.counts.triples)} triples, ${count(bytes)} bytes.</p>
      <p><bdi class="mono">${id}</bdi></p>
      <p><button class="button primary" @click=${() => void this.#download(shared)}>Download it</button></p>`;
  }

  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const { server } = this;
    if (server === undefined || this.isBusy) return;
    const fields = new FormData(event.target as HTMLFormElement);
    const text = (name: string) => String(fields.get(name) ?? '').trim();
    const { signal } = this.#stop;
    this.isBusy = true;
    this.failure = null;
    this.shared = null;
    try {
      this.shared = await server.client.call(
        'share',
        {
          ...(text('graph') === '' ? {} : { scope: { graph: text('graph') } }),
          ...(text('parent') === '' ? {} : { parent_share: text('parent') }),
          ...(fields.has('shapes') ? {} : { no_shapes: true }),
          ...(fields.has('view') ? { turtle_view: true } : {}),
        },
        { signal },
      );
    } catch (error) {
      if (!isAbort(error)) this.failure = error;
    } finally {
      this.isBusy = false;
    }
  }

  #cancel(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  async #download({ files, share_id: id }: Shared): Promise<void> {
    const texts = FILES.flatMap((name) => {
      const text = files[name];
      return text === undefined ? [] : [[name, text] as const];
    });
    const address = URL.createObjectURL(await packed(texts));
    const link = document.createElement('a');
    link.href = address;
    link.download = `share-${id.replace(/^sha256:/, '').slice(0, 12)}.qpack.tar.gz`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }
}

define('svc-share-form', ShareForm);
