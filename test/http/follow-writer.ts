/**
 * Child process: the server of a primary, which writes small random transactions without end, and now and then a large one.
 *   node follow-writer.js <store> <port> <seed> <token>
 * Says `ready` when it answers.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { withDefaults } from '../../engine/service/configuration/keys.js';
import { startServer } from '../../interfaces/http/serve.js';
import { randomNumbers } from '../storage/scan-support.js';

const [path = '', port = '', seed = '', token = ''] = process.argv.slice(2);
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
for (let round = 0; ; round++) {
  const kind = next(12);
  if (kind === 0) await store.update(`DELETE WHERE { <urn:s${next(40)}> ?p ?o }`);
  else if (kind === 1) await store.update(`INSERT DATA { GRAPH <urn:g${next(3)}> { ${facts(4)} } }`);
  else if (kind === 2)
    await store.writeEpisode({ name: `e${round} ${seed}`, nodes: [{ name: `n${next(9)}`, type: 'Thing' }] });
  else if (kind === 3 && next(12) === 0) await store.fold();
  else if (kind === 4 && next(12) === 0) {
    const text = Array.from({ length: 400 }, () => `${facts(1)} .\n`).join('');
    await store.load({ text, format: 'turtle' }, { validFrom: `20${10 + next(9)}-01-01T00:00:00Z` });
  } else if (kind === 5) await store.update(`DELETE DATA { ${facts(3)} }`);
  else await Promise.all([1, 2, 3].map(() => store.update(`INSERT DATA { ${facts(1 + next(6))} }`)));
  // Its history is read again after every kill.
  await pause(20 + next(60));
}
