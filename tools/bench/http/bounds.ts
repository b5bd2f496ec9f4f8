import type { LoadName } from './loads.ts';

/** The targets: shares of a bare server's user time, with log, metrics and a durable store. */
export const targetShares: Record<LoadName, number> = {
  'list 20': 0.9,
  'list 100 filtered': 1.5,
  get: 0.85,
  create: 0.7,
};

/**
 * The regression gate: `npm run test:deep` fails when the shipped server does less than this for its CPU time, as a share of what a
 * bare `node:http` server does for as much. About 60 % of the measured shares, so that only a real loss fails the gate.
 */
export const floors: Record<LoadName, number> = {
  'list 20': 0.5,
  'list 100 filtered': 0.8,
  get: 0.5,
  create: 0.3,
};
