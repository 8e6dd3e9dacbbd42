/**
 * Validates as a case of the SHACL suite wants it and compares the reports: whether they conform, and of each result
 * focus node, path, value, component, severity and shape; messages where the case states one. Blank nodes are
 * all the same here.
 */

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { SvcError } from '../../../engine/base/errors.js';
import { termToString } from '../../../engine/rdf/canonical/lines.js';
import type { Term } from '../../../engine/rdf/terms.js';
import type { LoadSource } from '../../../engine/storage/seam/engine.js';
import { localName } from '../../../engine/validate/likeness.js';
import { messageOf } from '../../../engine/validate/messages.js';
import { payloadSnapshot, readShapes } from '../../../engine/validate/payload.js';
import { type Finding, findingsOf } from '../../../engine/validate/report.js';
import { pathText, readPath } from '../../../engine/validate/shapes/path.js';
import { ShapesGraph } from '../../../engine/validate/shapes/shapes-graph.js';
import { validate } from '../../../engine/validate/validate.js';
import { Failure, type TestCase } from '../cases.js';
import { libraryReader } from '../readers.js';
import type { ShaclCase } from './case.js';

const MF = 'http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#';

export const SHACL_CHECKS: ReadonlyMap<string, (test: TestCase) => Promise<void>> = new Map([['Validate', mustReport]]);

async function mustReport({ shacl }: TestCase): Promise<void> {
  if (shacl === null) throw new Failure('the case names no data or shapes');
  if (shacl.mustFail) return mustFail(shacl);
  const expected = await expectedLines(shacl);
  const actual = await reportLines(shacl, expected.messages);
  const [wanted, got] = [expected.lines, actual].map((lines) => [...lines].sort().join('\n'));
  if (wanted !== got) throw new Failure(`expected\n${wanted}\ngot\n${got}`);
}

async function mustFail(shacl: ShaclCase): Promise<void> {
  try {
    await reportLines(shacl, false);
  } catch (error) {
    if (error instanceof SvcError && (error.kind === 'invalid' || error.kind === 'unsupported')) return;
    throw error;
  }
  throw new Failure('must be refused, but gave a report');
}

function sourceOf(path: string): LoadSource {
  return { kind: 'file', path, format: 'turtle', baseIri: pathToFileURL(path).href };
}

async function reportLines(shacl: ShaclCase, messages: boolean): Promise<string[]> {
  const shapes = await readShapes([sourceOf(shacl.shapesFile)], {});
  const snapshot = await payloadSnapshot([sourceOf(shacl.dataFile)], {});
  const results = await validate(shapes, { snapshot }, null, {});
  try {
    const findings = findingsOf(results);
    return [`conforms ${findings.length === 0}`, ...findings.map((finding) => lineOf(finding, messages))];
  } finally {
    results.view.close();
    snapshot.close();
  }
}

function lineOf(finding: Finding, messages: boolean): string {
  const { raw, focus, value, path, component } = finding;
  const parts = [text(focus), path ?? '-', value === null ? '-' : text(value), component];
  parts.push(text(raw.shape.severityTerm), text(raw.shape.node));
  if (messages) parts.push(messageOf(raw));
  return parts.join(' ');
}

function text(term: Term): string {
  return term.termType === 'BlankNode' ? '_:' : termToString(term);
}

async function expectedLines({ file, entry }: ShaclCase): Promise<{ lines: string[]; messages: boolean }> {
  const quads = await libraryReader.parse(readFileSync(file), 'turtle', pathToFileURL(file).href);
  const graph = new ShapesGraph(quads);
  const report = graph.all(entry, `${MF}result`)[0] as Term;
  const results = graph.values(report, 'result');
  const messages = results.some((result) => graph.values(result, 'resultMessage').length > 0);
  const lines = results.map((result) => {
    const one = (name: string): Term | undefined => graph.values(result, name)[0];
    const [path, value] = [one('resultPath'), one('value')];
    const parts = [text(one('focusNode') as Term)];
    parts.push(path === undefined ? '-' : pathText(readPath(graph, path, result)));
    parts.push(value === undefined ? '-' : text(value));
    parts.push(localName((one('sourceConstraintComponent') as Term).value));
    parts.push(text(one('resultSeverity') as Term), text(one('sourceShape') as Term));
    if (messages) parts.push(one('resultMessage')?.value ?? '-');
    return parts.join(' ');
  });
  return { lines: [`conforms ${graph.values(report, 'conforms')[0]?.value}`, ...lines], messages };
}
