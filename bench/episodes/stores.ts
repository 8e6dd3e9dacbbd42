/**
 * Stores that have had so many episodes: written through the library by many writers at once, as agents would, made once
 * and kept beside the data sets. One that was interrupted is gone on with: an episode that is there is left unchanged.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openStore } from '../../interfaces/library/index.js';
import { benchFolder } from '../data/data-set.js';
import { removeStore } from '../harness/scratch.js';
import { episodeAt } from './payloads.js';

/** Goes up with every change of what episodes are or of how stores keep them. */
const VERSION = 1;
const WRITERS = 64;
const SAID_EVERY = 50_000;

/** Puts a store of that many episodes at a path. */
export async function copyOfStore(episodes: number, path: string): Promise<void> {
  removeStore(path);
  if (episodes > 0) copyFileSync(await provideStore(episodes), path);
}

async function provideStore(episodes: number): Promise<string> {
  const path = join(benchFolder(), `episodes-${episodes}.svc`);
  const about = `${path}.json`;
  if (existsSync(path) && existsSync(about)) {
    if ((JSON.parse(readFileSync(about, 'utf8')) as { version: number }).version === VERSION) return path;
  }
  const part = `${path}.part`;
  await fill(part, episodes);
  const engine = await openLmdbEngine(part);
  await engine.fold({});
  await engine.close();
  removeStore(path);
  renameSync(part, path);
  removeStore(part);
  writeFileSync(about, `${JSON.stringify({ version: VERSION, episodes })}\n`);
  return path;
}

async function fill(path: string, episodes: number): Promise<void> {
  const store = await openStore(path);
  const begin = performance.now();
  // A transaction an episode; the last ones of an interrupted run may be missing among others.
  let next = Math.max(0, store.stats().transactions - WRITERS);
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      while (next < episodes) {
        const at = next++;
        if (at % SAID_EVERY === 0)
          console.error(`${path}: ${at} episodes, ${Math.round(performance.now() - begin)} ms`);
        await store.writeEpisode(episodeAt(at));
      }
    }),
  );
  await store.close();
}
