// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

import { linkPages } from '../parse-response.ts';

/**
 * The paging rules of the operations that have pages.
 */
export const pageRules = {
    listPets: linkPages
};
