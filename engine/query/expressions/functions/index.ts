/** The one list of functions by name. */

import type { FunctionName } from '../../algebra/expression.js';
import { DATE_FUNCTIONS } from './dates.js';
import type { FunctionDefinition } from './definition.js';
import { HASH_FUNCTIONS } from './hashes.js';
import { LANGUAGE_FUNCTIONS } from './languages.js';
import { NUMBER_FUNCTIONS } from './numbers.js';
import { PATTERN_FUNCTIONS } from './patterns.js';
import { STRING_FUNCTIONS } from './strings.js';
import { TERM_FUNCTIONS } from './terms.js';

export const FUNCTIONS: Readonly<Record<FunctionName, FunctionDefinition>> = {
  ...TERM_FUNCTIONS,
  ...STRING_FUNCTIONS,
  ...PATTERN_FUNCTIONS,
  ...LANGUAGE_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...DATE_FUNCTIONS,
  ...HASH_FUNCTIONS,
};
