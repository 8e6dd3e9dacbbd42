/**
 * The SHACL gate (semantics of reasoning, 4): in each graph that a write changes, the nodes whose conformance it can change
 * are judged before and after. What becomes worse refuses it; what was wrong before, or is only warned of, does not.
 *
 * With no shapes stored and none with the write it takes no snapshot. What the service keeps for itself and
 * shares on their way in are not judged; overlays are not among the changes.
 */

import type { Control } from '../../base/control.js';
import { loadOnce } from '../../base/load-once.js';
import { CompiledSets } from '../../graphs/shapes/compiled-sets.js';
import { META_GRAPH_IRI, REGISTRY_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { ChangesByGraph } from '../../storage/seam/engine.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { ChangedRows } from '../../storage/seam/scan.js';
import type { ValidationResult } from '../../validate/report.js';
import type { Shapes } from '../../validate/shapes/shapes.js';
import type { Finding, Gate, ObservedFinding, StagedWrite, Verdict } from '../gates/gates.js';
import { LoadedShapes } from './loaded-shapes.js';

/** How many results the message of a refusal names. */
const NAMED_MAX = 3;
const HINT = 'change what is written, or the stored shapes that refuse it';
const NOT_JUDGED: Verdict = { kind: 'accepted', findings: [] };
const SHARE = /^urn:svc:(share|quarantine):/;

// Loaded when needed: most stores have no shapes.
const judging = loadOnce(() => import('../../validate/changes/judge-change.js'));
const reporting = loadOnce(() => import('../../validate/report.js'));

interface JudgedGraph {
  readonly violations: readonly ValidationResult[];
  readonly others: readonly ValidationResult[];
  readonly observed: readonly ValidationResult[];
}

export class ShaclGate implements Gate {
  readonly name = 'shacl';
  readonly #shapes: LoadedShapes;
  readonly #withStored: boolean;

  /** `withStored` false: stored shapes do not judge, only those that come with a write. */
  constructor(withStored: boolean, compiled: CompiledSets = new CompiledSets()) {
    this.#shapes = new LoadedShapes(compiled);
    this.#withStored = withStored;
  }

  judge(write: StagedWrite, control: Control): Verdict | Promise<Verdict> {
    const { asserted, retracted } = write.counts;
    if (asserted + retracted === 0 && write.shapes === undefined) return NOT_JUDGED;
    const shapes = this.#shapes.of(write, this.#withStored, control);
    return shapes === null ? NOT_JUDGED : this.#judgeBy(shapes, write, control);
  }

  async #judgeBy(compiled: Promise<Shapes>, write: StagedWrite, control: Control): Promise<Verdict> {
    const shapes = await compiled;
    const { asserted, retracted } = write.counts;
    const violations: Finding[] = [];
    const others: Finding[] = [];
    const observed: ObservedFinding[] = [];
    // Documents of rules alone are stored among the shapes and have none.
    const judges = asserted + retracted > 0 && shapes.targeted.length > 0;
    for (const graph of judges ? judgedGraphs(write) : []) {
      const found = await judgeGraph(shapes, write, graph, control);
      violations.push(...found.violations.map(toFinding));
      others.push(...found.others.map(toFinding));
      observed.push(...found.observed.map((one) => ({ ...toFinding(one), graph })));
    }
    if (violations.length === 0) return { kind: 'accepted', findings: others, judged: true, observed };
    return {
      kind: 'refused',
      code: 'refused_shacl',
      message: refusalText(violations),
      hint: HINT,
      findings: [...violations, ...others],
    };
  }
}

async function judgeGraph(shapes: Shapes, write: StagedWrite, graph: string, control: Control): Promise<JudgedGraph> {
  const { after } = write;
  const { judgeChange } = await judging();
  const before = {
    graph,
    // Opened when something asks for it.
    get snapshot() {
      return write.before;
    },
  };
  const rows = (counts: (id: TermId) => boolean) => rowsOf(write.changes, counts);
  const change = { before, after: { snapshot: after, graph }, rows };
  const judgement = await judgeChange(shapes, change, control);
  if (judgement === null) return { violations: [], others: [], observed: [] };
  const { results, fresh } = judgement;
  try {
    const { reportOf } = await reporting();
    const worse = fresh.filter(({ shape }) => shape.severity === 'Violation');
    const mild = [...results].filter(({ shape }) => shape.severity !== 'Violation');
    const { warnings, infos } = await reportOf(results, control, mild);
    const violations = (emits: boolean) =>
      reportOf(
        results,
        control,
        worse.filter(({ root }) => root.emits === emits),
      );
    return {
      violations: (await violations(false)).violations,
      others: [...warnings, ...infos],
      observed: (await violations(true)).violations,
    };
  } finally {
    results.view.close();
  }
}

function* rowsOf(changes: ChangesByGraph, counts: (graph: TermId) => boolean): Generator<ChangedRows> {
  for (const { graph } of changes.graphs) if (counts(graph)) yield* changes.rows(graph);
}

/** Names of the graphs that a write changes and shapes judge, IRIs or `_:label`, in the order of their ids. */
function judgedGraphs({ after, changes, copies }: StagedWrite): string[] {
  const graphs = changes.graphs.map(({ graph }) => graph).sort((a, b) => (a < b ? -1 : 1));
  const names = decodeIds(after, graphs);
  return graphs.flatMap((_, at) => {
    const { termType, value } = names[at] as (typeof names)[number];
    const isOurs = value === META_GRAPH_IRI || value === REGISTRY_GRAPH_IRI || SHARE.test(value) || copies?.has(value);
    if (isOurs) return [];
    return [termType === 'BlankNode' ? `_:${value}` : value];
  });
}

function toFinding(result: ValidationResult): Finding {
  const { severity, message, component, path, value, alternatives } = result;
  return {
    severity,
    message,
    focusNode: result.focus_node,
    component,
    path,
    value,
    sourceShape: result.source_shape,
    alternatives,
  };
}

function refusalText(violations: readonly Finding[]): string {
  const named = violations.slice(0, NAMED_MAX).map(({ focusNode, message, path }) => {
    const what = message.charAt(0).toLowerCase() + message.slice(1);
    return `${focusNode}: ${what}${path ? ` of ${path}` : ''}`;
  });
  const more = violations.length > NAMED_MAX ? '; ...' : '';
  return `SHACL validation failed: ${violations.length} violation(s): ${named.join('; ')}${more}`;
}
