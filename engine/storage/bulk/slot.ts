/**
 * A slot: the areas that one piece of input passes through on its way from text to fingerprints.
 * Several slots let one thread tokenise while another looks terms up.
 */

import { SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { QUAD_RECORD_BYTES } from '../../kernels/tokenise-state.js';

export const SLOT_INPUT_BYTES = 1 << 20;
const SLOT_QUADS = 16384;
const SCRATCH_FACTOR = 2;
/** Scope, `a` and a decimal number, per term; written labels come from the input. */
const LABEL_BYTES = 40;
const INPUT_PADDING = 64;

export interface SlotAreas {
  input: number;
  inputBytes: number;
  records: number;
  quads: number;
  hashes: number;
  scratch: number;
  scratchBytes: number;
  labels: number;
  labelBytes: number;
}

function labelBytesFor(quads: number, inputBytes: number): number {
  return 4 * quads * LABEL_BYTES + inputBytes;
}

export function allocateSlot(memory: ThreadMemory, inputBytes = SLOT_INPUT_BYTES, quads = SLOT_QUADS): SlotAreas {
  const scratchBytes = SCRATCH_FACTOR * inputBytes + 65536;
  const labelBytes = labelBytesFor(quads, inputBytes);
  return {
    input: memory.allocate(inputBytes + INPUT_PADDING),
    inputBytes,
    records: memory.allocate(quads * QUAD_RECORD_BYTES),
    quads,
    hashes: memory.allocate(quads * QUAD_RECORD_BYTES),
    scratch: memory.allocate(scratchBytes),
    scratchBytes,
    labels: memory.allocate(labelBytes),
    labelBytes,
  };
}

export function freeSlot(memory: ThreadMemory, slot: SlotAreas): void {
  memory.free(slot.input, slot.inputBytes + INPUT_PADDING);
  memory.free(slot.records, slot.quads * QUAD_RECORD_BYTES);
  memory.free(slot.hashes, slot.quads * QUAD_RECORD_BYTES);
  memory.free(slot.scratch, slot.scratchBytes);
  memory.free(slot.labels, slot.labelBytes);
}

/** Room for a larger statement: input doubled, `keep` bytes of it copied. */
export function growInput(memory: ThreadMemory, slot: SlotAreas, keep: number, bytesMax: number): void {
  const inputBytes = 2 * slot.inputBytes;
  if (slot.inputBytes >= bytesMax) {
    throw new SvcError('limit_exceeded', `a statement is longer than statementBytesMax (${bytesMax} bytes)`, {
      hint: 'raise statementBytesMax of the load',
    });
  }
  const input = memory.allocate(inputBytes + INPUT_PADDING);
  memory.bytes.copyWithin(input, slot.input, slot.input + keep);
  memory.free(slot.input, slot.inputBytes + INPUT_PADDING);
  memory.free(slot.scratch, slot.scratchBytes);
  memory.free(slot.labels, slot.labelBytes);
  slot.input = input;
  slot.inputBytes = inputBytes;
  slot.scratchBytes = SCRATCH_FACTOR * inputBytes + 65536;
  slot.scratch = memory.allocate(slot.scratchBytes);
  slot.labelBytes = labelBytesFor(slot.quads, inputBytes);
  slot.labels = memory.allocate(slot.labelBytes);
}

/** Room for a statement of more quads or more rewritten text. */
export function growOutput(memory: ThreadMemory, slot: SlotAreas): void {
  memory.free(slot.records, slot.quads * QUAD_RECORD_BYTES);
  memory.free(slot.hashes, slot.quads * QUAD_RECORD_BYTES);
  memory.free(slot.labels, slot.labelBytes);
  memory.free(slot.scratch, slot.scratchBytes);
  slot.quads *= 2;
  slot.records = memory.allocate(slot.quads * QUAD_RECORD_BYTES);
  slot.hashes = memory.allocate(slot.quads * QUAD_RECORD_BYTES);
  slot.labelBytes = labelBytesFor(slot.quads, slot.inputBytes);
  slot.labels = memory.allocate(slot.labelBytes);
  slot.scratchBytes *= 2;
  slot.scratch = memory.allocate(slot.scratchBytes);
}
