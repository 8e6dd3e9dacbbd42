/** The server of a follower: it opens again, at the same address, whenever there is a new copy of the store. */

import { placeCopy } from '../../engine/follow/receive-copy.js';
import { storePath } from '../../engine/storage/lmdb/store-path.js';
import { type RunningServer, type ServeOptions, startServer } from './serve.js';

/** Settles when it has stopped, which it does when the signal fires. `onStart` is told of each server. */
export async function runFollower(
  given: ServeOptions,
  signal: AbortSignal,
  onStart: (server: RunningServer) => void = () => undefined,
): Promise<void> {
  const stopped = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  let start = given;
  for (;;) {
    const server = await startServer(start);
    onStart(server);
    const copy = await Promise.race([server.outdated, stopped]);
    if (copy === null) {
      start.write('stopping\n');
      await server.close();
      return;
    }
    const { host, port } = server.address;
    const bind = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    await server.close();
    await placeCopy(copy, storePath(start.path));
    start.write(`copied: ${copy.bytes} bytes, up to transaction ${copy.tx}\n`);
    const { configuration } = start;
    start = { ...start, configuration: { ...configuration, server: { ...configuration.server, bind } } };
  }
}
