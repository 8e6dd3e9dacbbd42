/** What the answer of an operation is, once it is bytes. */

import type { Outcome } from '../../governance/verdicts.js';
import type { AnswerLabels } from '../../graphs/labels/answer-labels.js';
import type { InferenceReport } from '../../query/query.js';
import type { InferredReport } from '../../query/registry/inferred-report.js';

export const JSON_MEDIA_TYPE = 'application/json';

/** What one member of a federation was asked for an answer. */
export interface MemberFigures {
  readonly name: string;
  readonly requests: number;
  readonly failures: number;
  readonly seconds: number;
}

/** What an answer says besides its body or document. Faces show it in their own way: headers, a status, a line. */
export interface AnswerNotes {
  /** Undeclared fields of the request, sorted. */
  readonly ignoredFields?: readonly string[] | undefined;
  /** What subclass inference did or withheld; null where no class that was asked for has classes below. */
  readonly inference?: InferenceReport | null | undefined;
  /** What was derived and read besides; null where it was not asked for. */
  readonly inferred?: InferredReport | null | undefined;
  /** A limit cut the answer. */
  readonly truncated?: boolean | undefined;
  /** The transaction that was written. */
  readonly tx?: number | undefined;
  /** Statements that a write opened or closed. */
  readonly written?: number | undefined;
  /** What a policy check came to. */
  readonly policyOutcome?: Outcome | undefined;
  /** What was written to did not exist before. */
  readonly created?: boolean | undefined;
  /** Of an answer to a query: what its graphs are declared as, together. */
  readonly labels?: AnswerLabels | undefined;
  /** Registered graphs that a query could read. */
  readonly graphsRead?: number | undefined;
  readonly queryForm?: 'select' | 'ask' | 'construct' | 'describe' | undefined;
  /** It goes on for as long as somebody listens: each part is sent when it comes. */
  readonly live?: boolean | undefined;
  /** Rows or triples that the answer has: known at its end. */
  readonly entries?: number | undefined;
  /** Of a federated join: known at its end. */
  readonly members?: readonly MemberFigures[] | undefined;
}

/** An answer that is encoded already: its bytes can be read once. */
export interface OperationAnswer extends AsyncIterable<Uint8Array> {
  readonly mediaType: string;
  /** What is known so far: with the last byte, all of it. */
  readonly notes: AnswerNotes;
  /** Gives up what the answer holds when it will not be read. Harmless afterwards. */
  close(): void;
}
