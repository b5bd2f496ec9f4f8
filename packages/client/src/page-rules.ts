import { wires } from './gen/calls.gen.ts';
import type { Pagination } from './old.ts';

/** The paging rules of the operations that have pages. */
export const pageRules: Readonly<Record<string, Pagination>> = Object.fromEntries(
  Object.entries(wires).flatMap(([id, { cursor, limit }]) =>
    cursor && limit ? [[id, { by: 'link', cursor, limit, key: 'id' } as const]] : [],
  ),
);
