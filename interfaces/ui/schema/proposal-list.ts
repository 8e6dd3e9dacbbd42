/** The proposals to change the schema, the newest first, and those that come while somebody looks. */

import type { Operations } from '../../../clients/typescript/src/index.js';
import { errorNotice, isAbort } from '../parts/errors.js';
import { html, LitElement, nothing, type PropertyValues, repeat } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import { followEvents } from '../wire/follow-events.js';
import type { Server } from '../wire/server.js';
import { schemaStyles } from './schema-styles.js';

export type Proposal = Operations['proposals']['response']['proposals'][number];

const PAGE = 50;
/** Changes that a proposal is about, and those that change what it is compared with. */
const EVENTS = ['proposal.created', 'proposal.accepted', 'proposal.rejected', 'shapes.loaded', 'shapes.removed'];
const CHARACTERS = 120;

export class ProposalList extends LitElement {
  static override properties = {
    server: { attribute: false },
    active: { attribute: false },
    chosen: { attribute: false },
    pending: { attribute: false },
    proposals: { state: true },
    isMore: { state: true },
    failure: { state: true },
  };
  static override styles = [base, schemaStyles];
  server: Server | undefined;
  /** Whether it is seen: only then the server is asked. */
  active = true;
  chosen: number | null = null;
  /** Those alone that nobody has decided. */
  pending = false;
  proposals: readonly Proposal[] | null = null;
  isMore = false;
  failure: unknown = null;
  #stop = new AbortController();
  #isFollowing = false;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#end();
  }

  protected override updated(changed: PropertyValues): void {
    if (!this.active || !this.isConnected) this.#end();
    else if (!this.#isFollowing) this.#begin();
    else if (changed.has('pending') || changed.has('server')) void this.reload();
  }

  override render() {
    const { proposals, failure } = this;
    if (failure !== null)
      return html`${errorNotice(failure)}<p><button class="button" @click=${() => this.reload()}>Try again</button></p>`;
    if (proposals === null) return html`<p class="soft" role="status">Reading proposals…</p>`;
    if (proposals.length === 0)
      return html`<p class="soft">${this.pending ? 'Nothing waits for a decision.' : 'Nobody has proposed a change. “Propose a change” above, svc propose, or an agent does.'}</p>`;
    return html`<ul class="shapes" aria-label="Proposals">${repeat(
      proposals,
      ({ id }) => id,
      (one) =>
        html`<li><button class="button plain" aria-current=${one.id === this.chosen ? 'true' : nothing} @click=${() => this.#choose(one)}>#${one.id} <span class=${`standing ${one.status}`}>${one.status}</span> ${one.kind} <bdi dir="auto">${shownLine(one.target, CHARACTERS)}</bdi></button></li>`,
    )}</ul>
    ${this.isMore ? html`<p><button class="button small" @click=${() => this.#read(proposals.length)}>Show more proposals</button></p>` : nothing}`;
  }

  /** From the first page on. */
  async reload(): Promise<void> {
    await this.#read(0);
  }

  #choose(proposal: Proposal): void {
    this.dispatchEvent(new CustomEvent('choose', { detail: proposal }));
  }

  #begin(): void {
    const { server } = this;
    if (server === undefined) return;
    this.#isFollowing = true;
    this.#stop = new AbortController();
    void this.reload();
    void followEvents(server, EVENTS, ({ type }) => this.#came(type), this.#stop.signal);
  }

  #end(): void {
    this.#isFollowing = false;
    this.#stop.abort();
  }

  #came(type: string): void {
    if (type.startsWith('shapes.')) this.dispatchEvent(new Event('shapes'));
    else void this.reload();
  }

  async #read(offset: number): Promise<void> {
    const { server, pending } = this;
    const { signal } = this.#stop;
    if (server === undefined || signal.aborted) return;
    try {
      // What was shown is shown again, so that nothing under the pointer goes away when something comes.
      const limit = offset === 0 ? Math.max(PAGE, this.proposals?.length ?? 0) : PAGE;
      const request = { limit, offset, ...(pending ? { status: 'pending' as const } : {}) };
      const { proposals, truncated } = await server.client.call('proposals', request, { signal });
      this.proposals = offset === 0 ? proposals : [...(this.proposals ?? []), ...proposals];
      this.isMore = truncated;
      this.failure = null;
      this.dispatchEvent(new CustomEvent('listed', { detail: this.proposals }));
    } catch (error) {
      if (!isAbort(error)) this.failure = error;
    }
  }
}

define('svc-proposal-list', ProposalList);
