/**
 * Makes the store file that keeps a format version readable for ever:
 *   node dist/tools/make-format-fixture.js FOLDER
 * writes `format-<version>.db.gz` and `format-<version>.nq.gz`. Run once per format version; the files
 * are never made anew for a version that has been released.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Format } from '../engine/rdf/formats/registry.js';
import { FORMAT_VERSION } from '../engine/storage/runs/manifest.js';
import { openStore, type Store, terms } from '../interfaces/library/index.js';

/** One document of every kind of term, several graphs, and enough loads to merge runs. */
function documents(): { text: string; format: Format }[] {
  const turtle = `
@prefix : <http://example.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:a a :Thing ; :label "plain", "chat"@fr, "colour"@en-gb, "tab\\tquote\\"", "", "漢字 😀" ;
  :integer 0, -7, 140737488355327, 99999999999999999999999, "007"^^xsd:integer ;
  :decimal 1.50, -0.001, "10."^^xsd:decimal ; :double 1.5e3, "0.25"^^xsd:double, "INF"^^xsd:double ;
  :boolean true, false, "1"^^xsd:boolean ; :small "12"^^xsd:byte ;
  :date "2026-02-28"^^xsd:date, "1969-12-31+02:00"^^xsd:date ;
  :time "2026-11-21T10:00:00Z"^^xsd:dateTime, "2026-11-21T10:00:00.125-05:30"^^xsd:dateTime, "2026-11-21T24:00:00"^^xsd:dateTime ;
  :other "abc"^^:unit, "P1D"^^xsd:duration ; :knows _:b1, [ :name "anonymous" ] .
_:b1 :list ( 1 2 3 ) .
`;
  const quads: string[] = [];
  for (let i = 0; i < 9000; i++) {
    const graph = i % 10 === 0 ? ` <http://example.org/graph/${i % 70}>` : '';
    quads.push(
      `<http://example.org/item/${i}> <http://example.org/p${i % 7}> "value ${i % 900} of item ${i}"${graph} .`,
    );
  }
  const later = Array.from({ length: 8 }, (_, i) => ({
    text: `<http://example.org/later/${i}> <http://example.org/p1> <http://example.org/item/${i}> .\n`,
    format: 'ntriples' as const,
  }));
  return [{ text: turtle, format: 'turtle' }, { text: `${quads.join('\n')}\n`, format: 'nquads' }, ...later];
}

/** Small commits: some folded, with history, dead rows and a sealed log; some in the delta. */
async function change(store: Store): Promise<void> {
  const namedNode = (name: string) => terms.namedNode(`http://example.org/${name}`);
  const literal = (value: string) => terms.literal(value);
  const item = (i: number) =>
    terms.quad(namedNode(`item/${i}`), namedNode(`p${i % 7}`), literal(`value ${i} of item ${i}`));
  for (let round = 0; round < 4; round++) {
    for (let i = 0; i < 12; i++) {
      const at = 12 * round + i + 1;
      await store.transact(
        {
          // Item i is in ROOT unless 10 divides i.
          retract: at % 10 === 0 ? [] : [item(at)],
          assert: [
            terms.quad(namedNode(`item/${at}`), namedNode('changed'), literal(`in round ${round}`)),
            terms.quad(namedNode(`item/${at}`), namedNode('changed'), literal(`${at}`), namedNode('graph/changes')),
          ],
        },
        { timestamp: `2026-12-0${round + 1}T00:00:00Z`, actor: 'fixture', source: `round-${round % 2}` },
      );
    }
    if (round < 3) await store.fold();
  }
}

async function make(folder: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'svc-fixture-'));
  const path = join(work, 'store.db');
  const store = await openStore(path);
  for (const [i, { text, format }] of documents().entries()) {
    await store.load(
      { kind: 'bytes', bytes: new TextEncoder().encode(text), name: `document-${i}`, format },
      { timestamp: '2026-11-21T00:00:00Z', actor: 'fixture' },
    );
  }
  await change(store);
  const parts: Uint8Array[] = [];
  for await (const part of store.export('nquads')) parts.push(part);
  await store.close();
  writeFileSync(join(folder, `format-${FORMAT_VERSION}.db.gz`), gzipSync(readFileSync(path), { level: 9 }));
  writeFileSync(join(folder, `format-${FORMAT_VERSION}.nq.gz`), gzipSync(Buffer.concat(parts), { level: 9 }));
  rmSync(work, { recursive: true });
}

await make(process.argv[2] ?? '.');
