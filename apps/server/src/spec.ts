import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { service } from '@petstore/types';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { parse } from 'yaml';

/** The spec as it is written. */
export const specText = readFileSync(fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')), 'utf8');

/** The version segment that every path of the interface starts with, `/v1`. */
export const basePath = new URL(service.deployments.production).pathname;

/** The spec for the validator, which matches paths by it: whatever the deployment's address, they start with `basePath`. */
export function servedSpec(): OpenAPIV3.DocumentV3_1 {
  return { ...parse(specText), servers: [{ url: basePath }] };
}
