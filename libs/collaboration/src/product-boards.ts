import type { BoardFigure, CreateBoard } from '@spandrel/contract';

const figure = (title: string, name: BoardFigure['figure'], splitBy?: string): BoardFigure => ({
  ...{ title, figure: name, query: splitBy === undefined ? 'range=7d' : `range=7d&split_by=${splitBy}` },
});

/** The boards that come with the product, by their ids and in the order of these. */
export const PRODUCT_BOARDS: ReadonlyMap<string, CreateBoard> = new Map<string, CreateBoard>([
  ['cost', { name: 'Cost', figures: [figure('Cost by model', 'cost', 'model'), figure('Tokens', 'tokens', 'model')] }],
  ['quality', { name: 'Quality', figures: [figure('Scores of runs', 'scores'), figure('Errors', 'errors')] }],
  ['reliability', { name: 'Reliability', figures: [figure('Errors', 'errors'), figure('Latency', 'latency')] }],
]);
