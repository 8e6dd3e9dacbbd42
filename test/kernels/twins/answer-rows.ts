/** Twin of `as/answer-rows.ts`: rows of cells as one text. */

export interface RowTexts {
  readonly begin: string;
  readonly between: string;
  readonly end: string;
  /** Unbound cells, which are null, are left out; otherwise they are this. */
  readonly unbound: string | null;
}

export function writeRows(rows: readonly (readonly (string | null)[])[], layout: RowTexts): string {
  const { begin, between, end, unbound } = layout;
  return rows
    .map((cells) => {
      const written = unbound === null ? cells.filter((cell) => cell !== null) : cells.map((cell) => cell ?? unbound);
      return `${begin}${written.join(between)}${end}`;
    })
    .join('');
}
