/**
 * The kind of answer that a text is asked for, as a type: of a text that the compiler knows, its form follows from the
 * first word behind comments, BASE and PREFIX. Of any other text every kind is possible.
 */

import type { AskAnswer, GraphAnswer, QueryAnswer, SelectAnswer } from './query.js';

/** What `store.query` answers to a text. */
export type AnswerOf<Text extends string> = string extends Text ? QueryAnswer : AnswerOfForm<Body<Text>>;

type AnswerOfForm<Body extends string> = Body extends `SELECT${string}`
  ? SelectAnswer
  : Body extends `ASK${string}`
    ? AskAnswer
    : Body extends `CONSTRUCT${string}` | `DESCRIBE${string}`
      ? GraphAnswer
      : QueryAnswer;

type Space = ' ' | '\n' | '\r' | '\t';

/** A text from its form on, in capitals. */
type Body<Text extends string> = Text extends `${Space}${infer Rest}`
  ? Body<Rest>
  : Text extends `#${string}\n${infer Rest}`
    ? Body<Rest>
    : Uppercase<Text> extends `PREFIX${string}>${infer Rest}` | `BASE${string}>${infer Rest}`
      ? Body<Rest>
      : Uppercase<Text>;
