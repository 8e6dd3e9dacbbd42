/** Whether a command line asks for nothing but the version of the program. */

/** Scripts and packagers ask often; they need not wait for every command to be loaded. */
export function asksForVersion(words: readonly string[]): boolean {
  return words.length === 1 && ['--version', '-V', 'version'].includes(words[0] as string);
}
