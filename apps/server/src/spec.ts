import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { service } from '@petstore/types';
import { openApiDocument } from '@petstore/types/document';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';

/** The path that every deployment's address ends with, such as `/v1`. Every path of the interface follows it. */
export const basePath = new URL(Object.values(service.deployments)[0] ?? '/', 'http://localhost').pathname.replace(
  /\/$/,
  '',
);

/** The text of the spec. A spec in several files becomes one. */
export async function specText(): Promise<string> {
  const text = readFileSync(fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')), 'utf8');
  if (!/\$ref["']?: *["']?[^#"'\s]/.test(text)) return text;
  const { stringify } = await import('yaml');
  return stringify(openApiDocument);
}

/** The parsed spec, with its keys in their original order. */
export async function readableSpec(): Promise<OpenAPIV3.DocumentV3_1> {
  // Loaded on demand: only the docs page needs the parser.
  const { parse } = await import('yaml');
  return parse(await specText());
}

/** The spec with this server as its only one: every path starts with `basePath`. */
export function servedSpec(spec = structuredClone(openApiDocument)): OpenAPIV3.DocumentV3_1 {
  return { ...(spec as OpenAPIV3.DocumentV3_1), servers: [{ url: basePath }] };
}
