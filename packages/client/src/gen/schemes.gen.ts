// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

import type { Authorize } from '../build-request.ts';
import { bearer, needs } from '../authorize.ts';

export const bearerScheme = ['bearer', bearer, 'apiKey'] as const;

/**
 * What a request needs of which the spec says nothing else.
 */
export const authorize: Authorize | undefined = /* @__PURE__ */ needs(bearerScheme);
