/** What an import tells besides its outcome, and what of it is kept as evidence. */

import type { NameMatch } from '../../search/resolve.js';
import type { Conformance } from '../../share/conformance.js';
import { IMPORT_EVIDENCE, type ImportedShare } from '../../share/imported-shares.js';
import type { RewrittenName } from '../../share/name-rewrite.js';
import type { OffVocabulary } from '../../share/stage-triples.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { ValidationReport } from '../../validate/report.js';

/** Most entries of each list: a share may have as many faults as triples. */
export const LISTED_MAX = 1000;

export interface PromotionBlocker {
  readonly kind: 'off_vocabulary' | 'violation';
  /** IRI, or `_:label`. */
  readonly subject: string;
  readonly term?: string;
  readonly message: string;
}

export interface NameCandidates {
  readonly resolutionCandidates: readonly { readonly entity: string; readonly candidates: readonly NameMatch[] }[];
  /** Names that were not compared: a share may have more than a request may ask about. */
  readonly namesLeftOut: number;
}

export interface ImportReport extends NameCandidates {
  readonly rewritten: readonly RewrittenName[];
  readonly shacl: ValidationReport;
  readonly blockers: readonly PromotionBlocker[];
  /** True when a list has its first entries only. */
  readonly truncated: boolean;
}

export function blockersOf(
  off: readonly OffVocabulary[],
  { report, results }: Conformance,
): Pick<ImportReport, 'shacl' | 'blockers' | 'truncated'> {
  const words = off.map(({ subject, term }): PromotionBlocker => {
    const message = `${shown(term)} is not in the vocabulary of the loaded shapes`;
    return { kind: 'off_vocabulary', subject, term, message };
  });
  const violations = report.violations.map(({ focus_node: subject, path, message }): PromotionBlocker => {
    return { kind: 'violation', subject, ...(path === null ? {} : { term: path }), message };
  });
  const listed = report.violations.length + report.warnings.length + report.infos.length;
  return {
    shacl: report,
    blockers: [...words, ...violations],
    truncated: off.length === LISTED_MAX || listed < results,
  };
}

function shown(term: string): string {
  return term.startsWith('_:') ? term : `<${term}>`;
}

/** As evidence: the first entries of each list. */
export function keptReport(report: ImportReport): string {
  const { shacl } = report;
  const first = <Entry>(list: readonly Entry[]): readonly Entry[] => list.slice(0, LISTED_MAX);
  const lists = [report.rewritten, report.resolutionCandidates, report.blockers];
  return JSON.stringify({
    ...report,
    rewritten: first(report.rewritten),
    resolutionCandidates: first(report.resolutionCandidates),
    blockers: first(report.blockers),
    shacl,
    truncated: report.truncated || lists.some(({ length }) => length > LISTED_MAX),
  });
}

const NOTHING: ImportReport = {
  rewritten: [],
  resolutionCandidates: [],
  namesLeftOut: 0,
  shacl: { conforms: true, violations: [], warnings: [], infos: [] },
  blockers: [],
  truncated: false,
};

/** What the import of a share has told. */
export function readReport(snapshot: StorageSnapshot, { name }: ImportedShare): ImportReport {
  const evidence = IMPORT_EVIDENCE.one(snapshot, name);
  return evidence === null ? NOTHING : { ...NOTHING, ...(JSON.parse(evidence.report) as ImportReport) };
}
