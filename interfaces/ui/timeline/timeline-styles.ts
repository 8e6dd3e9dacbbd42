/** How the timeline looks: lanes above, the list and what changed beside each other, one below the other on a narrow page. */

import { css } from '../parts/lit.js';
import { tableStyles } from '../parts/styles.js';

const styles = css`
  :host {
    display: flex;
    flex-direction: column;
    min-height: 0;
    height: 100%;
    background: var(--surface);
    overflow: auto;
  }
  .tools {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: 8px 12px;
    padding: 8px 12px;
    border-bottom: 1px solid var(--line);
  }
  .tools label {
    display: grid;
    font-size: 12px;
    color: var(--text-2);
  }
  .tools .field {
    width: 13rem;
    max-width: 100%;
  }
  .chart {
    padding: 8px 12px;
    border-bottom: 1px solid var(--line);
  }
  .lanes {
    position: relative;
    touch-action: pan-y;
    cursor: crosshair;
  }
  .lane {
    display: grid;
    grid-template-columns: 7rem minmax(0, 1fr);
    align-items: end;
  }
  .lane .label {
    color: var(--text-2);
    font-size: 12px;
  }
  .lane svg {
    width: 100%;
    height: 44px;
    display: block;
    border-bottom: 1px solid var(--line-strong);
  }
  .episodes .in {
    fill: var(--accent);
  }
  .transactions .in {
    fill: var(--past);
  }
  .out {
    fill: var(--line-strong);
  }
  .overlay {
    position: absolute;
    inset: 0;
    pointer-events: none;
  }
  .overlay svg {
    height: 100%;
    border: 0;
  }
  .outside {
    fill: var(--sunken);
    opacity: 0.6;
  }
  .moment {
    stroke: var(--past);
    stroke-width: 2px;
    stroke-dasharray: 4 3;
  }
  .sliders {
    position: relative;
    height: 24px;
  }
  .sliders input {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 24px;
    margin: 0;
    background: none;
    appearance: none;
    pointer-events: none;
  }
  .sliders input::-webkit-slider-thumb {
    appearance: none;
    width: 24px;
    height: 24px;
    border: 2px solid var(--surface);
    border-radius: var(--radius);
    background: var(--accent);
    pointer-events: auto;
    cursor: ew-resize;
  }
  .sliders input::-moz-range-thumb {
    width: 20px;
    height: 20px;
    border: 2px solid var(--surface);
    border-radius: var(--radius);
    background: var(--accent);
    pointer-events: auto;
    cursor: ew-resize;
  }
  .ends {
    display: flex;
    justify-content: space-between;
    font-size: 12px;
    color: var(--text-2);
  }
  .below {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    flex: 1;
    min-height: 0;
  }
  .below.two {
    grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
  }
  .list,
  .changes {
    padding: 8px 12px;
    min-width: 0;
  }
  .changes {
    border-inline-start: 1px solid var(--line);
  }
  .head {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
    padding-bottom: 6px;
  }
  table {
    border-collapse: collapse;
    width: 100%;
  }
  th {
    text-align: start;
    font-weight: 550;
    font-size: 12px;
    color: var(--text-2);
  }
  th.number {
    text-align: end;
  }
  th,
  td.number {
    overflow-wrap: normal;
    white-space: nowrap;
  }
  td.time {
    white-space: nowrap;
    font-variant-numeric: tabular-nums;
  }
  tr.unknown td {
    color: var(--text-3);
  }
  td.actions {
    white-space: nowrap;
    text-align: end;
  }
  .plus {
    color: var(--add);
  }
  .minus {
    color: var(--delete);
  }
  .change {
    display: grid;
    grid-template-columns: 20px minmax(0, 1fr);
    gap: 6px;
    padding: 3px 0;
    border-bottom: 1px solid var(--line);
    overflow-wrap: anywhere;
  }
  .sign {
    display: inline-grid;
    place-items: center;
    width: 18px;
    height: 18px;
    border-radius: 9px;
    font: 600 12px/1 var(--mono);
  }
  .added .sign {
    border: 2px solid var(--add);
    color: var(--add);
  }
  .removed .sign {
    border: 2px dashed var(--delete);
    color: var(--delete);
  }
  .removed .value {
    text-decoration: line-through;
  }
  @media (max-width: 900px) {
    .below.two {
      grid-template-columns: minmax(0, 1fr);
    }
    .changes {
      border-inline-start: 0;
      border-top: 1px solid var(--line);
    }
    .lane {
      grid-template-columns: 5.5rem minmax(0, 1fr);
    }
    .wide {
      display: none;
    }
  }
`;

export const timelineStyles = [tableStyles, styles];
