/** Write commands run without a store around them; a command that a test adds, and an authority. */
import { SvcError } from '../../engine/base/errors.js';
import { ANYONE } from '../../engine/base/principal.js';
import { type NamedNode, type Quad, terms } from '../../engine/rdf/terms.js';
import type { Authority } from '../../engine/service/pipeline/authority.js';
import type { WritePipeline } from '../../engine/service/pipeline/pipeline.js';
import { type WriteCommand, WriteContext } from '../../engine/service/writes/command.js';
import { type TransactionResult, toResult } from '../../engine/service/writes/transact.js';
import type { LoadSource, StorageEngine } from '../../engine/storage/seam/engine.js';

export function contextOf(engine: StorageEngine, pipeline: WritePipeline): WriteContext {
  return new WriteContext(engine, pipeline, {
    name: 'test',
    request: {},
    documents: [],
    principal: ANYONE,
    control: {},
  });
}

export interface StampRequest {
  /** A term, to see that terms cross. */
  readonly entity: NamedNode;
  readonly fails?: boolean;
}

export interface StampResult extends TransactionResult {
  readonly entity: NamedNode;
  /** Bytes and quads of the documents that came along. */
  readonly documents: readonly string[];
  readonly by: string | null;
}

/** Asserts one statement, and says what came with it. */
export const stamp: WriteCommand<StampRequest, { readonly actor?: string | undefined }, StampResult> = {
  what: 'the stamp',

  async run(context, { entity, fails = false }, { actor }) {
    const settled = context.settle({ actor, source: 'stamp' });
    const documents: string[] = [];
    for (const source of context.documents) documents.push(`${source.kind}: ${await sizeOf(source)}`);
    const change = (stage: { assert(quads: readonly Quad[]): number }): void => {
      stage.assert([terms.quad(entity, terms.namedNode('http://e/stamped'), terms.literal('yes'))]);
      if (fails) throw new SvcError('state_conflict', 'stamped already', { hint: 'look before' });
    };
    const receipt = await context.pipeline.transact(change, settled, context.control);
    const { authenticated } = context.principal;
    return { ...toResult(receipt), entity, documents, by: authenticated?.principal ?? null };
  },
};

async function sizeOf(source: LoadSource): Promise<number> {
  let size = 0;
  if (source.kind === 'quads') for await (const _ of source.quads) size++;
  if (source.kind !== 'bytes') return size;
  if (source.bytes instanceof Uint8Array) return source.bytes.length;
  for await (const piece of source.bytes) size += piece.length;
  return size;
}

/** Lets one principal write; says which command others have asked for. */
export const onlyAda: Authority = {
  allows({ principal, command }) {
    if (principal.authenticated?.principal === 'urn:ada') return { kind: 'accepted', findings: [] };
    const message = `${command?.name} is not for you`;
    return { kind: 'refused', code: 'authority_denied', message, findings: [] };
  },
};
