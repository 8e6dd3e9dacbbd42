/** What is measured of commits at one size of the store. */

/** Of commits of so many quads, by one writer. */
export const SIZES = [1, 20, 1000] as const;
export const WRITERS = 10;

/** Times in milliseconds. Names end in the number of quads of a commit. */
export type CommitFigures = Record<string, number>;

export interface CommitCase {
  /** Rows in the store before the first commit, as asked for. */
  readonly rows: string;
  readonly runs: CommitFigures[];
  readonly errors: string[];
  median: CommitFigures | null;
}
