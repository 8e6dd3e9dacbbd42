/** What an audit has found: violations, and what could not be judged. All are counted; of very many only the first are kept. */

export type Severity = 'violation' | 'incompleteness';

export type PassName = 'coverage' | 'placement' | 'outcome' | 'attribution' | 'inheritance' | 'inventory' | 'namespace';

export interface AuditFinding {
  readonly pass: PassName;
  readonly severity: Severity;
  /** Number of the record among the readable ones, from 0. */
  readonly record: number | null;
  /** Id of the constraint. */
  readonly constraint: string | null;
  readonly detail: string;
}

export type FindingPlace = Partial<Pick<AuditFinding, 'record' | 'constraint'>>;

/** Of each severity; one takes about 300 bytes, so that all of them take some 60 MB. */
export const FINDINGS_MAX = 100_000;

export class Findings {
  readonly #kept: Record<Severity, AuditFinding[]> = { violation: [], incompleteness: [] };
  readonly #counts: Record<Severity, number> = { violation: 0, incompleteness: 0 };

  constructor(private readonly keptMax = FINDINGS_MAX) {}

  violation(pass: PassName, detail: string, place: FindingPlace = {}): void {
    this.#add({ pass, severity: 'violation', record: null, constraint: null, ...place, detail });
  }

  incomplete(pass: PassName, detail: string, place: FindingPlace = {}): void {
    this.#add({ pass, severity: 'incompleteness', record: null, constraint: null, ...place, detail });
  }

  get violations(): number {
    return this.#counts.violation;
  }

  get incompletenesses(): number {
    return this.#counts.incompleteness;
  }

  /** Violations first, each kind in the order in which it was found. */
  get kept(): readonly AuditFinding[] {
    return [...this.#kept.violation, ...this.#kept.incompleteness];
  }

  /** How many were counted and not kept. */
  get omitted(): number {
    return this.violations + this.incompletenesses - this.kept.length;
  }

  #add(finding: AuditFinding): void {
    this.#counts[finding.severity]++;
    const kept = this.#kept[finding.severity];
    if (kept.length < this.keptMax) kept.push(finding);
  }
}
