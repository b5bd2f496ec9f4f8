// What the bench needs of this package and nobody else does.
export { insertion, page } from '../../src/store/postgres/sql.ts';
export { Cluster } from './database/cluster.ts';
export { findPrograms } from './database/programs.ts';
