/** Which matcher answers: the one place where `search.text_backend` is decided. */

import { INDEX_MATCHER } from './index-matcher.js';
import { SUBSTRING_MATCHER } from './substring-matcher.js';
import type { TextBackend, TextMatcher } from './text-matcher.js';

const MATCHERS: Readonly<Record<TextBackend, TextMatcher>> = { index: INDEX_MATCHER, substring: SUBSTRING_MATCHER };

export function matcherOf(backend: TextBackend): TextMatcher {
  return MATCHERS[backend];
}
