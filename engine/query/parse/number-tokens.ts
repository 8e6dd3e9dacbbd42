/**
 * Decimals as SPARQL writes them: `DECIMAL ::= [0-9]* '.' [0-9]+` (SPARQL 1.1, rule 147). Traqula's tokens want a digit before the
 * point; `@traqula/rules-sparql-1-1`, where they are made, stands behind this file.
 */

import { lex } from '@traqula/rules-sparql-1-1';

const DECIMAL = '\\d*\\.\\d+';

/** To be called before a parser is built: it makes its lexer of the tokens as they are then. */
export function readDecimalsWithoutDigitBeforePoint(): void {
  const { decimal, decimalPositive, decimalNegative } = lex.terminals;
  decimal.PATTERN = new RegExp(DECIMAL);
  decimalPositive.PATTERN = new RegExp(`\\+${DECIMAL}`);
  decimalNegative.PATTERN = new RegExp(`-${DECIMAL}`);
}
