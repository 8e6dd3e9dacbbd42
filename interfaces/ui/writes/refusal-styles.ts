/** How forms that write look, with their refusals, for the shadow roots that show them. */

import { css } from '../parts/lit.js';

export const refusalStyles = css`
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    align-items: center;
  }
  .finding {
    white-space: normal;
    border-top: 1px solid var(--line-strong);
    margin-top: 6px;
    padding-top: 6px;
  }
  .choices {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
    align-items: center;
    margin: 4px 0;
  }
  details {
    margin-top: 2px;
  }
  summary {
    cursor: pointer;
    width: fit-content;
    color: var(--text-2);
  }
  dl {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    gap: 0 12px;
    margin: 4px 0 0;
  }
  dt {
    color: var(--text-2);
  }
  dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  .done {
    color: var(--add);
  }
`;
