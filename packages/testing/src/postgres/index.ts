export { childrenOf } from '../processes.ts';
export { Cluster } from './cluster.ts';
export { freePort } from './port.ts';
export { findPrograms } from './programs.ts';
