/** What gates have said of a write, as answers show it (wire shapes, 5.1 and 5.5). */

import { Type } from '../requests/schema.js';
import type { Finding } from './gates.js';

const textOrNull = Type.Optional(Type.Union([Type.String(), Type.Null()]));

export const findingSchema = Type.Object({
  severity: Type.String('Violation, Warning, Info, or the IRI of another severity'),
  focus_node: Type.Optional(Type.String('IRI or _:label of the node that was judged')),
  component: Type.Optional(Type.String('constraint component, such as MinCountConstraintComponent')),
  path: textOrNull,
  value: textOrNull,
  source_shape: textOrNull,
  message: Type.String(),
  alternatives: Type.Optional(Type.Array(Type.Object({}), 'what would be right: kind, value, score')),
});

/** The lists of an answer, for the schemas of those that have them only when shapes have judged. */
export const findingLists = {
  violations: Type.Optional(Type.Array(findingSchema, 'empty; there when shapes have judged the write')),
  warnings: Type.Optional(Type.Array(findingSchema)),
  infos: Type.Optional(Type.Array(findingSchema)),
};

export interface ToldFinding {
  severity: string;
  message: string;
  focus_node?: string;
  component?: string;
  path?: string | null;
  value?: string | null;
  source_shape?: string | null;
  alternatives?: object[];
}

export interface FindingLists {
  violations: ToldFinding[];
  warnings: ToldFinding[];
  infos: ToldFinding[];
}

function toldOf(finding: Finding): ToldFinding {
  const { severity, focusNode, component, path, value, sourceShape, message, alternatives } = finding;
  return {
    severity,
    ...(focusNode === undefined ? {} : { focus_node: focusNode }),
    ...(component === undefined ? {} : { component }),
    ...(path === undefined ? {} : { path }),
    ...(value === undefined ? {} : { value }),
    ...(sourceShape === undefined ? {} : { source_shape: sourceShape }),
    message,
    ...(alternatives === undefined ? {} : { alternatives: [...alternatives] }),
  };
}

export function listsOf(findings: readonly Finding[]): FindingLists {
  const told = (chosen: (severity: string) => boolean): ToldFinding[] =>
    findings.filter(({ severity }) => chosen(severity)).map(toldOf);
  return {
    violations: told((severity) => severity === 'Violation'),
    warnings: told((severity) => severity === 'Warning'),
    infos: told((severity) => severity !== 'Violation' && severity !== 'Warning'),
  };
}

/** The lists, when shapes have judged the write; else nothing. */
export function judgedLists(result: {
  readonly findings: readonly Finding[];
  readonly judged?: boolean | undefined;
}): FindingLists | object {
  return result.judged === true ? listsOf(result.findings) : {};
}
