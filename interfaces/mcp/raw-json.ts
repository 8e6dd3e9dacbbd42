/**
 * JSON texts inside messages that somebody else writes. An answer is JSON already, and numbers of its text may have more
 * digits than a double; so the message carries a mark in its place, and the text replaces the mark when the message has
 * been written. Marks hold a random word of this process, which no stored text can guess.
 */

import { randomUUID } from 'node:crypto';

const WORD = randomUUID();
const KEY = 'svc:raw';
const MARK = new RegExp(`\\{"${KEY}":"${WORD}:(\\d+)"\\}`, 'g');

export type Mark = Readonly<Record<string, string>>;

/** The texts of one connection or request, until the messages that hold them are written. */
export class RawTexts {
  readonly #texts = new Map<string, string>();
  #last = 0;

  mark(text: string): Mark {
    const id = String(++this.#last);
    this.#texts.set(id, text);
    return { [KEY]: `${WORD}:${id}` };
  }

  /** The message with each text in the place of its mark; the texts are given up. */
  fill(message: string): string {
    if (this.#texts.size === 0 || !message.includes(WORD)) return message;
    return message.replace(MARK, (_mark, id: string) => this.#take(id));
  }

  #take(id: string): string {
    const text = this.#texts.get(id) ?? 'null';
    this.#texts.delete(id);
    return text;
  }
}
