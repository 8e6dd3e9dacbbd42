/** Labels of a graph: what is declared of it, and the form that declares. */

import { html, LitElement, nothing, type TemplateResult } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import type { Server } from '../wire/server.js';
import { refusalView } from './refusal.js';
import { refusalStyles } from './refusal-styles.js';
import { announceWrite } from './write-facts.js';

export interface Labels {
  readonly freshness: string | null;
  readonly durability: string | null;
  readonly trust: { readonly iri: string; readonly chain: string; readonly rank: number } | null;
  readonly policy: readonly string[] | null;
  readonly kind: string | null;
}

const FRESHNESS = ['fresh', 'recomputing', 'stale'] as const;
const DURABILITY = ['backed', 'reproducible', 'soleRecord'] as const;
/** Those that the service knows; a server may have more. */
const KINDS = ['operational', 'archive', 'reference', 'derived', 'staging', 'quarantine'];

export function labelsView({ freshness, durability, trust, policy, kind }: Labels): TemplateResult {
  const told = [
    kind,
    freshness,
    durability,
    trust === null ? null : `trust ${trust.rank}`,
    policy === null ? null : policy.length === 0 ? 'no obligations' : policy.join(', '),
  ].filter((one) => one !== null);
  if (told.length === 0) return html`<span class="faint">no labels</span>`;
  return html`${told.map((one) => html`<span class="label">${shownLine(one, 80)}</span> `)}`;
}

export class LabelForm extends LitElement {
  static override properties = {
    server: { attribute: false },
    graph: { attribute: false },
    labels: { attribute: false },
    failure: { state: true },
    isBusy: { state: true },
  };
  static override styles = [base, refusalStyles];
  server: Server | undefined;
  graph = '';
  labels: Labels | undefined;
  failure: unknown = null;
  isBusy = false;

  override render() {
    const { labels } = this;
    const choice = (name: string, values: readonly string[], now: string | null | undefined) =>
      html`<select class="field" name=${name} aria-label=${name}><option value="">${name}: as it is</option>${values.map((one) => html`<option value=${one} ?selected=${one === now}>${one}</option>`)}</select>`;
    return html`<form class="choices" aria-label="Labels" @submit=${this.#submit}>
      ${choice('freshness', FRESHNESS, labels?.freshness)} ${choice('durability', DURABILITY, labels?.durability)}
      <input class="field" name="kind" aria-label="kind" placeholder="kind" list="kinds" autocomplete="off" .value=${labels?.kind ?? ''} /><datalist id="kinds">${KINDS.map((one) => html`<option value=${one}></option>`)}</datalist>
      <input class="field" name="policy" aria-label="policy, tokens with spaces between" placeholder="policy tokens" autocomplete="off" .value=${(labels?.policy ?? []).join(' ')} />
      <button class="button small primary" ?disabled=${this.isBusy}>Declare</button>
    </form>
    ${this.failure === null || this.server === undefined ? nothing : refusalView(this.failure, { server: this.server, choose: () => null })}`;
  }

  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const { server, graph, labels } = this;
    if (server === undefined) return;
    const fields = new FormData(event.target as HTMLFormElement);
    const text = (name: string) => String(fields.get(name) ?? '').trim() || undefined;
    const policy = text('policy')?.split(/\s+/) ?? [];
    const declaresPolicy = policy.length > 0 || (labels?.policy?.length ?? 0) > 0;
    this.isBusy = true;
    this.failure = null;
    try {
      await server.client.call('graph_label', {
        graph,
        timestamp: new Date().toISOString(),
        freshness: FRESHNESS.find((one) => one === text('freshness')),
        durability: DURABILITY.find((one) => one === text('durability')),
        kind: text('kind'),
        policy: declaresPolicy ? policy : undefined,
      });
      announceWrite(this);
      this.dispatchEvent(new Event('done'));
    } catch (error) {
      this.failure = error;
    } finally {
      this.isBusy = false;
    }
  }
}

define('svc-label-form', LabelForm);
