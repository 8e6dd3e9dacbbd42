/** Validates data with SHACL shapes; nothing is read from the store but stored shapes, and nothing is written. */

import { FORMATS } from '../../../rdf/formats/registry.js';
import { iri, nullable, oneOf, type Static, Type, textOrNull } from '../../requests/schema.js';
import { validAtField } from '../definition/fields.js';
import { defineOperation, inWords } from '../definition/operation.js';

export const validationResult = Type.Object({
  severity: Type.String('Violation, Warning, Info, or the IRI of another severity'),
  focus_node: Type.String('IRI, or _:label'),
  component: Type.String('local name of the constraint component'),
  path: nullable(Type.String(), 'IRI of the predicate, or a property path'),
  value: nullable(Type.String(), 'IRI, text or _:label of what is wrong'),
  source_shape: textOrNull,
  message: Type.String(),
  alternatives: Type.Array(
    Type.Object({
      kind: Type.String('what it could be instead: value, entity, path, datatype ...'),
      value: Type.String(),
      score: Type.Optional(Type.Number('how like it is to what is there, 0 to 1')),
      instead_of: Type.Optional(Type.String()),
    }),
  ),
});

type Shown = Static<typeof validationResult>;

function line({ severity, focus_node, message, path }: Shown): string {
  return `  [${severity}] ${focus_node} -- ${message}${path === null ? '' : ` (path: ${path})`}\n`;
}

const FORMAT_NAMES = FORMATS.map(({ name }) => name);

export const validate = defineOperation({
  name: 'validate',
  summary: 'Validate data with SHACL shapes; nothing is written',
  access: 'read',
  textPayload: 'data',
  request: Type.Object({
    shapes: Type.Optional(Type.String('SHACL shapes, in Turtle; absent = the stored sets')),
    data: Type.String('the data, in Turtle unless the format says otherwise'),
    format: Type.Optional(oneOf(FORMAT_NAMES, `of the data: ${FORMAT_NAMES.join(', ')}; absent = turtle`)),
    base: Type.Optional(iri({ minLength: 1, description: 'what relative IRIs of the data stand below' })),
    valid_at: Type.Optional({ ...validAtField, description: 'the stored sets of this instant' }),
    as_of_tx: Type.Optional(Type.Integer({ minimum: 0, description: 'the stored sets after this transaction' })),
  }),
  response: Type.Object({
    conforms: Type.Boolean('false when there is a violation'),
    violations: Type.Array(validationResult),
    warnings: Type.Array(validationResult),
    infos: Type.Array(validationResult),
  }),
  async handler({ store, control }, { shapes, data, format, base, valid_at, as_of_tx }) {
    const { signal, flag } = control;
    const report = await store.validate(data, { shapes, format, base, validAt: valid_at, tx: as_of_tx, signal, flag });
    const { conforms, violations, warnings, infos } = report;
    return { kind: 'body', body: { conforms, violations, warnings, infos } };
  },
  projections: {
    http: [{ method: 'POST', path: '/validate', request: 'body' }],
    mcp: {
      tool: 'validate',
      description: [
        'Try SHACL shapes on data, both sent along; nothing is read from the store or written. Use it to make a document right before svc_knot; shapes that are to judge every write are kept by svc_shapes.',
        'alternatives say what would be valid.',
      ],
      example: {
        shapes:
          '@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <http://ex.org/> . [] sh:targetClass ex:Person ; sh:property [ sh:path ex:name ; sh:minCount 1 ] .',
        data: '<http://ex.org/al> a <http://ex.org/Person> .',
      },
      parameters: { shapes: { description: 'SHACL, in Turtle', required: true }, ...inWords({ data: 'in Turtle' }) },
    },
    cli: {
      command: 'validate',
      notes: [
        'The data alone is judged; - is standard input. Without --shapes the sets that the store keeps are used.',
        'Exit code 1 when there is a violation.',
      ],
      examples: ['svc validate --shapes person.ttl --data people.ttl', 'svc validate --data people.ttl --json'],
      options: { shapes: 'file', data: 'file', format: 'name', valid_at: 't', as_of_tx: 'n' },
      files: ['shapes', 'data'],
      takesBase: true,
      storeless: true,
      succeeded: ({ conforms }) => conforms,
      text: ({ conforms, violations, warnings, infos }) => {
        const head = conforms
          ? `valid (${warnings.length} warnings)\n`
          : `invalid: ${violations.length} violation(s), ${warnings.length} warning(s)\n`;
        return head + [...violations, ...warnings, ...infos].map(line).join('');
      },
    },
  },
});
