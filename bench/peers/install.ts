/** The package managers that set peers up, each by its ordinary client. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SvcError } from '../../engine/base/errors.js';
import { CHECKOUT } from '../harness/machine.js';

/** Runs a program to its end; what it prints goes to the terminal. */
export function run(argv: readonly string[], folder: string): void {
  mkdirSync(folder, { recursive: true });
  const [program, ...args] = argv as [string, ...string[]];
  const { status, error } = spawnSync(program, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) {
    throw new SvcError(
      'configuration',
      `${argv.slice(0, 3).join(' ')} ... failed: ${error?.message ?? `exit ${status}`}`,
    );
  }
}

/** What a program prints, or null where it is not there or fails. */
export function output(argv: readonly string[]): string | null {
  const [program, ...args] = argv as [string, ...string[]];
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? `${stdout}${stderr}`.trim() : null;
}

/** Packages with exact versions, `name@1.2.3`. */
export function installNpm(folder: string, packages: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  run(['npm', 'install', '--no-audit', '--no-fund', '--save-exact', ...packages], folder);
}

/** The version of a package in a folder that npm installed into, or null. */
export function npmVersion(folder: string, name: string): string | null {
  const path = join(folder, 'node_modules', name, 'package.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version : null;
}

/** A Java program of ours, by its path, with the jars that it needs: Maven copies them, javac compiles. */
export function installJava(folder: string, source: string, artifacts: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'pom.xml'), projectOf(artifacts));
  run(['mvn', '-q', 'dependency:copy-dependencies', `-DoutputDirectory=${join(folder, 'lib')}`], folder);
  compileJava(folder, source);
}

/** Only where the source is newer than what was compiled of it would it be needed; it takes a second. */
export function compileJava(folder: string, source: string): void {
  run(['javac', '-nowarn', '-cp', join(folder, 'lib', '*'), '-d', join(folder, 'classes'), source], folder);
}

export function javaClassPath(folder: string): string {
  return `${join(folder, 'classes')}:${join(folder, 'lib', '*')}`;
}

/** The version in the name of a jar, or null where it was not installed or not compiled. */
export function jarVersion(folder: string, artifact: string, main: string): string | null {
  const pom = join(folder, 'pom.xml');
  if (!existsSync(pom) || !existsSync(join(folder, 'classes', `${main}.class`))) return null;
  const match = new RegExp(`<artifactId>${artifact}</artifactId><version>([^<]+)`).exec(readFileSync(pom, 'utf8'));
  return match?.[1] ?? null;
}

function projectOf(artifacts: readonly string[]): string {
  const dependencies = artifacts.map((artifact) => {
    const [group, name, version] = artifact.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
  });
  return [
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>',
    '<groupId>bench</groupId><artifactId>peer</artifactId><version>1</version>',
    `<dependencies>${dependencies.join('\n')}</dependencies></project>`,
    '',
  ].join('\n');
}

/** A server in another language, in the checkout: the build copies TypeScript only. */
export function serverFile(name: string): string {
  return join(CHECKOUT, 'bench/peers/servers', name);
}

/** A server of ours that runs in Node: a built file. */
export function nodeServer(name: string): readonly string[] {
  const main = join(dirname(dirname(fileURLToPath(import.meta.url))), 'main.js');
  return [process.execPath, '--max-old-space-size=12000', main, 'serve', name];
}
