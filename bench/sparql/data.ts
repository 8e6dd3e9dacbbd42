/**
 * The data that sets of queries run over: generated ones of a size, and real graphs that stand in a folder beside the
 * checkout (`SVC_SHARED` names another place), written as one document each. What is not there is null.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { openStore } from '../../interfaces/library/index.js';
import { benchFolder, provideDataSet } from '../data/data-set.js';
import { CHECKOUT } from '../harness/machine.js';

export type DataName = 'bsbm' | 'watdiv' | 'fibo' | 'schemaorg';

export interface Data {
  readonly name: DataName;
  /** As asked for; of real graphs `all`. */
  readonly size: string;
  /** N-Triples, or N-Quads where it has named graphs. */
  readonly path: string;
  readonly quads: boolean;
  /** Changes with what stands in the document. */
  readonly mark: string;
}

export const WHOLE = 'all';

export function sizesOf(name: DataName, sizes: readonly string[]): readonly string[] {
  return name === 'bsbm' || name === 'watdiv' ? sizes : [WHOLE];
}

export async function provideData(name: DataName, size: string, say: (line: string) => void): Promise<Data | null> {
  if (name === 'bsbm' || name === 'watdiv') {
    const { path, version, seed, bytes } = provideDataSet(name, size, say);
    return { name, size, path, quads: false, mark: `${version}.${seed}.${bytes}` };
  }
  const source = join(process.env.SVC_SHARED ?? join(CHECKOUT, '..', 'shared'), 'data', name);
  if (!existsSync(source)) {
    say(`${name} is left out: there is no ${source} (SVC_SHARED names another place)`);
    return null;
  }
  const path = join(benchFolder(), name === 'schemaorg' ? 'schemaorg.nq' : 'fibo.nt');
  if (!existsSync(path)) {
    say(`writing ${path}`);
    mkdirSync(benchFolder(), { recursive: true });
    await (name === 'fibo' ? writeFolder(source, path) : writeReleases(source, path));
  }
  const mark = createHash('md5').update(readFileSync(path)).digest('hex').slice(0, 8);
  return { name, size: WHOLE, path, quads: name === 'schemaorg', mark: `${statSync(path).size}.${mark}` };
}

/** A folder of documents of any format, as one document of N-Triples. */
async function writeFolder(folder: string, path: string): Promise<void> {
  const store = await openStore(':memory:');
  try {
    await store.load(folder);
    await writeChunks(path, store.export('ntriples'));
  } finally {
    await store.close();
  }
}

/** Every release as a graph of its own, named by its version. */
async function writeReleases(folder: string, path: string): Promise<void> {
  const releases = readdirSync(folder)
    .map((file) => /^schemaorg-all-https-(.+)\.nt\.gz$/.exec(file))
    .filter((match) => match !== null)
    .sort((a, b) => Number(a[1]) - Number(b[1]));
  async function* chunks(): AsyncGenerator<string> {
    for (const [file, version] of releases) {
      const graph = `<https://schema.org/version/${version}>`;
      const text = gunzipSync(readFileSync(join(folder, file))).toString();
      yield text.replace(/ *\.[ \t]*\r?$/gm, ` ${graph} .`);
    }
  }
  await writeChunks(path, chunks());
}

/** The document stands under its name only when it is whole. */
async function writeChunks(path: string, chunks: AsyncIterable<Uint8Array | string>): Promise<void> {
  const out = createWriteStream(`${path}.part`);
  for await (const chunk of chunks) {
    if (!out.write(chunk)) await once(out, 'drain');
  }
  out.end();
  await finished(out);
  renameSync(`${path}.part`, path);
}
