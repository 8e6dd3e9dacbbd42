/** Files that nothing reaches, and kernels without their plain twin. */
import { type Problem, resolveImport, type SourceFile } from './sources.js';

const ENTRIES: readonly RegExp[] = [
  /^engine\/kernels\/as\/index\.ts$/,
  /^interfaces\/library\/index\.ts$/,
  /^interfaces\/cli\/main\.ts$/,
  /^interfaces\/ui\/(foreign\/load-)?[\w-]+\.ts$/,
  /^clients\/typescript\/src\/index\.ts$/,
  /^tools\/[^/]+\.(ts|mjs)$/,
  /^tools\/demo\/demo\.mjs$/,
  /^bench\/(main|svc-lines|ui-workbench|ui-explorer)\.(ts|mjs)$/,
  /^test\/conformance\/main\.ts$/,
  /^test\/.*\.test\.ts$/,
];

export function checkDead(files: readonly SourceFile[]): Problem[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const alive = new Set<string>();
  const queue = files.filter((file) => ENTRIES.some((entry) => entry.test(file.path)));
  for (const file of queue) alive.add(file.path);
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    for (const found of [...file.imports, ...file.threads]) {
      const target = byPath.get(resolveImport(file.path, found.text) ?? '');
      if (target === undefined || alive.has(target.path)) continue;
      alive.add(target.path);
      queue.push(target);
    }
  }
  return files
    .filter((file) => !alive.has(file.path))
    .map((file) => ({ path: file.path, line: 1, message: 'nothing reaches this file: no entry point, no test' }));
}

/** A kernel is a file that `as/index.ts` exports; its twin has the same name under `test/kernels/twins/`. */
export function checkTwins(files: readonly SourceFile[]): Problem[] {
  const index = files.find((file) => file.path === 'engine/kernels/as/index.ts');
  if (index === undefined) return [];
  const known = new Set(files.map((file) => file.path));
  const problems: Problem[] = [];
  for (const { text, line } of index.imports) {
    const name = text.replace(/^\.\//, '');
    if (TWINLESS.has(name) || known.has(`test/kernels/twins/${name}.ts`)) continue;
    problems.push({
      path: index.path,
      line,
      message: `kernel ${name} has no plain twin test/kernels/twins/${name}.ts`,
    });
  }
  return problems;
}

/** Exported files that compute nothing of their own. */
const TWINLESS: ReadonlySet<string> = new Set<string>(['layout', 'memory']);
