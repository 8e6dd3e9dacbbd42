/**
 * The benchmark of the write side: every case in a process of its own, on a copy of a store that is made once. Medians
 * of some runs are taken figure by figure.
 */
import { type Answer, measureApart } from '../harness/child.js';
import { median, show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import { serveStore } from '../http/servers.js';
import { parseRows } from '../options.js';
import { type EpisodesOptions, parseEpisodesOptions } from './options.js';
import { STATEMENTS } from './payloads.js';
import { copyOfStore } from './stores.js';
import { type EpisodesResults, episodesTables, type Measured } from './tables.js';

export async function runEpisodes(args: readonly string[]): Promise<void> {
  const options = parseEpisodesOptions(args);
  const machine = describeMachine();
  const run = new EpisodesRun(options);
  const has = (part: (typeof options.parts)[number]): boolean => options.parts.includes(part);
  if (has('writes')) for (const size of options.sizes) await run.writes(size);
  if (has('joins')) for (const size of options.joined) await run.joins(size);
  if (has('large')) for (const nodes of options.nodes) await run.large(nodes);
  if (has('shapes')) await run.shapes();
  const { results } = run;
  publish({ benchmark: 'episodes', machine, tables: episodesTables(results), results }, options);
}

class EpisodesRun {
  readonly #options: EpisodesOptions;
  readonly #cases: Measured[] = [];
  readonly #errors: string[] = [];

  constructor(options: EpisodesOptions) {
    this.#options = options;
  }

  get results(): EpisodesResults {
    return { writers: this.#options.writers, cases: this.#cases, errors: this.#errors };
  }

  async writes(size: string): Promise<void> {
    const { seconds, writers } = this.#options;
    const from = parseRows(size);
    await this.#case('library', size, from, (store) =>
      measureApart({ task: 'episodes-writes', store, from, seconds, writers }, null),
    );
    await this.#case('http', size, from, async (store) => {
      const server = await serveStore(store, []);
      const { origin, pid } = server;
      try {
        return await measureApart({ task: 'episodes-http', origin, pid, from, seconds, writers }, null);
      } finally {
        await server.close();
      }
    });
  }

  async joins(size: string): Promise<void> {
    const { seconds } = this.#options;
    const episodes = parseRows(size);
    await this.#case('joins', size, episodes, (store) =>
      measureApart({ task: 'episodes-joins', store, episodes, seconds }, null),
    );
  }

  async large(size: string): Promise<void> {
    const nodes = parseRows(size);
    await this.#case('large', size, 0, (store) => measureApart({ task: 'episodes-large', store, nodes }, null));
  }

  async shapes(): Promise<void> {
    const { seconds, facts } = this.#options;
    const from = Math.ceil(parseRows(facts) / STATEMENTS);
    await this.#case('shapes', facts, from, (store) =>
      measureApart({ task: 'episodes-shapes', store, from, seconds }, null),
    );
  }

  /** Measures on a copy of the store of so many episodes, as often as was asked for. */
  async #case<Part extends Measured['part']>(
    part: Part,
    size: string,
    episodes: number,
    measure: (store: string) => Promise<Answer<Extract<Measured, { part: Part }>['figures']>>,
  ): Promise<void> {
    const store = scratchPath('episodes.svc');
    const runs: object[] = [];
    for (let round = 0; round < this.#options.runs; round++) {
      try {
        await copyOfStore(episodes, store);
        const figures: object = await measure(store);
        if ('error' in figures) this.#errors.push(`${part} at ${size}: ${figures.error}`);
        else runs.push(figures);
      } finally {
        removeStore(store);
      }
    }
    if (runs.length === 0) {
      console.error(`${part} at ${size}: ${this.#errors.at(-1)}`);
      return;
    }
    const figures = medianOf(runs);
    console.error(
      `${part} at ${size}: ${JSON.stringify(figures, (_, value) => (typeof value === 'number' ? show(value) : value))}`,
    );
    this.#cases.push({ part, size, figures } as unknown as Measured);
  }
}

/** Figure by figure, also of those that stand inside of others. */
function medianOf(runs: readonly object[]): object {
  return Object.fromEntries(
    Object.entries(runs[0] as object).map(([name, first]) => {
      const all = runs.map((run) => (run as Record<string, unknown>)[name]);
      return [name, typeof first === 'number' ? median(all as number[]) : medianOf(all as object[])];
    }),
  );
}
