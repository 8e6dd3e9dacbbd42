/** What vectors of nodes cost an episode: where names are resolved, and there are vectors to compare with. */

import { SvcError } from '../../base/errors.js';
import type { Episode, EpisodeNode, EpisodeOptions } from './episode.js';
import { textOfName } from './near-names.js';

/** Of each node; undefined: there is nothing to compare. Where the provider fails, strict resolution refuses. */
export async function vectorsOfNodes(
  { nodes }: Episode,
  { resolution }: EpisodeOptions,
  embedder: { readonly onError?: ((error: unknown) => void) | undefined },
  vectorsOf: (texts: readonly string[]) => Promise<readonly Float32Array[] | null>,
): Promise<readonly Float32Array[] | undefined> {
  if (resolution === undefined || !Array.isArray(nodes)) return undefined;
  const texts = (nodes as readonly EpisodeNode[]).map(({ name, description }) => textOfName(name, { description }));
  try {
    return (await vectorsOf(texts)) ?? undefined;
  } catch (error) {
    const isOfVectors =
      error instanceof SvcError && (error.code === 'embedding_unavailable' || error.kind === 'corrupt');
    if (!isOfVectors || resolution.strict === true) throw error;
    embedder.onError?.(error);
    return undefined;
  }
}
