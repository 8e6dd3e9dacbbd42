/** What can be done with a query: buttons above the editor. */

import '../parts/dropdown.js';
import { html, type TemplateResult } from '../parts/lit.js';

type Choice = readonly [value: string, text: string];

const INFERENCE: readonly Choice[] = [
  ['', 'as the server has it'],
  ['on', 'with them'],
  ['off', 'without them'],
];
/** Milliseconds. */
const TIMEOUTS: readonly Choice[] = [
  ['', 'as the server has it'],
  ['5000', '5 s'],
  ['30000', '30 s'],
  ['120000', '2 min'],
];

export interface Tools {
  readonly isBusy: boolean;
  readonly isListOpen: boolean;
  readonly inference: string;
  readonly timeout: string;
  readonly run: () => void;
  readonly cancel: () => void;
  readonly explain: (analyze: boolean) => void;
  readonly toggleList: () => void;
  readonly save: () => void;
  readonly share: () => void;
  readonly setInference: (value: string) => void;
  readonly setTimeout: (value: string) => void;
}

export function toolsView(tools: Tools): TemplateResult {
  return html`<div class="tools" role="toolbar" aria-label="Query">
    <button class="button primary" @click=${tools.run}>Run <kbd class="wide" aria-hidden="true">⌃⏎</kbd></button>
    <button class="button danger" ?disabled=${!tools.isBusy} @click=${tools.cancel}>Cancel <kbd class="wide" aria-hidden="true">Esc</kbd></button>
    <button class="button" @click=${() => tools.explain(false)}>Explain</button>
    <button class="button" @click=${() => tools.explain(true)}>Profile</button>
    <span class="grow"></span>
    <button class="button plain narrow" aria-expanded=${tools.isListOpen} @click=${tools.toggleList}>Queries</button>
    <svc-dropdown label="Options" align="end"><span slot="label">Options</span><div class="options">
      ${select('Instances of subclasses', INFERENCE, tools.inference, tools.setInference)}
      ${select('Ends after', TIMEOUTS, tools.timeout, tools.setTimeout)}
    </div></svc-dropdown>
    <button class="button plain" @click=${tools.save}>Save</button>
    <button class="button plain" @click=${tools.share}>Share</button>
  </div>`;
}

function select(label: string, choices: readonly Choice[], chosen: string, choose: (value: string) => void) {
  return html`<label>${label} <select class="field" @change=${(event: Event) => choose((event.target as HTMLSelectElement).value)}>${choices.map(([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`)}</select></label>`;
}
