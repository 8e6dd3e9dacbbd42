/** Results as the service shows them (wire-shapes 5.5): in a fixed order, with messages and valid alternatives. */

import type { Control } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import { compareCodePoints } from '../base/text.js';
import type { Term } from '../rdf/terms.js';
import { IdList } from './data/id-columns.js';
import type { RawResult, Results } from './evaluate/results.js';
import { messageOf, termText } from './messages.js';
import { componentOf, severityName } from './shapes/shapes.js';
import { Alternatives } from './suggestions/alternatives.js';
import type { Alternative } from './suggestions/entities.js';
import { YieldTimer } from './yield-timer.js';

export interface ValidationResult {
  /** One of the three of SHACL by its local name, any other by its IRI. */
  readonly severity: string;
  readonly focus_node: string;
  /** Local name of the constraint component. */
  readonly component: string;
  /** The IRI of a predicate, a path as SPARQL writes it, or null for a node shape. */
  readonly path: string | null;
  readonly value: string | null;
  readonly source_shape: string;
  readonly message: string;
  readonly alternatives: readonly Alternative[];
}

export interface ValidationReport {
  /** False when there is a violation. */
  readonly conforms: boolean;
  readonly violations: ValidationResult[];
  readonly warnings: ValidationResult[];
  readonly infos: ValidationResult[];
}

/** Most characters in the texts of one report, so that it can be written as one JSON text. */
const CHARACTERS_MAX = 128 * 1024 * 1024;

/** A result with its terms. */
export interface Finding {
  readonly raw: RawResult;
  readonly focus: Term;
  readonly value: Term | null;
  readonly path: string | null;
  readonly component: string;
}

/** Comparisons of a sort between two looks at the clock. */
const COMPARED_AT_ONCE = 1024;

/**
 * Terms of all results, or of those that are given, ordered by focus node, path, component and value. `check` throws
 * when the work has to stop.
 */
export function findingsOf(
  results: Results,
  some: Iterable<RawResult> = results,
  check: () => void = () => undefined,
): Finding[] {
  const raws = [...some];
  const ids = new IdList(2 * raws.length);
  for (const { focusLow, focusHigh, valueLow, valueHigh } of raws) {
    ids.push(focusLow, focusHigh);
    if (valueLow !== 0 || valueHigh !== 0) ids.push(valueLow, valueHigh);
  }
  const terms = results.view.decode(ids.ids, ids.count);
  let at = 0;
  const findings = raws.map((raw): Finding => {
    const focus = terms[at++] as Term;
    const value = raw.valueLow !== 0 || raw.valueHigh !== 0 ? (terms[at++] as Term) : null;
    return {
      raw,
      focus,
      value,
      path: raw.notes?.path?.value ?? raw.shape.pathText,
      component: componentOf(raw.constraint),
    };
  });
  let compared = 0;
  return findings.sort((a, b) => {
    if (++compared % COMPARED_AT_ONCE === 0) check();
    return compareFindings(a, b);
  });
}

function compareFindings(a: Finding, b: Finding): number {
  return (
    compareCodePoints(termText(a.focus), termText(b.focus)) ||
    compareCodePoints(a.path ?? '', b.path ?? '') ||
    compareCodePoints(a.component, b.component) ||
    compareCodePoints(textOrNone(a.value), textOrNone(b.value)) ||
    compareCodePoints(a.raw.shape.source, b.raw.shape.source) ||
    a.raw.shape.index - b.raw.shape.index ||
    compareCodePoints(messageOf(a.raw), messageOf(b.raw))
  );
}

/** Finds repeated findings, given in their order: two documents may hold the same shape. */
class Repetitions {
  /** About one value of one focus node. */
  #alike: Finding[] = [];

  isRepeated(finding: Finding): boolean {
    const [first] = this.#alike;
    if (first === undefined || !isAbout(first, finding)) this.#alike = [];
    const repeated = this.#alike.some((one) => saysTheSame(one, finding));
    if (!repeated) this.#alike.push(finding);
    return repeated;
  }
}

function isAbout(a: Finding, b: Finding): boolean {
  const sameValue = a.value === null ? b.value === null : b.value !== null && a.value.equals(b.value);
  return a.focus.equals(b.focus) && a.path === b.path && a.component === b.component && sameValue;
}

function saysTheSame({ raw: a }: Finding, { raw: b }: Finding): boolean {
  if (a.shape.key !== b.shape.key || a.shape.source !== b.shape.source) return false;
  return a.shape.severityTerm.equals(b.shape.severityTerm) && messageOf(a) === messageOf(b);
}

function textOrNone(term: Term | null): string {
  return term === null ? '' : termText(term);
}

/** The report of a validation, or of some of its results. Gives the event loop its turns. */
export async function reportOf(
  results: Results,
  control: Control = {},
  some?: Iterable<RawResult>,
): Promise<ValidationReport> {
  const report: ValidationReport = { conforms: true, violations: [], warnings: [], infos: [] };
  const lists = { Violation: report.violations, Warning: report.warnings, Info: report.infos } as const;
  const alternatives = new Alternatives(results.view);
  const timer = new YieldTimer(control);
  const repetitions = new Repetitions();
  let characters = 0;
  for (const finding of findingsOf(results, some, () => timer.check())) {
    if (repetitions.isRepeated(finding)) continue;
    const result = resultOf(finding, alternatives);
    characters += charactersOf(result);
    if (characters > CHARACTERS_MAX) throw tooLong();
    lists[finding.raw.shape.severity].push(result);
    if (timer.isDue) await timer.turn();
  }
  return { ...report, conforms: report.violations.length === 0 };
}

function charactersOf({ focus_node, value, message, alternatives }: ValidationResult): number {
  const proposed = alternatives.reduce((sum, alternative) => sum + alternative.value.length, 0);
  return focus_node.length + (value?.length ?? 0) + message.length + proposed;
}

function tooLong(): SvcError {
  return new SvcError('limit_exceeded', `the report of the validation is longer than ${CHARACTERS_MAX} characters`, {
    hint: 'mend what most of the results have in common first, or validate a part of the data',
  });
}

function resultOf(finding: Finding, alternatives: Alternatives): ValidationResult {
  const { raw, focus, value, path, component } = finding;
  return {
    severity: severityName(raw.shape),
    focus_node: termText(focus),
    component,
    path,
    value: value === null ? null : termText(value),
    source_shape: raw.shape.source,
    message: messageOf(raw),
    alternatives: alternatives.of(finding),
  };
}
