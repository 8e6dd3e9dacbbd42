/** The package as npm makes it, laid where npm would install it, beside the dependencies that it asks for. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CHECKOUT } from '../../tools/tidy.js';

export interface Packed {
  /** An empty project that has installed the package. */
  readonly project: string;
  /** The package in it. */
  readonly folder: string;
  /** The files of the package, by path. */
  readonly files: readonly string[];
  readonly bytes: number;
  remove(): void;
}

interface PackReport {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** A package of the root of `node_modules` that comes with an install for users. */
const INSTALLED = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/;

export function packed(): Packed {
  const project = mkdtempSync(join(tmpdir(), 'svc-package-'));
  const words = ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', project];
  const { stdout, stderr, status } = spawnSync('npm', words, { cwd: CHECKOUT, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const [{ filename, files, unpackedSize }] = JSON.parse(stdout) as [PackReport];
  const modules = join(project, 'node_modules');
  const folder = join(modules, '@svc-graph/svc');
  mkdirSync(folder, { recursive: true });
  const unpacked = spawnSync('tar', ['xzf', join(project, filename), '-C', folder, '--strip-components=1']);
  assert.equal(unpacked.status, 0, String(unpacked.stderr));
  const { packages } = JSON.parse(readFileSync(join(CHECKOUT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly dev?: boolean }>;
  };
  for (const [path, { dev }] of Object.entries(packages)) {
    const [, name] = INSTALLED.exec(path) ?? [];
    if (name === undefined || dev) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(CHECKOUT, path), join(modules, name));
  }
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}\n');
  return {
    project,
    folder,
    files: files.map(({ path }) => path),
    bytes: unpackedSize,
    remove: () => rmSync(project, { recursive: true, force: true }),
  };
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end. */
export function run(command: string, words: readonly string[], cwd: string): Promise<Ended> {
  const child = spawn(command, words, { cwd, env: { PATH: process.env.PATH, HOME: cwd }, timeout: 120_000 });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (piece: Buffer) => {
    texts.out += piece;
  });
  child.stderr.on('data', (piece: Buffer) => {
    texts.err += piece;
  });
  child.stdin.end();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}
