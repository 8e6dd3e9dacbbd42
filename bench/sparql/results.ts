/**
 * What was measured, kept as JSON: a file for every data set, size and peer, written after every query. A file says what it
 * was measured with; one that is whole and fits what is asked for is not measured again.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder } from '../data/data-set.js';
import type { Machine } from '../harness/machine.js';
import type { LoadFigures } from './session.js';

export interface QueryFigures {
  /** The text that was asked: another one is measured anew. */
  readonly text: string;
  readonly rows?: number;
  readonly strict?: string;
  readonly loose?: string;
  readonly bytes?: number;
  /** The first run since the process started. */
  readonly coldMs?: number;
  /** Median of the warm runs. */
  readonly ms?: number;
  readonly leastMs?: number;
  readonly runs?: number;
  /** `timeout`, or what the peer said. */
  readonly error?: string;
}

export interface PeerResults {
  readonly data: string;
  readonly size: string;
  readonly mark: string;
  readonly peer: string;
  readonly about: string;
  readonly version: string;
  readonly date: string;
  readonly machine: Machine;
  readonly settings: { readonly runs: number; readonly budgetMs: number; readonly timeoutMs: number };
  load: (LoadFigures & { readonly peakBytes: number }) | { readonly error: string } | null;
  /** Of `ASK {}`: what a question costs however small it is. */
  roundTripMs: number | null;
  /** By set and label. */
  readonly queries: Record<string, Record<string, QueryFigures>>;
}

/** What a variant (`variants/variants.ts`) measured over a data set of a size. */
export interface VariantResults<Result = unknown> {
  readonly variant: string;
  readonly data: string;
  readonly size: string;
  readonly date: string;
  readonly machine: Machine;
  readonly settings: { readonly runs: number; readonly budgetMs: number; readonly timeoutMs: number };
  readonly results: readonly Result[];
}

export class ResultFolder {
  readonly path: string;

  constructor(name: string) {
    this.path = join(benchFolder(), 'results', name);
    mkdirSync(this.path, { recursive: true });
  }

  read(data: string, size: string, peer: string): PeerResults | null {
    return readJson(this.#file(data, size, peer)) as PeerResults | null;
  }

  write(results: PeerResults): void {
    writeJson(this.#file(results.data, results.size, results.peer), results);
  }

  readVariant<Result>(variant: string, data: string, size: string): VariantResults<Result> | null {
    return readJson(this.#file(`variant-${variant}`, data, size)) as VariantResults<Result> | null;
  }

  writeVariant(results: VariantResults): void {
    writeJson(this.#file(`variant-${results.variant}`, results.data, results.size), results);
  }

  /** Everything that stands here about a data set of a size. */
  readAll(data: string, size: string): readonly PeerResults[] {
    const begin = `${data}-${size}-`;
    return readdirSync(this.path)
      .filter((name) => name.startsWith(begin) && name.endsWith('.json'))
      .sort()
      .map((name) => JSON.parse(readFileSync(join(this.path, name), 'utf8')) as PeerResults);
  }

  #file(...names: readonly [string, string, string]): string {
    return join(this.path, `${names.join('-')}.json`);
  }
}

function readJson(path: string): unknown {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
}

/** A file that is there is whole. */
function writeJson(path: string, value: unknown): void {
  writeFileSync(`${path}.part`, `${JSON.stringify(value, null, 1)}\n`);
  renameSync(`${path}.part`, path);
}
