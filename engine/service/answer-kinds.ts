/** Answers by their kind, for methods that stand for one form of query. */

import { SvcError } from '../base/errors.js';
import type { AskAnswer, GraphAnswer, QueryAnswer, SelectAnswer } from './query.js';

export interface AnswerKinds {
  readonly select: SelectAnswer;
  readonly graph: GraphAnswer;
  readonly ask: AskAnswer;
}

/** The methods of a store for the forms of queries. */
export const STORE_METHODS = { select: 'select', graph: 'construct', ask: 'ask' } as const;

/** The answer if it is of a kind; one of another is closed and refused. `methods`: who answers which kind. */
export function answerOfKind<Kind extends keyof AnswerKinds>(
  answer: QueryAnswer,
  kind: Kind,
  methods: Readonly<Record<keyof AnswerKinds, string>>,
): AnswerKinds[Kind] {
  if (answer.kind === kind) return answer as AnswerKinds[Kind];
  if (answer.kind !== 'ask') answer.close();
  throw new SvcError('invalid_request', `${methods[kind]} does not answer this form of query`, {
    hint: `ask it with ${methods[answer.kind]}`,
  });
}
