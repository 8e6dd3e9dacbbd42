/** What to look for in many texts at once: a text that lacks it fails the test that it belongs to. */

/** The case in which texts are searched; other than `as-is` only where they are ASCII. */
export type Fold = 'as-is' | 'lower' | 'upper';

export interface Needle {
  readonly text: string;
  readonly fold: Fold;
}
