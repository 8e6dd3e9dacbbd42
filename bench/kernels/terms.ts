/** Kernels of the way from bytes to terms: tokeniser, fingerprints, table, sort, front coding. */
import { readFileSync } from 'node:fs';
import { invariant } from '../../engine/base/errors.js';
import type { ThreadMemory } from '../../engine/kernels/memory.js';
import { placeSymbols } from '../../engine/kernels/symbol-table.js';
import { Epoch, epochLimits } from '../../engine/storage/bulk/epoch.js';
import { sortTermList } from '../../engine/storage/dictionary/segment-writer.js';
import { trainSymbols } from '../../engine/storage/dictionary/symbol-training.js';
import type { DataSet } from '../data/data-set.js';
import type { KernelCase } from './loop.js';
import { Tokeniser } from './tokeniser.js';

const INPUT_BYTES = 4 << 20;
const RECORDS_MAX = 1 << 16;
const SEED: readonly [bigint, bigint] = [0x0123456789abcdefn, 0xfedcba9876543210n];
const BLOCK_BYTES = 8176;
const SAMPLE_TERMS = 1000;

interface Records {
  /** 16 bytes a term, four terms a quad. */
  readonly address: number;
  readonly count: number;
}

export function termCases(memory: ThreadMemory, data: DataSet): KernelCase[] {
  const text = wholeLines(readFileSync(data.path), INPUT_BYTES);
  const state = { tokeniser: newTokeniser(memory), quads: 0 };
  const tokenise = (): void => {
    state.tokeniser.close();
    state.tokeniser = newTokeniser(memory);
    state.quads = tokeniseAll(state.tokeniser, text);
  };
  tokenise();
  const records = copyRecords(memory, state.tokeniser, text);
  return [
    {
      kernel: 'tokeniseLines',
      file: 'tokenise-lines.ts',
      units: state.quads,
      unit: 'quads',
      bytes: text.length,
      run: tokenise,
    },
    ...tableCases(memory, records),
  ];
}

function newTokeniser(memory: ThreadMemory): Tokeniser {
  return new Tokeniser(memory, { syntax: 'ntriples', inputBytes: INPUT_BYTES, batchQuads: RECORDS_MAX });
}

function tokeniseAll(tokeniser: Tokeniser, text: Uint8Array): number {
  let quads = 0;
  tokeniser.feed(text);
  while (tokeniser.next()) quads += tokeniser.batch.quads;
  return quads;
}

/** The records of one batch, which point into the tokeniser's input; it stays open and unused. */
function copyRecords(memory: ThreadMemory, before: Tokeniser, text: Uint8Array): Records {
  before.close();
  const tokeniser = newTokeniser(memory);
  tokeniser.feed(text);
  invariant(tokeniser.next(), 'the data set has quads');
  const { quads, records } = tokeniser.batch;
  const address = memory.allocate(records.byteLength);
  memory.wordsAt(address, records.length).set(records);
  return { address, count: 4 * quads };
}

function tableCases(memory: ThreadMemory, records: Records): KernelCase[] {
  const { kernels } = memory;
  const { address, count } = records;
  const hashes = memory.allocate(16 * count);
  const rows = memory.allocate(4 * count);
  const epoch = new Epoch(memory, epochLimits(1 << 28, INPUT_BYTES, 1 << 20), SEED, count);
  const hash = (): void => {
    kernels.hashRecords(epoch.state, 0, address, count, 0, 0, 0, 0, hashes);
  };
  const probe = (): void => {
    const done = kernels.probeRecords(epoch.state, address, hashes, count, 0, rows);
    invariant(done === count, 'the table has room for every record');
  };
  hash();
  probe();
  return [
    { kernel: 'hashRecords', file: 'term-table.ts, hash.ts', units: count, unit: 'terms', run: hash },
    // Every term is in the table by now: what a load does for most of its records.
    { kernel: 'probeRecords, known terms', file: 'term-table.ts', units: count, unit: 'terms', run: probe },
    ...sortedCases(memory, epoch),
  ];
}

function sortedCases(memory: ThreadMemory, epoch: Epoch): KernelCase[] {
  const { arena, offsets, terms } = epoch;
  const list = memory.allocate(4 * terms);
  const unsorted = Uint32Array.from({ length: terms }, (_, term) => term);
  const sort = (): void => {
    invariant(sortTermList(memory, { arena, offsets, codes: 0 }, list, terms), 'the stack of the sort is ample');
  };
  const prepare = (): void => memory.wordsAt(list, terms).set(unsorted);
  return [
    {
      kernel: 'sortTerms',
      file: 'string-sort.ts',
      units: terms,
      unit: 'terms',
      bytes: epoch.termBytes,
      prepare,
      run: sort,
    },
    ...frontCodeCases(memory, epoch, list, () => {
      prepare();
      sort();
    }),
  ];
}

function frontCodeCases(memory: ThreadMemory, epoch: Epoch, list: number, sort: () => void): KernelCase[] {
  const { kernels } = memory;
  const { arena, offsets, terms } = epoch;
  sort();
  const table = placeSymbols(memory, trainSymbols(memory, sampleTerms(memory, epoch, list)).symbols);
  const room = 4 * epoch.termBytes + BLOCK_BYTES;
  const out = memory.allocate(room);
  const scratch = memory.allocate(2 * epoch.termBytes);
  const lengthAt = memory.allocate(4100);
  const blocks: { at: number; length: number; terms: number; raw: number }[] = [];
  const encode = (): void => {
    blocks.length = 0;
    let at = out;
    for (let from = 0; from < terms; ) {
      const taken = kernels.encodeTermBlock(
        arena,
        offsets,
        list,
        from,
        terms,
        table,
        at,
        BLOCK_BYTES,
        scratch,
        lengthAt,
      );
      const length = memory.words[lengthAt >>> 2] as number;
      blocks.push({ at, length, terms: taken, raw: memory.words[(at >>> 2) + 3] as number });
      at += Math.ceil(length / 64) * 64;
      from += taken;
    }
  };
  encode();
  const decoded = memory.allocate(2 * epoch.termBytes + 64);
  const ends = memory.allocate(4 * terms);
  const places = memory.allocate(4 * terms);
  for (let place = 0; place < terms; place++) memory.words[(places >>> 2) + place] = place;
  const decode = (): void => {
    for (const block of blocks) {
      const bytes = kernels.decodeTerms(
        block.at,
        block.length,
        table,
        places,
        block.terms,
        0,
        decoded,
        block.raw + 8,
        ends,
      );
      invariant(bytes === block.raw, 'a block decodes to the bytes that went in');
    }
  };
  const bytes = blocks.reduce((total, block) => total + block.raw, 0);
  decode();
  return [
    { kernel: 'encodeTermBlock', file: 'front-code.ts, symbols.ts', units: terms, unit: 'terms', bytes, run: encode },
    { kernel: 'decodeTerms', file: 'front-code.ts, symbols.ts', units: terms, unit: 'terms', bytes, run: decode },
  ];
}

function sampleTerms(memory: ThreadMemory, { arena, offsets, terms }: Epoch, list: number): Uint8Array[] {
  const numbers = memory.wordsAt(list, terms);
  const starts = memory.wordsAt(offsets, terms + 1);
  const step = Math.max(1, Math.floor(terms / SAMPLE_TERMS));
  const sample: Uint8Array[] = [];
  for (let at = 0; at < terms; at += step) {
    const term = numbers[at] as number;
    const from = starts[term] as number;
    sample.push(Uint8Array.from(memory.bytesAt(arena + from, (starts[term + 1] as number) - from)));
  }
  return sample;
}

function wholeLines(bytes: Uint8Array, most: number): Uint8Array {
  const part = bytes.subarray(0, most);
  return part.subarray(0, part.lastIndexOf(10) + 1);
}
