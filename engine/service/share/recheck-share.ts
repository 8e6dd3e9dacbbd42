/**
 * Judges a share in quarantine again, by the shapes of now (ruling R50): its triples are put together in a graph that is
 * gone before the write is done, judged there as at the import, and those whose standing has changed move between its
 * two graphs. What was rewritten stays.
 */

import { type Term, terms } from '../../rdf/terms.js';
import {
  IMPORT_EVIDENCE,
  IMPORTED_SHARES,
  type ImportedShare,
  quarantineGraph,
  stagingGraph,
} from '../../share/imported-shares.js';
import type { Vocabulary } from '../../share/local-vocabulary.js';
import { RDF_TYPE_IRI } from '../../share/name-rewrite.js';
import { inGraph, subjectsAside } from '../../share/split-share.js';
import type { OffVocabulary } from '../../share/stage-triples.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { QuadColumns, Stage } from '../../storage/seam/engine.js';
import { decodeIds, pickedQuads, readRows, withSnapshot } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { blockersOf, type ImportReport, keptReport, LISTED_MAX, readReport } from './import-report.js';
import { type ImportWork, tellImport } from './import-work.js';
import { LocalJudges } from './local-judges.js';

interface Rechecked {
  readonly row: ImportedShare;
  readonly outcome: 'staged' | 'quarantined';
  readonly report: ImportReport;
}

export async function recheckShare(work: ImportWork, known: ImportedShare): Promise<Rechecked> {
  const { compiledSets, control, share, stage, registry, events } = work;
  const [staging, quarantine] = [stagingGraph(share.shareId), quarantineGraph(share.shareId)];
  return withSnapshot(stage.before(), async (before) => {
    const judges = await LocalJudges.of(before, compiledSets, control);
    const accepted = quadsOf(before, staging);
    const held = quadsOf(before, quarantine);
    const together = `${staging}:recheck`;
    const id = stage.intern(terms.namedNode(together));
    for (const quads of [...accepted, ...held]) stage.assertIds(inGraph(quads, id));
    const conformance = await judges.judge(stage, together, LISTED_MAX, control);
    const off = offVocabulary(before, [...accepted, ...held], judges.vocabulary);
    const faulty = new Set([...off.subjects, ...conformance.violating]);
    const aside = await withSnapshot(stage.snapshot(), (snapshot) => subjectsAside(snapshot, id, faulty));
    for (const quads of [...accepted, ...held]) stage.retractIds(inGraph(quads, id));
    const [seized] = parted(accepted, aside);
    const [kept, freed] = parted(held, aside);
    const quarantined = rowsIn(kept) + rowsIn(seized);
    const report: ImportReport = { ...readReport(before, known), ...blockersOf(off.listed, conformance) };
    const row: ImportedShare = {
      ...known,
      state: quarantined > 0 ? 'quarantined' : 'staged',
      accepted: rowsIn(accepted) + rowsIn(held) - quarantined,
      quarantined,
    };
    const outcome = row.state === 'staged' ? 'staged' : 'quarantined';
    if (rowsIn(seized) + rowsIn(freed) === 0) return { row, outcome, report };
    events.onlyOwn();
    move(stage, staging, { add: freed, remove: seized });
    const last = work.next();
    last.onlyOwn();
    move(stage, quarantine, { add: seized, remove: freed });
    IMPORTED_SHARES.store(stage, registry, row);
    const evidence = IMPORT_EVIDENCE.one(before, known.name);
    if (evidence !== null) IMPORT_EVIDENCE.store(stage, registry, { ...evidence, report: keptReport(report) });
    tellImport(last, share.shareId, row);
    return { row, outcome, report };
  });
}

function quadsOf(snapshot: StorageSnapshot, iri: string): QuadColumns[] {
  const graph = snapshot.encode(terms.namedNode(iri));
  if (graph === null) return [];
  const request = { graphs: { kind: 'one', graph }, pattern: {}, order: 'SPOG', time: CURRENT } as const;
  return [...readRows(snapshot, { ...request, columns: ['s', 'p', 'o', 'g'] })].map((batch) => batch.quads());
}

function rowsIn(all: readonly QuadColumns[]): number {
  return all.reduce((sum, { rows }) => sum + rows, 0);
}

/** The quads of some subjects, and those of all others. */
function parted(all: readonly QuadColumns[], subjects: ReadonlySet<TermId>): [QuadColumns[], QuadColumns[]] {
  const parts: [QuadColumns[], QuadColumns[]] = [[], []];
  for (const quads of all) {
    const rows: [number[], number[]] = [[], []];
    for (let row = 0; row < quads.rows; row++) rows[subjects.has(idAt(quads.s, row)) ? 0 : 1].push(row);
    for (const at of [0, 1] as const) if (rows[at].length > 0) parts[at].push(pickedQuads(quads, rows[at]));
  }
  return parts;
}

function move(
  stage: Stage,
  graph: string,
  { add, remove }: { readonly add: readonly QuadColumns[]; readonly remove: readonly QuadColumns[] },
): void {
  const id = stage.intern(terms.namedNode(graph));
  for (const quads of remove) stage.retractIds(inGraph(quads, id));
  for (const quads of add) stage.assertIds(inGraph(quads, id));
}

function idAt(column: Uint32Array, row: number): TermId {
  return (BigInt(column[2 * row + 1] as number) << 32n) | BigInt(column[2 * row] as number);
}

function offVocabulary(
  snapshot: StorageSnapshot,
  all: readonly QuadColumns[],
  vocabulary: Vocabulary | null,
): { readonly subjects: ReadonlySet<TermId>; readonly listed: readonly OffVocabulary[] } {
  const subjects = new Set<TermId>();
  const listed = new Map<string, OffVocabulary>();
  if (vocabulary === null) return { subjects, listed: [] };
  const type = snapshot.encode(terms.namedNode(RDF_TYPE_IRI));
  const words = new Map<TermId, string | null>();
  /** What a word is called when it is off the vocabulary; null when it is in it. */
  const fault = (id: TermId): string | null => {
    const known = words.get(id);
    if (known !== undefined) return known;
    const term = decodeIds(snapshot, [id])[0] as Term;
    const isKnown = term.termType === 'NamedNode' && vocabulary.has(term.value);
    const found = isKnown ? null : nameOf(term);
    words.set(id, found);
    return found;
  };
  for (const { s, p, o, rows } of all) {
    for (let row = 0; row < rows; row++) {
      const predicate = idAt(p, row);
      const found = [fault(predicate), predicate === type ? fault(idAt(o, row)) : null];
      for (const term of found) {
        if (term === null) continue;
        const subject = idAt(s, row);
        subjects.add(subject);
        if (listed.size === LISTED_MAX) continue;
        const name = nameOf(decodeIds(snapshot, [subject])[0] as Term);
        listed.set(`${name} ${term}`, { subject: name, term });
      }
    }
  }
  return { subjects, listed: [...listed.values()] };
}

function nameOf({ termType, value }: Term): string {
  return termType === 'BlankNode' ? `_:${value}` : value;
}
