/** Twin of `as/split-rows.ts`: rows by part, those of each in their sequence. */

export function splitRows(partOf: readonly number[], parts: number): { starts: number[]; rowsOf: number[] } {
  const starts = [0];
  const rowsOf: number[] = [];
  for (let part = 0; part < parts; part++) {
    partOf.forEach((own, row) => {
      if (own === part) rowsOf.push(row);
    });
    starts.push(rowsOf.length);
  }
  return { starts, rowsOf };
}
