/** What this program is: its version, and the sources that it was built from. Read from files beside the code. */

import { readFileSync } from 'node:fs';

export interface Build {
  /** The commit; null when it was not built in a checkout. */
  readonly git_sha: string | null;
  /** Whether the sources differed from the commit. */
  readonly git_dirty: boolean | null;
}

function readJson<Value>(path: string): Value {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Value;
}

export function programVersion(): string {
  return readJson<{ version: string }>('../../../package.json').version;
}

/** Written by `tools/build.mjs`; a build by other means knows nothing. */
export function programBuild(): Build {
  try {
    return readJson<Build>('./build.json');
  } catch {
    return { git_sha: null, git_dirty: null };
  }
}
