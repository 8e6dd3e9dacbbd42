/**
 * The text index of a store file: which literals have a word, and which literals and IRIs have a part (decision 50). It is over
 * terms, which only grow: what of them may be seen, when and in which graph, rows tell, so that one index serves every moment
 * and every reader.
 *
 * Terms that are in no segment yet are found in memory (`tail.ts`); segments are made beside other work
 * (`build-texts.ts`), and nothing is written with a commit.
 */

import { ROOT_TERM_NUMBER } from '../../ids/layout.js';
import { everyKey } from '../../lmdb/every-key.js';
import { Findings } from '../../seam/findings.js';
import type { FileView, IndexRebuild, SecondaryIndex } from '../secondary-index.js';
import { buildSegment } from './build-segment.js';
import { segmentValues } from './segment-reader.js';
import { TextReader } from './text-reader.js';
import { NO_TEXTS, readTextState, sealTextState, segmentPrefix, TEXT_DATABASE, TEXT_KINDS } from './text-store.js';

const NAME = 'text index';

export const TEXT: SecondaryIndex<TextReader, FileView> = {
  name: NAME,
  databases: [TEXT_DATABASE],
  at: (view) => new TextReader(view),
  verify,
  rebuild,
};

/** Segments follow each other, and each holds what would be made of its terms now. */
async function verify(view: FileView, findings: Findings): Promise<void> {
  const state = readTextState(view.file, view.transaction);
  for (const kind of TEXT_KINDS) {
    let before = ROOT_TERM_NUMBER;
    for (const record of state[kind]) {
      const what = `segment ${record.id} of ${kind}`;
      await findings.check(NAME, async () => {
        if (record.from !== before || record.to <= record.from || record.to > view.manifest.nextTermNumber) {
          findings.add(
            NAME,
            `${what} covers terms ${record.from} to ${record.to}, and the one before ends at ${before}`,
          );
        }
        before = record.to;
        const prefix = segmentPrefix(kind, record.id);
        const stored = segmentValues(view.file, prefix, view.transaction);
        const made = new Map<string, Uint8Array>();
        const work = buildSegment(
          view,
          kind,
          record.from,
          record.to,
          (key, value) => made.set(key, Buffer.from(value)),
          Infinity,
        );
        for (let step = work.next(); step.done !== true; step = work.next()) await findings.turn('verify texts');
        for (const key of new Set([...stored.keys(), ...made.keys()])) {
          const [is, should] = [stored.get(key), made.get(key)];
          if (is === undefined || should === undefined || !is.equals(should)) {
            findings.add(NAME, `${what}: its value ${key} is not what its terms make`);
          }
        }
      });
    }
  }
}

async function rebuild({ control, rebuilt, reading, write }: IndexRebuild<FileView>): Promise<void> {
  const findings = new Findings(control);
  const wanted = await reading(async (view) => {
    await findings.check(NAME, () => verify(view, findings));
    try {
      return readTextState(view.file, view.transaction).wanted;
    } catch {
      return TEXT_KINDS;
    }
  });
  if (findings.problems.length === 0) return;
  const keys = await reading(({ file, transaction }) => [...everyKey(file, TEXT_DATABASE, transaction)]);
  const nextId = 1 + keys.reduce((most, key) => Math.max(most, Number(key.split('/')[1] ?? 0)), 0);
  write((writer) => {
    for (const key of keys) writer.remove(TEXT_DATABASE, key);
    writer.put(TEXT_DATABASE, 'state', sealTextState({ ...NO_TEXTS, wanted, nextId }));
  });
  // Its segments are made by the next work on the index; until then terms are found without them.
  rebuilt.push('the text index');
}
