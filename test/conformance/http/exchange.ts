/** One request of a case, and what it must get. */

export interface Expected {
  /** As the vocabulary of status codes names them: `Created`, `StatusCode2xx`. */
  readonly statuses: readonly string[];
  readonly boolean: boolean | null;
  readonly format: 'boolean' | 'tabular' | 'RDF' | null;
  readonly headers: Readonly<Record<string, string>>;
  /** A graph that is isomorphic to that of the answer, in the type of the headers. */
  readonly body: string | null;
}

export interface Exchange {
  readonly method: string;
  /** As the suite writes it; its paths are not ours. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  readonly expected: Expected;
}
