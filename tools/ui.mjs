/**
 * Checks and bundles the web UI: interfaces/ui becomes the folder `ui` of the build.
 *
 * 1. The compiler checks it as what browsers run, without anything of Node.
 * 2. Workers are bundled first, each to a file of its own whose name has a hash of what is in it; the code that starts one
 *    names its source (`new URL('./x-worker.js', import.meta.url)`), and that name is replaced.
 * 3. The entries are bundled together, so that they share chunks; every name under `assets` has a hash and may be kept
 *    for ever. Beside each file stand its copies for gzip and brotli. A chunk holds what the same entries reach: what all views are made of is
 *    imported by each of them, so that it is one file, and not one for every few that happen to use a part.
 * 4. What other pages name stands at the root under a name that never changes, and does nothing but load its entry.
 * `manifest.json` tells the server which file is which.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { licencesOf } from './licences.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'interfaces/ui');
const require = createRequire(import.meta.url);

/** The view of `HOME` in `page/views.ts`. */
const HOME_ENTRY = 'workbench/workbench.ts';

/** What the page itself loads. Its style sheet is a few lines, which stand in the page. */
const PAGE_ENTRIES = { page: 'page.ts' };
const STYLE = 'page/style.css';
/** What views are made of, and the list of them, which loads each by `import`. */
const SHARED_FOLDERS = ['parts', 'wire'];
const SHARED_FILES = ['page/views.ts'];
const DYNAMIC = /import\('(\.{1,2}\/[\w/-]+)\.js'\)/g;
/**
 * Scripts that foreign pages name, by their name there. Each may be named as a plain script, which every page may run, or as a
 * module (`loader`); it imports the address `MODULE`, which the server gives to pages of listed origins alone (`source`).
 */
const PUBLIC_ENTRIES = {
  'svc-components.js': { source: 'components.ts', loader: 'foreign/load-components.ts' },
  'datalinks.js': { source: 'datalinks.ts', loader: 'foreign/load-datalinks.ts' },
};
/** Modules that foreign pages import from, by their name there. */
const MODULE_ENTRIES = { 'graph-canvas.js': 'graph-canvas.ts' };
/** svc ships no three.js; whoever looks for it here learns so. */
const STATIC = {
  'vendor/three.module.min.js':
    "throw new Error('svc ships no three.js: its graph is drawn by <svc-graph> of /svc-components.js');\n",
};
const WORKER = /new URL\('(\.{1,2}\/[\w/-]+-worker)\.js', import\.meta\.url\)/g;

const OPTIONS = {
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome123', 'firefox120', 'safari17.5'],
  tsconfig: join(source, 'tsconfig.json'),
  loader: { '.css': 'css' },
  metafile: true,
  logLevel: 'warning',
  legalComments: 'none',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
};

/** `out`: the folder of the build. */
export async function bundleUi(out) {
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', source], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);

  const folder = join(root, out, 'ui');
  const outdir = join(folder, 'assets');
  mkdirSync(outdir, { recursive: true });
  const workers = await bundleWorkers(outdir);
  const named = [
    ...Object.entries(PUBLIC_ENTRIES).map(([name, one]) => [name, one.source]),
    ...Object.entries(MODULE_ENTRIES),
  ];
  const scripts = named.map(([name, path]) => [basename(name, '.js'), path]);
  const entries = { ...PAGE_ENTRIES, ...Object.fromEntries(scripts) };
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(source, path)])),
    outdir,
    splitting: true,
    plugins: [cssAsText, uiSources(workers.names, viewEntries())],
  });

  const assets = Object.fromEntries(
    Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
      entryPoint === undefined ? [] : [[entryPoint, basename(path)]],
    ),
  );
  const assetOf = (path) => assets[join('interfaces/ui', path)];
  for (const [name, { source: path, loader }] of Object.entries(PUBLIC_ENTRIES)) {
    await build({
      ...OPTIONS,
      // Nothing of it becomes a global name of the page.
      banner: { js: '(()=>{' },
      footer: { js: '})();' },
      entryPoints: { [basename(name, '.js')]: join(source, loader) },
      entryNames: '[name]',
      outdir: folder,
      define: { MODULE: JSON.stringify(`./assets/${assetOf(path)}`) },
    });
  }
  for (const [name, path] of Object.entries(MODULE_ENTRIES)) {
    writeFileSync(join(folder, name), `export * from './assets/${assetOf(path)}';\n`);
  }
  for (const [name, text] of Object.entries(STATIC)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const made = [...Object.keys(metafile.outputs), ...workers.outputs].map((path) => basename(path));
  compress(outdir, made);
  const output = (isWanted) => {
    const [name, made] = Object.entries(metafile.outputs).find(isWanted);
    const imports = made.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path));
    return { name: basename(name), imports };
  };
  const page = output(([path]) => basename(path) === assetOf('page.ts'));
  const home = output(([, { entryPoint }]) => entryPoint === join('interfaces/ui', HOME_ENTRY));
  const style = await transform(readFileSync(join(source, STYLE), 'utf8'), {
    loader: 'css',
    minify: true,
    target: OPTIONS.target,
  });
  const manifest = {
    page: assetOf('page.ts'),
    style: style.code.trim(),
    // What the page imports at once: told in its head, so that the browser does not find out one after the other.
    preload: page.imports,
    // What the view needs besides that an address without a view opens.
    home: [home.name, ...home.imports.filter((name) => !page.imports.includes(name) && name !== page.name)],
    assets: made.sort(),
  };
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`);
  writeFileSync(join(folder, 'LICENSES.txt'), licencesOf(root, [...Object.keys(metafile.inputs), ...workers.inputs]));
}

async function bundleWorkers(outdir) {
  const found = readdirSync(source, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('-worker.ts'));
  if (found.length === 0) return { names: new Map(), outputs: [], inputs: [] };
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: found.map((path) => join(source, path)),
    outdir: outdir,
    outbase: source,
    entryNames: '[name]-[hash]',
  });
  const outputs = Object.keys(metafile.outputs);
  const names = new Map(outputs.map((path) => [join(root, metafile.outputs[path].entryPoint), basename(path)]));
  return { names, outputs, inputs: Object.keys(metafile.inputs) };
}

/** The page, and every file that is loaded when it is needed. */
function viewEntries() {
  const found = new Set([join(source, PAGE_ENTRIES.page)]);
  for (const path of sources()) {
    for (const [, name] of readFileSync(path, 'utf8').matchAll(DYNAMIC)) found.add(join(dirname(path), `${name}.ts`));
  }
  return found;
}

function sources() {
  return readdirSync(source, { recursive: true })
    .map((path) => join(source, String(path)))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'));
}

/** A worker by the name of its bundle; an entry with all that views share. */
function uiSources(names, entries) {
  const isShared = (path) => SHARED_FOLDERS.includes(dirname(path)) || SHARED_FILES.includes(path);
  const shared = sources().filter((path) => isShared(relative(source, path)));
  return {
    name: 'sources of the page',
    setup({ onLoad }) {
      onLoad({ filter: /interfaces\/ui\/.*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const named = text.replace(WORKER, (_, specifier) => {
          const name = names.get(join(dirname(path), `${specifier}.ts`));
          if (name === undefined) throw new Error(`${path}: there is no worker ${specifier}.ts`);
          return `new URL('./${name}', import.meta.url)`;
        });
        const imports = entries.has(path) ? shared.map((one) => `\nimport ${JSON.stringify(one)};`) : [];
        return { contents: named + imports.join(''), loader: 'ts' };
      });
    },
  };
}

/** The style sheets of packages go into shadow roots, so code imports their text. */
const cssAsText = {
  name: 'css as text',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules\/.*\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8'),
      loader: 'text',
    }));
  },
};

/** A name says what is in the file, so what is there already stays; what no longer belongs goes. */
function compress(outdir, names) {
  const wanted = new Set(names.flatMap((name) => [name, `${name}.br`, `${name}.gz`]));
  for (const name of readdirSync(outdir)) if (!wanted.has(name)) rmSync(join(outdir, name));
  for (const name of names) {
    const [brotli, gzip] = [join(outdir, `${name}.br`), join(outdir, `${name}.gz`)];
    if (existsSync(brotli) && existsSync(gzip)) continue;
    const bytes = readFileSync(join(outdir, name));
    writeFileSync(brotli, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }));
    writeFileSync(gzip, gzipSync(bytes, { level: 9 }));
  }
}
