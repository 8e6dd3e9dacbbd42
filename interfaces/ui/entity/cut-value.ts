/** A literal too long to come whole: its beginning, and more of it piece by piece, asked of the server. */

import { errorNotice, isAbort } from '../parts/errors.js';
import { css, html, LitElement, nothing } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { count, shown } from '../parts/text.js';
import { define } from '../parts/view.js';
import { type CutOff, type Reading, readPiece, VALUE_CHARACTERS } from './read-entity.js';

/** How many times as much each "show more". */
const MORE_FACTOR = 4;
/** More of one value is never held. */
const CHARACTERS_MAX = 320_000;

class CutValue extends LitElement {
  static override properties = {
    reading: { attribute: false },
    predicate: { attribute: false },
    value: { attribute: false },
    cutOff: { attribute: false },
    text: { state: true },
    isBusy: { state: true },
    failure: { state: true },
  };
  static override styles = [
    base,
    css`
      bdi {
        display: block;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        max-height: 24rem;
        overflow: auto;
      }
    `,
  ];
  reading: Reading | undefined;
  predicate = '';
  value = '';
  cutOff: CutOff = { characters: 0, digest: '' };
  /** What came after the beginning. */
  text = '';
  characters = VALUE_CHARACTERS;
  isBusy = false;
  failure: unknown = null;

  override render() {
    const { characters } = this.cutOff;
    const here = Math.min(this.characters, characters);
    return html`<bdi dir="auto" tabindex="0" role="group" aria-label="A long text">${shown(this.value + this.text)}${here < characters ? '…' : ''}</bdi>
      <span class="faint">${count(here)} of ${count(characters)} characters</span>
      ${here < characters && here < CHARACTERS_MAX ? html`<button class="button small" ?disabled=${this.isBusy} @click=${this.#more}>Show more</button>` : nothing}
      ${here < characters && here >= CHARACTERS_MAX ? html`<span class="faint">the rest is in a download of the entity</span>` : nothing}
      ${this.failure === null ? nothing : errorNotice(this.failure)}`;
  }

  async #more(): Promise<void> {
    const { reading, characters } = this;
    if (reading === undefined) return;
    const length = Math.min(characters * MORE_FACTOR, CHARACTERS_MAX) - characters;
    this.isBusy = true;
    this.failure = null;
    try {
      this.text += await readPiece(reading, this.predicate, this.cutOff, { from: characters + 1, length });
      this.characters += length;
    } catch (error) {
      if (!isAbort(error)) this.failure = error;
    } finally {
      this.isBusy = false;
    }
  }
}

define('svc-cut-value', CutValue);
