/** All that a store keeps beside its transactions, for comparison: vectors, events, cursors, subscriptions. */

import { createHash } from 'node:crypto';
import { vectorsFrom } from '../../engine/storage/indexes/vectors/stored-vectors.js';
import { readHead } from '../../engine/storage/indexes/vectors/vector-records.js';
import { currentVector, readEnds, readRow } from '../../engine/storage/indexes/vectors/vector-rows.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { NOTE_KINDS } from '../../engine/storage/seam/event-log.js';

const EVENTS_MAX = 1_000_000;

function vectorsOf(engine: StorageEngine): readonly string[] {
  const snapshot = engine.snapshot();
  try {
    const { store, transaction } = snapshot.indexView();
    const head = readHead(store, transaction);
    const ends = [...readEnds(store, head, 0, head.ends, transaction)];
    const lines = ends.map(({ row, tx, validTo }) => `end ${row} ${tx} ${validTo}`).sort();
    const entities = new Set<bigint>();
    for (const { row, vector } of head.rows === 0 ? [] : vectorsFrom({ head, store, transaction }, 0, head.rows)) {
      const { entity, textHash, tx, validFrom } = readRow(store, head, row, transaction);
      entities.add(entity);
      const hash = createHash('sha256').update(vector).digest('hex').slice(0, 16);
      lines.push(`row ${row} ${entity} ${textHash} ${tx} ${validFrom} ${hash}`);
    }
    for (const entity of entities) {
      lines.push(`current ${entity} ${currentVector(store, head, entity, transaction)?.row ?? 'none'}`);
    }
    return [`${head.model} ${head.dimension} ${head.rows} ${head.ends} ${head.embedded}`, ...lines];
  } finally {
    snapshot.close();
  }
}

export function besideTold(engine: StorageEngine): object {
  const { events } = engine;
  return {
    vectors: vectorsOf(engine),
    state: events.state(),
    events: events.stored(0, EVENTS_MAX),
    notes: NOTE_KINDS.map((kind) => events.notes(kind)),
  };
}
