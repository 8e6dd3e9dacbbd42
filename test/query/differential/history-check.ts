/**
 * Queries about the past: at a transaction, at an instant, or both. The oracle asks the quads that the
 * store shows for that moment; how a store finds those is the subject of other tests.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Quad } from '../../../engine/rdf/terms.js';
import { openStore } from '../../../engine/service/host/open-store.js';
import type { TimeOptions } from '../../../engine/service/options/store-options.js';
import type { Store } from '../../../engine/service/store/store.js';
import { naiveQuery } from '../naive/query.js';
import { type Case, type Moment, quadsOf, textOf } from './case.js';
import { agrees, type Check, countExpected, EXACT, type Finding, findingOf } from './check.js';
import { type DataLine, TRANSACTIONS } from './data.js';
import { failed, type Outcome, readAnswer } from './engines.js';
import { increase, type Report } from './report.js';

export class HistoryCheck implements Check {
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-history-'));
  #written: readonly DataLine[] | null = null;
  #stores: readonly Store[] = [];
  #files = 0;

  async run(one: Case, report: Report | null, only: string | null): Promise<Finding | null> {
    if (one.data !== this.#written) await this.#write(one.data);
    const text = textOf(one);
    const moment = timeOf(one.moment);
    for (const store of this.#stores) {
      const variant = `${store.path === ':memory:' ? 'memory' : 'file'}, history`;
      if (only !== null && only !== variant) continue;
      const expected = await expectedAt(store, text, moment);
      if (!countExpected(store === this.#stores[0] ? report : null, expected)) return null;
      const actual = await readAnswer(store, text, moment).then(
        (answer): Outcome => ({ kind: 'answer', answer }),
        failed,
      );
      if (!(await agrees(text, actual, expected, EXACT))) return findingOf(variant, expected, actual, EXACT);
      if (report !== null) increase(report.compared, variant);
    }
    return null;
  }

  async close(): Promise<void> {
    for (const store of this.#stores) await store.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #write(data: readonly DataLine[]): Promise<void> {
    for (const store of this.#stores) await store.close();
    this.#files++;
    this.#stores = [await openStore(':memory:'), await openStore(join(this.#folder, `${this.#files}.db`))];
    for (const store of this.#stores) await writeHistory(store, data);
    this.#written = data;
  }
}

/** A day for each transaction; what it asserts holds from that day, from half a year before, or from a year after. */
export async function writeHistory(store: Store, data: readonly DataLine[]): Promise<void> {
  for (let tx = 1; tx <= TRANSACTIONS; tx++) {
    const assert = await quadsOf(data.filter(({ from }) => (from ?? 1) === tx));
    const retract = await quadsOf(data.filter(({ to }) => to === tx));
    await store.transact(
      { assert, retract },
      {
        timestamp: dayOf(tx),
        validFrom: [dayOf(tx), `2023-06-0${tx}T00:00:00Z`, '2025-01-01T00:00:00Z'][tx % 3],
        recordEmpty: true,
      },
    );
  }
}

function dayOf(tx: number): string {
  return `2024-01-0${tx}T00:00:00Z`;
}

export function timeOf(moment: Moment | null): TimeOptions {
  return { tx: moment?.after ?? undefined, validAt: moment?.validAt ?? undefined };
}

async function expectedAt(store: Store, text: string, moment: TimeOptions): Promise<Outcome> {
  const snapshot = store.snapshot(moment);
  try {
    const visible: Quad[] = [];
    for await (const quad of snapshot.match()) visible.push(quad);
    return { kind: 'answer', answer: naiveQuery(text, visible) };
  } catch (error) {
    return failed(error);
  } finally {
    snapshot.close();
  }
}
