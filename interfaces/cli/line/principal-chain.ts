/** `--principal-chain`: on whose behalf a command writes. A command that writes nothing refuses it. */

import { SvcError } from '../../../engine/base/errors.js';
import { chainOfText } from '../../../engine/base/principal.js';
import { type CliOptions, textOption } from './streams.js';

const FLAG = '--principal-chain';

/** Undefined: nobody is named. */
export function principalChainOf(options: CliOptions): readonly string[] | undefined {
  const text = textOption(options, 'principalChain');
  if (text === undefined) return undefined;
  const chain = chainOfText(text, FLAG);
  if (chain === undefined)
    throw new SvcError('usage', `${FLAG} names nobody; expected principals with commas between them`);
  return chain;
}

export function refusePrincipalChain(options: CliOptions, command: string, why = 'it writes nothing'): void {
  if (options.principalChain === undefined) return;
  throw new SvcError('usage', `${FLAG} is not for svc ${command}: ${why}`);
}
