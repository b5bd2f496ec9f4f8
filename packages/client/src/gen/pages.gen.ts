// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

import { linkPages } from '../page-rules.ts';

/**
 * How the operations that have pages have them.
 */
export const pageRules = {
    listPets: linkPages
};
