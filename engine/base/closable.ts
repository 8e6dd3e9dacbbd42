/** Streams of chunks that hold something which has to be given back, whether they are read or not. */

/**
 * The chunks of a generator, with `close` called when its reader leaves: leaving a generator that has not begun
 * does not run its `finally`. The generator closes by itself what it holds when it has been read.
 */
export function closable<Chunk>(
  chunks: AsyncGenerator<Chunk>,
  close: () => void | Promise<void>,
): AsyncIterable<Chunk> {
  const iterator: AsyncIterator<Chunk> = {
    next: () => chunks.next(),
    return: async () => {
      await close();
      return chunks.return(undefined);
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
