/** What a figure depends on besides our code: machine, versions, and how busy the machine was. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
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
  /** Cores that were in use for the second before, ours not counted. */
  readonly busyBefore: number;
}

/** The checkout, from the built file three folders below it. */
export const CHECKOUT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** More than so much of a core in use, and the machine is called busy. */
export const IDLE_CORES = 0.3;

/** Waits for a second, and says how many cores were in use meanwhile. The mean of the last minute would hold our own last run. */
export function busyCores(): number {
  const before = coreTimes();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  const after = coreTimes();
  const passed = after.idle + after.used - before.idle - before.used;
  return passed > 0 ? ((after.used - before.used) / passed) * cpus().length : 0;
}

function coreTimes(): { readonly used: number; readonly idle: number } {
  let [used, idle] = [0, 0];
  for (const { times } of cpus()) {
    used += times.user + times.nice + times.sys + times.irq;
    idle += times.idle;
  }
  return { used, idle };
}

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
    busyBefore: busyCores(),
  };
}

export function renderMachine(machine: Machine): string {
  const { cpu, cores, memoryGiB, system, node, packages, commit, busyBefore } = machine;
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  const busy =
    busyBefore > IDLE_CORES
      ? `; **not idle: ${busyBefore.toFixed(1)} cores in use before the run**`
      : '; idle before the run';
  return `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}; node ${node}, ${versions.join(', ')}; commit ${commit}${busy}`;
}
