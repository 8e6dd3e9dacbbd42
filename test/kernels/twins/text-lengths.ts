/** Twin of `as/text-lengths.ts`: a stored term as its kind, its qualifier where the kind has one, and its text. */

export function textLength(text: string): number {
  return [...text].length;
}
