/**
 * Child process: the server of a primary, which writes small random transactions without end, now and then a large one, and
 * what lies beside transactions: vectors, cursors, subscriptions. It freezes graphs and thaws them.
 *   node follow-writer.js <store> <port> <seed> <token> <kinds>
 * `kinds`: `plain`, or `moves` for freezing, too. Says `ready` when it answers.
 */

import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SvcError } from '../../engine/base/errors.js';
import { withDefaults } from '../../engine/service/configuration/keys.js';
import { startServer } from '../../interfaces/http/serve.js';
import { randomNumbers } from '../storage/scan-support.js';
import { putTextVectors } from './put-text-vectors.js';

const [path = '', port = '', seed = '', token = '', kinds = ''] = process.argv.slice(2);
const configuration = withDefaults({
  server: { bind: `127.0.0.1:${port}`, read_pool_size: 0 },
  follow: { auth_token: token },
});
const { store, ready } = await startServer({
  path,
  configuration,
  insecure: false,
  quiet: true,
  write: () => undefined,
});
await ready;
console.log('ready');
const next = randomNumbers(Number(seed));
const facts = (count: number): string =>
  Array.from({ length: count }, () => `<urn:s${next(40)}> <urn:p${next(4)}> "${next(30)}"`).join(' . ');

/** A graph is frozen, or thawed where it is frozen. */
async function move(): Promise<void> {
  const graph = `urn:frozen${next(2)}`;
  const options = { timestamp: '2026-01-01T00:00:00Z' };
  try {
    await store.freezeGraph(graph, { ...options, outDir: dirname(path) });
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    await store.thawGraph(graph, options).catch((other: unknown) => {
      if (!(other instanceof SvcError)) throw other;
    });
  }
}

async function beside(): Promise<void> {
  const kind = next(5);
  if (kind < 3)
    await putTextVectors(
      store,
      Array.from({ length: 1 + next(4) }, () => `urn:s${next(40)}`),
    );
  else if (kind === 3) await store.events.commit(`consumer${next(3)}`, next(store.events.last + 1));
  else {
    const consumerId = `subscriber${next(3)}`;
    if (!(await store.events.unsubscribe(consumerId))) {
      await store.events.subscribe({ consumerId, webhookUrl: 'http://127.0.0.1:9/', mode: 'batch', batchWindowS: 1e9 });
    }
  }
}

async function write(round: number): Promise<void> {
  const kind = next(15);
  if (kind === 0) await store.update(`DELETE WHERE { <urn:s${next(40)}> ?p ?o }`);
  else if (kind === 1) await store.update(`INSERT DATA { GRAPH <urn:g${next(3)}> { ${facts(4)} } }`);
  else if (kind === 2)
    await store.writeEpisode({ name: `e${round} ${seed}`, nodes: [{ name: `n${next(9)}`, type: 'Thing' }] });
  else if (kind === 3 && next(12) === 0) await store.fold();
  else if (kind === 4 && next(12) === 0) {
    const text = Array.from({ length: 400 }, () => `${facts(1)} .\n`).join('');
    await store.load({ text, format: 'turtle' }, { validFrom: `20${10 + next(9)}-01-01T00:00:00Z` });
  } else if (kind === 5) await store.update(`DELETE DATA { ${facts(3)} }`);
  else if (kind === 6 && kinds === 'moves' && next(6) === 0) await move();
  else if (kind === 7 && kinds === 'moves')
    await store.update(`INSERT DATA { GRAPH <urn:frozen${next(2)}> { ${facts(2)} } }`).catch(() => undefined);
  else if (kind < 11) await beside();
  else await Promise.all([1, 2, 3].map(() => store.update(`INSERT DATA { ${facts(1 + next(6))} }`)));
}

/** A promotion may have fenced it, which was killed after that. */
const isFenced = (error: unknown): boolean => error instanceof SvcError && /writes no more/.test(error.message);

for (let round = 0, writes = kinds !== 'nothing'; writes; round++) {
  await write(round).catch((error: unknown) => {
    if (!isFenced(error)) throw error;
    writes = false;
  });
  // Its history is read again after every kill.
  await pause(10 + next(40));
}
