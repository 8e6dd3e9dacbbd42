/** How a query is answered (EXPLAIN), and where its time went (PROFILE): the tree of operators. */

import { errorNotice } from '../../parts/errors.js';
import { classMap, css, html, LitElement, nothing } from '../../parts/lit.js';
import { curieOf, type Prefixes } from '../../parts/prefixes.js';
import { styled } from '../../parts/styled.js';
import { base } from '../../parts/styles.js';
import { count, shownLine } from '../../parts/text.js';
import { define } from '../../parts/view.js';
import { type PlanRow, planRows, worstOf } from './plan.js';

export interface Explanation {
  readonly plan: unknown;
  readonly times: { readonly totalMs: number; readonly runMs: number | null };
  readonly memory: { readonly peakBytes: number } | null;
  readonly notes: readonly string[];
  readonly rewrites: readonly string[];
  readonly text: string;
}

const DETAIL_CHARACTERS = 400;
const DEPTH_MAX = 12;

class PlanPanel extends LitElement {
  static override properties = {
    explanation: { attribute: false },
    failure: { attribute: false },
    isWaiting: { attribute: false },
    prefixes: { attribute: false },
  };
  static override styles = [
    base,
    css`
      :host {
        display: block;
        overflow: auto;
        background: var(--surface);
      }
      .bar {
        display: flex;
        align-items: center;
        gap: 8px;
        padding: 4px 12px;
        border-bottom: 1px solid var(--line);
      }
      table {
        border-collapse: collapse;
        width: 100%;
        font-size: 12px;
        line-height: 18px;
      }
      th {
        text-align: right;
        font-weight: 400;
        font-size: 11px;
        color: var(--text-3);
        background: var(--sunken);
        padding: 4px 8px;
      }
      th:first-child {
        text-align: left;
      }
      td {
        padding: 4px 8px;
        border-bottom: 1px solid var(--line);
        vertical-align: top;
      }
      .operator {
        overflow-wrap: anywhere;
      }
      .track {
        height: 4px;
        background: var(--line);
        border-radius: 2px;
        margin-top: 4px;
      }
      .track i {
        display: block;
        height: 100%;
        border-radius: 2px;
        background: var(--accent);
      }
      tr.worst td {
        background: var(--change-soft);
      }
      tr.worst .off {
        color: var(--change);
        font-weight: 600;
      }
      p {
        padding: 0 12px;
      }
    `,
  ];
  explanation: Explanation | null = null;
  failure: unknown = null;
  isWaiting = false;
  prefixes: Prefixes = {};

  override render() {
    const { explanation } = this;
    return html`<div class="bar"><h2>${explanation?.times.runMs === null ? 'Plan' : 'Profile'}</h2>
        <span class="faint" role="status">${this.isWaiting ? 'waiting' : explanation === null ? '' : this.#sums(explanation)}</span><span class="grow"></span>
        <button class="button plain small" ?disabled=${explanation === null} @click=${() => navigator.clipboard.writeText(explanation?.text ?? '')}>Copy</button>
        <button class="button plain small" aria-label="Close the plan" @click=${() => this.dispatchEvent(new Event('close'))}>×</button></div>
      ${this.failure === null ? nothing : errorNotice(this.failure)}
      ${explanation === null ? nothing : this.#tree(explanation)}`;
  }

  #sums({ times, memory }: Explanation): string {
    const spent = `${times.totalMs.toFixed(times.totalMs < 10 ? 1 : 0)} ms`;
    return memory === null ? spent : `${spent} · ${(memory.peakBytes / 1e6).toFixed(1)} MB`;
  }

  #tree({ plan, notes }: Explanation) {
    const rows = planRows(plan);
    const worst = worstOf(rows);
    const longest = Math.max(...rows.map(({ ownMs }) => ownMs ?? 0));
    return html`<table>
        <thead><tr><th scope="col">Operator</th><th scope="col">rows</th><th scope="col">guess</th><th scope="col">off by</th><th scope="col">own ms</th></tr></thead>
        <tbody>${rows.map((row) => this.#row(row, row === worst, longest))}</tbody>
      </table>
      ${worst === null ? nothing : html`<p class="soft">Largest miss: ${worst.operator} was guessed ${times(worst.offBy ?? 1)} too ${worst.tooLow ? 'low' : 'high'}.</p>`}
      ${notes.map((note) => html`<p class="soft">${note}</p>`)}`;
  }

  #short(detail: string): string {
    return detail.replace(/<([^<>\s]+)>/g, (whole, iri: string) => curieOf(iri, this.prefixes) ?? whole);
  }

  #row(row: PlanRow, isWorst: boolean, longest: number) {
    const { depth, operator, detail, rows, estimated, offBy, ownMs } = row;
    return html`<tr class=${classMap({ worst: isWorst })}>
      <td ${styled({ 'padding-left': `${12 + Math.min(depth, DEPTH_MAX) * 14}px` })}><div class="operator"><b>${operator}</b> <span class="mono soft" title=${detail}>${shownLine(this.#short(detail), DETAIL_CHARACTERS)}</span></div>
        ${ownMs === null || longest === 0 ? nothing : html`<div class="track" aria-hidden="true"><i ${styled({ width: `${(ownMs / longest) * 100}%` })}></i></div>`}</td>
      <td class="number">${rows === null ? '–' : count(rows)}</td>
      <td class="number">${estimated === null ? '–' : count(Math.round(estimated))}</td>
      <td class="number off">${offBy === null ? '–' : `×${offBy.toFixed(1)}`}</td>
      <td class="number">${ownMs === null ? '–' : ownMs.toFixed(2)}</td>
    </tr>`;
  }
}

function times(offBy: number): string {
  return `${offBy.toFixed(1)} times`;
}

define('svc-plan', PlanPanel);
