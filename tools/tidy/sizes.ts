/**
 * Length of files. Past 400 lines the head comment says why, on a line that begins with `Length:`;
 * past 600 the file must stand in the list below as well. (The length of functions is a rule of the
 * linter, which has a parser.)
 */
import type { Problem, SourceFile } from './sources.js';

export const LINES_MAX = 400;
export const LINES_HARD_MAX = 600;

/** Files past the hard cap: state machines and tables, and what a program writes. */
const OVERSIZED: ReadonlySet<string> = new Set<string>(['clients/typescript/src/operations.ts']);

export function checkSizes(files: readonly SourceFile[]): Problem[] {
  const problems: Problem[] = [];
  for (const file of files) {
    const { path, lines } = file;
    if (lines > LINES_HARD_MAX && !OVERSIZED.has(path)) {
      problems.push({
        path,
        line: LINES_HARD_MAX,
        message: `${lines} lines; the cap is ${LINES_HARD_MAX}: cut it at a seam`,
      });
    } else if (lines > LINES_MAX && !/\bLength: \S/.test(file.head)) {
      const message = `${lines} lines; past ${LINES_MAX} the head comment gives the reason ("Length: ...")`;
      problems.push({ path, line: LINES_MAX, message });
    }
    if (path.startsWith('engine/') && !file.head.startsWith('/**')) {
      problems.push({ path, line: 1, message: 'a module begins with a /** comment that says what it guarantees' });
    }
  }
  return problems;
}
