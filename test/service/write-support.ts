/** Write commands run without a store around them. */
import { ANYONE } from '../../engine/base/principal.js';
import type { WritePipeline } from '../../engine/service/pipeline/pipeline.js';
import { WriteContext } from '../../engine/service/writes/command.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';

export function contextOf(engine: StorageEngine, pipeline: WritePipeline): WriteContext {
  return new WriteContext(engine, pipeline, {
    name: 'test',
    request: {},
    documents: [],
    principal: ANYONE,
    control: {},
  });
}
