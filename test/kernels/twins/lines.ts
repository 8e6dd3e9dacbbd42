/** Twin of `as/lines.ts`. */

/** Number of line feeds. */
export function countLines(bytes: Uint8Array): number {
  return bytes.filter((byte) => byte === 10).length;
}
