/**
 * Rooms and arrows: which folder may import which. Lower numbers are nearer the ground; an import
 * points to the same room or to a lower number, never between two rooms of one number, never in a
 * cycle. Tests, benchmarks and tools stand above everything and nothing imports them.
 */
import { GENERATED, type Problem, resolveImport, type SourceFile } from './sources.js';

const LEVELS: Readonly<Record<string, number>> = {
  'engine/base': 0,
  'engine/kernels': 1,
  'engine/rdf': 2,
  'engine/storage': 3,
  'engine/query': 4,
  'engine/reason': 5,
  'engine/search': 5,
  'engine/validate': 6,
  'engine/graphs': 7,
  'engine/governance': 8,
  'engine/lake': 8,
  'engine/share': 8,
  'engine/follow': 8,
  'engine/service': 9,
  'interfaces/library': 10,
  'interfaces/cli': 12,
  'interfaces/http': 11,
  'interfaces/mcp': 10,
  // They know a server by its address only.
  clients: 0,
  // Neither does the web UI: it asks by the client.
  'interfaces/ui': 1,
  tools: 13,
  bench: 14,
  test: 15,
};

export function roomOf(path: string): string {
  const parts = path.split('/');
  return parts[0] === 'engine' || parts[0] === 'interfaces' ? parts.slice(0, 2).join('/') : (parts[0] as string);
}

export function checkArrows(files: readonly SourceFile[]): Problem[] {
  const problems: Problem[] = [];
  const known = new Set(files.map((file) => file.path));
  for (const file of files) {
    const room = roomOf(file.path);
    const level = LEVELS[room];
    if (level === undefined) {
      problems.push({ path: file.path, line: 1, message: `the room ${room} has no place in the order of rooms` });
      continue;
    }
    for (const { text, line } of [...file.imports, ...file.threads]) {
      const target = resolveImport(file.path, text);
      if (target === null) continue;
      const targetLevel = LEVELS[roomOf(target)] ?? Number.POSITIVE_INFINITY;
      if (!known.has(target) && !GENERATED.has(target) && !/\.(mjs|json|wasm)$/.test(target)) {
        problems.push({ path: file.path, line, message: `imports ${text}, which does not exist` });
      } else if (roomOf(target) !== room && targetLevel >= level) {
        problems.push({
          path: file.path,
          line,
          message: `imports ${target}: ${room} may not look at ${roomOf(target)}`,
        });
      } else if (file.path.startsWith('tools/demo/') && !/^tools\/(demo\/|build\.mjs$)/.test(target)) {
        problems.push({ path: file.path, line, message: `imports ${target}: the demo uses the public face only` });
      }
    }
  }
  return problems;
}

/** Each cycle once, told at its first file in alphabetical order. */
export function checkCycles(files: readonly SourceFile[]): Problem[] {
  const graph = new Map<string, string[]>();
  for (const file of files) {
    const targets = file.imports.map((found) => resolveImport(file.path, found.text));
    graph.set(
      file.path,
      targets.filter((target): target is string => target !== null),
    );
  }
  const problems: Problem[] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const seen = new Set<string>();
  const visit = (path: string): void => {
    const at = trail.indexOf(path);
    if (at >= 0) {
      const cycle = trail.slice(at);
      const name = [...cycle].sort().join(' ');
      if (!seen.has(name)) {
        problems.push({ path: cycle[0] as string, line: 1, message: `import cycle: ${[...cycle, path].join(' -> ')}` });
      }
      seen.add(name);
      return;
    }
    if (done.has(path)) return;
    trail.push(path);
    for (const target of graph.get(path) ?? []) visit(target);
    trail.pop();
    done.add(path);
  };
  for (const path of [...graph.keys()].sort()) visit(path);
  return problems;
}
