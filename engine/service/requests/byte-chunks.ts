/** Documents that come as texts or bytes, as bytes alone. */

/** Texts are gathered until they are about this long: a message between threads costs as much as a few KB. */
const CHUNK_CHARACTERS = 64 * 1024;

export async function* toByteChunks(
  chunks: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let gathered = '';
  for await (const chunk of chunks) {
    if (typeof chunk !== 'string') {
      if (gathered !== '') yield encoder.encode(gathered);
      gathered = '';
      yield chunk;
      continue;
    }
    gathered += chunk;
    if (gathered.length < CHUNK_CHARACTERS) continue;
    yield encoder.encode(gathered);
    gathered = '';
  }
  if (gathered !== '') yield encoder.encode(gathered);
}
