// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

import type { Authorize } from './build-request.ts';
import { authorizeBy, bearer } from './credentials.ts';

export const bearerScheme = ['bearer', bearer, 'apiKey'] as const;

/**
 * The headers, query parameters and cookies that are API keys, as in a URL and in lower case.
 */
export const apiKeyNames: readonly string[] = [];

/**
 * Adds the credentials that the spec requires by default.
 */
export const authorize: Authorize | undefined = /* @__PURE__ */ authorizeBy(bearerScheme);
