/** What a figure depends on besides our code: machine, versions, and how busy the machine was. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = ['lmdb', 'oxigraph', 'assemblyscript', 'typescript'];

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly commit: string;
  /** Processes that wanted a core in the minute before. */
  readonly loadBefore: number;
}

/** The checkout, from the built file three folders below it. */
export const CHECKOUT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

export function describeMachine(): Machine {
  const packages: Record<string, string> = {};
  for (const name of PACKAGES) {
    const path = join(CHECKOUT, 'node_modules', name, 'package.json');
    if (existsSync(path)) packages[name] = (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
  }
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: CHECKOUT, encoding: 'utf8' });
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()} ${process.arch}`,
    node: process.version,
    packages,
    commit: commit.status === 0 ? commit.stdout.trim() : 'unknown',
    loadBefore: loadavg()[0] as number,
  };
}

export function renderMachine(machine: Machine): string {
  const { cpu, cores, memoryGiB, system, node, packages, commit, loadBefore } = machine;
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  const busy = loadBefore > 0.5 ? `; **not idle: load ${loadBefore.toFixed(1)} before the run**` : '';
  return `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}; node ${node}, ${versions.join(', ')}; commit ${commit}${busy}`;
}
