/** The instances of a shape's targets, judged a page at a time, and what is wrong with them. */

import { errorNotice, isAbort } from '../parts/errors.js';
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from '../parts/lit.js';
import { COMMON_PREFIXES, type Prefixes } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { iriLink, iriText } from '../parts/term.js';
import { count, shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import { canCheck, checkInstances, NODES, type Result } from './check-instances.js';
import type { Shape } from './read-shapes.js';
import { schemaStyles } from './schema-styles.js';
import type { Asked } from './store-schema.js';

const CHARACTERS = 300;
/** Beyond it no more are asked for: a list of so many is read elsewhere. */
const RESULTS_MAX = 2000;

class InstanceCheck extends LitElement {
  static override properties = {
    prefixes: { attribute: false },
    asked: { attribute: false },
    shape: { attribute: false },
    turtle: { attribute: false },
    checked: { state: true },
    total: { state: true },
    results: { state: true },
    failure: { state: true },
    isChecking: { state: true },
  };
  static override styles = [base, schemaStyles];
  prefixes: Prefixes = COMMON_PREFIXES;
  asked: Asked | null = null;
  shape: Shape | null = null;
  turtle = '';
  /** Null: not begun. */
  checked: number | null = null;
  total = 0;
  results: readonly Result[] = [];
  failure: unknown = null;
  isChecking = false;
  #round = 0;

  override willUpdate(changed: PropertyValues): void {
    if (!['asked', 'shape', 'turtle'].some((name) => changed.has(name))) return;
    this.#round++;
    this.checked = null;
    this.results = [];
    this.failure = null;
    this.isChecking = false;
  }

  override render() {
    const { shape, checked, total, results } = this;
    if (shape === null) return nothing;
    if (!canCheck(shape)) {
      return html`<p class="soft">Which instances break it is not asked here: ${shape.targets.length === 0 ? 'it has no targets of its own' : 'its targets are found by a query'}.</p>`;
    }
    const isThrough = checked !== null && checked >= total;
    const isFull = results.length >= RESULTS_MAX;
    return html`<p class="soft">Judged by the statements of each instance, those of what it points to, those that point to it, and the classes above.</p>
      <p><button class="button primary" ?disabled=${this.isChecking || isThrough || isFull} @click=${() => this.#check()}>${checked === null ? 'Check instances' : `Check ${count(NODES)} more`}</button>
        <span role="status">${this.isChecking ? 'Judging…' : checked === null ? '' : total === 0 ? 'There are no instances.' : html`${count(Math.min(checked, total))} of ${count(total)} instances checked, ${count(new Set(results.map((one) => one.focus_node)).size)} of them break a shape.`}</span></p>
      ${this.failure === null ? nothing : errorNotice(this.failure)}
      ${results.length === 0 ? nothing : this.#table(results)}
      ${isFull ? html`<p class="soft">More than ${count(RESULTS_MAX)} results are not listed here.</p>` : nothing}`;
  }

  #table(results: readonly Result[]): TemplateResult | typeof nothing {
    const { asked } = this;
    if (asked === null) return nothing;
    const options = { server: asked.server, prefixes: this.prefixes, charactersMax: CHARACTERS };
    return html`<table aria-label="What is wrong"><thead><tr><th>Instance</th><th>Property</th><th>Value</th><th>What is wrong</th></tr></thead>
      <tbody>${results.map(
        ({ severity, focus_node: node, path, value, message, source_shape: source }) => html`<tr>
          <td>${iriLink(node, options)}</td><td class="mono"><bdi>${path === null ? '' : iriText(path, this.prefixes, CHARACTERS)}</bdi></td>
          <td><bdi dir="auto">${value === null ? '' : shownLine(value, CHARACTERS)}</bdi></td>
          <td><b class=${severity === 'Violation' ? 'minus' : ''}>${severity}</b> <bdi dir="auto">${shownLine(message, CHARACTERS)}</bdi>${source === null ? nothing : html` <span class="faint">${iriText(source, this.prefixes, CHARACTERS)}</span>`}</td></tr>`,
      )}</tbody></table>`;
  }

  async #check(): Promise<void> {
    const { asked, shape, turtle, checked } = this;
    if (asked === null || shape === null) return;
    const round = this.#round;
    this.isChecking = true;
    this.failure = null;
    try {
      const found = await checkInstances(shape, turtle, checked ?? 0, asked);
      if (round !== this.#round) return;
      this.total = found.total;
      this.checked = found.nodes.length === 0 ? found.total : (checked ?? 0) + found.nodes.length;
      this.results = [...this.results, ...found.results];
    } catch (error) {
      if (round === this.#round && !asked.signal.aborted && !isAbort(error)) this.failure = error;
    } finally {
      if (round === this.#round) this.isChecking = false;
    }
  }
}

define('svc-instance-check', InstanceCheck);
