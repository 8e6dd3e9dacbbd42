/** Names that somebody may have meant. */

const DISTANCE_MAX = 2;
const NAMES_MAX = 3;

/** The names nearest to a word: those that it begins, then those few changes away. */
export function nearestNames(word: string, names: readonly string[]): string[] {
  const begun = names.filter((name) => name.startsWith(word) && word.length > 1);
  const near = names
    .map((name) => ({ name, distance: editDistance(word, name) }))
    .filter(({ name, distance }) => distance <= Math.min(DISTANCE_MAX, name.length - 2) && !begun.includes(name))
    .sort((a, b) => a.distance - b.distance)
    .map(({ name }) => name);
  return [...begun, ...near].slice(0, NAMES_MAX);
}

/** Insertions, deletions, replacements and exchanges of neighbours. */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(
        cell(rows, i - 1, j) + 1,
        (row[j - 1] as number) + 1,
        cell(rows, i - 1, j - 1) + (same ? 0 : 1),
      );
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, cell(rows, i - 2, j - 2) + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return cell(rows, a.length, b.length);
}

function cell(rows: readonly (readonly number[])[], row: number, column: number): number {
  return rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
}
