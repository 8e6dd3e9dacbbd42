/** What is written of a label: one line, cut to a length that can be read, with its direction. */

/** Characters of a label that are drawn. */
export const LABEL_CHARACTERS_MAX = 40;

/** The first letter that has a direction decides, as with `dir="auto"`. */
const FIRST_STRONG = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]|\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** Control characters, and those that turn the direction of what follows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/g;

export interface LabelText {
  readonly text: string;
  readonly direction: 'ltr' | 'rtl';
}

export function labelText(label: string, charactersMax = LABEL_CHARACTERS_MAX): LabelText {
  // Cut before anything looks at it: a label may have millions of characters. A character is at most two units.
  const head = label
    .slice(0, 4 * charactersMax)
    .replace(UNSEEN, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...head];
  const isCut = characters.length > charactersMax || label.length > 4 * charactersMax;
  const text = isCut ? `${characters.slice(0, charactersMax - 1).join('')}…` : head;
  const strong = FIRST_STRONG.exec(text)?.[0] ?? '';
  return { text, direction: RIGHT_TO_LEFT.test(strong) ? 'rtl' : 'ltr' };
}
