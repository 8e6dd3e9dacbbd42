/** uPlot: lines and bars over numbers. */
import uPlot from 'uplot';
import sheet from 'uplot/dist/uPlot.min.css';

export type { AlignedData, Options, Series } from 'uplot';
export { sheet, uPlot };
