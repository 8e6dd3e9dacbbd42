/** The patterns of a query, compiled once: one that comes from the data as well, as long as few differ. */

import { compilePattern, type Pattern } from './pattern.js';
import { RegexSyntaxError, RegexUnsupported } from './syntax.js';

/** The machine of one pattern may grow to some megabytes. */
const PATTERNS_MAX = 16;

export class PatternCache {
  private readonly known = new Map<string, Map<string, Pattern | null>>();
  private held = 0;

  /** Null for what is no regular expression, or none that is evaluated here. */
  get(text: string, flags: string): Pattern | null {
    let withFlags = this.known.get(flags);
    if (withFlags === undefined) {
      withFlags = new Map();
      this.known.set(flags, withFlags);
    }
    const found = withFlags.get(text);
    if (found !== undefined) return found;
    if (this.held >= PATTERNS_MAX) this.clear();
    const pattern = compileOrNull(text, flags);
    const place = this.known.get(flags) ?? withFlags;
    place.set(text, pattern);
    this.known.set(flags, place);
    this.held++;
    return pattern;
  }

  private clear(): void {
    this.known.clear();
    this.held = 0;
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
