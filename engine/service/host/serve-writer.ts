/** The store, opened for writing in the writer thread, behind the one job of writing. */

import type { Progress } from '../../base/control.js';
import { fromSystemError } from '../../base/errors.js';
import { type JobContext, serveThread } from '../../base/threads/server.js';
import { useArchives } from '../../graphs/archives.js';
import { openLmdbEngine } from '../../storage/lmdb-store/open.js';
import type { LoadSource } from '../../storage/seam/engine.js';
import type { PipelineOptions } from '../pipeline/pipeline.js';
import { receiveTerms, sendTerms, unpackQuads } from '../threads/packed-quads.js';
import type { SentSource, SentWrite, WriterSetup } from '../threads/write-jobs.js';
import { type CommandList, WRITES } from '../writes/commands.js';
import { LocalWrites } from '../writes/writes.js';

function sourceOf(source: SentSource, context: JobContext): LoadSource {
  switch (source.kind) {
    case 'file':
      return source;
    case 'bytes':
      return { ...source, bytes: typeof source.bytes === 'number' ? context.input(source.bytes) : source.bytes };
    case 'quads':
      return { ...source, quads: unpackQuads(context.input(source.quads)) };
  }
}

/**
 * Serves until the caller closes the thread. What the pipeline has besides what the store was opened with (authority,
 * gates, maintainers) lives in this thread, and comes from the script that it runs.
 */
export async function serveWriter(commands: CommandList = WRITES, more: PipelineOptions = {}): Promise<void> {
  await serveThread(async (setup) => {
    const { path, create, archivesOpenMax, ...options } = setup as WriterSetup;
    const { baseNamespace } = options;
    const systemError = (error: unknown): never => {
      throw fromSystemError(error, path);
    };
    const engine = await openLmdbEngine(path, { readOnly: false, create, baseNamespace }).catch(systemError);
    useArchives(engine, archivesOpenMax);
    let callersTime: number | undefined;
    const now = (): number => callersTime ?? Math.floor(Date.now() / 1000);
    const writes = new LocalWrites(engine, { ...more, ...options, now }, commands);
    const write = async (sent: SentWrite, context: JobContext): Promise<unknown> => {
      callersTime = sent.now;
      const { signal, flag } = context;
      const onProgress = sent.reports ? (progress: Progress): void => context.progress(progress) : undefined;
      const write = writes.run({
        ...sent,
        request: receiveTerms(sent.request),
        options: receiveTerms(sent.options),
        documents: sent.documents.map((source) => sourceOf(source, context)),
        control: { signal, flag, onProgress, wait: context },
      });
      return sendTerms(await write.catch(systemError));
    };
    const close = async (): Promise<void> => {
      await writes.idle();
      await engine.close();
    };
    return { jobs: { write }, close };
  });
}
