// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

import type { Authorize } from '../authorize.ts';
import { bearer, needs } from '../authorize.ts';

export const bearerScheme = ['bearer', bearer] as const;

/**
 * The scheme whose credential is the API key.
 */
export const schemeOfKey = 'bearer';

/**
 * What a request needs of which the spec says nothing else.
 */
export const authorize: Authorize | undefined = /* @__PURE__ */ needs(bearerScheme);

/**
 * The deployment that is called unless another is named.
 */
export const firstDeployment = 'production';
