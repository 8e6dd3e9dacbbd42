/** Ids of the tokens of a text, by a `tokenizer.json` of Hugging Face, cut to what a model takes. */

import type { TextTokenizer } from './onnx-library.js';

/** Of words, and of the spaces between them; a text is cut before it is tokenised, since one may have megabytes. */
const CHARACTERS_PER_TOKEN = 100;

export class TextTokens {
  /** Special tokens in front and behind. */
  readonly #prefix: readonly number[];
  readonly #suffix: readonly number[];

  /** @param lengthMax tokens, the special ones among them */
  constructor(
    private readonly tokenizer: TextTokenizer,
    private readonly lengthMax: number,
  ) {
    const body = tokenizer.encode('a', { add_special_tokens: false }).ids;
    const all = tokenizer.encode('a').ids;
    const at = all.findIndex((_, from) => body.every((id, place) => all[from + place] === id));
    this.#prefix = all.slice(0, Math.max(0, at));
    this.#suffix = all.slice(this.#prefix.length + body.length);
  }

  idsOf(text: string): readonly number[] {
    const short = text.slice(0, this.lengthMax * CHARACTERS_PER_TOKEN);
    const { ids } = this.tokenizer.encode(short, { add_special_tokens: false });
    const room = Math.max(0, this.lengthMax - this.#prefix.length - this.#suffix.length);
    return [...this.#prefix, ...ids.slice(0, room), ...this.#suffix];
  }
}
