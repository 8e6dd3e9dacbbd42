/**
 * Bundles what starts processes and threads: the command, the library, the threads of a store. A module in a file of its
 * own costs half a millisecond to a millisecond when it is first loaded, and a first query needs six hundred; together
 * they start in half of the time. Modules that are loaded when they are needed stay so, each group in a file.
 *
 * Traqula is bundled with them, since a fifth of those modules is its; every other dependency stays where npm put it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { firstModules } from './first-modules.mjs';
import { licencesOf } from './licences.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { dependencies } = createRequire(import.meta.url)('../package.json');

const ENTRIES = {
  command: 'interfaces/cli/main.js',
  library: 'interfaces/library/index.js',
  'reader-thread': 'engine/service/host/reader-thread.js',
  'writer-thread': 'engine/service/host/writer-thread.js',
  'helper-thread': 'engine/storage/bulk/helper-thread.js',
  'hash-thread': 'engine/storage/packs/hash-thread.js',
  'check-thread': 'engine/storage/packs/check-thread.js',
};
/** Threads that need little: each is one file with all that it needs, and nothing else. */
const ALONE = { 'morsel-thread': 'engine/query/runtime/morsels/morsel-thread.js' };
const THREAD = /new URL\('\.\/([\w-]+-thread)\.js', import\.meta\.url\)/g;
const BUNDLED = /^@traqula\//;
const HERE = '(the bundle)';

/** `out`: the folder of the build; the bundle becomes its folder `bundle`. */
export async function bundle(out) {
  const built = join(root, out);
  const outdir = join(built, 'bundle');
  rmSync(outdir, { recursive: true, force: true });
  const groups = Object.entries(await firstModules(built));
  const output = [];
  output.push(...(await write(ENTRIES, built, outdir, groups)));
  for (const [name, path] of Object.entries(ALONE)) output.push(...(await write({ [name]: path }, built, outdir)));
  writeFileSync(join(outdir, 'package.json'), '{"type":"module"}\n');
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  writeFileSync(
    join(outdir, 'LICENSES.txt'),
    licencesOf(
      root,
      modules.map((path) => relative(root, path)),
    ),
  );
}

/** Writes bundles that share their files; without groups of modules, each file has all that it needs. */
async function write(entries, built, outdir, groups = null) {
  const bundled = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(built, path)])),
    platform: 'node',
    external: isInstalled,
    preserveEntrySignatures: 'allow-extension',
    // A module that is imported both ways stands where the static import wants it: nothing is wrong with that.
    checks: { ineffectiveDynamicImport: false },
    plugins: [filesBesideCode(built, outdir)],
  });
  const { output } = await bundled.write({
    dir: outdir,
    format: 'esm',
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    ...(groups === null
      ? {}
      : {
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: groups.map(([name, modules]) => ({ name, test: (path) => modules.has(path) })),
          },
        }),
  });
  await bundled.close();
  return output;
}

/** What package.json names is looked for from there when it runs, but for what is bundled and what that needs. */
function isInstalled(path) {
  const name = /^(?:@[^/]+\/)?[^./][^/]*/.exec(path)?.[0];
  return path.startsWith('node:') || (name !== undefined && name in dependencies && !BUNDLED.test(name));
}

/** Code finds files beside it by its own address, which is another now; threads are bundles of their own. */
function filesBesideCode(built, outdir) {
  return {
    name: 'files beside the code',
    load(path) {
      if (!path.startsWith(built) || !path.endsWith('.js')) return undefined;
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const address = `new URL(${JSON.stringify(relative(outdir, path))}, import.meta.url)`;
      return text
        .replace(THREAD, (_, name) => {
          if (!(name in ENTRIES || name in ALONE)) throw new Error(`${path}: the thread ${name} has no bundle`);
          return `new URL(${JSON.stringify(`./${name}.js`)}, ${HERE})`;
        })
        .replaceAll('import.meta.url', address)
        .replaceAll(HERE, 'import.meta.url');
    },
  };
}
