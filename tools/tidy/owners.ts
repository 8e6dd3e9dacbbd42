/**
 * Every third-party package stands behind one file of engine/ or interfaces/: its owner. What runs in browsers is
 * another world: a package has an owner of its own there, and is a devDependency, since it is bundled. The list
 * of owners is computed, never kept by hand; `node dist/tools/tidy.js --owners` prints it.
 */
import { isBuiltin } from 'node:module';
import type { Problem, SourceFile } from './sources.js';

export interface Owner {
  readonly packageName: string;
  readonly places: readonly { readonly path: string; readonly line: number }[];
}

function packageOf(specifier: string): string | null {
  if (specifier.startsWith('.') || specifier.startsWith('node:') || isBuiltin(specifier)) return null;
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] as string);
}

const IN_BROWSERS = /^interfaces\/ui\//;

export function findOwners(files: readonly SourceFile[]): Owner[] {
  return [
    ...ownersOf(files.filter(({ path }) => !IN_BROWSERS.test(path))),
    ...ownersOf(files.filter(({ path }) => IN_BROWSERS.test(path))),
  ];
}

function ownersOf(files: readonly SourceFile[]): Owner[] {
  const places = new Map<string, { path: string; line: number }[]>();
  for (const file of files) {
    if (!/^(engine|interfaces)\//.test(file.path) || file.path.startsWith('engine/kernels/as/')) continue;
    for (const { text, line } of file.imports) {
      const name = packageOf(text);
      if (name === null) continue;
      const list = places.get(name) ?? [];
      if (!list.some((place) => place.path === file.path)) list.push({ path: file.path, line });
      places.set(name, list);
    }
  }
  return [...places].sort(([a], [b]) => (a < b ? -1 : 1)).map(([packageName, list]) => ({ packageName, places: list }));
}

export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Stands in the bundles of the package, so that nobody who installs it needs it. */
const BUNDLED = /^@traqula\//;
/** What fastify asks for, in the last version that runs on Node 20: a dependency of ours is what npm then gives it. */
const HELD: ReadonlySet<string> = new Set(['light-my-request']);

export function checkOwners(files: readonly SourceFile[], manifest: Manifest): Problem[] {
  const problems: Problem[] = [];
  const owners = findOwners(files);
  const { dependencies: declared = {}, devDependencies = {} } = manifest;
  for (const { packageName, places } of owners) {
    const [first, ...others] = places;
    for (const place of others) {
      problems.push({ ...place, message: `imports ${packageName}, which stands behind ${first?.path}` });
    }
    const inBrowsers = first !== undefined && IN_BROWSERS.test(first.path);
    const isBundled = BUNDLED.test(packageName) || inBrowsers;
    // What the package needs anyway may stand in the page, too.
    const isThere = packageName in (isBundled ? devDependencies : declared) || (inBrowsers && packageName in declared);
    if (first !== undefined && !isThere) {
      problems.push({ ...first, message: `imports ${packageName}, which is no dependency in package.json` });
    }
  }
  for (const [name, version] of Object.entries(declared)) {
    if (!/^\d/.test(version))
      problems.push({ path: 'package.json', line: 1, message: `${name} is not pinned: ${version}` });
    if (!HELD.has(name) && !owners.some((owner) => owner.packageName === name)) {
      problems.push({ path: 'package.json', line: 1, message: `${name} is a dependency that nothing imports` });
    }
  }
  return problems;
}
