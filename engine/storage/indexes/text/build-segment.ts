/** Makes a segment of the text index from the terms of a range, in steps. */

import { getOrInsert } from '../../../base/maps.js';
import { TERM_KIND as KIND } from '../../../kernels/as/term-codes.js';
import type { FileView } from '../secondary-index.js';
import { idPrefixOf, prefixKey } from './id-prefix.js';
import { KeyCollector } from './key-collector.js';
import type { SegmentRecord } from './segment-reader.js';
import { type Put, SegmentWriter } from './segment-writer.js';
import { everyText, isLiteralKind, isTextKind } from './term-texts.js';
import type { TextKind } from './text-store.js';
import { FoldedReader } from './trigrams.js';
import { WordKeys } from './word-keys.js';

/** Of postings that are gathered in memory: 9 bytes of each while they are, as many again when they are sorted. */
const POSTINGS_MAX: Readonly<Record<TextKind, number>> = { words: 8_000_000, parts: 16_000_000 };

/** Of most stores no more than this. */
const POSTINGS_A_TERM: Readonly<Record<TextKind, number>> = { words: 12, parts: 48 };

export type Built = Omit<SegmentRecord, 'id'>;

/** Ends before `to` where the memory of one segment is full. What is made is given to `put` under the keys of the segment. */
export function* buildSegment(
  view: FileView,
  kind: TextKind,
  from: number,
  to: number,
  put: Put,
  postingsMax: number = POSTINGS_MAX[kind],
): Generator<void, Built> {
  const expected = Math.min(POSTINGS_MAX[kind], POSTINGS_A_TERM[kind] * (to - from));
  const collector = new KeyCollector(from, { impacts: kind === 'words', asked: false, expected });
  const gather = kind === 'words' ? gatherWords(collector) : gatherParts(collector);
  let end = from;
  for (let next = from; next < to && collector.postings < postingsMax; ) {
    const stop = Math.min(to, next + TERMS_AT_ONCE);
    yield* everyText(view, next, stop, gather.take);
    end = stop;
    next = stop;
    yield;
  }
  const writer = new SegmentWriter(end - from, put);
  let written = 0;
  for (const entry of collector.sorted()) {
    if (entry !== null) writer.add(entry.key, entry.docs, entry.impacts);
    if (entry === null || written++ % KEYS_AT_ONCE === 0) yield;
  }
  writer.end();
  return {
    from,
    to: end,
    texts: gather.texts(),
    words: gather.words(),
    hasPrefixes: kind === 'parts',
    languages: gather.languages(),
    keys: writer.keys,
    postings: collector.postings,
    bytes: writer.bytes,
  };
}

const TERMS_AT_ONCE = 1024;
const KEYS_AT_ONCE = 512;

interface Gather {
  readonly take: Parameters<typeof everyText>[3];
  texts(): number;
  words(): number;
  languages(): readonly string[];
}

function gatherWords(collector: KeyCollector): Gather {
  const keys = new WordKeys(collector);
  return {
    take: (number, bytes, kind, from, text, to) => {
      if (!isLiteralKind(kind)) return;
      const tag = kind === KIND.language || kind === KIND.direction ? bytes.toString('latin1', from + 1, text - 1) : '';
      keys.add(number - collector.from, bytes, text, to, tag);
    },
    texts: () => keys.texts,
    words: () => keys.words,
    languages: () => keys.languages,
  };
}

function gatherParts(collector: KeyCollector): Gather {
  const reader = new FoldedReader();
  const keys = new Map<number, Buffer>();
  let texts = 0;
  return {
    take: (number, bytes, kind, from, text, to) => {
      if (!isTextKind(kind)) return;
      reader.read(bytes, text, to);
      texts++;
      collector.beginText();
      const { bytes: folded, length } = reader;
      const doc = number - collector.from;
      const prefix = idPrefixOf(bytes, from, to);
      const key = getOrInsert(keys, prefix, () => prefixKey(prefix));
      collector.add(key, 0, key.length, doc);
      let triple = ((folded[0] as number) << 8) | (folded[1] as number);
      for (let at = 0; at < length; at++) {
        triple = ((triple << 8) | (folded[at + 2] as number)) & 0xffffff;
        collector.addTriple(triple, folded, at, doc);
      }
    },
    texts: () => texts,
    words: () => 0,
    languages: () => [],
  };
}
