/** Proposes a change of the schema: of a shape the whole set that is to be, of anything else whatever describes it. */

import { html, LitElement, nothing } from '../parts/lit.js';
import { base, formStyles } from '../parts/styles.js';
import { define } from '../parts/view.js';
import type { Server } from '../wire/server.js';
import { refusalView } from '../writes/refusal.js';
import { refusalStyles } from '../writes/refusal-styles.js';
import { announceWrite } from '../writes/write-facts.js';
import { schemaStyles } from './schema-styles.js';
import type { ShapeSet } from './shape-sets.js';

const KINDS = ['shape', 'ontology', 'class', 'property'] as const;

class ProposeForm extends LitElement {
  static override properties = {
    server: { attribute: false },
    barred: { attribute: false },
    sets: { attribute: false },
    refusal: { state: true },
    isBusy: { state: true },
  };
  static override styles = [base, schemaStyles, formStyles, refusalStyles];
  server: Server | undefined;
  barred: string | null = null;
  sets: readonly ShapeSet[] | null = null;
  refusal: unknown = null;
  isBusy = false;

  override render() {
    const { barred, refusal, server, sets } = this;
    if (barred !== null) return html`<p class="soft" role="note">${barred}</p>`;
    return html`<h2>Propose a change</h2>
      <p class="soft">Nothing changes before somebody accepts it. Of a shape it is the whole set of that name.</p>
      ${refusal === null || server === undefined ? nothing : refusalView(refusal, { server, choose: () => null })}
      <form aria-label="New proposal" @submit=${this.#submit}>
        <label>Kind <select class="field" name="kind">${KINDS.map((kind) => html`<option value=${kind}>${kind}</option>`)}</select></label>
        <label>What is to change: the name of a set of shapes, or an IRI <input class="field" name="target" required autocomplete="off" list="sets" @change=${this.#fill} /></label>
        <datalist id="sets">${(sets ?? []).map(({ name }) => html`<option value=${name}></option>`)}</datalist>
        <label>The change, in Turtle <textarea class="field mono" name="diff" rows="12" required spellcheck="false"></textarea></label>
        <label>Why <textarea class="field" name="rationale" rows="2"></textarea></label>
        <label>Proposed by <input class="field" name="proposer" required autocomplete="off" /></label>
        <div class="actions"><button class="button primary" ?disabled=${this.isBusy}>Propose</button></div>
      </form>`;
  }

  /** A set that is there is what the change begins with. */
  #fill(event: Event): void {
    const text = this.renderRoot.querySelector<HTMLTextAreaElement>('textarea[name=diff]');
    const stored = this.sets?.find(({ name }) => name === (event.target as HTMLInputElement).value.trim());
    if (text !== null && text.value === '' && stored !== undefined) text.value = stored.turtle;
  }

  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const { server } = this;
    if (server === undefined || this.isBusy) return;
    const form = event.target as HTMLFormElement;
    const fields = new FormData(form);
    const text = (name: string) => String(fields.get(name) ?? '').trim();
    this.isBusy = true;
    this.refusal = null;
    try {
      const { proposal_id: id } = await server.client.call('propose', {
        kind: KINDS.find((one) => one === text('kind')) ?? 'shape',
        target: text('target'),
        diff: String(fields.get('diff') ?? ''),
        proposer: text('proposer'),
        rationale: text('rationale') || undefined,
        timestamp: new Date().toISOString(),
      });
      form.reset();
      announceWrite(this);
      this.dispatchEvent(new CustomEvent('proposed', { detail: id }));
    } catch (error) {
      this.refusal = error;
    } finally {
      this.isBusy = false;
    }
  }
}

define('svc-propose-form', ProposeForm);
