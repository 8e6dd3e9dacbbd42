/** A long text as an address can hold it: deflated, in the letters of base64url. */

/** A longer query is packed. */
export const PLAIN_CHARACTERS_MAX = 2_000;
/** What is longer even then has no place in an address. */
export const PACKED_CHARACTERS_MAX = 8_000;

export async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Null where it holds no text that was packed. */
export async function unpacked(text: string): Promise<string | null> {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (one) => one.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return await new Response(stream).text();
  } catch {
    return null;
  }
}
