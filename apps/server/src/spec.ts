import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { service } from '@petstore/types';
import { openApiDocument } from '@petstore/types/document';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';

/** The version segment that every path of the interface starts with, `/v1`. */
export const basePath = new URL(service.deployments.production).pathname;

/** The spec as it is written. */
export function specText(): string {
  return readFileSync(fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')), 'utf8');
}

/** The spec with its keys as they are written, for people to read. The parser is loaded only for it. */
export async function readableSpec(): Promise<OpenAPIV3.DocumentV3_1> {
  const { parse } = await import('yaml');
  return parse(specText());
}

/** A spec whose only server is this one: every path starts with `basePath`, whatever the deployment's address. */
export function servedSpec(spec = structuredClone(openApiDocument)): OpenAPIV3.DocumentV3_1 {
  return { ...(spec as OpenAPIV3.DocumentV3_1), servers: [{ url: basePath }] };
}
