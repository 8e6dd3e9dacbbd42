/** The version of the program, and whether a command line asks for nothing else. */

import { readFileSync } from 'node:fs';

export function svcVersion(): string {
  const manifest = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

/** Scripts and packagers ask often; they need not wait for every command to be loaded. */
export function asksForVersion(words: readonly string[]): boolean {
  return words.length === 1 && ['--version', '-V', 'version'].includes(words[0] as string);
}
