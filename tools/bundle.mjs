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
import { build } from 'esbuild';
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
const THREAD = /new URL\('\.\/([\w-]+-thread)\.js', import\.meta\.url\)/g;
const BUNDLED = /^@traqula\//;
const HERE = '(the bundle)';
const PACKAGE = /^(?:@[^/]+\/)?[^/]+/;

/** `out`: the folder of the build; the bundle becomes its folder `bundle`. */
export async function bundle(out) {
  const outdir = join(root, out, 'bundle');
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(root, out, path)])),
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    metafile: true,
    logLevel: 'warning',
    legalComments: 'none',
    plugins: [dependenciesStay, filesBesideCode(join(root, out), outdir)],
  });
  writeFileSync(join(outdir, 'package.json'), '{"type":"module"}\n');
  writeFileSync(join(outdir, 'LICENSES.txt'), licencesOf(root, Object.keys(metafile.inputs)));
}

/** What package.json names is looked for from there when it runs, but for what is bundled and what that needs. */
const dependenciesStay = {
  name: 'dependencies stay',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      // What a bundled CommonJS module requires cannot be imported when it runs.
      if (kind === 'require-call') return undefined;
      const name = PACKAGE.exec(path)?.[0];
      return name in dependencies && !BUNDLED.test(name) ? { path, external: true } : undefined;
    });
  },
};

/** Code finds files beside it by its own address, which is another now; threads are bundles of their own. */
function filesBesideCode(built, outdir) {
  return {
    name: 'files beside the code',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, ({ path }) => {
        if (!path.startsWith(built)) return undefined;
        const text = readFileSync(path, 'utf8');
        if (!text.includes('import.meta.url')) return undefined;
        const address = `new URL(${JSON.stringify(relative(outdir, path))}, import.meta.url)`;
        const contents = text
          .replace(THREAD, (_, name) => {
            if (!(name in ENTRIES)) throw new Error(`${path}: the thread ${name} has no bundle`);
            return `new URL(${JSON.stringify(`./${name}.js`)}, ${HERE})`;
          })
          .replaceAll('import.meta.url', address)
          .replaceAll(HERE, 'import.meta.url');
        return { contents, loader: 'js' };
      });
    },
  };
}
