/**
 * Texts without their case, as containment compares them: composed (NFC), upper case and then lower case, so that letters
 * whose cases are several become one (`ß` and `SS`, the three sigmas). The places of the folded text are its own.
 */

/** Whether there is a letter that folds in other ways than by lower case. */
const BEYOND_ASCII = /[^\0-\x7f]/;

export function foldCase(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase();
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text);
}
