/** Shapes and data of tests, and what a validation says about them. */

import type { LoadSource } from '../../engine/storage/seam/engine.js';
import { payloadSnapshot, readShapes } from '../../engine/validate/payload.js';
import { reportOf, type ValidationReport, type ValidationResult } from '../../engine/validate/report.js';
import type { Shapes } from '../../engine/validate/shapes/shapes.js';
import { validate } from '../../engine/validate/validate.js';

export const PREFIXES = `@prefix : <http://example.org/> .
@prefix ex: <http://ex/> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix svc: <https://svc.dev/ontology/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
`;

export function turtle(text: string, name = 'test'): LoadSource {
  return { kind: 'bytes', bytes: new TextEncoder().encode(PREFIXES + text), name, format: 'turtle' };
}

export function shapesOf(text: string): Promise<Shapes> {
  return readShapes([turtle(text)], {});
}

/** The shapes of semantics-reasoning 4.7. */
export const PERSON_SHAPE = `ex:PersonShape a sh:NodeShape ; sh:targetClass ex:Person ;
  sh:property [ sh:path ex:name ; sh:datatype xsd:string ; sh:minCount 1 ; sh:maxCount 1 ] ,
    [ sh:path ex:status ; sh:in ("active" "retired") ] , [ sh:path ex:boss ; sh:class ex:Person ] .`;

export async function report(shapes: string, data: string): Promise<ValidationReport> {
  const snapshot = await payloadSnapshot([turtle(data)], {});
  const results = await validate(await shapesOf(shapes), { snapshot }, null, {});
  try {
    return await reportOf(results);
  } finally {
    results.view.close();
    snapshot.close();
  }
}

export async function violations(shapes: string, data: string): Promise<ValidationResult[]> {
  return (await report(shapes, data)).violations;
}

/** One line a violation: focus node, path, component and value, in short. */
export async function failures(shapes: string, data: string): Promise<string[]> {
  const short = (text: string | null): string =>
    (text ?? '-').replaceAll('http://example.org/', ':').replaceAll('http://ex/', 'ex:');
  return (await violations(shapes, data)).map(({ focus_node, path, component, value }) =>
    [focus_node, path, component.replace('ConstraintComponent', ''), value].map(short).join(' '),
  );
}
