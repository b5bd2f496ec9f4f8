// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

import type { Pagination } from './old.ts';

/**
 * The paging rules of the operations that have pages.
 */
export const pageRules: Readonly<Record<string, Pagination>> = {
  listPets: {
    by: 'link',
    cursor: 'after',
    limit: 'limit',
    key: 'id',
  },
};
