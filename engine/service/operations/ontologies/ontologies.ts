/** Loads ontologies, lists and removes them, and writes what they entail. */

import { throwIfStopped } from '../../../base/control.js';
import { featureOff, featuresOf } from '../../configuration/features.js';
import { oneOf, type Static, Type } from '../../requests/schema.js';
import { actionField, byAction } from '../definition/actions.js';
import { needed, pageFields, pageOf, writtenBy, writtenFields } from '../definition/fields.js';
import { type Answer, asTheyAre, defineOperation, inWords, type OperationContext } from '../definition/operation.js';

const ACTIONS = ['list', 'load', 'materialize', 'remove'] as const;
const TOOL_ACTIONS = ['load', 'list', 'remove'] as const;

const AXIOMS = [
  'subclass_of',
  'subproperty_of',
  'disjoint_with',
  'inverse_of',
  'functional_properties',
  'symmetric_properties',
  'transitive_properties',
  'equivalent_classes',
  'equivalent_properties',
  'domains',
  'ranges',
  'total_triples',
] as const;

const COUNTS = [
  'subclass_inferences',
  'sub_property_inferences',
  'equivalent_class_inferences',
  'equivalent_property_inferences',
  'inverse_inferences',
  'symmetric_inferences',
  'transitive_inferences',
  'domain_range_inferences',
  'total',
  'asserted',
  'retracted',
] as const;

type Integers<Names extends string> = Readonly<Record<Names, ReturnType<typeof Type.Integer>>>;
const integers = <Names extends string>(names: readonly Names[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.Integer()])) as Integers<Names>);

const axioms = integers(AXIOMS);
const materialized = integers(COUNTS);
const listed = Type.Array(Type.Object({ name: Type.String(), loaded_at: Type.String(), axioms }));

export const ontologyListResponse = Type.Object({
  action: Type.String('list'),
  ontologies: listed,
  count: Type.Integer(),
  truncated: Type.Boolean(),
});

export const loadedResponse = Type.Object({
  action: Type.String('load'),
  name: Type.String(),
  axioms,
  materialized,
});

export const removedResponse = Type.Object({
  action: Type.String('remove'),
  name: Type.String(),
  removed: Type.Boolean(),
});

const request = Type.Object({
  action: actionField(ACTIONS),
  name: Type.Optional(Type.String('name of the ontology')),
  turtle: Type.Optional(Type.String('the ontology, in Turtle')),
  ...writtenFields,
  ...pageFields,
});

const response = Type.Object({
  action: Type.String('what was done'),
  name: Type.Optional(Type.String()),
  axioms: Type.Optional(axioms),
  materialized: Type.Optional(Type.Union([materialized, Type.Null()])),
  ontologies: Type.Optional(Type.Union([listed, Type.Integer('of materialize: how many are loaded')])),
  count: Type.Optional(Type.Integer()),
  truncated: Type.Optional(Type.Boolean()),
  note: Type.Optional(Type.String()),
  removed: Type.Optional(Type.Boolean()),
});

type Request = Static<typeof request>;
type Body = Static<typeof response>;
type Told = Promise<Answer<Body>>;

/** Runs what needs the feature. */
function withFeature<Given, Shown>(work: (context: OperationContext, request: Given) => Promise<Answer<Shown>>) {
  return async (context: OperationContext, given: Given): Promise<Answer<Shown>> => {
    if (!featuresOf(context.configuration).includes('owl')) throw featureOff('owl', 'an ontology');
    return work(context, given);
  };
}

async function list(
  { store, control }: OperationContext,
  page: Pick<Request, 'limit' | 'offset'>,
): Promise<Answer<Static<typeof ontologyListResponse>>> {
  const all = await store.ontologies();
  throwIfStopped(control, 'the listing');
  const { entries, truncated } = pageOf(all, page);
  const ontologies = entries.map((one) => ({ name: one.name, loaded_at: one.loadedAt, axioms: one.axioms }));
  return { kind: 'body', body: { action: 'list', ontologies, count: ontologies.length, truncated } };
}

async function load({ store, control }: OperationContext, request: Request): Told {
  const name = needed(request.name, 'name');
  const turtle = needed(request.turtle, 'turtle');
  const { axioms, materialized, tx } = await store.loadOntology(name, turtle, writtenBy(control, request));
  return { kind: 'body', body: { action: 'load', name, axioms, materialized }, notes: { tx } };
}

const NONE_LOADED = 'no ontology is loaded, so nothing follows';

async function materialize({ store, control }: OperationContext, request: Request): Told {
  const { actor: _, ...written } = writtenBy(control, request);
  const { ontologies, materialized, tx } = await store.materialize(written);
  const note = ontologies === 0 ? { note: NONE_LOADED } : {};
  return { kind: 'body', body: { action: 'materialize', ontologies, materialized, ...note }, notes: { tx } };
}

async function remove({ store, control }: OperationContext, request: Request): Told {
  const name = needed(request.name, 'name');
  const { removed, tx } = await store.removeOntology(name, writtenBy(control, request));
  return { kind: 'body', body: { action: 'remove', name, removed }, notes: { tx } };
}

export const ontologyList = defineOperation({
  name: 'ontology_list',
  summary: 'List the loaded ontologies',
  access: 'read',
  request: Type.Object(pageFields),
  response: ontologyListResponse,
  handler: withFeature(list),
  projections: { http: [{ method: 'GET', path: '/ontology', request: 'parameters' }] },
});

export const ontology = defineOperation({
  name: 'ontology',
  summary: 'Load, list and remove ontologies, and write what they entail',
  access: 'write',
  request,
  response,
  handler: withFeature(byAction<Request, Body>('ontology', { list, load, materialize, remove })),
  projections: {
    http: [{ method: 'POST', path: '/ontology', request: 'body', reads: { list: ontologyList } }],
    mcp: {
      tool: 'load_ontology',
      description: [
        'Keep ontologies (RDFS and OWL axioms in Turtle) under names. What they entail of ROOT (subclasses, inverses ...) is written into ROOT and kept up to date. To constrain data use svc_shapes.',
        'load needs name and turtle, and replaces; list is the default; remove needs name, and takes along what follows no more.',
      ],
      example: {
        action: 'load',
        name: 'animals',
        turtle: '<http://ex.org/Dog> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://ex.org/Animal> .',
      },
      parameters: {
        ...inWords({ name: 'of the ontology', turtle: 'the ontology' }),
        action: { description: 'load, list or remove; default list', schema: oneOf(TOOL_ACTIONS), default: 'list' },
        ...asTheyAre('timestamp'),
        limit: { default: 100 },
        offset: { default: 0 },
      },
      reads: { list: ontologyList },
      feature: 'owl',
      destructive: true,
      idempotent: false,
    },
  },
});
