/** Audits of what the store says: which tools are governed, and where its terms come from. */

import { withSnapshot } from '../../../storage/seam/rows.js';
import { Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';
import { reportFields, reportOf, reportText, specOf } from './audit-report.js';

export const auditInventory = defineOperation({
  name: 'audit_inventory',
  summary: 'Audit the declared tool classes: whether all that agents can dispatch is governed somewhere',
  access: 'admin',
  opens: 'read',
  request: Type.Object({}),
  response: Type.Object(reportFields),
  async handler({ store }) {
    const [{ auditInventory: audit }, { GovernanceReader }] = await Promise.all([
      import('../../../governance/audit/inventory.js'),
      import('../../../governance/records.js'),
    ]);
    const spec = await specOf(store);
    const { findings, classes } = await withSnapshot(store.snapshot(), ({ storage }) =>
      audit(new GovernanceReader(storage, store.baseNamespace), spec),
    );
    const { violations, incompletenesses } = findings;
    const holes = `${violations} unknown hole(s), ${incompletenesses} acknowledged/undecidable surface(s)`;
    const scope = `${classes} declared tool class(es) against ${spec.size} constraint(s)`;
    const summary = `dispatch graph: ${holes} over ${scope}`;
    return { kind: 'body', body: reportOf(findings, { records: classes, constraints: spec.size }, summary) };
  },
  projections: {
    cli: {
      command: 'audit inventory',
      notes: ['It ends with 1 where something is violated.'],
      examples: ['svc audit inventory', 'svc audit inventory --json'],
      options: {},
      succeeded: ({ conforms }) => conforms,
      text: reportText,
    },
  },
});

export const auditNamespace = defineOperation({
  name: 'audit_namespace',
  summary: 'Audit the predicates and classes of ROOT: whose namespaces they use',
  access: 'admin',
  opens: 'read',
  request: Type.Object({}),
  response: Type.Object({
    ...reportFields,
    namespaces: Type.Array(
      Type.Object({
        namespace: Type.String(),
        uses: Type.Integer('facts with a predicate or class of it'),
        declared: Type.Boolean(),
      }),
    ),
  }),
  async handler({ store, control }) {
    const [{ auditNamespaces }, { declaredPrefixes }] = await Promise.all([
      import('../../../governance/audit/namespace.js'),
      import('../../../graphs/shapes/stored-shapes.js'),
    ]);
    const audit = await withSnapshot(store.snapshot(), ({ storage }) => {
      const declared = [store.baseNamespace, ...declaredPrefixes(storage).values()];
      return auditNamespaces(storage, declared, control);
    });
    const { findings, namespaces, terms, declared } = audit;
    const { violations, incompletenesses } = findings;
    const found = `${violations} violation(s), ${incompletenesses} incompleteness(es)`;
    const summary = `namespaces: ${found} over ${terms} predicate(s) and class(es) against ${declared} declared namespace(s)`;
    const report = reportOf(findings, { records: terms, constraints: declared }, summary);
    return { kind: 'body', body: { ...report, namespaces } };
  },
  projections: {
    cli: {
      command: 'audit namespace',
      notes: [
        'Declared are the prefixes of stored sets of shapes, the namespaces of the store and of the service, and those of RDF, RDFS, OWL, SHACL, PROV, XSD and SKOS.',
        'It ends with 1 where a term stands in a namespace of the service that the service does not define.',
      ],
      examples: ['svc audit namespace', 'svc audit namespace --json'],
      options: {},
      succeeded: ({ conforms }) => conforms,
      text: ({ namespaces, ...report }) => {
        const width = Math.max(0, ...namespaces.map(({ uses }) => String(uses).length));
        const lines = namespaces.map(({ namespace, uses, declared }) => {
          return `  ${String(uses).padStart(width)}  ${namespace}${declared ? '' : '  (undeclared)'}\n`;
        });
        return `${lines.join('')}${reportText(report)}`;
      },
    },
  },
});
