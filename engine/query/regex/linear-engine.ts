/**
 * Matching in time proportional to the text: `re2js`, a port of RE2 without dependencies, stands
 * behind this file only. JavaScript's own engine goes back and tries again, so that a short pattern
 * over a short text can take it years; a Pike machine of our own would replace this one.
 */

import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

type Library = typeof import('re2js');

const require = createRequire(import.meta.url);
let loaded: Library | undefined;

/** The package is large, and few queries have a pattern: it waits for the first one. */
function library(): Library {
  loaded ??= require('re2js') as Library;
  return loaded;
}

export interface Match {
  readonly start: number;
  readonly end: number;
  /** Text of a group; empty where it took no part. */
  group(number: number): string;
}

export class LinearRegex {
  private readonly compiled: RE2JS;

  /** `source` is in the syntax of RE2. */
  constructor(source: string, caseless: boolean) {
    const { RE2JS } = library();
    this.compiled = RE2JS.compile(source, caseless ? RE2JS.CASE_INSENSITIVE : 0);
  }

  get groups(): number {
    return this.compiled.groupCount();
  }

  test(text: string): boolean {
    return this.compiled.test(text);
  }

  *matches(text: string): Generator<Match> {
    const matcher = this.compiled.matcher(text);
    while (matcher.find()) {
      yield { start: matcher.start(), end: matcher.end(), group: (number) => matcher.group(number) ?? '' };
    }
  }
}
