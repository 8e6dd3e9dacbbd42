/**
 * Builds everything: kernels (AssemblyScript to WASM with SIMD), TypeScript, the types that the package ships, bundles of
 * what starts processes, and the web UI.
 *   node tools/build.mjs [--out dist]
 * and writes down what it was built from.
 * A kernel whose sources have not changed since its .wasm was made is left alone.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { declarations } from './declarations.mjs';
import { bundleUi } from './ui.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = process.argv.indexOf('--out');
const out = at > 0 ? process.argv[at + 1] : 'dist';
const require = createRequire(import.meta.url);

const sources = join(root, 'engine/kernels/as');
const target = join(root, out, 'engine/kernels');
/** The kernels as TypeScript sees them: what the compiler of the kernels says of their exports. */
const kernelTypes = join(root, 'engine/kernels/exports.d.ts');
/** Static data of the kernels lies below this address; the memory of a thread starts above it. */
const KERNEL_MEMORY_BASE = 65536;

function newestChange(folder) {
  let newest = 0;
  for (const name of readdirSync(folder)) {
    newest = Math.max(newest, statSync(join(folder, name)).mtimeMs);
  }
  return newest;
}

/** As they are called: addresses, other 32-bit numbers and truth values are numbers, u64 values BigInts; the sources of the kernels say what each is for. */
function writeKernelTypes(bindings) {
  const found = readFileSync(bindings, 'utf8').matchAll(/export function (\w+)(\([^)]*\): \w+);/g);
  const members = Array.from(
    found,
    ([, name, signature]) => `  ${name}${signature.replaceAll('boolean', 'number')};\n`,
  );
  if (members.length === 0) throw new Error(`${bindings} names no kernel`);
  writeFileSync(kernelTypes, `export interface KernelExports {\n${members.join('')}}\n`);
  for (const ending of ['.d.ts', '.js']) rmSync(bindings.replace(/\.d\.ts$/, ending));
}

function run(command, args) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

if (existsSync(join(sources, 'index.ts'))) {
  mkdirSync(target, { recursive: true });
  const wasm = join(target, 'kernels.wasm');
  const isMade = existsSync(wasm) && existsSync(kernelTypes);
  if (!isMade || statSync(wasm).mtimeMs < newestChange(sources)) {
    const asc = join(dirname(require.resolve('assemblyscript/package.json')), 'bin/asc.js');
    run(process.execPath, [
      asc,
      join(sources, 'index.ts'),
      '-o',
      wasm,
      '--transform',
      './tools/inline-kernels.mjs',
      '-O3',
      '--noAssert',
      '--runtime',
      'stub',
      '--enable',
      'simd',
      '--enable',
      'threads',
      '--importMemory',
      '--sharedMemory',
      '--initialMemory',
      '16',
      '--maximumMemory',
      '65536',
      ...(process.env.SVC_KERNEL_NAMES ? ['--debug'] : []),
      '--memoryBase',
      String(KERNEL_MEMORY_BASE),
      '--bindings',
      'raw',
    ]);
    writeKernelTypes(join(target, 'kernels.d.ts'));
  }
}

const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
run(process.execPath, [tsc, '-p', '.', '--outDir', out, '--tsBuildInfoFile', join(out, '.tsbuildinfo')]);
// The client as its package has it: with what browsers have, and without what only Node has.
run(process.execPath, [tsc, '-p', 'clients/typescript']);

/**
 * Node looks for the package of every module, folder by folder upwards, to learn that it is an ES module.
 * Told in its own folder, the 400 modules of a first query load a tenth faster.
 */
function markFolders(folder) {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n');
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) markFolders(join(folder, entry.name));
  }
}

for (const room of ['engine', 'interfaces']) markFolders(join(root, out, room));

/** What git says, or null: the sources may stand in no checkout, or there may be no git. */
function git(...words) {
  const { status, stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

const isCheckout = git('rev-parse', '--show-toplevel') === root;
const sha = isCheckout ? git('rev-parse', 'HEAD') : null;
const changes = isCheckout ? git('status', '--porcelain') : null;
const build = { git_sha: sha, git_dirty: changes === null ? null : changes !== '' };
writeFileSync(join(root, out, 'engine/base/build.json'), `${JSON.stringify(build)}\n`);

declarations(join(root, out));
await bundle(out);
await bundleUi(out);
