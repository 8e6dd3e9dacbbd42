/**
 * A doc comment stands over what it describes: behind it comes neither a blank line nor another doc comment nor the end
 * of a block. The head of a file is about the file and is left out.
 */
import type { Problem, SourceFile } from './sources.js';

const DESCRIBES_NOTHING = /^[ \t]*(\n[ \t]*\n|\s*\/\*\*|\s*[}\])]|\s*$|\n\s*import [\w{*'])/;

export function checkComments(files: readonly SourceFile[]): Problem[] {
  const problems: Problem[] = [];
  for (const { path, text, comments, head } of files) {
    for (const comment of comments) {
      if (!comment.text.startsWith('/**') || comment.text === head) continue;
      if (!DESCRIBES_NOTHING.test(text.slice(comment.to, comment.to + 400))) continue;
      problems.push({ path, line: comment.line, message: 'a doc comment that stands over nothing' });
    }
  }
  return problems;
}
