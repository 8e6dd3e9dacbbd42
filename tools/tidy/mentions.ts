/**
 * What comments and documents name is there: files of the checkout by their path or the end of it, and decisions by
 * number.
 */
import { GENERATED, type Problem, type SourceFile } from './sources.js';

/** A path with a folder, or a file name in backticks, of source code. */
const FILE = /(?<![\w./@-])((?:[\w.-]+\/)+[\w.-]+\.(?:ts|mjs)|(?<=`)[\w-]+\.(?:ts|mjs)(?=`))(?![\w-])/g;
const DECISION = /\bdecisions?[ /](?:0*(\d{1,4}))\b/gi;

/** Places that are nobody's here: examples of a user, and code of packages. */
const ELSEWHERE = /^(node_modules|dist|\.|https?:)/;

export interface Named {
  readonly paths: readonly string[];
  readonly decisions: ReadonlySet<number>;
}

export function decisionsOf(paths: readonly string[]): ReadonlySet<number> {
  return new Set(paths.flatMap((path) => /^docs\/decisions\/(\d{4})-/.exec(path)?.[1] ?? []).map(Number));
}

/** Decisions are numbered from 1 on, each number once and none left out. */
export function checkDecisionNumbers(paths: readonly string[]): Problem[] {
  const numbered = paths.filter((path) => /^docs\/decisions\/\d{4}-/.test(path)).sort();
  return numbered.flatMap((path, at) => {
    const wanted = String(at + 1).padStart(4, '0');
    const isRight = path.startsWith(`docs/decisions/${wanted}-`);
    return isRight ? [] : [{ path, line: 1, message: `the next decision has the number ${wanted}` }];
  });
}

function checkText(path: string, line: number, text: string, { paths, decisions }: Named): Problem[] {
  const problems: Problem[] = [];
  const lineAt = (index: number): number => line + text.slice(0, index).split('\n').length - 1;
  for (const { 1: name = '', index } of text.matchAll(FILE)) {
    if (
      ELSEWHERE.test(name) ||
      GENERATED.has(name.replace('.d.ts', '.ts')) ||
      paths.some((known) => known === name || known.endsWith(`/${name}`))
    )
      continue;
    problems.push({ path, line: lineAt(index), message: `names ${name}, which is not there` });
  }
  for (const { 1: number = '', index } of text.matchAll(DECISION)) {
    if (decisions.has(Number(number))) continue;
    problems.push({ path, line: lineAt(index), message: `names decision ${number}, which is not there` });
  }
  return problems;
}

export function checkMentions(files: readonly SourceFile[], named: Named): Problem[] {
  return files.flatMap(({ path, comments }) =>
    comments.flatMap(({ text, line }) => checkText(path, line, text, named)),
  );
}

export function checkDocumentMentions(path: string, text: string, named: Named): Problem[] {
  return checkText(path, 1, text, named);
}
