/** Checks the dictionary: blocks against segments, the hash index against the terms, and the text of triple terms. */

import { KIND } from '../dictionary/stored-term.js';
import { readTripleText } from '../dictionary/triple-text.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { HashRunRecord, Manifest } from '../runs/manifest.js';
import type { Findings } from '../seam/findings.js';
import type { SnapshotContext } from '../snapshot/context.js';

/** Terms decoded per step. */
const STEP_TERMS = 16384;
/** No entry of a hash index says this. */
const ABSENT = 0xffffffff;
const TAG_BITS = 20;

export async function verifyDictionary(
  context: SnapshotContext,
  manifest: Manifest,
  transaction: ReadTransaction,
  findings: Findings,
): Promise<void> {
  let expected = 1;
  for (const segment of manifest.segments) {
    if (segment.firstNumber !== expected)
      findings.add('dictionary', `term numbers from ${expected} on have no segment`);
    expected = segment.firstNumber + segment.terms;
  }
  if (expected !== manifest.nextTermNumber) findings.add('dictionary', 'the last segment ends before the last term');
  let indexed = 1;
  for (const run of manifest.hashRuns) {
    if (run.firstNumber !== indexed) findings.add('hash index', `terms from ${indexed} on are not indexed`);
    indexed = run.firstNumber + run.entries;
    await findings.check(`hash run of terms from ${run.firstNumber}`, () =>
      verifyHashRun(context, manifest, transaction, run, findings),
    );
  }
  if (indexed !== manifest.nextTermNumber) findings.add('hash index', `terms from ${indexed} on are not indexed`);
}

/** Lists the index by number, then decodes every term and looks for what its hash says. */
export async function verifyHashRun(
  context: SnapshotContext,
  manifest: Manifest,
  transaction: ReadTransaction,
  run: HashRunRecord,
  findings: Findings,
): Promise<void> {
  const { memory, dictionary } = context;
  const where = `hash run of terms from ${run.firstNumber}`;
  const tags = new Uint32Array(run.entries).fill(ABSENT);
  const blockOf = new Uint32Array(run.entries);
  let listed = 0;
  for (let block = 0; block < run.blocks; block++) {
    const address = dictionary.loadHashBlock(run.firstBlock + block, transaction);
    const entries = memory.words[(address >>> 2) + 1] as number;
    const out = memory.allocate(8 * Math.max(1, entries));
    memory.kernels.listHashBlock(address, out);
    const words = memory.wordsAt(out, 2 * entries);
    for (let i = 0; i < entries; i++) {
      const number = words[2 * i + 1] as number;
      if (number >= run.entries || tags[number] !== ABSENT)
        findings.add(where, `entry ${i} of block ${block} is wrong`);
      else {
        tags[number] = words[2 * i] as number;
        blockOf[number] = block;
        listed++;
      }
    }
    memory.free(out, 8 * Math.max(1, entries));
    findings.blocksChecked++;
    await findings.turn('verify hash index');
  }
  if (listed !== run.entries) findings.add(where, `it lists ${listed} terms of ${run.entries}`);
  let wrong = 0;
  let unreadable = 0;
  for (let from = 0; from < run.entries; from += STEP_TERMS) {
    const count = Math.min(STEP_TERMS, run.entries - from);
    const numbers = Array.from({ length: count }, (_, i) => run.firstNumber + from + i);
    dictionary.decodeMany(manifest, transaction, numbers, count, (index, bytes, start, end) => {
      const hash = dictionary.hashOfStored(bytes, start, end);
      const product = (hash >> 32n) * BigInt(run.blocks);
      const tag = Number((product >> 12n) & ((1n << BigInt(TAG_BITS)) - 1n));
      if (Number(product >> 32n) !== blockOf[from + index] || tag !== tags[from + index]) wrong++;
      if (bytes[start] === KIND.triple && !isReadable(bytes.toString('utf8', start + 1, end))) unreadable++;
      findings.termsChecked++;
    });
    await findings.turn('verify dictionary');
  }
  if (wrong > 0) findings.add(where, `${wrong} terms are indexed under another hash`);
  if (unreadable > 0) findings.add(where, `${unreadable} triple terms can't be read`);
}

function isReadable(text: string): boolean {
  try {
    readTripleText(text);
    return true;
  } catch {
    return false;
  }
}
