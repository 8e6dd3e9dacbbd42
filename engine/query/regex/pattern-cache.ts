/** The patterns of a query, compiled once: one that comes from the data as well, as long as few differ. */

import { getOrInsert } from '../../base/maps.js';
import { compilePattern, type Pattern } from './pattern.js';
import { RegexSyntaxError, RegexUnsupported } from './syntax.js';

/** The machine of one pattern may grow to some megabytes. */
const PATTERNS_MAX = 16;

export class PatternCache {
  private readonly known = new Map<string, Map<string, Pattern | null>>();
  private held = 0;

  /** Null for what is no regular expression, or none that is evaluated here. */
  get(text: string, flags: string): Pattern | null {
    const found = this.known.get(flags)?.get(text);
    if (found !== undefined) return found;
    if (this.held === PATTERNS_MAX) {
      this.known.clear();
      this.held = 0;
    }
    const pattern = compileOrNull(text, flags);
    getOrInsert(this.known, flags, () => new Map()).set(text, pattern);
    this.held++;
    return pattern;
  }
}

function compileOrNull(text: string, flags: string): Pattern | null {
  try {
    return compilePattern(text, flags);
  } catch (error) {
    if (error instanceof RegexSyntaxError || error instanceof RegexUnsupported) return null;
    throw error;
  }
}
