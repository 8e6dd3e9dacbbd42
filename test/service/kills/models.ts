/** Two models whose vectors can't be compared. */

import { type OwnProvider, ownProvider } from '../embedding/own-provider.js';

export const MODELS = [
  { name: 'words', dimension: 16 },
  { name: 'more words', dimension: 24 },
] as const;

export function providerOf({ name, dimension }: (typeof MODELS)[number]): OwnProvider {
  return ownProvider(() => undefined, name, dimension);
}
