/** Twin of `as/row-groups.ts`: the rows of each number, one list after the other. */

export function listRows(numbers: readonly number[], count: number): { starts: number[]; rowsOf: number[] } {
  const starts = [0];
  const rowsOf: number[] = [];
  for (let number = 0; number < count; number++) {
    numbers.forEach((mine, row) => {
      if (mine === number) rowsOf.push(row);
    });
    starts.push(rowsOf.length);
  }
  return { starts, rowsOf };
}
