export type { CallOptions } from './connection.ts';
