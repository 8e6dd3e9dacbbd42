/** A shape as a form: a field for each property, as what it asks allows it, and the shapes that stand in it. Nothing of it is sent. */

import { html, nothing, type TemplateResult } from '../parts/lit.js';
import { iriLink, iriText, type TermOptions, termView } from '../parts/term.js';
import { count, shownLine } from '../parts/text.js';
import { type Constraint, type Part, pathText, type Shape, type Target } from './read-shapes.js';
import type { Term } from './shapes-graph.js';

const CHARACTERS = 300;
/** Entries of sh:in that are drawn. */
const CHOICES_MAX = 200;
const XSD = 'http://www.w3.org/2001/XMLSchema#';

const PARTS: Readonly<Record<string, string>> = {
  node: 'Its value also has this shape',
  not: 'It must not have this shape',
  or: 'At least one of these',
  and: 'All of these',
  xone: 'Exactly one of these',
  qualifiedValueShape: 'Some of its values have this shape',
};
const TARGETS: Readonly<Record<Target['kind'], string>> = {
  class: 'Instances of',
  node: 'The node',
  subjectsOf: 'What has',
  objectsOf: 'What is a value of',
  sparql: 'What a query finds:',
};
const INPUTS: Readonly<Record<string, string>> = {
  integer: 'number',
  decimal: 'number',
  double: 'number',
  float: 'number',
  int: 'number',
  long: 'number',
  date: 'date',
  dateTime: 'datetime-local',
  anyURI: 'url',
};
/** Told by the field itself. */
const IN_FIELD = new Set(['in', 'minCount', 'maxCount', 'datatype']);

export interface FormOptions extends TermOptions {
  /** Shows a shape that has an IRI. */
  choose(shape: Shape): void;
}

export function shapeForm(shape: Shape, options: FormOptions): TemplateResult {
  return html`<div class="form">
    ${shape.targets.length === 0 ? html`<p class="soft">It has no targets of its own: other shapes refer to it.</p>` : html`<ul class="targets" aria-label="Targets">${shape.targets.map(({ kind, term }) => html`<li>${TARGETS[kind]} ${kind === 'class' && term.type === 'uri' ? iriLink(term.value, options, 'svc-type-click') : termView(term, { ...options, charactersMax: CHARACTERS })}</li>`)}</ul>`}
    ${inside(shape, options)}
  </div>`;
}

/** What a shape asks, without its head. */
function inside(shape: Shape, options: FormOptions): TemplateResult {
  if (shape.isRepeated) return html`<p class="soft">As above: the shape refers to itself.</p>`;
  return html`${shape.description === null ? nothing : html`<p class="soft"><bdi dir="auto">${shownLine(shape.description, CHARACTERS * 4)}</bdi></p>`}
    ${shape.isDeactivated ? html`<p><b>Deactivated</b>: it judges nothing.</p>` : nothing}
    ${shape.path === null ? nothing : field(shape, options)}
    ${constraints(
      shape.constraints.filter(({ name }) => shape.path === null || !IN_FIELD.has(name)),
      options,
    )}
    ${shape.properties.map((property) => propertySet(property, options))}
    ${shape.parts.map((part) => partView(part, options))}`;
}

function propertySet(shape: Shape, options: FormOptions): TemplateResult {
  return html`<fieldset class="property"><legend><bdi dir="auto">${label(shape, options)}</bdi> ${isNeeded(shape) ? html`<b class="needed">required</b>` : nothing}</legend>${inside(shape, options)}</fieldset>`;
}

function label({ name, path, iri, key }: Shape, { prefixes }: FormOptions): string {
  if (name !== null) return shownLine(name, CHARACTERS);
  if (path !== null)
    return shownLine(
      pathText(path, (one) => iriText(one, prefixes)),
      CHARACTERS,
    );
  return iri === null ? key : iriText(iri, prefixes, CHARACTERS);
}

const valuesOf = ({ constraints }: Shape, name: string): readonly Term[] =>
  constraints.find((one) => one.name === name)?.values ?? [];

function isNeeded(shape: Shape): boolean {
  return Number(valuesOf(shape, 'minCount')[0]?.value ?? 0) > 0;
}

/** How often, and of which kind: what stands under a field. */
function help(shape: Shape, { prefixes }: FormOptions): string {
  const [min, max] = ['minCount', 'maxCount'].map((name) => valuesOf(shape, name)[0]?.value);
  const often =
    max === undefined
      ? min === undefined
        ? 'any number'
        : `${min} or more`
      : min === max
        ? `exactly ${max}`
        : `${min ?? 0} to ${max}`;
  const types = valuesOf(shape, 'datatype').map(({ value }) => iriText(value, prefixes));
  return shownLine([often, ...types].join(' · '), CHARACTERS);
}

function field(shape: Shape, options: FormOptions): TemplateResult {
  const path = shape.path === null ? '' : pathText(shape.path, (one) => iriText(one, options.prefixes));
  const name = label(shape, options);
  const choices = valuesOf(shape, 'in');
  const [datatype] = valuesOf(shape, 'datatype');
  const type = INPUTS[datatype?.value.replace(XSD, '') ?? ''] ?? 'text';
  const control =
    choices.length > 0
      ? html`<select class="field" aria-label=${name}>${choices.slice(0, CHOICES_MAX).map((choice) => html`<option>${termText(choice, options)}</option>`)}</select>${choices.length > CHOICES_MAX ? html` <span class="soft">${count(CHOICES_MAX)} of ${count(choices.length)}</span>` : nothing}`
      : datatype?.value === `${XSD}boolean`
        ? html`<input type="checkbox" aria-label=${name} />`
        : html`<input class="field" type=${type} autocomplete="off" aria-label=${name} />`;
  return html`<div class="control">${control} <span class="soft">${help(shape, options)}</span></div>
    ${shape.name === null && shape.path?.kind === 'predicate' ? nothing : html`<div class="mono soft"><bdi>${shownLine(path, CHARACTERS)}</bdi></div>`}`;
}

function termText(term: Term, { prefixes }: FormOptions): string {
  if (term.type === 'uri') return iriText(term.value, prefixes, CHARACTERS);
  return term.type === 'literal' ? shownLine(term.value, CHARACTERS) : '_';
}

function constraints(list: readonly Constraint[], options: FormOptions): TemplateResult | typeof nothing {
  if (list.length === 0) return nothing;
  return html`<dl>${list.map(({ name, values }) => html`<div><dt class="mono">sh:${shownLine(name, 80)}</dt><dd>${values.slice(0, CHOICES_MAX).map((value) => html`<span class="value">${termView(value, options)}</span> `)}</dd></div>`)}</dl>`;
}

function partView({ kind, shapes }: Part, options: FormOptions): TemplateResult {
  return html`<div class="part" role="group" aria-label="${PARTS[kind] ?? kind}"><div><b>${PARTS[kind] ?? kind}</b> <span class="mono faint">sh:${kind}</span></div>
    <ul>${shapes.map((shape) => html`<li>${inner(shape, options)}</li>`)}</ul></div>`;
}

function inner(shape: Shape, options: FormOptions): TemplateResult {
  // A shape with a name of its own has a page of its own.
  if (shape.iri !== null) {
    return html`<button class="button small" @click=${() => options.choose(shape)}><bdi dir="auto">${label(shape, options)}</bdi></button>`;
  }
  return shape.path === null
    ? html`<div class="property">${inside(shape, options)}</div>`
    : propertySet(shape, options);
}
