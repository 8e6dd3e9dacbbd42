/** Chooses and orders columns, without copying; a variable that the input lacks is unbound. */

import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import { newColumn } from '../../runtime/batch.js';
import { columnsOf, type KeyFilter, Operator, PENDING, type Step } from '../../runtime/operator.js';

const UNBOUND_COLUMN = newColumn(BATCH_ROWS);

export class ProjectOperator extends Operator {
  private readonly sources: readonly number[];

  constructor(
    private readonly input: Operator,
    variables: readonly string[],
  ) {
    super(variables, [input]);
    this.sources = columnsOf(input.variables, variables);
  }

  override narrow(filter: KeyFilter): void {
    this.narrowInputs(filter);
  }

  protected step(): Step {
    const batch = this.input.next();
    if (batch === null || batch === PENDING) return batch;
    const columns = this.sources.map((source) => (source < 0 ? UNBOUND_COLUMN : (batch.columns[source] as IdColumn)));
    return { rows: batch.rows, columns };
  }
}
