// What the bench and the failover under Patroni need of this package, and nobody else does.
export { insertion, page } from '../../src/store/postgres/sql.ts';
export { Cluster } from './database/cluster.ts';
export { freePort } from './database/place.ts';
export { childrenOf } from './database/processes.ts';
export { findPrograms } from './database/programs.ts';
export { Load } from './servers/load.ts';
export { startServer } from './servers/server.ts';
