import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Operation } from '@petstore/types';
import { openApiDocument } from '@petstore/types/document';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';

type Spec = OpenAPIV3.DocumentV3_1;
type Parameter = NonNullable<OpenAPIV3.OperationObject['parameters']>[number];

/** The text of the spec. A spec in several files becomes one. */
export async function specText(): Promise<string> {
  const text = readFileSync(fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')), 'utf8');
  if (!/\$ref["']?: *["']?[^#"'\s]/.test(text)) return text;
  const { stringify } = await import('yaml');
  return stringify(openApiDocument);
}

/** The parsed spec, with its keys in their original order. */
export async function readableSpec(): Promise<Spec> {
  // Loaded on demand: only the docs page needs the parser.
  const { parse } = await import('yaml');
  // The generator uses the same options.
  return parse(await specText(), { maxAliasCount: 1000, merge: true });
}

/** The spec for the docs page: extensions become sentences, and this server is the only one, because the page may call no other. */
export function presentedSpec(spec: Spec, operations: readonly Operation[], server: string): Spec {
  const shown = { ...structuredClone(spec), servers: [{ url: server }] };
  for (const operation of operations) {
    const entry = shown.paths?.[operation.path]?.[operation.method.toLowerCase() as 'get'];
    if (!entry) continue;
    entry.summary = [operation.summary, ...labels(operation)].join(' · ');
    entry.description = [...notices(operation, operations), operation.description].join('\n\n');
    if (entry.parameters) entry.parameters = entry.parameters.map(withoutPrefill);
  }
  return shown;
}

/** The stability and deprecation of an operation for its title. */
function labels({ stability, deprecated, sunset }: Operation): string[] {
  const deprecation = sunset ? `deprecated, will be removed on ${day(sunset)}` : 'deprecated';
  return [...(stability ? [stability] : []), ...(deprecated ? [deprecation] : [])];
}

function notices({ stability, deprecated, ...operation }: Operation, operations: readonly Operation[]): string[] {
  const notices: string[] = [];
  if (stability) notices.push(`> **Stability: ${stability}.** This operation may still change.`);
  if (deprecated) {
    const since = operation.deprecatedSince ? ` since ${day(operation.deprecatedSince)}` : '';
    const until = operation.sunset ? `; it will be removed on **${day(operation.sunset)}**` : '';
    const successor = operations.find(({ id }) => id === operation.successor);
    const instead = successor ? ` Its successor is \`${successor.method} ${successor.path}\`.` : '';
    notices.push(`> **Deprecated**${since}${until}.${instead}`);
  }
  return notices;
}

/** Removes examples of optional filters, because Swagger UI would fill them in and hide other results. */
function withoutPrefill(parameter: Parameter): Parameter {
  if ('$ref' in parameter || parameter.required || parameter.example === undefined) return parameter;
  const { example, ...rest } = parameter;
  return { ...rest, description: `${rest.description ?? ''}\n\nExample: \`${example}\`` };
}

const day = (date: string) => new Date(date).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
