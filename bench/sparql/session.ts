/**
 * A peer with a data set: its process, pinned to a core, its store in a folder that is removed at the end, and what
 * loading cost. After a time-out the process is killed and started again; one that keeps its data in memory
 * loads it again.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../engine/base/errors.js';
import { coresFor } from '../harness/child.js';
import type { Command, Peer, Place } from '../peers/peer.js';
import type { Form } from './query-set.js';
import { HttpTransport, LineTransport, type Reply, type Transport } from './transport.js';

const LOAD_LIMIT_MS = 7_200_000;
const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 30_000;
const PROBE_MS = 200;

export interface LoadFigures {
  readonly ms: number;
  readonly diskBytes: number | null;
}

export class Session {
  readonly peer: Peer;
  readonly #place: Place;
  readonly #cpu: number | null;
  #child: ChildProcess | null = null;
  #transport: Transport | null = null;
  #killed: Promise<unknown> = Promise.resolve();
  /** Greatest peak of the processes that served queries. */
  #peakBytes = 0;

  constructor(peer: Peer, place: Place, cpu: number | null) {
    this.peer = peer;
    this.#place = place;
    this.#cpu = cpu;
  }

  /** A new store with the data, its process started anew afterwards where the data is on disk. */
  async load(): Promise<LoadFigures> {
    rmSync(this.#place.folder, { recursive: true, force: true });
    mkdirSync(this.#place.folder, { recursive: true });
    this.peer.prepare?.(this.#place);
    let ms = 0;
    if (this.peer.loadApart !== undefined) {
      const begin = performance.now();
      this.#runApart(this.peer.loadApart(this.#place));
      ms = performance.now() - begin;
      await this.#start();
    } else {
      await this.#start();
      ms = await this.#loadRunning();
      if (!this.peer.inMemory) {
        await this.close();
        await this.#start();
      }
    }
    return { ms, diskBytes: this.peer.inMemory ? null : diskBytes(this.#place.folder) };
  }

  async query(text: string, form: Form, timeoutMs: number): Promise<Reply & { readonly ms: number }> {
    if (this.#transport === null) await this.#restart();
    const begin = performance.now();
    try {
      const reply = await (this.#transport as Transport).query(text, form, timeoutMs);
      return { ...reply, ms: reply.atMs - begin };
    } catch (error) {
      if (error instanceof SvcError && error.code === 'query_timeout') await this.kill();
      throw error;
    }
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get peakBytes(): number {
    this.#notePeak();
    return this.#peakBytes;
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#notePeak();
    if (this.peer.stop !== undefined) this.#runApart(this.peer.stop(this.#place), false);
    this.#transport?.close();
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await this.#killed;
    clearTimeout(timer);
  }

  async kill(): Promise<void> {
    this.#notePeak();
    this.#child?.kill('SIGKILL');
    await this.#killed;
  }

  remove(): void {
    rmSync(this.#place.folder, { recursive: true, force: true });
  }

  async #restart(): Promise<void> {
    await this.#start();
    if (this.peer.inMemory) await this.#loadRunning();
  }

  async #loadRunning(): Promise<number> {
    const begin = performance.now();
    if (this.peer.loadRunning !== undefined) {
      this.#runApart(this.peer.loadRunning(this.#place));
      return performance.now() - begin;
    }
    const load = this.#transport?.load;
    if (load === null || load === undefined) throw new SvcError('configuration', `${this.peer.name} cannot load`);
    const reply = await load(this.#place.file, LOAD_LIMIT_MS);
    return reply.atMs - begin;
  }

  async #start(): Promise<void> {
    const { argv, environment } = this.peer.serve(this.#place);
    const [program, ...args] = this.#pinned(argv);
    const lines = this.peer.transport === 'lines';
    const errors = openSync(`${this.#place.folder}.log`, 'a');
    const child = spawn(program as string, args, {
      env: { ...process.env, ...environment },
      stdio: [lines ? 'pipe' : 'ignore', lines ? 'pipe' : 'ignore', errors],
    });
    closeSync(errors);
    const transport =
      this.peer.transport === 'lines'
        ? new LineTransport(child)
        : new HttpTransport(this.peer.transport.url(this.#place), this.peer.transport.keepAlive);
    this.#child = child;
    this.#transport = transport;
    const stop = (): boolean => child.kill('SIGKILL');
    process.once('exit', stop);
    this.#killed = new Promise((resolve) => {
      const gone = (why: string) => (): void => {
        process.off('exit', stop);
        this.#child = null;
        this.#transport = null;
        transport.ended(`${why}; ${lastLine(`${this.#place.folder}.log`)}`);
        resolve(null);
      };
      child.once('error', gone(`${program} cannot be started`));
      child.once('exit', (code, signal) => gone(String(signal ?? code))());
    });
    if (!lines) await this.#comeUp(transport);
  }

  async #comeUp(transport: Transport): Promise<void> {
    for (const begin = performance.now(); ; ) {
      try {
        await transport.query('ASK {}', 'ASK', START_LIMIT_MS);
        return;
      } catch (error) {
        if (this.#child === null || performance.now() - begin > START_LIMIT_MS) throw error;
        await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
      }
    }
  }

  #runApart({ argv, environment }: Command, mustSucceed = true): void {
    const [program, ...args] = this.#pinned(argv);
    const done = spawnSync(program as string, args, {
      env: { ...process.env, ...environment },
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    if (done.status === 0 || !mustSucceed) return;
    const last = `${done.stdout}\n${done.stderr}`.trim().split('\n').slice(-3).join(' ');
    throw new SvcError('service_failed', `${argv[0]}: ${done.error?.message ?? last}`);
  }

  #pinned(argv: readonly string[]): readonly string[] {
    const cores = coresFor(this.#cpu === null ? null : [this.#cpu], 1);
    return cores === null ? argv : ['taskset', '-c', cores.join(','), ...argv];
  }

  #notePeak(): void {
    if (this.#child?.pid === undefined) return;
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
      this.#peakBytes = Math.max(this.#peakBytes, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024);
    } catch {
      // Not Linux, or gone already: no figure.
    }
  }
}

/** Where a peer keeps the store of this process and data set. */
export function placeOf(folder: string, peer: Peer, data: { path: string; quads: boolean }): Place {
  return { folder: join(folder, peer.name), file: data.path, quads: data.quads };
}

function diskBytes(folder: string): number {
  const { stdout } = spawnSync('du', ['-sk', folder], { encoding: 'utf8' });
  return Number.parseInt(stdout, 10) * 1024;
}

function lastLine(path: string): string {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return (lines.find((line) => /error|exception|FATAL/i.test(line)) ?? lines.at(-1) ?? '').slice(0, 300);
}
