/** What gates have said of a write, as answers show it (wire shapes, 5.1 and 5.5). */

import { type Static, Type, textOrNull } from '../requests/schema.js';
import type { Finding, Judged } from './gates.js';

const maybeText = Type.Optional(textOrNull);

export const findingSchema = Type.Object({
  severity: Type.String('Violation, Warning, Info, or the IRI of another severity'),
  focus_node: Type.Optional(Type.String('IRI or _:label of the node that was judged')),
  component: Type.Optional(Type.String('constraint component, such as MinCountConstraintComponent')),
  path: maybeText,
  value: maybeText,
  source_shape: maybeText,
  message: Type.String(),
  alternatives: Type.Optional(Type.Array(Type.Object({}), 'what would be right: kind, value, score')),
});

/** The lists of an answer that always has them. */
export const wholeLists = {
  violations: Type.Array(findingSchema),
  warnings: Type.Array(findingSchema),
  infos: Type.Array(findingSchema),
};
const lists = Type.Object(wholeLists);

/** The same for the schemas of those that have them only when shapes have judged. */
export const findingLists = {
  violations: Type.Optional(Type.Array(findingSchema, 'empty; there when shapes have judged the write')),
  warnings: Type.Optional(Type.Array(findingSchema)),
  infos: Type.Optional(Type.Array(findingSchema)),
};

type ToldFinding = Static<typeof findingSchema>;
export type FindingLists = Static<typeof lists>;

/** Keys without a value are left out when they are written. */
function toldOf({ focusNode: focus_node, sourceShape: source_shape, ...rest }: Finding): ToldFinding {
  const { severity, component, path, value, message, alternatives } = rest;
  return { severity, focus_node, component, path, value, source_shape, message, alternatives };
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
export function judgedLists({ findings, judged = false }: Judged): Partial<FindingLists> {
  return judged ? listsOf(findings) : {};
}
